"""Sound search in two-player zero-sum games: what to do now, so that nobody can profit from how it was worked out."""
