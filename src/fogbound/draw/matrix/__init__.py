"""Tables of payoffs: a game in normal form, and everybody against everybody."""
