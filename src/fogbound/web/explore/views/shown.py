"""What a view of an answer consists of: pictures, and what is said of the part that is selected."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from fogbound.api.looking import Look
from fogbound.core.drawing import Drawing
from fogbound.core.numerals import decimal, number

SAME = 1e-7  # what differs by less is worth the same, of the largest figure
MOST = 8


@dataclass(frozen=True)
class Bar:
    """A figure with its bar, in a list of such.

    Attributes
    ----------
    name
        What it is the figure of.
    figure
        As it is written.
    low, high
        Where the bar begins and ends, from 0 to 1.
    zero
        Where 0 lies, from 0 to 1.
    kind
        ``gain``, ``loss`` or ``fog``.
    best
        Whether it carries the lamp.
    href
        Where it leads.
    """

    name: str
    figure: str
    low: float
    high: float
    zero: float = 0.0
    kind: str = "fog"
    best: bool = False
    href: str = ""


@dataclass(frozen=True)
class NextStep:
    """Something that may be seen next: what, how likely, where it leads and what is done there."""

    seen: str
    chance: str
    does: str
    href: str


@dataclass(frozen=True)
class Selected:
    """What is said of the part that is selected.

    Attributes
    ----------
    title, aside
        Its two headings.
    said
        Sentences.
    worth, belief
        Bars.
    steps
        What may be seen next.
    steps_title
        What stands above them.
    """

    title: str
    aside: str = ""
    said: Sequence[str] = ()
    worth: Sequence[Bar] = ()
    worth_title: str = ""
    belief: Sequence[Bar] = ()
    belief_title: str = ""
    steps: Sequence[NextStep] = ()
    steps_title: str = "What may be seen next"


@dataclass(frozen=True)
class View:
    """One view: its main picture, more below it, what is selected, and where one came from.

    Attributes
    ----------
    picture
        The main one.
    note
        A sentence about it.
    selected
        What is said beside it.
    trail
        (words, address) of what lies above what is shown.
    links
        (words, address) of what else can be seen here.
    more
        (heading, picture) below it.
    python
        The call of `fogbound.look` that draws it.
    csv
        Whether there is a table of it.
    """

    picture: Drawing
    note: str = ""
    selected: Selected | None = None
    trail: Sequence[tuple[str, str]] = ()
    links: Sequence[tuple[str, str]] = ()
    more: Sequence[tuple[str, Drawing]] = ()
    python: str = ""
    csv: bool = True
    rows: Sequence[tuple[str, ...]] = field(default=())  # a table below the picture, its head first


def worth_bars(moves: Sequence[tuple[str, float]]) -> tuple[Bar, ...]:
    """What each move is worth, from zero to the right or the left; the best carry the lamp."""
    values = [worth for _, worth in moves]
    low, high = min([0.0, *values]), max([0.0, *values])
    room = (high - low) or 1.0
    zero, best, close = -low / room, max(values, default=0.0), SAME * max(1.0, abs(low), abs(high))
    return tuple(
        Bar(
            name,
            number(worth, 4, sign=True) if abs(worth) > close else "0",
            min(zero, (worth - low) / room),
            max(zero, (worth - low) / room),
            zero,
            "gain" if worth >= 0 else "loss",
            best - worth <= close,
        )
        for name, worth in moves
    )


def belief_bars(believed: Iterable[tuple[str, float]]) -> tuple[Bar, ...]:
    """The likeliest, and all others in one line."""
    listed = list(believed)
    shown, rest = (listed, []) if len(listed) <= MOST + 1 else (listed[:MOST], listed[MOST:])
    bars = [Bar(name, decimal(p), 0.0, p) for name, p in shown]
    if rest:
        share = sum(p for _, p in rest)
        bars.append(Bar(f"{len(rest):,} others", decimal(share), 0.0, share))
    return tuple(bars)


def which_equilibrium(look: Look) -> str:
    """A sentence on what else could have been shown."""
    solution = look.solution
    solver = str(solution.provenance.get("solver", "")).partition("(")[0]
    if solution.not_equilibrium:
        why = solution.not_equilibrium
        return f"{why[0].upper()}{why[1:]}. The profile that {solver} came to."
    if solution.provenance.get("finds") == "equilibrium" and solution.answer == "value":
        return (
            f"One equilibrium, the one that {solver} came to. Where there are others they may mix differently; every "
            "one of them is worth the same."
        )
    if solution.answer == "equilibrium":
        return f"One equilibrium, the one that {solver} came to: others may play, and pay, differently."
    if solution.answer == "reply":
        return "A best reply to how the others are said to play. Where moves are equally good, one of them is shown."
    if solution.answer == "team":
        return "What the team does together: where several plans are equally good, one of them is shown."
    return f"What {solver} found."
