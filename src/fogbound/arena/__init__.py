"""Policies against each other: single games and matches with intervals."""

from fogbound.arena.episode import Episode, EpisodeResult, play
from fogbound.arena.log import Record, record
from fogbound.arena.match import Match, Standing, match
from fogbound.arena.outcome import ExactOutcome, exact
from fogbound.arena.round_robin import RoundRobin, round_robin

__all__ = [
    "Episode",
    "EpisodeResult",
    "ExactOutcome",
    "Match",
    "Record",
    "RoundRobin",
    "Standing",
    "exact",
    "match",
    "play",
    "record",
    "round_robin",
]
