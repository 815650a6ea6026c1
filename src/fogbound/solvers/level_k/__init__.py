"""Level-k reasoning: best replies to lower levels, for every player (Rosello, document 000)."""
