"""The loops of Markov games, compiled."""
