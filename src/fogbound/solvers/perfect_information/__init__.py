"""Players who see everything: minimax, alpha-beta, expectimax, backward induction."""
