"""The factored model files of APPL, `.pomdpx`, version 1.0: XML, with a function for each variable.

The format: https://bigbird.comp.nus.edu.sg/pmwiki/farm/appl/index.php?n=Main.PomdpXDocumentation. Fully observed
state variables follow Ong, Png, Hsu and Lee, "Planning under uncertainty for robotic tasks with mixed
observability" (2010): they are seen before the first action and after every step.
"""

from __future__ import annotations

import os

from fogbound import archive
from fogbound.files.pomdpx_flatten import flatten
from fogbound.files.pomdpx_model import factored
from fogbound.files.pomdpx_write import dumps_pomdpx
from fogbound.files.pomdpx_xml import uncollected
from fogbound.forms.pomdp import POMDP
from fogbound.forms.table import MOST_STATES


def read_pomdpx(path: str | os.PathLike[str], limit: int = MOST_STATES) -> POMDP:
    """The model at `path`. A state is the tuple of its variables' values, the fully observed ones first.

    What is seen is the tuple of the fully observed values and then of the observation variables' values; single
    values stand for themselves. FileError with the line for what is wrong, LimitError past `limit` states.
    """
    with uncollected():
        return flatten(factored(path), limit)


def write_pomdpx(form: POMDP, path: str | os.PathLike[str]) -> None:
    """Write the form, whole or not at all; FormError where the format cannot hold it.

    What is read back has the same value. It has the same arrays too, when every action is legal everywhere and
    what is seen depends on the action and the state arrived at only; and, where several sights may open, when
    later sights tell as much of the state as those and each stands for equally many states.
    """
    archive.write(path, dumps_pomdpx(form).encode())
