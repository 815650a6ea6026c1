"""Explore: a solution as strategy, controller, tree, beliefs, matrix or bounds; everything selected has an address."""
