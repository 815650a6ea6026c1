"""Policies against each other: single games, and matches with intervals."""

from typing import TYPE_CHECKING

from fogbound.core.lazy import lazy

if TYPE_CHECKING:
    from fogbound.arena.deviations import Deviations, Gain, deviations
    from fogbound.arena.episode import Episode, EpisodeResult, play
    from fogbound.arena.log import Record, record
    from fogbound.arena.match import Match, Standing, match
    from fogbound.arena.outcome import ExactOutcome, exact
    from fogbound.arena.round_robin import RoundRobin, round_robin
    from fogbound.arena.streams import SplitStreams

__all__ = [
    "Deviations",
    "Episode",
    "EpisodeResult",
    "ExactOutcome",
    "Gain",
    "Match",
    "Record",
    "RoundRobin",
    "SplitStreams",
    "Standing",
    "deviations",
    "exact",
    "match",
    "play",
    "record",
    "round_robin",
]

lazy(__name__)
