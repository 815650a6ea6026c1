"""Equilibria as linear programs: sequence form, matrix, restricted Nash response; one module knows HiGHS."""
