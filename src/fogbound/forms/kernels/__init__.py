"""Compiled parts of the forms."""
