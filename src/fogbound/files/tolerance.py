"""How far from 1 the probabilities of a row may add up: files round theirs to a few digits."""

WRONG = 1e-4  # further off is a fault of the file
EXACT = 1e-12  # what adding up may cost: such a row is left as it is
DOUBTFUL = 1e-6 + EXACT  # one in the sixth digit is rounding; further off is set right with a warning
