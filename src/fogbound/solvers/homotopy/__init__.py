"""Paths of solutions, and how they are followed: the engine of `quantal-response` and `markov-nash`."""
