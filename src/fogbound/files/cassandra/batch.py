"""Entries of a `.pomdp` file that were read together: a column for each field, and what they say."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fogbound.files.ranges import Indices
from fogbound.forms.table import Floats


class Batch(NamedTuple):
    """Entries that name equally many fields and go on alike: one number each, a row or matrix each, a word each."""

    numbers: Indices  # [n] which of the entries of their keyword
    fields: NDArray[np.int32]  # [named, n] ANY for a wildcard
    tails: Floats | list[str]  # [n], [n, size] rows or matrices flattened, or words
