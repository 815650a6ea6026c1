"""What a strategy does, as a picture and as text: a grid where the game has poker's shape, else a list.

A strategy as a list: what is known at the left, a bar over the moves at the right.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field

from fogbound.core import measure, svg
from fogbound.core.drawing import Drawing
from fogbound.core.errors import many, one_line
from fogbound.core.numerals import EXACT, decimal
from fogbound.core.profile import Profile, the_policy
from fogbound.core.svg import FOG_1, FOG_2, INK, INK_2, INK_3, LAMP, LAMP_LINE, MARGIN, SEA, SEA_FILL, SURFACE, Link
from fogbound.draw.key import Key, KeyEntry, glyph, key, square
from fogbound.draw.stacked import BarPart, stacked_bar
from fogbound.draw.strategy.choices import (
    NOT_REACHED,
    GridRow,
    InformationSetChoice,
    StrategyGrid,
    as_grid,
    information_set_choices,
    move_colours,
    move_entries,
    sentence,
    strategy_titles,
    unreached_entry,
)
from fogbound.forms import words
from fogbound.forms.words import Describe
from fogbound.policies.tabular import Tabular

KEY, TOP, GAP, STORY, LINE = 76, 98, 4, 220, 15
CELL, FULL = 62, 36  # height of a cell with two moves, and of the bar in it for a sure move
WIDEST = 720  # of the key, where it may take several lines
SEEN = "seen by all"
Tones = dict[Hashable, str]


Range = tuple[float, float]


@dataclass(frozen=True)
class StrategyMarks:
    """What is marked on a strategy: which information set is looked at, where each has its address, what else it could
    do over all equilibria, and what a best reply would do."""

    link: Link | None = None
    chosen: int | None = None
    ranges: Mapping[int, Range] = field(default_factory=dict)
    best: Mapping[int, float] = field(default_factory=dict)

    def group(self, parts: list[str], c: InformationSetChoice, hint: str = "") -> str:
        """What is drawn of a set, as a link where sets have addresses."""
        return svg.group(parts, hint, f' data-set="{c.infoset}"', self.link(c.infoset) if self.link else "")


def draw_grid(
    policy: Tabular, grid: StrategyGrid, describe: Describe, title: str, most: int, marks: StrategyMarks
) -> Drawing:
    """Two moves: a cell is filled to the chance of the second. More: a cell has a bar for each move."""
    several = any(len(row.moves) != 2 for row in grid.rows)
    tones = move_colours([row.moves for row in grid.rows])
    left, wide = _label_width(grid, describe, most, several), 108 if several else 76 if len(grid.columns) <= 10 else 58
    heading, heading_width = svg.heading(*strategy_titles(policy, title))
    legend = _key(grid, tones, describe, several, marks)
    top = TOP + legend.y - KEY
    body, y = [heading, legend.body, svg.text(MARGIN, top + 12, SEEN, INK_3)], top + 26.0
    for c, held in enumerate(grid.columns):
        body.append(svg.text(_x(left, wide, c) + wide / 2, top + 12, words.label(held), anchor="middle", weight=600))
    for row in grid.rows[:most]:
        lines = _story(row, describe)
        high = max(12 + 17 * len(row.moves) if several else CELL, LINE * (len(lines) + (not several)) + 10)
        body += _label(row, lines, describe, y, high, left, several)
        for c, held in enumerate(grid.columns):
            body.append(_cell(row.cells.get(held), _x(left, wide, c), y, wide, high, tones, several, describe, marks))
        y += high + GAP
    if len(grid.rows) > most:
        body.append(svg.text(MARGIN, y + 18, f"… {many(len(grid.rows) - most, 'more row')}", INK_3))
        y += 28
    width = max(_x(left, wide, len(grid.columns)) - GAP + MARGIN, heading_width, legend.right)
    return svg.document(width, y + MARGIN - GAP, body, sentence(policy), text_grid(policy, grid, describe, title, most))


def _x(left: float, wide: float, column: int) -> float:
    return MARGIN + left + column * (wide + GAP)


def _story(row: GridRow, describe: Describe) -> list[str]:
    """What all have seen, in lines."""
    first, rest = row.story[0], words.step_texts(describe, row.story[1:])
    terminal = ([] if first.public is None else [words.observed(first)]) + rest
    return measure.wrap(terminal or [words.START], STORY, between=" → ")


def _label_width(grid: StrategyGrid, describe: Describe, most: int, many: bool) -> float:
    shown = grid.rows[:most]
    story = max(measure.width_of(line) for row in shown for line in [SEEN, *_story(row, describe)])
    moves = max(measure.width_of(words.action(describe, m)) for row in shown for m in row.moves)
    return story + 22 + moves if many else max(story, moves) + 16


def _label(
    row: GridRow, lines: list[str], describe: Describe, y: float, high: float, left: float, many: bool
) -> list[str]:
    """The story of a row, and the moves that its cells speak of."""
    below = [] if many else [words.action(describe, row.moves[-1])]
    at = y + high / 2 - LINE * (len(lines) + len(below)) / 2 + 11
    body = [svg.text(MARGIN, at + LINE * k, line, weight=540) for k, line in enumerate(lines)]
    body += [svg.text(MARGIN, at + LINE * (len(lines) + k), line, SEA, weight=540) for k, line in enumerate(below)]
    for k, move in enumerate(row.moves if many else ()):
        said = words.action(describe, move)
        body.append(svg.text(MARGIN + left - 8, _line(row, y, high, k) + 4, said, INK_2, anchor="end"))
    return body


def _line(row: GridRow, y: float, high: float, k: int) -> float:
    """The middle of the k-th move's line in a cell."""
    return y + high / 2 + 17 * (k - (len(row.moves) - 1) / 2)


def _cell(
    c: InformationSetChoice | None,
    x: float,
    y: float,
    wide: float,
    high: float,
    tones: Tones,
    many: bool,
    describe: Describe,
    marks: StrategyMarks,
) -> str:
    middle = x + wide / 2
    if c is None:
        return svg.text(middle, y + high / 2 + 4, "–", INK_3, anchor="middle")
    parts = [svg.box(x, y, wide, high, FOG_1)]
    if not c.reached:
        parts += [svg.hatch(x + 2, y + 2, wide - 4, high - 4)]
        size = 11 if wide > 70 else 9
        parts += [svg.text(middle, y + high / 2 + 4, NOT_REACHED, INK_2, size, "middle")]
    elif many:
        parts += _bars(c, x, y, wide, high, tones)
    else:
        parts += [_fill(x, y + high, wide, FULL * c.chances[-1])]
        parts += [svg.text(middle, y + 18, decimal(c.chances[-1]), size=12.5, anchor="middle", weight=600)]
    if c.reached and not many:
        parts += _whisker(marks.ranges.get(c.infoset), x + 14, y + high) + _reply(
            marks.best.get(c.infoset), x + wide - 16, y + high
        )
    if c.infoset == marks.chosen:
        parts.append(_ring(x, y, wide, high))
    hint = f"{words.history_text(describe, c.history)}: {_moves_played(c, describe)}" if marks.link else ""
    return marks.group(parts, c, hint)


def _whisker(span: Range | None, x: float, floor: float) -> list[str]:
    """From the least to the greatest probability, where they differ."""
    if span is None or span[1] - span[0] < 0.005:
        return []
    low, high = (floor - max(2.0, FULL * p) for p in span)
    at = svg.at
    steps = f"M{at(x - 4)} {at(high)} h8 M{at(x)} {at(high)} V{at(low)} M{at(x - 4)} {at(low)} h8"
    return [svg.path(steps, SURFACE, 4), svg.path(steps, INK, 1.6)]


def _reply(best: float | None, x: float, floor: float) -> list[str]:
    """A ring where a best reply is: half way where both moves are as good."""
    return [] if best is None else [svg.dot(x, floor - max(6.0, FULL * best), 4, SURFACE, LAMP, 2)]


def _ring(x: float, y: float, wide: float, high: float) -> str:
    """Around what is looked at."""
    at = svg.at
    corners = f"M{at(x + 6)} {at(y)} h{at(wide - 12)} q6 0 6 6 v{at(high - 12)} q0 6 -6 6 h{at(12 - wide)} q-6 0 -6 -6 "
    return svg.path(f"{corners}v{at(12 - high)} q0 -6 6 -6 Z", LAMP_LINE, 2.5)


def _fill(x: float, floor: float, wide: float, high: float) -> str:
    """A cell filled from below, following its round corners."""
    if high < 0.2:
        return ""
    at, r = svg.at, min(6.0, high)
    corners = f"v{at(high - r)} q0 {at(r)} -6 {at(r)} h{at(12 - wide)} q-6 0 -6 -{at(r)} Z"
    return svg.path(f"M{at(x)} {at(floor - high)} h{at(wide)} {corners}", "none", fill=SEA_FILL)


def _bars(c: InformationSetChoice, x: float, y: float, wide: float, high: float, tones: Tones) -> list[str]:
    parts, room = [], wide - 56
    for k, (move, p) in enumerate(zip(c.moves, c.chances)):
        middle = y + high / 2 + 17 * (k - (len(c.moves) - 1) / 2)
        parts.append(svg.box(x + 8, middle - 5, room, 10, FOG_2, round_by=2))
        parts += [svg.box(x + 8, middle - 5, room * p, 10, tones[move], round_by=2)] if p * room > 0.2 else []
        quiet = INK_3 if p <= EXACT else svg.INK
        parts.append(svg.text(x + wide - 8, middle + 4, decimal(p), quiet, 11, "end", 540))
    return parts


def _key(grid: StrategyGrid, tones: Tones, describe: Describe, many: bool, marks: StrategyMarks) -> Key:
    """What fill, hatching and marks mean; only of those that there are."""
    filled = [square("chance of the move named at the left", SEA_FILL)]
    entries = move_entries(tones, describe, 700) if many else filled
    missed = any(not c.reached for row in grid.rows for c in row.cells.values())
    if marks.ranges and not many:
        entries.append(
            KeyEntry("any equilibrium: lowest to highest", lambda x, y: _whisker((0.0, 0.36), x + 5, y + 4)[1], 16)
        )
    if marks.best and not many:
        entries.append(
            glyph("best reply to it (half way: indifferent)", 5, lambda x, y: svg.dot(x, y, 4, SURFACE, LAMP, 2))
        )
    return key(entries + [unreached_entry()] * missed, MARGIN, KEY, WIDEST if marks.ranges or marks.best else math.inf)


def text_grid(policy: Tabular, grid: StrategyGrid, describe: Describe, title: str, most: int) -> str:
    """The grid in plain text: one line tells of two moves, the last unless it is never played; more have one each."""
    table = [[SEEN, "move", *map(words.label, grid.columns)]]
    for row in grid.rows[:most]:
        story = " ".join(_story(row, describe))
        for k in _told(row):
            cells = [_number(row.cells.get(held), k) for held in grid.columns]
            table.append([story, words.action(describe, row.moves[k]), *cells])
            story = ""
    lines = [": ".join(strategy_titles(policy, title)), "", *words.aligned(table)]
    lines += [f"… {many(len(grid.rows) - most, 'more row')}"] if len(grid.rows) > most else []
    lines += [f"· {NOT_REACHED} by its own play"] if any("·" in line[2:] for line in table[1:]) else []
    return "\n".join(lines) + "\n"


def _told(row: GridRow) -> Sequence[int]:
    """The moves of a row that have a line."""
    if len(row.moves) != 2:
        return range(len(row.moves))
    chances = [c.chances[1] for c in row.cells.values() if c.reached]
    return (0,) if chances and max(chances) <= EXACT else (1,)


def _number(c: InformationSetChoice | None, move: int) -> str:
    if c is None:
        return "–"
    return decimal(c.chances[move]) if c.reached else "·"


ROW, BAR, HIGH = 28, 240, 16
KNOWN, SAID = 380, 330  # the most room for words left and right of the bar


def draw_list(
    policy: Tabular, listed: list[InformationSetChoice], describe: Describe, title: str, most: int, marks: StrategyMarks
) -> Drawing:
    """One row for each information set; past `most` rows a line says how many are missing."""
    shown, tones = listed[:most], move_colours([c.moves for c in listed])
    known = [words.history_text(describe, c.history) for c in shown]
    said = [measure.clip(_moves_played(c, describe), SAID) for c in shown]
    x = MARGIN + min(KNOWN, max(map(measure.width_of, known), default=0)) + 16
    right = x + BAR + 14 + max(map(measure.width_of, said), default=0)
    heading, wide = svg.heading(*strategy_titles(policy, title))
    entries = move_entries(tones, describe, max(right, 500))
    legend = key(entries + [unreached_entry()] * (not all(c.reached for c in shown)), MARGIN, KEY)
    body, y = [heading, legend.body], float(TOP)
    for c, knows, does in zip(shown, known, said):
        words_left = svg.text(MARGIN, y + 13, measure.clip(knows, KNOWN))
        words_right = svg.text(x + BAR + 14, y + 13, does, INK_2 if c.reached else INK_3)
        ring = [_ring(MARGIN - 8, y - 5, right - MARGIN + 16, ROW - 2)] if c.infoset == marks.chosen else []
        body.append(marks.group([words_left, _list_bar(x, y, c, tones), words_right, *ring], c, knows))
        y += ROW
    if len(shown) < len(listed):
        body.append(svg.text(MARGIN, y + 13, f"… {len(listed) - len(shown):,} more", INK_3))
        y += ROW
    terminal = text_list(policy, listed, describe, title, most)
    return svg.document(max(right + MARGIN, wide, legend.right), y + MARGIN - 8, body, sentence(policy), terminal)


def _list_bar(x: float, y: float, c: InformationSetChoice, tones: dict[Hashable, str]) -> str:
    """One move beside the other, each as wide as it is likely."""
    if not c.reached:
        return svg.hatch(x, y, BAR, HIGH, 8)
    return stacked_bar((BarPart(p, tones[move]) for move, p in zip(c.moves, c.chances)), x, y, BAR, HIGH)


def _moves_played(c: InformationSetChoice, describe: Describe) -> str:
    """The moves that are played, likeliest first."""
    if not c.reached:
        return NOT_REACHED
    likely = sorted((-p, k) for k, p in enumerate(c.chances) if p > EXACT)
    return ", ".join(f"{words.action(describe, c.moves[k])} {decimal(-p)}" for p, k in likely)


def text_list(policy: Tabular, listed: list[InformationSetChoice], describe: Describe, title: str, most: int) -> str:
    """The list in plain text."""
    rows = [(words.history_text(describe, c.history), _moves_played(c, describe)) for c in listed[:most]]
    lines = [": ".join(strategy_titles(policy, title)), "", *words.aligned([("knows", "does"), *rows])]
    missing = len(listed) - len(rows)
    return "\n".join(lines + ([f"… {missing:,} more"] if missing else [])) + "\n"


MOST = 80


def draw_strategy(
    policy: Profile,
    *,
    player: int | None = None,
    describe: Describe = str,
    title: str = "",
    most: int = MOST,
    link: Link | None = None,
    chosen: int | None = None,
    ranges: Mapping[int, Range] | None = None,
    best: Mapping[int, float] | None = None,
) -> Drawing:
    """Draw the moves of a strategy with their probabilities, by what its player knows.

    A grid where the game has poker's shape (rows are what all have seen, columns what the player holds), else a list.
    "not reached" marks knowledge that the strategy's own earlier moves rule out: its numbers there decide nothing. The
    text is the same in aligned columns.

    Parameters
    ----------
    policy : Tabular, or a profile with such a policy
        The strategy: a policy, a `Solution`, a dict by player or a list.
    player : int, optional
        Whose policy, where a profile has several.
    describe : callable
        An action in words, such as `game.describe`.
    title : str
        The first line of the picture.
    most : int
        How many rows are shown; a last line says how many are missing.
    link : callable, optional
        The address of an information set by its number: then every one is a link.
    chosen : int, optional
        The information set that is looked at, which carries the lamp.
    ranges : mapping, optional
        By information set, between which probabilities of the last move all equilibria lie
        (`solvers.linear_programs.optimal_strategies`): a whisker, in a grid of two moves.
    best : mapping, optional
        By information set, how likely a best reply makes the last move, one half where it does not matter: a ring.

    Returns
    -------
    Drawing

    Raises
    ------
    PolicyError
        Where the player's policy is no table over a game tree.

    Examples
    --------
    >>> from fogbound import forms, games
    >>> form = forms.sequence(games.make("king-ace"))
    >>> print(draw_strategy(Tabular(form.decisions, 0, form.plexes[0].uniform)).text, end="")
    king-ace: how first plays: 2 information sets
    <BLANKLINE>
    seen by all   move      A     K
    at the start  check  0.50  0.50
    """
    table, said, rows = the_policy(Tabular, policy, player), one_line(title), max(1, most)
    listed = information_set_choices(table)
    shape, marks = as_grid(table, listed), StrategyMarks(link, chosen, ranges or {}, best or {})
    if shape:
        return draw_grid(table, shape, describe, said, rows, marks)
    return draw_list(table, listed, describe, said, rows, marks)
