"""What the picture and the text of all pairs share: letters, numbers, names, and what they mean."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Protocol

from fogbound.core.errors import SpecError, one_line
from fogbound.draw import svg

LONGEST = 24  # characters of a policy's name
CYCLE = "cycle"
MEANINGS = {
    "W": "W the row wins",
    "L": "L the row loses",
    "T": "T a tie",
    "C": "C play cycles for ever: a tie",
    "E": "E chance decides: the expected score",
    "?": "? some play never ends and has no value",
}


class Met(Protocol):
    """What comes of one pair, as `arena.exact` finds it."""

    @property
    def returns(self) -> tuple[float, ...] | None: ...
    @property
    def winner(self) -> int | None: ...
    @property
    def one_play(self) -> bool: ...
    @property
    def ended(self) -> str: ...
    @property
    def cycle(self) -> tuple[int, int] | None: ...
    @property
    def steps(self) -> float | None: ...


class Paired(Protocol):
    """All pairs, as `arena.round_robin` finds them."""

    @property
    def spec(self) -> str: ...
    @property
    def players(self) -> tuple[str, ...]: ...
    @property
    def outcomes(self) -> Sequence[Sequence[Met]]: ...


def letter(met: Met) -> str:
    """How a pair ends for the row: W, L, T or C; E where no one play decides, ? where there is no value."""
    if met.returns is None:
        return "?"
    if met.winner is not None:
        return "WL"[met.winner]
    if not met.one_play:
        return "E"
    return "C" if met.ended == CYCLE else "T"


def paid(met: Met) -> str:
    """What the row gets."""
    return "" if met.returns is None else svg.number(met.returns[0], 3)


def margin(met: Met) -> float:
    """How far the row is ahead; nobody is where play cycles for ever."""
    if met.returns is None or letter(met) == "C":
        return 0.0
    return met.returns[0] - met.returns[1]


def names(found: Paired, rows: Sequence[str] | None, columns: Sequence[str] | None) -> tuple[list[str], list[str]]:
    """The policies' names on both sides; SpecError where there are more or fewer than policies."""
    told = []
    for given, count, side in ((rows, len(found.outcomes), "rows"), (columns, _width(found), "columns")):
        if given is not None and len(given) != count:
            raise SpecError(f"pairs: {len(given)} names for {count} {side}, expected one each")
        told.append([one_line(name, LONGEST) for name in (given if given is not None else map(str, range(count)))])
    return told[0], told[1]


def _width(found: Paired) -> int:
    return len(found.outcomes[0]) if found.outcomes else 0


def summary(found: Paired) -> str:
    """How many pairs end how, in words."""
    counts = Counter(letter(met) for line in found.outcomes for met in line)
    words = (("W", "won by the row"), ("L", "lost"), ("T", "tied"), ("C", "never end"), ("E", "left to chance"))
    said = [f"{counts[key]} {word}" for key, word in (*words, ("?", "without a value")) if counts[key]]
    total = sum(counts.values())
    return f"{total:,} pair{'s' if total != 1 else ''}" + (f": {', '.join(said)}" if said else "")


def meanings(found: Paired, numbers: bool = True) -> list[str]:
    """The legend of the letters that occur, and of the numbers where they are shown."""
    used = {letter(met) for line in found.outcomes for met in line}
    said = [meaning for key, meaning in MEANINGS.items() if key in used]
    if not said:
        return []
    return [f"The number is what {one_line(found.players[0])} (the row) gets."] * numbers + [", ".join(said)]
