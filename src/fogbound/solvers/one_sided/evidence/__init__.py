"""What the independent checker needs to believe the bounds of a one-sided game."""
