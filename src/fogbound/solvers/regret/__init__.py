"""Regret minimisation: the family of CFR on the sequence form, and Monte Carlo CFR on the tree."""
