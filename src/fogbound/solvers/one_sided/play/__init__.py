"""Strategies of both players of a one-sided game, from its bounds."""
