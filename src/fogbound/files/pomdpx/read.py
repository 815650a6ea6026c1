"""Reading a `.pomdpx` file: the document, the functions in it, and the flat form they multiply out to."""

from __future__ import annotations

import os

from fogbound.files.pomdpx.flatten import flatten
from fogbound.files.pomdpx.model import factored
from fogbound.files.pomdpx.parse import uncollected
from fogbound.forms.pomdp import POMDP
from fogbound.forms.table import MOST_STATES


def read_pomdpx(path: str | os.PathLike[str], limit: int = MOST_STATES) -> POMDP:
    """The model at `path`. A state is the tuple of its variables' values, the fully observed ones first.

    What is seen is the tuple of the fully observed values and then of the observation variables' values; single
    values stand for themselves. FileError with the line for what is wrong, LimitError past `limit` states.
    """
    with uncollected():
        return flatten(factored(path), limit)
