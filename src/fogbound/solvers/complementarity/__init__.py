"""Equilibria as linear complementarity problems: Lemke's algorithm on the sequence form."""
