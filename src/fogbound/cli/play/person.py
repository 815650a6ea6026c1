"""Whoever sits at the keyboard, as a policy: shown what its player sees, asked for its moves."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from fogbound.cli.console import say
from fogbound.cli.play.panel import BeliefPanel
from fogbound.core.dist import Dist
from fogbound.core.errors import FogboundError
from fogbound.core.game import AnyGame, Observation
from fogbound.core.numerals import number

PANEL_KEYS = ("f", "fog", "lift")


class Quit(FogboundError):
    """The person has left the table."""


class Person:
    """A policy that asks whoever sits at the keyboard. Memory only counts steps: people remember themselves."""

    def __init__(self, game: AnyGame, player: int, panel: BeliefPanel) -> None:
        from fogbound.inference.consistent_states import ConsistentStates

        self.game, self.player, self.panel = game, player, panel
        self.table: Any = None
        self.consistent = ConsistentStates(game, player)
        self.history: list[Any] = []
        self._total = ""

    def begin(self, observation: Observation) -> int:
        self.history = [observation]
        self._tell([], observation, self.consistent.begin(observation).paid)
        return 0

    def update(self, memory: int, action: Any, observation: Observation) -> int:
        self.history.append((action, observation))
        follows = self.consistent.update(action, observation)
        did = [f"you: {self.game.describe(action)}"] if action is not None else []
        others = [] if follows.movers is None else [self.game.players[i] for i in follows.movers if i != self.player]
        if others:
            did.append(f"{' and '.join(others)} moved")
        elif follows.movers is None and action is None:
            did.append("somebody moved")
        self._tell(did, observation, follows.paid)
        return memory + 1

    def _tell(self, did: list[str], observation: Observation, paid: tuple[float, float] | None) -> None:
        """One line a step: who moved, what is seen of it, and the return so far where it has changed."""
        parts = [*did]
        for who, part in (("all see", observation.public), ("you see", observation.private)):
            if part is not None:
                parts.append(f"{who}: {part}")
        total = _reward_words(paid)
        if total != (self._total or _reward_words((0.0, 0.0))):
            parts.append(f"your return so far: {total}")
        self._total = total
        if parts:
            say("  " + "; ".join(parts))

    def act(self, memory: int, actions: Sequence[Any]) -> Dist[Any]:  # noqa: ARG002
        board = self.game.board(self.table.state, self.player)
        if board:
            say(board.text())
        words = [self.game.describe(action) for action in actions]
        for k, text in enumerate(words, 1):
            say(f"  {k:>2}  {text}")
        if self.panel.always:
            self.panel.lift(tuple(self.history))
        keys = [key for key in PANEL_KEYS if chosen(key, words) is None and not _begins(key, words)]
        while True:
            try:
                typed = input("your move › ").strip()
            except EOFError:
                raise Quit from None
            choice = chosen(typed, words)
            if choice is not None:
                return Dist.sure(actions[choice])
            if typed in ("q", "quit"):
                raise Quit
            if typed in keys:
                self.panel.lift(tuple(self.history))
            else:
                say(f"  {_help(keys)}")


def _help(keys: Sequence[str]) -> str:
    fog = f"{keys[0]} lifts the fog, " if keys else ""
    return f"type a number, or the beginning of a move's words; {fog}? shows this, q leaves"


def _begins(key: str, words: Sequence[str]) -> bool:
    return any(text.lower().startswith(key) for text in words)


def _reward_words(paid: tuple[float, float] | None) -> str:
    """What one was paid, as far as one can know: a number, a range, or that it is said later."""
    if paid is None:
        return "told at the end"
    low, high = paid
    return number(low, 6) if high - low < 1e-9 else f"from {number(low, 6)} to {number(high, 6)}, you cannot know"


def chosen(typed: str, words: Sequence[str]) -> int | None:
    """Which of `words` was meant: by number from 1, by its words, or by a beginning that fits only one."""
    if typed.isascii() and typed.isdigit() and 1 <= int(typed) <= len(words):
        return int(typed) - 1
    fits = [k for k, text in enumerate(words) if typed and text.lower().startswith(typed.lower())]
    exact = [k for k in fits if words[k].lower() == typed.lower()]
    return (exact or fits)[0] if len(exact or fits) == 1 else None
