"""Pictures of games and answers. Each call returns a `Drawing`: it shows itself in a notebook, `save` writes it.

The subject comes first and all else by name: `title=` is the first line of the picture, `most=` how much of a large
subject is drawn, `describe=` an action in words. What draws a policy takes a `Solution`, a dict by player or a list
as well, with `player=` where there are several. A picture's `text` is for a terminal. Three calls return text alone:
`controller_dot` writes a controller for Graphviz, `matrix_latex` payoffs for LaTeX, `transcript` plays a game and
tells it.
"""

from typing import TYPE_CHECKING

from fogbound.core.lazy import lazy

if TYPE_CHECKING:
    from fogbound.core.drawing import Drawing
    from fogbound.draw.belief.bars import belief
    from fogbound.draw.belief.history import belief_history
    from fogbound.draw.belief.vectors import vectors
    from fogbound.draw.bounds import bounds
    from fogbound.draw.budgets import budgets
    from fogbound.draw.controller.graph import controller_dot
    from fogbound.draw.controller.picture import draw_controller as controller
    from fogbound.draw.field import field
    from fogbound.draw.gaps import GapPoint, gap_curves, gaps
    from fogbound.draw.learning import learning
    from fogbound.draw.logit_path import logit_path
    from fogbound.draw.matrix.latex import matrix_latex
    from fogbound.draw.matrix.pairs import pairs
    from fogbound.draw.matrix.payoffs import matrix
    from fogbound.draw.strategy.panels import panels
    from fogbound.draw.strategy.picture import draw_strategy as strategy
    from fogbound.draw.sweep import draw_sweep as sweep
    from fogbound.draw.transcript import transcript
    from fogbound.draw.tree.game_tree import draw_tree as tree
    from fogbound.draw.tree.minimax import minimax

__all__ = [
    "Drawing",
    "GapPoint",
    "belief",
    "belief_history",
    "bounds",
    "budgets",
    "controller",
    "controller_dot",
    "field",
    "gap_curves",
    "gaps",
    "learning",
    "logit_path",
    "matrix",
    "matrix_latex",
    "minimax",
    "pairs",
    "panels",
    "strategy",
    "sweep",
    "transcript",
    "tree",
    "vectors",
]

lazy(__name__)
