"""Heuristic search value iteration, compiled: backups, bounds, trials, witnesses."""
