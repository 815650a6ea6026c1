"""The belief graph, compiled: expansion, trials, bounds, equivalence of futures."""
