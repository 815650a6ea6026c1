"""The form that begins a game: its parameters from the game's own fields, seats, and who may sit in the others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from fogbound.core.spec import parse
from fogbound.games import GAMES
from fogbound.web.fields import Field, fields_of, spec_from
from fogbound.web.refusal import Refusal
from fogbound.web.table.opponents import PERSON, UNIFORM

PREFIX = "p."  # before the name of a parameter, in a form
APART = "against."  # before the number of a seat whose opponent is not that of all others


def fields(spec: str) -> list[Field]:
    """The parameters of a registered game as its spec has them; none of a game made of others."""
    return fields_of(GAMES, parse(spec), {}, PREFIX)


def spec_with(spec: str, given: Mapping[str, str]) -> str:
    """A game's spec with the parameters of a form in place of its own.

    Examples
    --------
    >>> spec_with("po-nim(win=12)", {"p.n": "5", "seat": "0"})
    'po-nim(n=5, win=12)'
    """
    asked = parse(spec)
    return spec_from(GAMES, asked, fields_of(GAMES, asked, given, PREFIX), PREFIX)


def opponents(players: Sequence[str]) -> list[tuple[str, str]]:
    """Who may play against a person in a game: as requests name it, and in words; what suits most is first."""
    if len(players) == 1:
        return []
    two = len(players) == 2
    levels = [(f"level-k(level={k})", f"Level {k}") for k in (1, 2, 3)]
    drawn = "A level from 0 to 4, drawn anew for each game, as levels of people are (Poisson, mean 1.5)"
    return [
        (UNIFORM, "Random play"),
        *([*levels, ("some-level(levels=4, tau=1.5)", drawn)] if two else []),
        *([("sequence-lp", "An equilibrium, where the game has a tree of moderate size")] if two else []),
        ("is-mcts(simulations=2000)", "A live search, 2,000 simulations a move"),
        (PERSON, "A person: you get a link for them"),
    ]


def seated(given: Mapping[str, str], against: Sequence[str], others: Sequence[int]) -> dict[int, str]:
    """Who sits in the other seats: one for all, unless a seat has its own (`against.2`) or all are listed.

    Examples
    --------
    >>> seated({"against.2": "is-mcts"}, ["uniform"], [1, 2])
    {1: 'uniform', 2: 'is-mcts'}
    """
    texts = [*against] * len(others) if len(against) == 1 else [*against] or [UNIFORM] * len(others)
    if others and len(texts) != len(others):
        raise Refusal(400, f"{len(texts)} opponents are named, expected one for all others, or {len(others)}.")
    return {i: given.get(f"{APART}{i}", "").strip() or text for i, text in zip(others, texts)}
