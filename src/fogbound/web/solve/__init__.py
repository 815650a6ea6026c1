"""Solve: a game, a question, a solver and a limit; bounds as they move; stop and keep."""
