"""Games of two players as matrices: Lemke-Howson, support enumeration, dominance."""
