"""Where things go in a drawing: layered graphs and trees. Nothing here draws."""
