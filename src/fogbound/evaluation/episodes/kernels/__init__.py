"""The compiled loops of episodes: steps by tables of answers, and by the best of many vectors."""
