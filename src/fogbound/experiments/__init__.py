"""Experiments: sweeps (games × solvers × seeds × limits), tournaments, and the journals that keep both."""
