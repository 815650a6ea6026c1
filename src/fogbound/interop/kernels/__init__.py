"""Compiled loops over many games of one kind."""
