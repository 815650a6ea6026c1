"""Markov games: Shapley's iteration, Hoffman and Karp's, homotopies and programs for general sums, decision processes."""
