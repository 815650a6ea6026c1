"""The fog lifted for one seat of a game of two: who the other may be, what may be hidden, what each move is worth.

All of it follows from what the seat did and saw, never from the state of the game. `Fog(climb, me)` holds the levels
that the other may be; `fog.after(history)` is what a perfect reasoner would believe, `fog.worths(...)` what the moves
are worth then, and `review(fog, history)` what the moves of a game cost.
"""

from fogbound.solvers.lifted.fog import Fog
from fogbound.solvers.lifted.mind import Mind, Thought
from fogbound.solvers.lifted.posterior import Guess, Posterior, Suspect
from fogbound.solvers.lifted.review import Judged, review
from fogbound.solvers.lifted.worth import Worth, best

__all__ = [
    "Fog",
    "Guess",
    "Judged",
    "Mind",
    "Posterior",
    "Suspect",
    "Thought",
    "Worth",
    "best",
    "review",
]
