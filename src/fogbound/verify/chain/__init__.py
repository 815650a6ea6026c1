"""Finite-memory policies played against each other."""
