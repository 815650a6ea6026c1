"""Which journals there are, and what checks the rows of each kind."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from fogbound.experiments.sweeps import plan as sweep_plans
from fogbound.experiments.tournaments import journal as tournament_journals
from fogbound.parallel.journal import CheckRow

CHECKS: Mapping[str, Callable[[Any], CheckRow]] = {
    tournament_journals.KIND: tournament_journals.check_blocks,
    sweep_plans.KIND: sweep_plans.check_rows,
}
