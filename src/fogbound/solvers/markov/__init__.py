"""Markov games: Shapley's iteration, Hoffman and Karp's, the logit path for general sums, decision processes."""
