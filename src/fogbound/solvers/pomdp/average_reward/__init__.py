"""The average-reward criterion for POMDPs: what can be earned a step in the long run."""
