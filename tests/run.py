"""`solve(solver, form, until, seed=…, …)`: the driver as tests call it, by keywords instead of a `RunOptions`."""

from __future__ import annotations

from fogbound.driver import solve as driver
from fogbound.driver.options import RunOptions
from fogbound.driver.protocol import Until


def solve(solver, form, until=None, seed=0, watch=None, *, certified=True, **options):
    """Run a solver on a form; `certified=False` collects no evidence."""
    if not certified:
        options["check_seconds"] = None
    return driver.run_solver(solver, form, RunOptions(until or Until(), seed, watch, **options))
