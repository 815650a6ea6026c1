"""Phantom tic-tac-toe: the rules (`game`), and the same compiled (`twin`, `kernels`)."""
