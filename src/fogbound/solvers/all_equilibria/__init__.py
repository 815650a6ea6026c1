"""Every equilibrium of a small game as one answer: extreme equilibria, components, labels and beliefs."""
