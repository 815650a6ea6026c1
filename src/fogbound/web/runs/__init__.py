"""Runs: what is solved belongs to the server and not to a request, and outlives both in its folder."""
