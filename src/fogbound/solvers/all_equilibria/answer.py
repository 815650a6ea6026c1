"""All equilibria of a game as one answer: by the names of strategies and information sets, as text and as JSON."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from fogbound.core.atomic import write
from fogbound.core.errors import SpecError, many, one_of
from fogbound.solvers.all_equilibria.labels import Label

MOST_LISTED = 40  # equilibria that the text shows
LARGEST_DENOMINATOR = 10_000  # of a number that is written as a fraction
Json = dict[str, "Json"] | list["Json"] | str | float | int | bool | None


@dataclass(frozen=True)
class SupportingBelief:
    """What a player believes at an information set: the probability of each history that may have led there."""

    player: str
    information_set: str
    histories: Mapping[str, Fraction]

    def __str__(self) -> str:
        said = ", ".join(f"{name} {_short(p)}" for name, p in self.histories.items())
        return f"{self.player}{' at ' * bool(self.information_set)}{self.information_set}: {said}"


@dataclass(frozen=True)
class Equilibrium:
    """One equilibrium.

    Attributes
    ----------
    strategies
        Of each player, the probability of each pure strategy that it plays, by name.
    payoffs
        What each player gets.
    labels
        By label, True, False, or None where it was not decided; labels that do not apply are absent.
    index
        1 or -1 where the equilibrium is regular; None otherwise.
    regret
        The most that a player gains by deviating: 0 except where three and more players mix irrationally.
    behaviour
        By player and information set, the probability of each move, where the player's own moves lead there.
    beliefs
        The beliefs of an assessment that makes it sequential, at information sets with several histories.
    """

    strategies: tuple[Mapping[str, Fraction], ...]
    payoffs: tuple[Fraction, ...]
    labels: Mapping[str, bool | None]
    index: int | None = None
    regret: Fraction = Fraction(0)
    behaviour: Mapping[str, Mapping[str, Mapping[str, Fraction]]] = field(default_factory=dict, repr=False)
    beliefs: tuple[SupportingBelief, ...] = field(default=(), repr=False)

    def has(self, label: str) -> bool:
        """Whether a label is proven."""
        return self.labels.get(label) is True

    @property
    def proven(self) -> tuple[str, ...]:
        """The labels that are proven."""
        return tuple(str(label) for label, verdict in self.labels.items() if verdict)

    @property
    def unchecked(self) -> tuple[str, ...]:
        """The labels that could not be decided."""
        return tuple(str(label) for label, verdict in self.labels.items() if verdict is None)


@dataclass(frozen=True)
class Component:
    """A connected component of the set of equilibria of two players.

    Attributes
    ----------
    equilibria
        The numbers of its extreme equilibria, from 1 on.
    subsets
        Its maximal Nash subsets, each as numbers of extreme equilibria: their strategies are interchangeable.
    index
        Its index, where it is known. The indices of all components sum to 1.
    """

    equilibria: tuple[int, ...]
    subsets: tuple[tuple[int, ...], ...]
    index: int | None


@dataclass(frozen=True)
class EquilibriumSet:
    """All equilibria of a game that were found, with labels, and a statement of what may be missing.

    Attributes
    ----------
    game
        The spec of the game.
    players
        The names of its players.
    strategies
        Of each player, its pure strategies by name.
    found
        The equilibria; for two players every extreme one.
    components
        Of two players, the components of the set of equilibria.
    complete
        Whether every equilibrium mixes strategies of those found, within a maximal Nash subset.
    statement
        What is claimed about those that are not listed.
    proper_subgames
        How many subgames the tree has besides the game itself; None where all players move once, at the same time.
    legend
        What the names of strategies mean.
    """

    game: str
    players: tuple[str, ...]
    strategies: tuple[tuple[str, ...], ...] = field(repr=False)
    found: tuple[Equilibrium, ...] = field(repr=False)
    components: tuple[Component, ...] = field(repr=False)
    complete: bool
    statement: str = field(repr=False)
    proper_subgames: int | None = field(repr=False, default=None)
    legend: tuple[str, ...] = field(repr=False, default=())

    @property
    def notes(self) -> tuple[str, ...]:
        """What holds of the equilibria that are not listed."""
        verdicts = [one.labels.get(Label.SUBGAME_PERFECT) for one in self.found]
        if self.complete and self.proper_subgames and all(verdict is False for verdict in verdicts):
            return ("no extreme equilibrium is subgame-perfect: those that are lie inside a component",)
        return ()

    def __iter__(self) -> Iterator[Equilibrium]:
        return iter(self.found)

    def __len__(self) -> int:
        return len(self.found)

    def __getitem__(self, number: int) -> Equilibrium:
        return self.found[number]

    def labelled(self, label: str) -> tuple[Equilibrium, ...]:
        """The equilibria of which a label, such as ``"strict"``, is proven.

        Raises
        ------
        SpecError
            There is no such label.
        """
        if label not in list(Label):
            raise SpecError(f"label is {label!r}, expected {one_of(Label)}")
        return tuple(one for one in self.found if one.has(label))

    def __str__(self) -> str:
        return "\n".join(_lines(self))

    def to_dict(self) -> dict[str, Json]:
        """Lists, numbers and words alone; fractions as text, and as floats beside."""
        return {
            "game": self.game,
            "players": list(self.players),
            "strategies": [list(names) for names in self.strategies],
            "complete": self.complete,
            "statement": self.statement,
            "proper_subgames": self.proper_subgames,
            "notes": list(self.notes),
            "equilibria": [_plain(one, self.players) for one in self.found],
            "components": [
                {
                    "equilibria": list(one.equilibria),
                    "subsets": [list(part) for part in one.subsets],
                    "index": one.index,
                }
                for one in self.components
            ],
        }

    def to_json(self, path: str | os.PathLike[str] | None = None) -> str:
        """The answer as JSON, written to `path` where one is given."""
        text = json.dumps(self.to_dict(), ensure_ascii=False, indent=1) + "\n"
        if path is not None:
            write(path, text.encode())
        return text


def _lines(answer: EquilibriumSet) -> Iterator[str]:
    size = " x ".join(f"{len(names):,}" for names in answer.strategies)
    kind = "equilibrium" if len(answer) == 1 else "equilibria"
    counted = f"{len(answer):,} {'extreme ' if answer.complete else ''}{kind}"
    parts = f" in {many(len(answer.components), 'component')}" if answer.components else ""
    yield f"{answer.game}: {many(size, 'strategy')}, {counted}{parts}"
    yield f"claimed  {answer.statement}"
    if answer.proper_subgames is not None:
        trivial = "" if answer.proper_subgames else ", so every equilibrium is subgame-perfect"
        yield f"subgames {many(answer.proper_subgames or 'no', 'proper subgame')}{trivial}"
    for line in answer.legend:
        yield f"         {line}"
    for number, one in enumerate(answer.found[:MOST_LISTED], 1):
        yield from _told(number, one, answer.players)
    if len(answer) > MOST_LISTED:
        yield f"         and {len(answer) - MOST_LISTED:,} more (--json, or found in Python, has all)"
    yield from _component_lines(answer)
    for note in answer.notes:
        yield f"note     {note}"


def _told(number: int, one: Equilibrium, players: Sequence[str]) -> Iterator[str]:
    mixed = [" + ".join(name if p == 1 else f"{_short(p)} {name}" for name, p in own.items()) for own in one.strategies]
    plays = "; ".join(f"{player}: {own}" for player, own in zip(players, mixed))
    yield f"{number:>3}  {plays}   pays {', '.join(map(_short, one.payoffs))}"
    if one.regret:
        yield f"     regret {float(one.regret):.2g}: rounded, not an exact equilibrium"
    index = () if one.index is None else (f"index {one.index:+d}",)
    if said := ", ".join((*one.proven, *index)):
        yield f"     {said}"
    if one.unchecked:
        yield f"     not checked: {', '.join(one.unchecked)}"
    for belief in one.beliefs:
        yield f"     belief of {belief}"


def _component_lines(answer: EquilibriumSet) -> Iterator[str]:
    """Components with several equilibria, and how their strategies may be exchanged."""
    if all(len(one.equilibria) == 1 for one in answer.components):
        return
    for number, one in enumerate(answer.components[:MOST_LISTED], 1):
        index = "" if one.index is None else f", index {one.index:+d}"
        subsets = " ".join("{" + ", ".join(map(str, part)) + "}" for part in one.subsets) or "too many to list"
        yield f"component {number}: maximal Nash subsets {subsets}{index}"


def _short(value: Fraction) -> str:
    return str(value) if value.denominator <= LARGEST_DENOMINATOR else f"{float(value):.6g}"


def _both(value: Fraction) -> Json:
    return {"exact": str(value), "value": float(value)}


def _plain(one: Equilibrium, players: Sequence[str]) -> Json:
    return {
        "strategies": [{name: _both(p) for name, p in own.items()} for own in one.strategies],
        "payoffs": [_both(v) for v in one.payoffs],
        "regret": _both(one.regret),
        "index": one.index,
        "labels": dict(one.labels),
        "behaviour": {
            player: {
                known: {move: _both(p) for move, p in moves.items()} for known, moves in one.behaviour[player].items()
            }
            for player in players
            if one.behaviour.get(player)
        },
        "beliefs": [
            {
                "player": belief.player,
                "information_set": belief.information_set,
                "histories": {name: _both(p) for name, p in belief.histories.items()},
            }
            for belief in one.beliefs
        ],
    }
