"""The forms of a game: arrays with labels, each derived from the game (or from another form).

A form's class is a noun, its builder the same noun in lower case: `tree(game)` builds a `Tree`. Builders
take `limit=` and say the size they met; `available(game)` lists which forms exist.
"""

from typing import TYPE_CHECKING

from fogbound.core.lazy import lazy

if TYPE_CHECKING:
    from fogbound.forms.available import Available
    from fogbound.forms.available import available_forms as available
    from fogbound.forms.belief_mdp import BeliefMDP, belief_mdp
    from fogbound.forms.induced import InducedModel, induced
    from fogbound.forms.knowledge import Knowledge, knowledge
    from fogbound.forms.markov import MarkovGame, MarkovModel, markov
    from fogbound.forms.memories import Memories, memories
    from fogbound.forms.normal import NormalForm, normal
    from fogbound.forms.one_sided.form import OneSided, OneSidedGame, one_sided
    from fogbound.forms.pomdp import POMDP, ModelGame, pomdp, pomdp_from_arrays
    from fogbound.forms.posg import POSG, posg
    from fogbound.forms.protocol import FORMS, Form, Question, derive
    from fogbound.forms.sequence import SequenceForm, Treeplex, sequence
    from fogbound.forms.table import Table, TableGame
    from fogbound.forms.table import enumerate_table as table
    from fogbound.forms.table_from_outcomes import JointOutcomes, ModelLabels, table_from_outcomes
    from fogbound.forms.tree import Tree, tree
    from fogbound.forms.vector_rules import ManyOutcomes, VectorRules

__all__ = [
    "FORMS",
    "POMDP",
    "POSG",
    "Available",
    "BeliefMDP",
    "Form",
    "InducedModel",
    "JointOutcomes",
    "Knowledge",
    "ManyOutcomes",
    "MarkovGame",
    "MarkovModel",
    "Memories",
    "ModelGame",
    "ModelLabels",
    "NormalForm",
    "OneSided",
    "OneSidedGame",
    "Question",
    "SequenceForm",
    "Table",
    "TableGame",
    "Tree",
    "Treeplex",
    "VectorRules",
    "available",
    "belief_mdp",
    "derive",
    "induced",
    "knowledge",
    "markov",
    "memories",
    "normal",
    "one_sided",
    "pomdp",
    "pomdp_from_arrays",
    "posg",
    "sequence",
    "table",
    "table_from_outcomes",
    "tree",
]

lazy(__name__)
