"""Sweeps: games × solvers × seeds × limits, each combination solved once and kept, told as tables and curves."""
