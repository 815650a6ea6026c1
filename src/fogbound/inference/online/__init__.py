"""The fog lifted for one player of a game of two: who the other may be, what may be hidden, what each move is worth.

All of it follows from what the player did and saw, never from the state of the game. `OpponentInference(hierarchy,
player)` holds the levels that the other may be; `inference.after(history)` is what a perfect reasoner would believe,
`inference.action_values(...)` what the moves are worth then, and `review(inference, history)` what the moves of a
game cost.
"""

from fogbound.inference.online.action_values import ActionValue, best_actions
from fogbound.inference.online.nested_belief import BeliefController, NestedBelief
from fogbound.inference.online.type_posterior import (
    OpponentBelief,
    OpponentInference,
    ReviewedMove,
    TypeClass,
    TypePosterior,
    review,
)

__all__ = [
    "ActionValue",
    "BeliefController",
    "NestedBelief",
    "OpponentBelief",
    "OpponentInference",
    "ReviewedMove",
    "TypeClass",
    "TypePosterior",
    "best_actions",
    "review",
]
