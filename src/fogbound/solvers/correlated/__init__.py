"""Correlated equilibria: what a mediator may recommend so that nobody gains by disobeying."""
