"""RockSample: the rules (`game`), and the same compiled (`compiled_rules`, `kernels`), with worths of known rocks."""
