"""The level-k hierarchy: every level against those below it."""
