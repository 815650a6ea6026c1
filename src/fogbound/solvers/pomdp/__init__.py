"""One player's problem under partial observability: POMDPs and their beliefs."""
