"""What a team should do that cannot talk: exact search for Dec-POMDPs."""
