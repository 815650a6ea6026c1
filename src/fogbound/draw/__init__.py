"""Pictures of games and answers: each call returns a self-contained SVG, or plain text for a terminal."""

from fogbound.draw.belief import belief
from fogbound.draw.belief_history import belief_history
from fogbound.draw.belief_text import belief_history_text, vectors_text
from fogbound.draw.belief_vectors import vectors
from fogbound.draw.bounds import bounds
from fogbound.draw.controller import controller
from fogbound.draw.controller_text import controller_dot, controller_text
from fogbound.draw.learning import learning
from fogbound.draw.matrix import matrix
from fogbound.draw.matrix_text import matrix_text
from fogbound.draw.minimax import minimax
from fogbound.draw.pairs import pairs
from fogbound.draw.pairs_text import pairs_text
from fogbound.draw.panels import panels
from fogbound.draw.strategy import strategy, strategy_text
from fogbound.draw.svg import plain
from fogbound.draw.sweep import sweep
from fogbound.draw.transcript import transcript
from fogbound.draw.tree import tree

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
