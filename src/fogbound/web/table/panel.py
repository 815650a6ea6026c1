"""The fog panel: worths as bars from zero, beliefs as bars, or as a grid of levels and states."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from fogbound.core.errors import one_line
from fogbound.core.game import AnyGame
from fogbound.core.numerals import number
from fogbound.forms.words import hidden_texts
from fogbound.inference.fog import Inferred, Worth
from fogbound.inference.online.own_belief import ReviewedMove
from fogbound.inference.type_posterior import describe_levels

WIDE = 160.0  # the length of a bar's ground
MOST_STATES, MOST_COLUMNS = 12, 8
RANDOM = "random play"
LINE_WIDE, HIGH, EDGE, ABOVE = 320.0, 110.0, 12.0, 26.0  # of the picture; what stays free beside and above its points
FEW_NAMED = 4  # points that all have their figures beside them; of more, the first and the last
FEW = 2  # points that make a line


@dataclass(frozen=True)
class WorthBar:
    """A move's worth as a bar: where it begins, how long it is, where zero is, and its figure."""

    text: str
    figure: str
    start: float
    length: float
    zero: float
    gain: bool
    best: bool


@dataclass(frozen=True)
class BeliefRow:
    """Something that may be true, with its chance; `cells` has it jointly with each state of a grid."""

    text: str
    chance: float
    cells: tuple[float, ...] = ()


@dataclass(frozen=True)
class Panel:
    """What is shown when the fog is lifted.

    Attributes
    ----------
    worths
        A bar for each move.
    source
        Where the figures come from.
    columns
        The states of a grid, the likeliest first; empty where bars are shown.
    shared
        What all states of a grid begin with.
    rows
        Levels of a grid, or the states themselves.
    rest
        How likely all states are that are not shown.
    bits
        How much fog is left.
    summary
        What is likeliest, in a sentence.
    notes
        What else must be said.
    assumption
        What all of it assumes of the others, as a clause.
    """

    worths: tuple[WorthBar, ...]
    source: str
    columns: tuple[BeliefRow, ...]
    shared: str
    rows: tuple[BeliefRow, ...]
    rest: float
    bits: str
    summary: str
    notes: tuple[str, ...]
    assumption: str


def panel(game: AnyGame, player: int, inferred: Inferred) -> Panel:
    """What was inferred, ready for a page.

    Parameters
    ----------
    game
        The rules, for their words.
    player
        Whose knowledge it is.
    inferred
        What follows from it.
    """
    texts = hidden_texts(game, [possible.state for possible in inferred.states], player)
    grid = len(inferred.kinds) > 1 and len(inferred.states) > 1
    shown = inferred.states[: MOST_COLUMNS if grid else MOST_STATES]
    shared = _beginning(texts[: len(shown)]) if grid else ""
    states = tuple(BeliefRow(text[len(shared) :], possible.chance) for text, possible in zip(texts, shown))
    kinds = tuple(
        BeliefRow(describe_levels(levels) if levels else RANDOM, now, tuple(possible.shares[k] for possible in shown))
        for k, (levels, _, now) in enumerate(inferred.kinds)
    )
    known = inferred.count < 2
    first, second = [*(possible.chance for possible in inferred.states), 0.0, 0.0][:2]
    likeliest = f"Likeliest: {texts[0]}." if first > second + 1e-9 else "Nothing is likelier than all else."
    return Panel(
        _bars(game, inferred.worths),
        inferred.source,
        states if grid else (),
        shared.strip(),
        kinds if grid else states if not kinds or not known else kinds,
        max(0.0, round(1 - sum(possible.chance for possible in shown), 9)),
        _amount(inferred),
        f"Nothing else can be: {texts[0]}." if known and texts else likeliest,
        inferred.notes,
        inferred.assumption,
    )


def _beginning(texts: list[str]) -> str:
    """The words with which all texts begin.

    Examples
    --------
    >>> _beginning(["dealer 10", "dealer 1"])
    'dealer '
    """
    words = [text.split(" ")[:-1] for text in texts]
    shared = 0
    while all(len(own) > shared and own[shared] == words[0][shared] for own in words):
        shared += 1
    return "".join(f"{word} " for word in words[0][:shared])


def _amount(inferred: Inferred) -> str:
    """How much is hidden: in bits, or how many states there are."""
    if inferred.count < 2:
        return "no fog left"
    if inferred.sampled:
        return f"a sample of {inferred.count:,} states"
    if inferred.bits is None:
        return f"{inferred.count:,} states fit"
    said = number(inferred.bits, 2)
    return f"{said} bit{'' if said == '1' else 's'} of fog"


def _bars(game: AnyGame, worths: tuple[Worth, ...]) -> tuple[WorthBar, ...]:
    """Bars from one zero line, to the left for what is lost."""
    low = min([0.0, *(worth.lower for worth in worths)])
    high = max([0.0, *(worth.upper for worth in worths)])
    scale = WIDE / ((high - low) or 1.0)
    zero = -low * scale
    bars = []
    for worth in worths:
        middle = (worth.lower + worth.upper) / 2
        start, end = sorted((zero, (middle - low) * scale))
        text = one_line(game.describe(worth.action), 80)
        bars.append(
            WorthBar(
                text, figure(worth), round(start, 2), round(end - start, 2), round(zero, 2), middle >= 0, worth.best
            )
        )
    return tuple(bars)


def figure(worth: Worth) -> str:
    """A worth with its sign, or its bounds; an estimate with its interval."""
    spread = f" ± {number(worth.half_width, 2)}" if worth.half_width else ""
    return _range_text(worth.lower, worth.upper) + spread


@dataclass(frozen=True)
class PositionPoint:
    """One decision: its number, what the best move was worth, where that is drawn and from where to where it may be.

    `named` says whether its figure has room beside it.
    """

    number: int
    figure: str
    x: float
    y: float
    top: float
    bottom: float
    named: bool


@dataclass(frozen=True)
class PositionSoFar:
    """A line through what the best move was worth at each decision.

    Attributes
    ----------
    points
        The decisions, the present one last.
    zero
        Where zero is drawn.
    label
        A sentence for those who do not see it.
    """

    points: tuple[PositionPoint, ...]
    zero: float
    label: str

    @property
    def line(self) -> str:
        """The points, as SVG has them."""
        return " ".join(f"{point.x},{point.y}" for point in self.points)


def position_so_far(reviewed: Sequence[ReviewedMove], now: Sequence[Worth]) -> PositionSoFar | None:
    """The position after each own move; None where there is no line yet.

    Parameters
    ----------
    reviewed
        The moves that were made.
    now
        What each move is worth now.
    """
    best = [worth for worth in now if worth.best]
    bounds = [(move.best[0].lower, move.best[0].upper) for move in reviewed if move.best]
    bounds += [(best[0].lower, best[0].upper)] if best else []
    if len(bounds) < FEW:
        return None
    low, high = min(0.0, *(one for one, _ in bounds)), max(0.0, *(one for _, one in bounds))
    scale = (HIGH - EDGE - ABOVE) / ((high - low) or 1.0)
    apart = (LINE_WIDE - 2 * EDGE) / (len(bounds) - 1)

    def y(value: float) -> float:
        return round(ABOVE + (high - value) * scale, 2)

    points = tuple(
        PositionPoint(
            k + 1,
            _range_text(*ends),
            round(EDGE + k * apart, 2),
            y(sum(ends) / 2),
            y(ends[1]),
            y(ends[0]),
            len(bounds) <= FEW_NAMED or k in (0, len(bounds) - 1),
        )
        for k, ends in enumerate(bounds)
    )
    first, last = points[0].figure, points[-1].figure
    return PositionSoFar(points, y(0.0), f"What is still to come: {first} at your first move, {last} now.")


def _range_text(lower: float, upper: float) -> str:
    low, high = (number(bound, 4, sign=True) for bound in (lower, upper))
    return low if low == high else f"{low} to {high}"
