"""Partially observable stochastic games, plan by plan."""
