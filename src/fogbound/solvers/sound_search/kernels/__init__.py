"""Loops of sound search: regret matching in a subgame with its gadget, and targeted outcome sampling."""
