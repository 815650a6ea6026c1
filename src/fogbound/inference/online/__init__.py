"""Opponent inference in a game of two: who the other may be, what may be hidden, the value of each move.

All of it follows from what the player did and saw, never from the state of the game. `OpponentInference(hierarchy,
player)` holds the levels that the other may be; `inference.after(history)` is what a perfect reasoner would believe,
`inference.action_values(...)` the values of the moves then, and `review(inference, history)` what the moves of a
game cost. `OwnBelief(form)` says the same to one who plays alone.
"""
