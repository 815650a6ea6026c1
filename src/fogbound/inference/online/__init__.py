"""Opponent inference in a game of two: who the other may be, what may be hidden, the value of each move.

All of it follows from what the player did and saw, never from the state of the game. `OpponentInference(hierarchy,
player)` holds the levels that the other may be; `inference.after(history)` is what a perfect reasoner would believe,
`inference.action_values(...)` the values of the moves then, and `review(inference, history)` what the moves of a
game cost. `OwnBelief(form)` says the same to one who plays alone.
"""

from fogbound.inference.online.action_values import ActionValue, best_actions
from fogbound.inference.online.nested_belief import BeliefController, NestedBelief
from fogbound.inference.online.opponent_inference import (
    JointPosterior,
    OpponentBelief,
    OpponentInference,
    ReviewedMove,
    TypeClass,
    review,
)
from fogbound.inference.online.own_belief import OwnBelief

__all__ = [
    "ActionValue",
    "BeliefController",
    "JointPosterior",
    "NestedBelief",
    "OpponentBelief",
    "OpponentInference",
    "OwnBelief",
    "ReviewedMove",
    "TypeClass",
    "best_actions",
    "review",
]
