"""Pictures of game trees, with information sets or with minimax values."""
