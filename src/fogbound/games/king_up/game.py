"""King Up: push candidates up to the throne and vote on them, each player for a secret list of favourites.

Every player is dealt a list of `targets` of the `pieces` A, B, C, ... which nobody else sees, no two alike. In turn
they first set a piece on a level, `rounds` times each, then push one piece up by one level. Level 0 holds any number,
a level between it and the throne at most `width`. Who pushes a piece onto the throne, level `height`, makes all vote
at once. A "no" takes one of the player's `rejections` cards; who has none left says yes. All hear the votes. After any
"no" the piece is off the board and the next player pushes; when all say yes the game is over. A piece on the own list
scores its level, `top` on the throne, nothing off the board; who would score 0 gets `bonus`. The reward is the score
over `unit`. Document 004, section 2.2; what it leaves open is decided in the package's own docstring, as are the sizes
of its settings. Two seats are our addition to its 3 to 6.

A state is (lists, levels by piece, rejection cards, who pushes or pushed, pieces left to set). Off the board, a
rejected piece is like one that nobody has set: neither comes back.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, permutations
from string import ascii_uppercase
from typing import Any, Literal

from fogbound.core import Board, Dist, Drawing, Game, GameGroup, GameRecord, Outcome, SpecError, Tile
from fogbound.core.errors import brief
from fogbound.core.record import listed
from fogbound.games.parameters import require_parameters

OFF = -1
SEATS = ("first", "second", "third", "fourth", "fifth", "sixth")
Lists = tuple[str, ...]  # by player, such as "ABFG"
Numbers = tuple[int, ...]
State = tuple[Lists, Numbers, Numbers, int, int]
OVER: State = ((), (), (), 0, 0)


@dataclass(frozen=True)
class KingUp(Game[State, str]):
    """A castle of levels 0 to `height`; sizes that are -1 or empty are as `setting` says."""

    name = "king-up"
    record = GameRecord("King-up", GameGroup.CARDS)

    setting: Literal["small", "full"] = "small"
    seats: int = 3
    pieces: int = -1
    targets: int = -1
    height: int = -1
    width: int = -1
    rounds: int = -1
    rejections: int = -1
    ground: Literal["", "set", "rest"] = ""  # who begins on level 0: who is set there, or whom nobody has set
    lists: Literal["windows", "any"] = "windows"
    bonus: float = 15.0
    top: float = 10.0
    unit: float = 50.0

    def __post_init__(self) -> None:
        for name, size in _setting_sizes(vars(self)).items():
            object.__setattr__(self, name, size)  # so that the game's spec says all
        _require_playable(vars(self))
        object.__setattr__(self, "players", SEATS[: self.seats])

    @cached_property
    def letters(self) -> str:
        return ascii_uppercase[: self.pieces]

    @cached_property
    def _deals(self) -> Dist[Outcome[State]]:
        lists = (windows if self.lists == "windows" else every_list)(self.pieces, self.targets)
        deals = filter(self.may_be_dealt, permutations(lists, self.seats))
        return Dist.uniform(Outcome((deal, *self._board_at_first), private=deal) for deal in deals)

    @cached_property
    def _board_at_first(self) -> tuple[Numbers, Numbers, int, int]:
        """Levels, rejection cards, who moves, and pieces left to set."""
        return (OFF,) * self.pieces, (self.rejections,) * self.seats, 0, self.rounds * self.seats

    def may_be_dealt(self, _lists: Lists) -> bool:
        """Whether a deal is one to begin with."""
        return True

    @cached_property
    def _set(self) -> dict[str, tuple[int, int]]:
        """What may be set where: the piece and the level by the name of the action."""
        levels = range(self.ground == "rest", self.height - 1)
        return {f"{letter} {level}": (piece, level) for piece, letter in enumerate(self.letters) for level in levels}

    @cached_property
    def _everybody(self) -> tuple[int, ...]:
        return tuple(range(self.seats))

    def start(self) -> Dist[Outcome[State]]:
        return self._deals

    def actors(self, state: State) -> tuple[int, ...]:
        _, levels, _, mover, _ = state
        return self._everybody if self.height in levels else (mover,) if levels else ()

    def actions(self, state: State, player: int) -> tuple[str, ...]:
        _, levels, rejections, _, left = state
        if self.height in levels:
            return ("yes", "no") if rejections[player] else ("yes",)
        full = [level for level in range(1, self.height) if levels.count(level) >= self.width]
        if left:
            places = self._set.items()
            return tuple([word for word, (piece, to) in places if levels[piece] == OFF and to not in full])
        return tuple([letter for letter, at in zip(self.letters, levels) if at != OFF and at + 1 not in full])

    def step(self, state: State, joint: tuple[str, ...]) -> Dist[Outcome[State]]:
        lists, levels, rejections, mover, left = state
        if self.height in levels:
            return Dist.sure(self._voted(state, joint))
        (seen,) = joint
        piece, level = self._set[seen] if left else (at := self.letters.index(seen), levels[at] + 1)
        after = (*levels[:piece], level, *levels[piece + 1 :])
        if left == 1 and self.ground == "rest":
            after = tuple([max(each, 0) for each in after])
        if level < self.height:
            mover = (mover + 1) % self.seats
        return Dist.sure(Outcome((lists, after, rejections, mover, max(left - 1, 0)), (), seen))

    def _voted(self, state: State, votes: tuple[str, ...]) -> Outcome[State]:
        lists, levels, rejections, mover, _ = state
        seen = " ".join(votes)
        if "no" in votes:
            levels = tuple([OFF if at == self.height else at for at in levels])
            rejections = tuple([cards - (vote == "no") for cards, vote in zip(rejections, votes)])
            if max(levels) > OFF:
                return Outcome((lists, levels, rejections, (mover + 1) % self.seats, 0), (), seen)
        return Outcome(OVER, tuple([score / self.unit for score in self.scores(lists, levels)]), seen)

    def scores(self, lists: Lists, levels: Numbers) -> list[float]:
        """Each player's points where the pieces are on these levels when the game is over."""
        points = {name: self.top if at == self.height else max(at, 0) for name, at in zip(self.letters, levels)}
        return [math.fsum(points[name] for name in own) or self.bonus for own in lists]

    def compiled_rules(self) -> Any:
        from fogbound.games.king_up.compiled_rules import compiled_rules

        return compiled_rules(self)

    def describe(self, action: str) -> str:
        letter, _, level = action.partition(" ")
        if action in ("yes", "no"):
            return f"vote {action}"
        return f"set {letter} on level {level}" if level else f"push {letter} up"

    def describe_state(self, state: State) -> str:
        lists, levels, rejections, mover, left = state
        if not levels:
            return "the game is over"
        own = self._lists(lists)
        places = ", ".join(f"{letter} {'off' if at == OFF else at}" for letter, at in zip(self.letters, levels))
        cards = ", ".join(f"{name} {held}" for name, held in zip(self.players, rejections))
        turn = self._turn(levels, mover, left) + (f", {left} left to set" if left else "")
        return f"lists: {own}; levels: {places}; cards for no: {cards}; {turn}"

    def describe_public(self, seen: Hashable) -> str:
        letter, _, rest = str(seen).partition(" ")
        if letter in ("yes", "no"):
            votes = zip(self.players, str(seen).split())
            return "votes: " + ", ".join(f"{name} {vote}" for name, vote in votes)
        return f"{letter} is set on level {rest}" if rest else f"{letter} is pushed up"

    def describe_private(self, seen: Hashable, player: int) -> str:  # noqa: ARG002
        return f"the list {listed(str(seen))}"

    def hidden_words(self, state: State, player: int) -> str:
        return f"lists: {self._lists(state[0], player)}" if state[1] else ""

    def _lists(self, lists: Lists, but: int | None = None) -> str:
        """The players' lists; `but` is left out."""
        return ", ".join(f"{self.players[p]} {held}" for p, held in enumerate(lists) if p != but)

    def board(self, state: State, player: int | None = None) -> Board:
        lists, levels, rejections, mover, left = state
        if not levels:
            return Board.of_text("The game is over.")
        turn = self._turn(levels, mover, left)
        cards = ", ".join(f"{name} {held}" for name, held in zip(self.players, rejections))
        shown = [seat for seat in self._everybody if player in (None, seat)]
        caption = [
            f"{turn}; cards for no: {cards}",
            *[f"list of {self.players[seat]}: {lists[seat]}" for seat in shown],
        ]
        own = "" if player is None else lists[player]
        return _castle(levels, self.letters, self.height, self.width, own, "\n".join(caption))

    def _turn(self, levels: Numbers, mover: int, left: int) -> str:
        if self.height in levels:
            return f"all vote on {self.letters[levels.index(self.height)]}, pushed by {self.players[mover]}"
        return f"{self.players[mover]} to {'set' if left else 'push'} a piece"

    def draw(self, state: State, player: int | None = None, belief: Dist[State] | None = None) -> Drawing:
        board = self.board(state, player)
        lists, levels, rejections, mover, left = state
        if not levels:
            return board.draw()
        from fogbound.games.scenes.king_up import Favourites
        from fogbound.games.scenes.king_up import castle as scene

        seats = [
            Favourites(cards, lists[seat], {})
            if player in (None, seat)
            else Favourites(cards, None, self._likely(seat, belief))
            for seat, cards in enumerate(rejections)
        ]
        turn, size = self._turn(levels, mover, left), (self.height, self.width)
        if mover == player and self.height not in levels:
            turn = f"your move: {'set' if left else 'push'} a piece"
        says = f"{turn[0].upper()}{turn[1:]}"
        return scene(self.letters, levels, size, seats, self.actors(state), says, self.players, player, board.text())

    def _likely(self, seat: int, belief: Dist[State] | None) -> dict[str, float]:
        """How likely each piece is on a player's list, as somebody else believes; nothing where nothing is believed."""
        held = [(lists[seat], p) for (lists, *_), p in belief] if belief else []
        return {letter: math.fsum(p for own, p in held if letter in own) for letter in self.letters} if held else {}


def _castle(places: Sequence[int], letters: str, height: int, width: int, own: Collection[str], caption: str) -> Board:
    """Each letter on its level (below 0: off the board), those of `own` in the colour of the player who looks."""
    rows = [_floor_tiles(places, letters, level, own) for level in range(height, -2, -1)]
    room = [1, *[width] * (height - 1), 0, 0]  # how many squares are drawn even where nobody stands
    filled = [row + [Tile()] * (least - len(row)) for row, least in zip(rows, room)]
    labels = ["throne", *[f"level {level}" for level in range(height - 1, -1, -1)], "off"]
    return Board.grid(filled, caption, labels)


def _floor_tiles(places: Sequence[int], letters: str, level: int, own: Collection[str]) -> list[Tile]:
    standing = [letter for letter, place in zip(letters, places) if place == level]
    return [Tile(letter, "mine" if letter in own else "plain") for letter in standing]


MOST_SEATS, MOST_PIECES, MOST_DEALS = 6, len(ascii_uppercase), 200_000
FULL_REJECTIONS = {3: 4, 4: 3, 5: 2, 6: 2}  # by players
NUMBERS = ("seats", "pieces", "targets", "height", "width", "rounds")
UNSAID = (-1, "")  # a size that the setting decides


def _setting_sizes(parameters: Mapping[str, Any]) -> dict[str, int | str]:
    """The _setting_sizes that a game's parameters leave to its setting."""
    setting, seats, pieces = (parameters[name] for name in ("setting", "seats", "pieces"))
    if not 2 <= seats <= MOST_SEATS:
        raise SpecError(f"king-up: seats is {seats}, expected 2 to {MOST_SEATS}")
    said: dict[str, int | str]
    if setting == "small":
        rounds = min(2, (7 if pieces in UNSAID else pieces) // seats)  # two where there are pieces enough
        said = {"pieces": 7, "targets": 4, "height": 5, "width": 3, "rounds": rounds, "rejections": 1, "ground": "set"}
    elif setting == "full" and seats in FULL_REJECTIONS:
        rounds = (13 if pieces in UNSAID else pieces) // seats  # all set equally many
        said = {"pieces": 13, "targets": 6, "height": 6, "width": 4, "rounds": rounds, "ground": "rest"}
        said["rejections"] = FULL_REJECTIONS[seats]
    else:
        expected = f"small, or full for 3 to {MOST_SEATS} seats"
        raise SpecError(f"king-up: setting is {brief(setting)} with {seats} seats, expected {expected}")
    return {name: size for name, size in said.items() if parameters[name] in UNSAID}


def _require_playable(parameters: Mapping[str, Any]) -> None:
    """Refuse what nobody could play, in one line."""
    seats, pieces, targets, height, width, rounds = (parameters[name] for name in NUMBERS)
    room = pieces if parameters["ground"] == "set" else min(pieces, (height - 2) * width)
    most = f"1 to {MOST_PIECES}"
    expected = {
        "pieces": (1 <= pieces <= MOST_PIECES, most),
        "targets": (1 <= targets <= pieces, f"1 to the number of pieces, {pieces}"),
        "height": (2 <= height <= MOST_PIECES, f"2 to {MOST_PIECES}"),
        "width": (1 <= width <= MOST_PIECES, most),
        "ground": (parameters["ground"] in ("set", "rest"), "set or rest"),
        "rounds": (1 <= rounds <= room // seats, f"at least 1, with up to {room} pieces to be set by {seats} players"),
        "rejections": (0 <= parameters["rejections"] <= MOST_PIECES, f"0 to {MOST_PIECES}"),
        "lists": (parameters["lists"] in ("windows", "any"), "windows or any"),
        **{name: (0 <= parameters[name] < math.inf, "a finite number of at least 0") for name in ("bonus", "top")},
        "unit": (0 < parameters["unit"] < math.inf, "a finite number above 0"),
    }
    require_parameters("king-up", parameters, expected)
    lists = math.comb(pieces, targets) if parameters["lists"] == "any" else len(windows(pieces, targets))
    deals = math.perm(lists, seats)
    if not 0 < deals <= MOST_DEALS:
        found = f"{lists:,} lists can be dealt to {seats} players in {deals:,} ways"
        raise SpecError(f"king-up: {found}, expected 1 to {MOST_DEALS:,}: change the seats, the pieces or the targets")


def windows(pieces: int, targets: int) -> tuple[str, ...]:
    """The lists of `targets` letters in a row, the alphabet closed to a ring."""
    ring = ascii_uppercase[:pieces]
    return tuple(dict.fromkeys("".join(sorted((ring[at:] + ring)[:targets])) for at in range(pieces)))


def every_list(pieces: int, targets: int) -> tuple[str, ...]:
    """All lists of `targets` of the letters."""
    return tuple(map("".join, combinations(ascii_uppercase[:pieces], targets)))
