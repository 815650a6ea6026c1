"""King Up as compiled rules: its settings as numbers, and the words for its codes and states."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from itertools import product
from typing import Any

from fogbound.compiled.rules import CompiledRules
from fogbound.core import GameError, Observation
from fogbound.core.errors import brief
from fogbound.games.king_up import kernels
from fogbound.games.king_up.kernels import CARD_BITS, FIRST, LEVEL, LIST, ONE_HAND, PUSH, SET, STRIDE, VOTES

OFF = -1
State = tuple[
    tuple[str, ...], tuple[int, ...], tuple[int, ...], int, int
]  # as `game` has it, which makes its compiled rules here


class KingUpWords:
    """What the numbers of a game's compiled rules stand for."""

    def __init__(self, game: Any, deals: Sequence[tuple[str, ...]]) -> None:
        self.letters: str = game.letters
        self.height: int = game.height
        self.seats: int = game.seats
        self.deals = deals
        self.numbers = {deal: number for number, deal in enumerate(deals)}

    def pieces(self, names: str) -> int:
        """Letters as a set."""
        return sum(1 << self.letters.index(name) for name in names)

    def action(self, code: int) -> str:
        if code < PUSH:
            return ("yes", "no")[code]
        if code < SET:
            return self.letters[code - PUSH]
        piece, level = divmod(code - SET, STRIDE)
        return f"{self.letters[piece]} {level}"

    def action_code(self, action: Hashable) -> int:
        if action in ("yes", "no"):
            return ("yes", "no").index(str(action))
        letter, _, level = str(action).partition(" ")
        piece = self.letters.index(letter)
        return SET + STRIDE * piece + int(level) if level else PUSH + piece

    def observation_code(self, _player: int, seen: Observation) -> int:
        if seen.private is not None:
            return LIST + self.pieces(str(seen.private))
        votes = str(seen.public).split()
        if votes[0] in ("yes", "no"):
            return VOTES + sum((vote == "no") << player for player, vote in enumerate(votes))
        return self.action_code(seen.public)

    def state(self, row: Sequence[int]) -> State:
        deal, mover, left, cards = (int(word) for word in row[:LEVEL])
        sets = [int(word) for word in row[LEVEL:]]
        if not left and not any(sets):
            return (), (), (), 0, 0
        levels = [OFF] * len(self.letters)
        for piece, level in product(range(len(levels)), range(len(sets))):
            if sets[level] >> piece & 1:
                levels[piece] = level
        hands = [cards >> (CARD_BITS * player) & ONE_HAND for player in range(self.seats)]
        return self.deals[deal], tuple(levels), tuple(hands), mover, left

    def state_row(self, state: State) -> list[int]:
        lists, levels, hands, mover, left = state
        if not levels:
            return [0] * (LEVEL + self.height + 1)
        if lists not in self.numbers:
            raise GameError(f"king-up: the lists {brief(lists)} are none of the {len(self.deals):,} that are dealt")
        cards = sum(held << (CARD_BITS * player) for player, held in enumerate(hands))
        sets = [sum((at == level) << piece for piece, at in enumerate(levels)) for level in range(self.height + 1)]
        return [self.numbers[lists], mover, left, cards, *sets]


def compiled_rules(game: Any) -> CompiledRules:
    """The compiled rules of `KingUp`."""
    starts = [outcome.state for outcome, _ in game.start()]
    deals = [lists for lists, *_ in starts]
    words = KingUpWords(game, deals)
    sizes = game.seats, game.pieces, game.height, game.width, int(game.ground == "rest")
    first, lists = words.state_row(starts[0]), [words.pieces(own) for deal in deals for own in deal]
    integers = [*sizes, FIRST + len(first), *first, *lists]
    numbers = [game.bonus, game.top, game.unit, 1 / len(deals)]
    return CompiledRules.of(
        game,
        vars(kernels),
        words,
        width=LEVEL + game.height + 1,
        beginnings=len(deals),
        most_actions=max(2, game.pieces * (game.height - 1)),
        integers=integers,
        numbers=numbers,
    )
