"""An answer as a table that travels: who, what it knows, what it then does, how likely, and how often that comes up."""

from __future__ import annotations

import csv
import io
import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from html import escape
from typing import Any, NamedTuple

from fogbound.core.atomic import write
from fogbound.core.errors import FogboundError, FormError, LimitError, PolicyError, many
from fogbound.core.game import AnyGame
from fogbound.core.latex import tabular
from fogbound.core.numerals import number
from fogbound.core.policy import Mixed, Strategy, thinks
from fogbound.evaluation.belief_words import belief_note
from fogbound.evaluation.visitation import Visitation, visitation
from fogbound.files.data_frames import data_frame
from fogbound.files.strategies import COLUMNS, START, THEN, Spoken, situations
from fogbound.forms import words
from fogbound.forms.pomdp import POMDP
from fogbound.forms.protocol import Form, Question, derive
from fogbound.policies.alpha_vectors import AlphaVectors
from fogbound.policies.controller import Controller, controller

MOST_SHOWN = 20  # rows of a notebook's table
HEAD = ("player", "information set", "action", "probability", "reached")  # of a table that people read


class StrategyRow(NamedTuple):
    """One action of one player in one situation."""

    player: str
    information_set: str  # what the player knows, in words
    action: str
    probability: float
    reached: float | None  # how often play comes there when all play so; None where somebody's policy is not known
    then: dict[str, int] | None = None  # of a controller: the node to which each observation leads after the action


@dataclass(frozen=True)
class StrategyTable:
    """How players play, row by row. What was written as CSV or JSON is a policy wherever one is named.

    `reached` is how often play comes to the situation when all play as in the answer: a probability, where it can come
    there once. A policy that goes on for ever is listed by the nodes of its controller, with what is believed there and
    the node to which each observation leads (`then`); its last row says where it begins.

    Attributes
    ----------
    game
        The spec of the game.
    rows
        One for each action of each situation.
    """

    game: str
    rows: tuple[StrategyRow, ...] = field(repr=False)

    def __iter__(self) -> Iterator[StrategyRow]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns; a controller's say where each observation leads as well."""
        return (*COLUMNS, THEN) if any(row.then is not None for row in self.rows) else COLUMNS

    def to_dict(self) -> dict[str, dict[str, dict[str, float]]]:
        """By player, by what it knows: the probability of each action."""
        found: dict[str, dict[str, dict[str, float]]] = {}
        for row in self.rows:
            found.setdefault(row.player, {}).setdefault(row.information_set, {})[row.action] = row.probability
        return found

    def to_csv(self, path: str | os.PathLike[str] | None = None) -> str:
        """The table as CSV, written to `path` where one is given."""
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(self.columns)
        for row in self:
            leads = [] if row.then is None else [json.dumps(row.then, ensure_ascii=False)]
            writer.writerow([*row[:3], repr(row.probability), "" if row.reached is None else repr(row.reached), *leads])
        return _kept(text.getvalue(), path)

    def to_json(self, path: str | os.PathLike[str] | None = None) -> str:
        """The table as JSON, ``{"game": …, "rows": [{"player": …, …}]}``, written to `path` where one is given."""
        held = {"game": self.game, "rows": [dict(zip(self.columns, row)) for row in self.rows]}
        return _kept(json.dumps(held, ensure_ascii=False, indent=1) + "\n", path)

    def to_latex(self, path: str | os.PathLike[str] | None = None) -> str:
        """The table for LaTeX's package booktabs, written to `path` where one is given."""
        return _kept(tabular(HEAD, self._cells(), "lllrr"), path)

    def to_pandas(self) -> Any:
        """The table as a pandas.DataFrame; SpecError where pandas is not installed."""
        return data_frame([row._asdict() for row in self.rows], self.columns)

    def text(self) -> str:
        """The table in columns, for terminals."""
        return "\n".join(words.aligned([HEAD, *self._cells()], "<<<>"))

    __str__ = text

    def _cells(self) -> list[tuple[str, ...]]:
        """The rows in words."""
        return [(*row[:3], number(row.probability, 6), _often(row.reached)) for row in self.rows]

    def _repr_html_(self) -> str:
        head = "".join(f"<th>{name}</th>" for name in HEAD)
        cells = ("".join(f"<td>{escape(cell)}</td>" for cell in row) for row in self._cells()[:MOST_SHOWN])
        body = "".join(f"<tr>{row}</tr>" for row in cells)
        more = (
            f"<caption>{many(len(self.rows) - MOST_SHOWN, 'more row')}</caption>" if len(self.rows) > MOST_SHOWN else ""
        )
        return f"<table>{more}<tr>{head}</tr>{body}</table>"


def _often(reached: float | None) -> str:
    return "" if reached is None else number(reached, 4)


def _kept(text: str, path: str | os.PathLike[str] | None) -> str:
    if path is not None:
        write(path, text.encode())
    return text


def strategy_rows(played: AnyGame | Form, player: int, profile: Mapping[int, Strategy]) -> list[StrategyRow]:
    """How a player plays: by situation where they can be listed, else by node of its controller."""
    policy, name = profile[player], played.players[player]
    try:
        places = situations(played, player)
        chances = places.read(policy).tolist()
    except (FormError, LimitError):
        return _node_rows(played, player, profile)
    try:
        often: list[float | None] = list(places.visits(profile)) if len(profile) == len(played.players) else []
    except (FormError, LimitError):
        often = []
    often = often or [None] * len(places.names)
    return [
        StrategyRow(name, known, move, chances[first + k], reached)
        for known, moves, first, reached in zip(places.names, places.moves, places.first, often)
        for k, move in enumerate(moves)
    ]


def _node_rows(played: AnyGame | Form, player: int, profile: Mapping[int, Strategy]) -> list[StrategyRow]:
    """By node of a controller: what a policy that goes on for ever remembers."""
    name, fsc = played.players[player], _controller(played, player, profile[player])
    seen = _visited(played, player, profile, fsc)
    spoken = Spoken.of(played, player)
    leads: dict[tuple[int, Any], list[tuple[Any, int]]] = {}
    for (node, action, observation), target in fsc.arrows.items():
        leads.setdefault((node, action), []).append((observation, target))
    rows = []
    for node, choice in enumerate(fsc.choices):
        believed = f": {belief_note(seen.beliefs[node])}" if seen is not None else ""
        often = None if seen is None else seen.visits[node]
        for action, p in [(None, 1.0)] if choice is None else choice:
            said = "" if action is None else spoken.done[action]
            then = spoken.then(leads.get((node, action), ()))
            rows.append(StrategyRow(name, f"node {node}{believed}", said, p, often, then))
    return [*rows, StrategyRow(name, START, "", 1.0, None, spoken.then(fsc.first.items()))]


def _controller(played: AnyGame | Form, player: int, policy: Strategy) -> Controller:
    if isinstance(policy, Controller):
        return policy.minimal()
    name = f"{played.spec if isinstance(played, Form) else played}: {played.players[player]}"
    if isinstance(policy, AlphaVectors):
        raise PolicyError(f"{name} plays by vectors, which have no table: convert the answer to .alpha or .policy")
    if isinstance(policy, Mixed) or thinks(policy) or isinstance(played, Form):
        raise PolicyError(f"{name} plays a {type(policy).__name__.lower()}, which has no table")
    return controller(played, player, policy).minimal()


def _visited(
    played: AnyGame | Form, player: int, profile: Mapping[int, Strategy], fsc: Controller
) -> Visitation | None:
    """How often each node is visited, and what is believed there; None where the others' play is not known."""
    others = {i: one for i, one in profile.items() if i != player}
    try:
        return visitation(derive(played, POMDP, Question(player, others)), {player: fsc}, player)
    except FogboundError:
        return None
