"""One-sided games: nodes below, points above."""
