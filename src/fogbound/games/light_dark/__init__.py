"""Light-dark: the simulator (`game`), and the same compiled (`kernels`)."""
