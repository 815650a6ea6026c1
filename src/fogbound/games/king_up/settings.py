"""The sizes of King Up: document 004's small setting and the board game's; which sizes there can be, and which lists.

`small` is table 4.1. `full` is the game as it is sold, "Viva il Re!" ("King Me!", "King Up!"; Luperto 2003): 13
candidates of whom a list names 6, the floors 0 to 5 and the throne, at most 4 on a floor, set on the floors 1 to 4, and
fewer "no" cards the more players there are. Document 004, section 4.1, gives this board the height 7, which is how many
floors it has (`height=7` makes one more), and names 15 and 20 as scores of the throne in other versions. Which 26 lists
are sold it does not say: ours are windows there, too.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from itertools import combinations
from string import ascii_uppercase
from typing import Any

from fogbound.core import SpecError
from fogbound.core.errors import brief

MOST_SEATS, MOST_PIECES, MOST_DEALS = 6, len(ascii_uppercase), 200_000
FULL_REJECTIONS = {3: 4, 4: 3, 5: 2, 6: 2}  # by players
NUMBERS = ("seats", "pieces", "targets", "height", "width", "rounds")
UNSAID = (-1, "")  # a size that the setting decides


def sizes(parameters: Mapping[str, Any]) -> dict[str, int | str]:
    """The sizes that a game's parameters leave to its setting."""
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


def check(parameters: Mapping[str, Any]) -> None:
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
    for name, (holds, wanted) in expected.items():
        if not holds:
            raise SpecError(f"king-up: {name} is {brief(parameters[name])}, expected {wanted}")
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
