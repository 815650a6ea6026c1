"""Policies against each other: single games, and matches with intervals."""

from typing import TYPE_CHECKING

from fogbound.core.lazy import lazy

if TYPE_CHECKING:
    from fogbound.arena.deviations import Deviations, Gain, deviations
    from fogbound.arena.episode import Episode, EpisodeResult, SplitStreams
    from fogbound.arena.episode import play_episode as play
    from fogbound.arena.log import Record, record
    from fogbound.arena.match import Match, Standing
    from fogbound.arena.match import play_match as match
    from fogbound.arena.outcome import ExactOutcome, RoundRobin, exact, round_robin

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
