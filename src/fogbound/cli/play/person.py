"""Whoever sits at the keyboard, as a policy: shown what its player sees, asked for its moves."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from fogbound.api import rules
from fogbound.cli.console import say
from fogbound.cli.play.panel import BeliefPanel
from fogbound.core.dist import Dist
from fogbound.core.errors import FogboundError
from fogbound.core.game import AnyGame, Observation
from fogbound.inference.seat import Seat, paid_in_words

COMMANDS = {"fog": "lifts the fog", "rules": "tells all rules", "help": "shows this", "quit": "leaves"}
HELP = (
    "type what stands before a move, or the beginning of its words",
    ", ".join(f":{name} {what}" for name, what in COMMANDS.items()),
)
PARAGRAPHS = 2  # of the rules, at the start


class Quit(FogboundError):
    """The person has left the table."""


class Person:
    """A policy that asks whoever sits at the keyboard. Memory only counts steps: people remember themselves."""

    def __init__(self, game: AnyGame, player: int, panel: BeliefPanel) -> None:
        self.game, self.player, self.panel = game, player, panel
        self.table: Any = None
        self.seat = Seat(game, player)
        self._total = ""

    @property
    def history(self) -> list[Any]:
        return self.seat.history

    def begin(self, observation: Observation) -> int:
        self.seat.begin(observation)
        self._tell()
        return 0

    def update(self, memory: int, action: Any, observation: Observation) -> int:
        self.seat.update(action, observation)
        self._tell()
        return memory + 1

    def _tell(self) -> None:
        """One line a step: who moved, what is seen of it, and the return so far where it has changed."""
        step = self.seat.steps[-1]
        parts = [*step.did(self.game), *step.saw(self.game, self.player)]
        total = paid_in_words(step.paid)
        if total != (self._total or paid_in_words((0.0, 0.0))):
            parts.append(f"your return so far: {total}")
        self._total = total
        if parts:
            say("  " + "; ".join(parts))

    def act(self, memory: int, actions: Sequence[Any]) -> Dist[Any]:  # noqa: ARG002
        board = self.game.board(self.table.state, self.player)
        if board:
            say(board.text())
        words = [self.game.describe(action) for action in actions]
        keys = move_keys(actions, words)
        wide = max(map(len, keys))
        for key, text in zip(keys, words):
            say(f"  {key:>{max(wide, 2)}}  {text}")
        if self.panel.always:
            self.panel.lift(tuple(self.history), actions)
        while True:
            try:
                typed = input("your move › ").strip()
            except EOFError:
                raise Quit from None
            choice = chosen_move(typed, words, keys)
            if choice is not None:
                return Dist.sure(actions[choice])
            self._obey(command(typed), typed, actions)

    def _obey(self, name: str | None, typed: str, actions: Sequence[Any]) -> None:
        """Do what a command says; say what can be typed where it is none."""
        if name == "quit":
            raise Quit
        if name == "fog":
            self.panel.lift(tuple(self.history), actions)
        elif name == "rules":
            tell_rules(self.game)
        elif name is None and typed.lower() in _SHORT:
            say(f"  {typed}: a command is :{_SHORT[typed.lower()]}; of a move's words type more")
        else:
            tell_help()


_SHORT = {short: name for name in COMMANDS for short in (name[0], name)}


def command(typed: str) -> str | None:
    """The command that was meant, by a beginning of its name after a colon; ? asks for help."""
    if typed == "?":
        return "help"
    fits = [name for name in COMMANDS if len(typed) > 1 and f":{name}".startswith(typed.lower())]
    return fits[0] if len(fits) == 1 else None


def tell_rules(game: AnyGame, paragraphs: int | None = None) -> None:
    """The rules, in their author's words, or the first paragraphs of them."""
    parts = rules(game).split("\n\n")[:paragraphs]
    for line in "\n\n".join(parts).splitlines():
        say(f"  {line}".rstrip())


def tell_help() -> None:
    """What can be typed."""
    for line in HELP:
        say(f"  {line}")


def move_keys(actions: Sequence[Any], words: Sequence[str]) -> list[str]:
    """What is typed for each move: its own number where all have one, else its place in the list.

    A move that is called "bid the 4" must not be bid the 5 because it stands fourth.
    """
    numbers = [re.findall(r"(?<!\S)\d+(?!\S)", text) for text in words]
    if all(type(action) is int for action in actions):
        return [str(action) for action in actions]
    own = [found[0] for found in numbers if len(found) == 1]
    return own if len(set(own)) == len(words) else [str(k) for k in range(1, len(words) + 1)]


def chosen_move(typed: str, words: Sequence[str], keys: Sequence[str]) -> int | None:
    """Which of `words` was meant: by its key, by its words, or by a beginning that fits only one.

    The first letter of a command, without its colon, is no beginning: who wants to lift the fog must not fold.
    """
    if typed in keys:
        return keys.index(typed)
    meant = typed.lower()
    exact = [k for k, text in enumerate(words) if text.lower() == meant]
    fits = [k for k, text in enumerate(words) if meant and meant not in _SHORT and text.lower().startswith(meant)]
    return (exact or fits)[0] if len(exact or fits) == 1 else None
