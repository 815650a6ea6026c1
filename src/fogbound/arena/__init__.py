"""Policies against each other: single games and matches with intervals."""

from fogbound.arena.estimate import Estimate, estimate
from fogbound.arena.exploit import biased, learning_curve
from fogbound.arena.log import Record, record
from fogbound.arena.match import Match, Standing, match
from fogbound.arena.playing import Played, play

__all__ = [
    "Estimate",
    "Match",
    "Played",
    "Record",
    "Standing",
    "biased",
    "estimate",
    "learning_curve",
    "match",
    "play",
    "record",
]
