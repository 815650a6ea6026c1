"""Strategies on what players remember, histories summed out."""
