"""Policies against each other: single games, matches with intervals, tournaments over all seatings."""

from fogbound.arena.deviations import Deviations, Gain, deviations
from fogbound.arena.episode import Episode, EpisodeResult, play
from fogbound.arena.log import Record, record
from fogbound.arena.match import Match, Standing, match
from fogbound.arena.outcome import ExactOutcome, exact
from fogbound.arena.round_robin import RoundRobin, round_robin
from fogbound.arena.streams import SplitStreams
from fogbound.arena.tournaments.result import Entrant, Pair, SeatingRow, Tournament
from fogbound.arena.tournaments.run import Stop, tournament
from fogbound.arena.tournaments.sequential import confidence_sequence

__all__ = [
    "Deviations",
    "Entrant",
    "Episode",
    "EpisodeResult",
    "ExactOutcome",
    "Gain",
    "Match",
    "Pair",
    "Record",
    "RoundRobin",
    "SeatingRow",
    "SplitStreams",
    "Standing",
    "Stop",
    "Tournament",
    "confidence_sequence",
    "deviations",
    "exact",
    "match",
    "play",
    "record",
    "round_robin",
    "tournament",
]
