"""Equilibria from best replies alone: fictitious play, and games that grow by what somebody wants to play."""
