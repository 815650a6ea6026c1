"""Reproduce: what the documents claim, what we get, and the verdict; computed when a visitor asks for it."""
