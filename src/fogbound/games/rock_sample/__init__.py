"""RockSample: the rules (`game`), and the same compiled (`twin`, `kernels`) with what rocks that are known are worth."""
