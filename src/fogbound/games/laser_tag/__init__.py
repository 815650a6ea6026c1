"""Laser tag: the arena (`game`), and its step as compiled functions (`kernels`)."""
