"""Strategies on a game tree."""
