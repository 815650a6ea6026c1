"""Tournaments: the same deals under every seating, intervals over deals, a stop that is valid at any time."""
