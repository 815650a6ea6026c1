"""Reading an `.osposg` file into the form that it describes.

States that lead nowhere else and never pay are how a file says that play is over; a form leaves such states out.
"""

from __future__ import annotations

import os

import numpy as np

from fogbound.core.game import Seen
from fogbound.files.osposg.outline import Outline, outline
from fogbound.files.osposg.tables import Tables, tables
from fogbound.files.osposg.text import MOST_BYTES, lines
from fogbound.forms.one_sided import OneSided
from fogbound.forms.one_sided_ending import require_ending
from fogbound.forms.one_sided_layout import Indices, Steps, branches, offsets, spread


def read_osposg(path: str | os.PathLike[str], largest: int = MOST_BYTES) -> OneSided:
    """The one-sided game in an `.osposg` file; FileError, with file and line, for what is none.

    Player 1 of the file is seat 0. Probabilities that sum to 1 within 1e-4 are set right, with a warning where they
    are off by more than 1e-6. `largest` bounds the bytes that are read at all.
    """
    text = lines(path, largest)
    given = outline(text)
    found = tables(text, given)
    running = _running(given, found)
    if not running.any():
        raise text.fault(0, "no state in which play goes on", "one that leads elsewhere, or pays")
    if not found.start[running].any():
        raise text.fault(len(text) - 1, "a start in which play is over already", "one in which it goes on")
    form = _form(text.path, given, found, np.flatnonzero(running))
    require_ending(form)
    return form


def _running(given: Outline, found: Tables) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """[states] whether play goes on there: it leads to another state, or pays."""
    state = np.repeat(np.arange(given.counts[0]), np.diff(given.seeing.first))  # of each row
    running = np.zeros(given.counts[0], bool)
    running[state[found.paying]] = True
    running[state[found.steps.source][state[found.steps.source] != found.steps.to]] = True
    return running


def _form(spec: str, given: Outline, found: Tables, running: Indices) -> OneSided:
    """Number what is left partition by partition; within one the file's order stays."""
    state = running[np.argsort(given.part[running], kind="stable")]
    parts, part = np.unique(given.part[state], return_inverse=True)
    first = np.searchsorted(part, np.arange(len(parts) + 1))
    height, width = np.diff(given.seeing.first)[state], np.diff(given.blind.first)[parts]
    row, slot = offsets(height), offsets(width)
    rows, slots = spread(given.seeing.first[state], height), spread(given.blind.first[parts], width)  # the file's
    low, high = row[first[:-1]], row[first[1:]]
    depth = np.repeat(high - low, width)  # rows beside each slot
    cell = found.cells.of(np.repeat(slots, depth), rows[spread(np.repeat(low, width), depth)])
    ways = branches(_kept(given, found.steps, state, rows, slots), part, len(slots))
    start = found.start[state]
    begun = int(part[np.argmax(start > 0)])
    return OneSided(
        spec=spec,
        discount=given.discount,
        blind=0,
        first=first,
        row=row,
        seeing=given.seeing.action[rows],
        slot=slot,
        action=given.blind.action[slots],
        **vars(ways),
        pay=offsets(depth),
        reward=found.reward[cell],
        start=start,
        paid=0.0,
        relaxed="",
        states=[given.states[s] for s in state.tolist()],
        actions=(list(given.names[0]), list(given.names[1])),
        observations=[Seen(None, name) for name in given.names[2]],
        opening={begun: Seen(None, None)},
    )


def _kept(given: Outline, steps: Steps, state: Indices, rows: Indices, slots: Indices) -> Steps:
    """The steps between states that are left, in the form's numbers."""
    to, source, slot = (
        np.full(many, -1) for many in (given.counts[0], len(given.seeing.action), len(given.blind.action))
    )
    to[state], source[rows], slot[slots] = np.arange(len(state)), np.arange(len(rows)), np.arange(len(slots))
    goes_on = (source[steps.source] >= 0) & (to[steps.to] >= 0)
    slot, source, to = slot[steps.slot][goes_on], source[steps.source][goes_on], to[steps.to][goes_on]
    return Steps(slot, steps.obs[goes_on], source, to, steps.prob[goes_on])
