"""The compiled search: a pool of nodes, rules of choice, simulations, beliefs."""
