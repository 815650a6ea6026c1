"""Pocman: the mazes (`mazes`), the rules (`game`), and the same compiled (`compiled_rules`, `kernels`)."""
