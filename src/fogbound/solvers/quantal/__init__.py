"""Quantal response: players who choose the better the more often, the more rational they are."""
