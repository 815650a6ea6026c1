"""What a view of an answer consists of: pictures, and what is said of the part that is selected."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from fogbound.core.drawing import Drawing


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


def restored(told: dict[str, Any]) -> View:
    """A view from the plain values that it was sent as."""
    more = [(heading, Drawing(**drawn)) for heading, drawn in told["more"]]
    selected = _selected(told["selected"]) if told["selected"] else None
    return View(**{**told, "picture": Drawing(**told["picture"]), "more": more, "selected": selected})


def _selected(told: dict[str, Any]) -> Selected:
    bars = {key: [Bar(**bar) for bar in told[key]] for key in ("worth", "belief")}
    return Selected(**{**told, **bars, "steps": [NextStep(**step) for step in told["steps"]]})
