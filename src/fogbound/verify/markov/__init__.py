"""Markov games: whoever moves knows the state."""
