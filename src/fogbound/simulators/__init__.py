"""Models that can only be sampled: the contract that an author writes, and the game that such a model is."""
