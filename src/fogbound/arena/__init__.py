"""Policies against each other: single games and matches with intervals."""

from fogbound.arena.match import Match, Standing, match
from fogbound.arena.playing import Played, play

__all__ = ["Match", "Played", "Standing", "match", "play"]
