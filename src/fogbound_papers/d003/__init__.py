"""Document 003: dynamic games, from minimax to counterfactual regret."""
