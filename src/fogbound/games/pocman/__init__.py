"""Pocman: the mazes (`mazes`), the rules (`game`), and the same compiled (`twin`, `kernels`)."""
