"""A whole strategy, put together from what a search would do at every decision that it may be asked for.

How good a search is shows only in all of it: a match tells what one opponent made of it, exploitability what anybody
could. So a solver that searches is asked everywhere, and what comes of it is evaluated exactly, like any other profile.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any, TypeVar

import numpy as np

from fogbound.core.cancel import cancelling
from fogbound.core.errors import Stopped
from fogbound.driver.protocol import Context, Progress
from fogbound.forms.arrays import Floats
from fogbound.forms.sequence import SequenceForm
from fogbound.solvers.equilibrium import answer

Unit = TypeVar("Unit")
GROWTH = 8  # an answer after every eighth more decisions


def assemble(
    form: SequenceForm,
    first: Callable[[], list[Floats]],
    units: Sequence[Unit],
    think: Callable[[Unit], Iterable[tuple[int, Floats]]],
    context: Context,
) -> Iterator[Progress]:
    """Answers as more and more of the strategy comes from the search.

    The state of a run is how far it has come: to resume, the same decisions are thought through again.

    Parameters
    ----------
    form
        The sequence form, on which profiles are evaluated.
    first
        What is played before anything was searched.
    units
        What is searched at a time.
    think
        What comes of it: information sets, and the probability of each of their moves.
    context
        The driver's.
    """
    done = int(context.arrays.setdefault("done", np.zeros(1, np.int64))[0])
    try:
        with cancelling(context):
            played = first()
            for unit in units[:done]:
                _note_down(form, played, think(unit))
    except Stopped:
        played = [plex.uniform.copy() for plex in form.plexes]
    while True:
        yield _told(form, played, done, len(units))
        if done == len(units):
            return
        many = int(max(1, min(1 + done // GROWTH, len(units) - done, context.most - done - 1)))
        try:
            with cancelling(context):
                for unit in units[done : done + many]:
                    _note_down(form, played, think(unit))
                    done += 1
        except Stopped:
            context.arrays["done"][0] = done
            yield _told(form, played, done, len(units))
            return
        context.arrays["done"][0] = done


def _note_down(form: SequenceForm, played: list[Floats], found: Iterable[tuple[int, Floats]]) -> None:
    known = form.decisions
    for infoset, behaviour in found:
        first = int(known.set_first[infoset])
        played[known.set_owner[infoset]][first : first + len(behaviour)] = behaviour


def _told(form: SequenceForm, played: list[Floats], done: int, units: int) -> Progress:
    details: dict[str, Any] = {"searched": done, "decisions": units}
    told = answer(form, [part.copy() for part in played], details, iteration=done + 1)
    return replace(told, more=done < units)
