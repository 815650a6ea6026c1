"""A POMDP: a controller below, points above."""
