"""RockSample: the rules (`game`), and the same compiled (`twin`, `kernels`), with what known rocks are worth."""
