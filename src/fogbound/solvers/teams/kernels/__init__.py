"""The compiled loops of team search."""
