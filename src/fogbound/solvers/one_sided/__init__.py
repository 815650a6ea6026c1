"""One-sided games: bounds on what the blind player can guarantee against one who sees everything."""
