"""Pictures of games and answers: each call returns a self-contained SVG, or plain text for a terminal."""

from fogbound.draw.belief.bars import belief
from fogbound.draw.belief.history import belief_history
from fogbound.draw.belief.text import belief_history_text, vectors_text
from fogbound.draw.belief.vectors import vectors
from fogbound.draw.bounds import bounds
from fogbound.draw.controller.picture import controller
from fogbound.draw.controller.text import controller_dot, controller_text
from fogbound.draw.learning import learning
from fogbound.draw.matrix.pairs import pairs, pairs_text
from fogbound.draw.matrix.payoffs import matrix, matrix_text
from fogbound.draw.strategy.panels import panels
from fogbound.draw.strategy.picture import strategy, strategy_text
from fogbound.draw.svg import plain
from fogbound.draw.sweep import sweep
from fogbound.draw.transcript import transcript
from fogbound.draw.tree.game_tree import tree
from fogbound.draw.tree.minimax import minimax

__all__ = [
    "belief",
    "belief_history",
    "belief_history_text",
    "bounds",
    "controller",
    "controller_dot",
    "controller_text",
    "learning",
    "matrix",
    "matrix_text",
    "minimax",
    "pairs",
    "pairs_text",
    "panels",
    "plain",
    "strategy",
    "strategy_text",
    "sweep",
    "transcript",
    "tree",
    "vectors",
    "vectors_text",
]
