"""`fogbound play`: a game in the terminal, seeing only what your seat sees."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from fogbound.cli import naming
from fogbound.cli.words import make_parser, natural, number, say
from fogbound.core.dist import Dist
from fogbound.core.errors import FogboundError, SpecError
from fogbound.core.game import AnyGame, Seen

HELP = "type a number, or the beginning of a move's words; ? shows this, q leaves"


class Quit(FogboundError):
    """The person has left the table."""


@dataclass(eq=False)
class Person:
    """A policy that asks whoever sits at the keyboard. Memory only counts steps: people remember themselves."""

    game: AnyGame
    seat: int
    table: Any = None
    shown: list[str] = field(default_factory=list)

    def begin(self, seen: Seen) -> int:
        self._tell(seen)
        return 0

    def update(self, memory: int, action: Any, seen: Seen) -> int:  # noqa: ARG002
        self._tell(seen)
        return memory + 1

    def _tell(self, seen: Seen) -> None:
        for who, part in (("all see", seen.public), ("you see", seen.private)):
            if part is not None:
                say(f"  {who}: {part}")

    def act(self, memory: int, actions: Sequence[Any]) -> Dist[Any]:  # noqa: ARG002
        board = self.game.board(self.table.state, self.seat)
        if board:
            say(board.text())
        words = [self.game.describe(action) for action in actions]
        for k, text in enumerate(words, 1):
            say(f"  {k:>2}  {text}")
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
            say(f"  {HELP}")


def chosen(typed: str, words: Sequence[str]) -> int | None:
    """Which of `words` was meant: by number from 1, by its words, or by a beginning that fits only one."""
    if typed.isascii() and typed.isdigit() and 1 <= int(typed) <= len(words):
        return int(typed) - 1
    fits = [k for k, text in enumerate(words) if typed and text.lower().startswith(typed.lower())]
    exact = [k for k in fits if words[k].lower() == typed.lower()]
    return (exact or fits)[0] if len(exact or fits) == 1 else None


def main(words: list[str]) -> int:
    parser = make_parser(
        "play",
        "Play a game in the terminal. You see what your seat sees; the whole truth is shown at the end.",
        '  fogbound play "card-poker(ranks=3)" --against sequence-lp --as dealer\n  fogbound play po-nim',
    )
    parser.add_argument("game", metavar="GAME")
    parser.add_argument(
        "--against", action="append", default=[], metavar="POLICY", help="one for each other seat, in order"
    )
    parser.add_argument(
        "--as", dest="seat", default="0", metavar="PLAYER", help="your seat, by number or name (default 0)"
    )
    parser.add_argument("--seed", type=natural, metavar="K", help="deal the same game again")
    args = parser.parse_args(words)
    game = naming.game(args.game)
    me = naming.seat(args.seat, game)
    others = [i for i in range(len(game.players)) if i != me]
    texts = args.against or ["uniform"] * len(others)
    if len(texts) != len(others):
        raise SpecError(f"--against is given {len(texts)} times, expected one for each of the {len(others)} others")
    against = {i: naming.policy(text, game, i) for i, text in zip(others, texts)}
    return _sit_down(game, me, against, dict(zip(others, texts)), args.seed)


def _sit_down(game: AnyGame, me: int, against: dict[int, Any], named: dict[int, str], seed: int | None) -> int:
    from fogbound.arena.playing import Table

    person = Person(game, me)
    policies = [person if i == me else against[i] for i in range(len(game.players))]
    person.table = table = Table(game, policies, np.random.default_rng(seed))
    seats = ", ".join(f"{game.players[i]} is {text}" for i, text in named.items())
    say(f"{game}   you are {game.players[me]}{'; ' + seats if seats else ''}")
    steps = []
    try:
        for step in table.steps():
            steps.append(step)
    except Quit:
        say("\nYou left the table.")
        return 0
    _reveal(game, me, steps, table.played())
    return 0


def _reveal(game: AnyGame, me: int, steps: list[Any], played: Any) -> None:
    """After the game: what everybody did, the last board uncovered, and the pay."""
    say("\nThe whole truth")
    for step in steps:
        if step.joint is not None:
            moves = zip(game.actors(step.before), step.joint)
            say("  " + ", ".join(f"{game.players[i]}: {game.describe(action)}" for i, action in moves))
    board = game.board(steps[-1].outcome.state, None)
    if (not board or not board.rows) and steps[-1].before is not None:  # an end that keeps nothing: the state before
        board = game.board(steps[-1].before, None)
    if board:
        say("\n".join("  " + line for line in board.text().splitlines()))
    if played.ended == "cycle":
        say("Play entered a cycle and would never end; it is stopped here.")
    returns = ", ".join(f"{game.players[i]} {number(r, 6)}" for i, r in enumerate(played.returns))
    say(f"You get {number(played.returns[me], 6)}. ({returns})")
