"""The forms of a game: arrays with labels, each derived from the game (or from another form).

A form's class is a noun, its builder the same noun in lower case: `tree(game)` builds a `Tree`. Builders
take `limit=` and say the size they met; `available(game)` lists which forms exist.
"""

from fogbound.forms.available import Available, available
from fogbound.forms.belief import BeliefMDP, belief_mdp
from fogbound.forms.flat import flat
from fogbound.forms.knowledge import Knowledge, knowledge
from fogbound.forms.modelled import Modelled
from fogbound.forms.normal import NormalForm, normal
from fogbound.forms.one_sided import OneSided, one_sided
from fogbound.forms.one_sided_game import OneSidedGame
from fogbound.forms.pomdp import POMDP, pomdp
from fogbound.forms.product import Product, product
from fogbound.forms.restricted import Restricted
from fogbound.forms.sequence import SequenceForm, Treeplex, sequence
from fogbound.forms.table import Table, table
from fogbound.forms.tree import Tree, tree

__all__ = [
    "POMDP",
    "Available",
    "BeliefMDP",
    "Knowledge",
    "Modelled",
    "NormalForm",
    "OneSided",
    "OneSidedGame",
    "Product",
    "Restricted",
    "SequenceForm",
    "Table",
    "Tree",
    "Treeplex",
    "available",
    "belief_mdp",
    "flat",
    "knowledge",
    "normal",
    "one_sided",
    "pomdp",
    "product",
    "sequence",
    "table",
    "tree",
]
