"""A game held against its contract: its rules enumerate, play, repeat themselves and keep secrets."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from xml.etree import ElementTree

import numpy as np

from fogbound.arena.episode import play_episode
from fogbound.core.cancel import check
from fogbound.core.errors import FogboundError, GameError, LimitError, brief, many
from fogbound.core.game import AnyGame
from fogbound.core.labels import to_json
from fogbound.forms.knowledge import Knowledge, knowledge
from fogbound.forms.table import Table
from fogbound.policies.uniform import Uniform

SETS = 10_000
ROWS = 2_000  # how many rows are asked for twice
DRAWN = 300  # how many states are drawn for each player
GAMES, STEPS = 20, 4_000  # played at random: games; no further one begins after this number of steps in all


@dataclass(frozen=True)
class Finding:
    """One result of a check: fine, a warning, or something that could not be looked at.

    Attributes
    ----------
    mark
        ``ok``, ``warning`` or ``skipped``.
    words
        What was found, in a line.
    """

    mark: str
    words: str


def checking_game(game: AnyGame, source: Table | LimitError) -> Iterator[Finding]:
    """What `check_game` finds, as it is found: whoever stops it has what was found so far.

    `source` is the game's table, or why there is none (`forms.available.enumerated`).
    """
    if isinstance(source, LimitError):
        yield _plays(game)
        yield Finding("skipped", f"not enumerated, so only sampled play was checked: {source}")
        return
    yield Finding("ok", f"every state and action enumerates: {many(source.size, 'state')}")
    yield _plays(game)
    yield _repeats(game, source)
    yield from _labels(source)
    for player in range(len(game.players)):
        knows = knowledge(source, player, SETS)
        yield _knows(source, knows)
        yield _pictures(game, source, knows)


def _plays(game: AnyGame) -> Finding:
    """Uniform play a few times over: catches what would break in the middle of a game."""
    rng, games, steps = np.random.default_rng(0), 0, 0
    policies = [Uniform()] * len(game.players)
    while games < GAMES and steps < STEPS:
        check()
        games, steps = games + 1, steps + play_episode(game, policies, rng, most_steps=1_000).steps
    return Finding("ok", f"plays at random: {many(games, 'game')}, {steps / games:.1f} steps on average")


def _repeats(game: AnyGame, source: Table) -> Finding:
    """Rules are functions: asked again they say the same."""
    if game.start() != game.start():
        raise GameError(f"{game}: start() says something else when asked again; rules may not draw at random")
    asked = 0
    for number, state in enumerate(source.states):
        if source.actor_set[number] == 0 or asked >= ROWS:
            continue
        check()
        joint = tuple(next(iter(game.actions(state, i))) for i in game.actors(state))
        if game.step(state, joint) != game.step(state, joint):
            where = f"step({brief(state)}, {brief(joint)})"
            raise GameError(f"{game}: {where} says something else when asked again; rules may not draw at random")
        asked += 1
    return Finding("ok", "the rules answer alike when asked twice")


def _labels(source: Table) -> list[Finding]:
    """Labels must print, save and stay apart: 1 and True are the same key in Python."""
    findings = []
    values: list[Any] = [
        *source.actions,
        *(part for observations in source.observations for seen in observations for part in seen),
    ]
    kinds = {type(v) for v in values if v is not None and v in (0, 1)}
    if bool in kinds and kinds & {int, float}:
        findings.append(Finding("warning", "labels mix True/False with 1/0, which Python holds to be equal"))
    try:
        for value in values:
            check()
            to_json(value)
        findings.append(Finding("ok", "actions and observations are plain values, so policies can be saved"))
    except FogboundError as error:
        findings.append(Finding("warning", str(error)))
    return findings


def _knows(source: Table, knows: Knowledge) -> Finding:
    name = source.players[knows.player]
    if knows.surprised:
        one, other = (brief(source.states[s], 40) for s in knows.surprised)
        return Finding("warning", f"{name}: being asked to move tells {one} from {other}, which look alike until then")
    part = "" if knows.complete else f" (in the first {len(knows.sets):,} of more sets of like states)"
    return Finding("ok", f"{name}: legal actions follow from what is known{part}")


def _pictures(game: AnyGame, source: Table, knows: Knowledge) -> Finding:
    """A player's picture must be the same for all states it cannot tell apart, and must be proper SVG."""
    player, name = knows.player, source.players[knows.player]
    for called, show, most in (("board()", game.board, source.size), ("draw()", game.draw, DRAWN)):
        shown: dict[int, Any] = {}
        for states in knows.sets:
            check()
            live = [s for s in states if source.actor_set[s] != 0][:most]
            for s in live:
                if s not in shown:
                    shown[s] = show(source.states[s], player)
                if shown[s] != shown[live[0]]:
                    one, other = (brief(source.states[k]) for k in (live[0], s))
                    raise GameError(f"{game}: {name} cannot tell {one} from {other}, but {called} shows a difference")
            if len(shown) >= most:
                break
    picture = game.draw(source.states[0], player)
    try:
        ElementTree.fromstring(picture.svg)
    except ElementTree.ParseError as error:
        raise GameError(f"{game}: draw() for {name} is no well-formed SVG: {error}") from error
    return Finding("ok", f"{name}: the board shows only what is known")
