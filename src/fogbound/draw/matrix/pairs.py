"""Everybody against everybody (a round robin) as a grid, as a picture and as text: who wins, and by how much.

What the picture and the text of all pairs share: letters, numbers, names, and what they mean.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from textwrap import wrap
from typing import Protocol

from fogbound.core import measure, svg
from fogbound.core.drawing import Drawing
from fogbound.core.errors import SpecError, many, one_line
from fogbound.core.numerals import number
from fogbound.core.svg import EMBER, EMBER_FILL, FOG_1, INK, INK_2, MARGIN, SEA, SEA_FILL, at
from fogbound.forms import words

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


class PairOutcome(Protocol):
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


class RoundRobinResult(Protocol):
    """All pairs, as `arena.round_robin` finds them."""

    @property
    def spec(self) -> str: ...
    @property
    def players(self) -> tuple[str, ...]: ...
    @property
    def outcomes(self) -> Sequence[Sequence[PairOutcome]]: ...


def letter(outcome: PairOutcome) -> str:
    """How a pair ends for the row: W, L, T or C; E where no one play decides, ? where there is no value."""
    if outcome.returns is None:
        return "?"
    if outcome.winner is not None:
        return "WL"[outcome.winner]
    if not outcome.one_play:
        return "E"
    return "C" if outcome.ended == CYCLE else "T"


def paid(outcome: PairOutcome) -> str:
    """What the row gets."""
    return "" if outcome.returns is None else number(outcome.returns[0], 3)


def margin(outcome: PairOutcome) -> float:
    """How far the row is ahead; nobody is where play cycles for ever."""
    if outcome.returns is None or letter(outcome) == "C":
        return 0.0
    return outcome.returns[0] - outcome.returns[1]


def pair_names(
    result: RoundRobinResult, rows: Sequence[str] | None, columns: Sequence[str] | None
) -> tuple[list[str], list[str]]:
    """The policies' names on both sides; SpecError where there are more or fewer than policies."""
    names = []
    for given, count, side in ((rows, len(result.outcomes), "rows"), (columns, _width(result), "columns")):
        if given is not None and len(given) != count:
            raise SpecError(f"pairs: {len(given)} names for {count} {side}, expected one each")
        names.append([one_line(name, LONGEST) for name in (given if given is not None else map(str, range(count)))])
    return names[0], names[1]


def _width(result: RoundRobinResult) -> int:
    return len(result.outcomes[0]) if result.outcomes else 0


def summary(result: RoundRobinResult) -> str:
    """How many pairs end how, in words."""
    counts = Counter(letter(outcome) for line in result.outcomes for outcome in line)
    ways = (("W", "won by the row"), ("L", "lost"), ("T", "tied"), ("C", "never end"), ("E", "left to chance"))
    said = [f"{counts[key]} {word}" for key, word in (*ways, ("?", "without a value")) if counts[key]]
    total = sum(counts.values())
    return many(total, "pair") + (f": {', '.join(said)}" if said else "")


def meanings(result: RoundRobinResult, numbers: bool = True) -> list[str]:
    """The legend of the letters that occur, and of the numbers where they are shown."""
    used = {letter(outcome) for line in result.outcomes for outcome in line}
    said = [meaning for key, meaning in MEANINGS.items() if key in used]
    if not said:
        return []
    return [f"The number is what {one_line(result.players[0])} (the row) gets."] * numbers + [", ".join(said)]


TOP, HIGH, GAP, NARROW, LINE_HEIGHT = 66.0, 30.0, 3.0, 30.0, 20.0
FAINT, STRONG = 0.16, 0.62  # opacity of the smallest and of the largest lead


def pairs(
    result: RoundRobinResult,
    *,
    rows: Sequence[str] | None = None,
    columns: Sequence[str] | None = None,
    title: str = "",
    width: int = 100,
) -> Drawing:
    """Draw everybody against everybody: rows play player 0, columns player 1, the number is what the row gets.

    Parameters
    ----------
    result : RoundRobin
        As `arena.round_robin` finds it.
    rows, columns : sequence of str, optional
        The policies' names; their numbers where none are given.
    title : str
        The first line of the picture.
    width : int
        How long a line of the text may be. Numbers are left out where they do not fit, and past that the last
        columns, which is said.

    Returns
    -------
    Drawing

    Raises
    ------
    SpecError
        Where there are more or fewer names than policies.

    Examples
    --------
    >>> from fogbound import arena, games, policies
    >>> game, uniform = games.make("rock-paper-scissors"), policies.Uniform()
    >>> print(pairs(arena.round_robin(game, [uniform], [uniform]), rows=["uniform"]).text, end="")
    rock-paper-scissors(biased=false): 1 pair: 1 left to chance
    <BLANKLINE>
             second
    first        0
    uniform  E 0.5
    <BLANKLINE>
    The number is what first (the row) gets.
    E chance decides: the expected score
    """
    down, across = pair_names(result, rows, columns)
    first, second = map(one_line, result.players)
    widest = max(
        (measure.width_of(_said(outcome), bold=True) for line in result.outcomes for outcome in line), default=0.0
    )
    wide = max(NARROW, widest + 12, *(measure.width_of(name, bold=True) + 6 for name in across), 0.0)
    left = MARGIN + max((measure.width_of(name, bold=True) for name in [*down, first]), default=0.0) + 12
    heading, heading_width = svg.heading(one_line(title) or f"{result.spec}: all pairs", summary(result))
    top = TOP + 34
    body = [heading, svg.text(left, TOP + 8, second, EMBER, weight=600)]
    body.append(svg.text(MARGIN, top - 8, first, SEA, weight=600))
    for k, name in enumerate(across):
        body.append(svg.text(left + k * (wide + GAP) + wide / 2, top - 8, name, anchor="middle", weight=600))
    most = max((abs(margin(outcome)) for line in result.outcomes for outcome in line), default=0.0)
    for j, (name, line) in enumerate(zip(down, result.outcomes)):
        y = top + j * (HIGH + GAP)
        body.append(svg.text(left - 12, y + HIGH / 2 + 4, name, anchor="end", weight=600))
        for k, outcome in enumerate(line):
            cell = _cell(outcome, left + k * (wide + GAP), y, wide, most)
            hint = f"{name} against {across[k]}: {_outcome_words(outcome, result.players)}"
            body.append(svg.group(cell, hint, f' data-row="{j}" data-column="{k}"'))
    bottom, legend = top + len(down) * (HIGH + GAP) + 18, meanings(result)
    body += [svg.text(MARGIN, bottom + k * LINE_HEIGHT, said, INK_2) for k, said in enumerate(legend)]
    right = max(left + len(across) * (wide + GAP) + MARGIN, left + measure.width_of(second, bold=True) + MARGIN)
    right = max(right, heading_width, *(2 * MARGIN + measure.width_of(said) for said in legend), 0.0)
    height = bottom + len(legend) * LINE_HEIGHT + 4
    terminal = _text(result, down, across, width)
    return svg.document(right, height, body, f"All pairs of {result.spec}: {summary(result)}.", terminal)


def _said(outcome: PairOutcome) -> str:
    return f"{letter(outcome)} {paid(outcome)}".rstrip()


def _outcome_words(outcome: PairOutcome, players: Sequence[str]) -> str:
    """One pair in a sentence, for the pointer."""
    if outcome.returns is None:
        return "some play never ends and has no value"
    got = ", ".join(f"{name} {number(value, 6)}" for name, value in zip(players, outcome.returns))
    if outcome.ended == CYCLE and outcome.cycle is not None:
        return f"{got}; cycles from step {outcome.cycle[0]} on, {outcome.cycle[1]} steps long"
    return f"{got}; {number(outcome.steps, 6)} steps" if outcome.steps is not None else got


def _cell(outcome: PairOutcome, x: float, y: float, wide: float, most: float) -> list[str]:
    """Sea where the row is ahead, ember where the column is, fog where neither; hatched where play never ends."""
    lead = margin(outcome)
    parts = [svg.box(x, y, wide, HIGH, FOG_1, round_by=4)]
    if lead and most:
        shade = FAINT + (STRONG - FAINT) * abs(lead) / most
        steps = f"M{at(x)} {at(y)} h{at(wide)} v{at(HIGH)} h{at(-wide)} Z"
        tone = SEA_FILL if lead > 0 else EMBER_FILL
        parts = [svg.path(steps, "none", fill=tone, more=f' fill-opacity="{shade:.2f}"')]
    if outcome.ended == CYCLE or outcome.returns is None:
        parts.append(svg.hatch(x + 2, y + 2, wide - 4, HIGH - 4, 7))
    return [*parts, svg.text(x + wide / 2, y + HIGH / 2 + 4, _said(outcome), INK, anchor="middle", weight=600)]


def _text(result: RoundRobinResult, down: list[str], across: list[str], width: int) -> str:
    """Lines of at most `width` characters."""
    first, second = (one_line(name) for name in result.players)
    cells = [[_said(outcome) for outcome in line] for line in result.outcomes]
    gutter = max(map(len, [*down, first]), default=0)
    wide = _widths(across, cells)
    numbers = gutter + sum(w + 2 for w in wide) <= width
    if not numbers:
        cells = [[letter(outcome) for outcome in line] for line in result.outcomes]
        wide = _widths(across, cells)
    shown = 0
    while shown < len(wide) and gutter + sum(w + 2 for w in wide[: shown + 1]) <= width:
        shown += 1
    table = [[first, *across[:shown]], *([name, *line[:shown]] for name, line in zip(down, cells))]
    lines = [" " * gutter + "  " + second, *words.aligned(table, "<>")]
    missing = [f"… {many(len(wide) - shown, 'more column')}"] if shown < len(wide) else []
    legend = [part for said in meanings(result, numbers) for part in wrap(said, width)]
    return "\n".join([*wrap(f"{result.spec}: {summary(result)}", width), "", *lines, "", *missing, *legend]) + "\n"


def _widths(across: Sequence[str], cells: Sequence[Sequence[str]]) -> list[int]:
    return [max(len(name), *(len(line[k]) for line in cells)) for k, name in enumerate(across)]
