"""Magnetic mirror descent: the solver (`mmd`) and its compiled iterations (`kernels`)."""
