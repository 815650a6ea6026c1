"""Search as you play: what to do now, from the rules alone, where the game is too large to enumerate."""
