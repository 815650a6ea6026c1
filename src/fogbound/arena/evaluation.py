"""What a profile earns, and how much better each player could do alone: exactly, or between a solver's bounds."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from html import escape
from typing import Any

from fogbound.arena.match import Match
from fogbound.core.errors import FogboundError, FormError, LimitError, many
from fogbound.core.game import AnyGame
from fogbound.core.numerals import number
from fogbound.core.policy import Strategy, kinds, thinks
from fogbound.driver.options import RunOptions
from fogbound.driver.protocol import Until
from fogbound.driver.solve import run_solver
from fogbound.evaluation.chain import value
from fogbound.evaluation.exploitability import exploitability
from fogbound.evaluation.markov import markov_values
from fogbound.forms.pomdp import POMDP, ModelGame
from fogbound.forms.protocol import Question, derive
from fogbound.forms.table import Table, enumerate_table
from fogbound.solvers import make

RELATIVE = 1e-3  # of the value: a gap at which bounds on a best reply are near enough
MOST_STATES = 100_000  # of a game that is enumerated for this
SECONDS = 10.0  # for bounds on what a best reply earns, where nothing gives it exactly
Between = tuple[float, float]


@dataclass(frozen=True)
class Evaluation:
    """What a profile earns, and how much better each player could do alone.

    Attributes
    ----------
    game
        The spec of the game.
    players
        The names of its players.
    values : [n]
        What each earns, exactly; None where that is not known.
    best : [n]
        Between what bounds the value of each player's best reply lies; the same number twice where it is exact, None
        where nothing is known.
    how
        What was computed, or why something is not known, in a sentence.
    played
        The standings of the episodes that were played, where any were: statistics with intervals.
    """

    game: str
    players: tuple[str, ...]
    values: tuple[float, ...] | None
    best: tuple[Between | None, ...] = ()
    how: str = ""
    played: Match | None = field(default=None, repr=False)

    @property
    def exact(self) -> bool:
        """Whether values and best replies are all exact."""
        return self.values is not None and all(one is not None and one[0] == one[1] for one in self.best)

    @property
    def regrets(self) -> tuple[Between | None, ...]:
        """[n] between what bounds the most lies that each player could gain by deviating alone."""
        if self.values is None:
            return (None,) * len(self.players)
        return tuple(
            None if reply is None else (max(0.0, reply[0] - earned), max(0.0, reply[1] - earned))
            for reply, earned in zip(self.best, self.values)
        )

    @property
    def nash_conv(self) -> Between | None:
        """The sum of the regrets; 0 exactly at an equilibrium."""
        known = [regret for regret in self.regrets if regret is not None]
        if len(known) < len(self.players):
            return None
        return math.fsum(low for low, _ in known), math.fsum(high for _, high in known)

    @property
    def exploitability(self) -> Between | None:
        """NashConv divided by the number of players, as the literature has it for two and a zero sum."""
        total = self.nash_conv
        return None if total is None else (total[0] / len(self.players), total[1] / len(self.players))

    def __str__(self) -> str:
        lines = [f"{self.game}: {self.how}"]
        for k, name in enumerate(self.players):
            if self.played is not None:
                one = self.played.players[k]
                lines.append(
                    f"  {name} earns {figure_words(one.score)} (95 % interval {figure_words(one.score_interval)})"
                )
            else:
                earned, reply = self.values[k] if self.values else None, self.best[k] if self.best else None
                gains = f"best reply {figure_words(reply)}, regret {figure_words(self.regrets[k])}"
                lines.append(f"  {name} earns {figure_words(earned)}; {gains}")
        if self.nash_conv is not None and len(self.players) > 1:
            lines.append(f"  NashConv {figure_words(self.nash_conv)}")
        return "\n".join(lines)

    def plain(self) -> dict[str, Any]:
        """Lists, numbers and words alone, for JSON."""
        return {
            "game": self.game,
            "players": list(self.players),
            "values": self.values,
            "best": self.best,
            "regrets": self.regrets,
            "nash_conv": self.nash_conv,
            "exploitability": self.exploitability,
            "exact": self.exact,
            "how": self.how,
            "episodes": None if self.played is None else _plain(self.played),
        }

    def _repr_html_(self) -> str:
        cells = zip(self.players, self.values or (None,) * len(self.players), self.regrets)
        rows = "".join(
            f"<tr><td>{escape(name)}</td><td>{figure_words(earned)}</td><td>{figure_words(regret)}</td></tr>"
            for name, earned, regret in cells
        )
        return f"<table><tr><th>player</th><th>value</th><th>regret</th></tr>{rows}</table>"


def _plain(played: Match) -> dict[str, Any]:
    return {
        "games": played.games,
        "cut": played.cut,
        "players": [
            {"score": one.score, "score_interval": one.score_interval, "lost": one.lost} for one in played.players
        ],
    }


def figure_words(figure: float | Between | None, digits: int = 6) -> str:
    """A number, or what it lies between, or that it is not known."""
    if figure is None:
        return "not known"
    if isinstance(figure, tuple):
        low, high = figure
        return number(low, digits) if low == high else f"{number(low, digits)} to {number(high, digits)}"
    return number(figure, digits)


def evaluate_exactly(played: AnyGame, policies: Sequence[Strategy], seconds: float, seed: int) -> Evaluation:
    """By what gives it exactly; what a best reply earns between bounds found in `seconds`, where nothing does."""
    name, players, profile = str(played), played.players, dict(enumerate(policies))
    unknown = Evaluation(name, players, None, (None,) * len(players))
    if any(thinks(kind) for policy in policies for kind, _ in kinds(policy)):
        return _asked_everywhere(played, profile, unknown)
    if not isinstance(played, ModelGame):
        try:
            form = enumerate_table(played, MOST_STATES)
        except LimitError as error:
            return replace(unknown, how=f"not known exactly, but can be estimated by episodes: {_found(error)}")
        for way in (_on_the_sequence_form, _on_states):
            known = way(form, profile, unknown)
            if known is not None:
                return known
    try:
        earned = value(played, profile)
    except (FormError, LimitError) as error:
        return replace(unknown, how=f"not known exactly, but can be estimated by episodes: {_found(error)}")
    found = replace(unknown, values=earned, how="values of the chain of play, exactly")
    return _bounded(found, played, profile, seconds, seed) if seconds > 0 else found


def _found(error: Exception) -> str:
    """What an error found, without its advice, which is for those who build forms."""
    return str(error).split(". ")[0]


def _asked_everywhere(played: AnyGame, profile: Mapping[int, Strategy], unknown: Evaluation) -> Evaluation:
    """Policies that search are asked at every decision of the tree, where there is one."""
    try:
        known = _on_the_sequence_form(enumerate_table(played, MOST_STATES), profile, unknown)
    except LimitError:
        known = None
    only = "a policy searches at every move and there is no tree to ask it on: only play can tell (episodes, or local)"
    return replace(unknown, how=only) if known is None else known


def _on_the_sequence_form(played: Table, profile: Mapping[int, Strategy], unknown: Evaluation) -> Evaluation | None:
    try:
        figures = exploitability(played, profile)
    except (FormError, LimitError):
        return None
    best = tuple((max(reply, earned),) * 2 for reply, earned in zip(figures.best, figures.values))
    return replace(unknown, values=figures.values, best=best, how="exact, on the sequence form")


def _on_states(played: Table, profile: Mapping[int, Strategy], unknown: Evaluation) -> Evaluation | None:
    try:
        figures = markov_values(played, profile)
    except (FormError, LimitError):
        return None
    best = tuple((max(reply, earned),) * 2 for reply, earned in zip(figures.best_values, figures.values))
    how = f"exact, over {many(figures.form.size, 'state')} that whoever moves knows"
    return replace(unknown, values=figures.values, best=best, how=how)


def _bounded(
    found: Evaluation, played: AnyGame, profile: Mapping[int, Strategy], seconds: float, seed: int
) -> Evaluation:
    """What a best reply earns is a POMDP's value, between a solver's bounds."""
    best: list[Between | None] = []
    missing = ""
    for player in range(len(found.players)):
        others = {i: policy for i, policy in profile.items() if i != player}
        try:
            form = derive(played, POMDP, Question(player, others))
            solver = make("sarsop" if form.discount < 1 or form.ends else "belief-search")
            until = Until(relative=RELATIVE, seconds=seconds)
            answer = run_solver(solver, form, RunOptions(until, seed, check_seconds=None, player=player))
            best.append((answer.lower, answer.upper))
        except FogboundError as error:
            best.append(None)
            missing = f"; a best reply is not known: {error}"
    at_least = [
        None if reply is None else (max(reply[0], earned), max(reply[1], earned))
        for reply, earned in zip(best, found.values or ())
    ]
    how = f"{found.how}; best replies between a solver's bounds{missing}"
    return replace(found, best=tuple(at_least), how=how)
