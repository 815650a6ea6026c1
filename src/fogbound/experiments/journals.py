"""Which journals there are, and what checks the rows of each kind."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from fogbound.experiments.sweeps import rows as sweep_rows
from fogbound.experiments.tournaments import journal as tournament_journals
from fogbound.parallel.journal import CheckRow

CHECKS: Mapping[str, Callable[[Any], CheckRow]] = {
    tournament_journals.KIND: tournament_journals.check_blocks,
    sweep_rows.KIND: sweep_rows.check_rows,
}
