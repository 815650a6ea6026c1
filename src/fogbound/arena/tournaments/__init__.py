"""Tournaments: the same deals under every seating, intervals over deals, and a stop that may be asked for at any time."""
