"""Policies against each other: single games and matches with intervals."""

from fogbound.arena.estimate import Estimate, estimate
from fogbound.arena.exact import exact
from fogbound.arena.exploit import biased, learning_curve
from fogbound.arena.log import Record, record
from fogbound.arena.match import Match, Standing, match
from fogbound.arena.outcome import Exact
from fogbound.arena.playing import Played, Table, play
from fogbound.arena.round_robin import Pairs, round_robin

__all__ = [
    "Estimate",
    "Exact",
    "Match",
    "Pairs",
    "Played",
    "Record",
    "Standing",
    "Table",
    "biased",
    "estimate",
    "exact",
    "learning_curve",
    "match",
    "play",
    "record",
    "round_robin",
]
