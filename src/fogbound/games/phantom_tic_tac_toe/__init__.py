"""Phantom tic-tac-toe: the rules (`game`), and the same compiled (`compiled_rules`, `kernels`)."""
