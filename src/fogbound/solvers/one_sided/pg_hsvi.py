"""PG-HSVI: what the blind player of a one-sided game can guarantee, between two bounds.

Horak, Bosansky and Pechoucek, "Heuristic search value iteration for one-sided partially observable stochastic games"
(2017), in the form of Horak, Bosansky, Kovarik and Kiekintveld (2023); document 002, Algorithms 4 and 5. The stage
games are solved by a double oracle, so that only actions that matter are ever looked at closely: that answers the
document's open question of which actions to give the blind player first.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from fogbound.core.errors import SpecError
from fogbound.driver.kept import Kept
from fogbound.driver.protocol import Context, Progress
from fogbound.driver.solver import Solver
from fogbound.forms.one_sided.form import OneSided
from fogbound.solvers.one_sided.stages.kinds import checked


def require_settings(solver: Solver[OneSided], **wanted: tuple[bool, str]) -> None:
    """Refuse a solver with a parameter out of its range: whether each is right, and what was expected."""
    for field, (right, expected) in wanted.items():
        if not right:
            raise SpecError(f"{solver.name}: {field} is {getattr(solver, field)!r}, expected {expected}")


@dataclass(frozen=True)
class PGHSVI(Solver[OneSided]):
    """The value of a one-sided game for its blind player, with both bounds, and strategies of both players.

    Assumes two players, zero-sum, a discount below 1 or play that surely ends. `details["actions_used"]` is how many of
    the blind player's `["actions"]` were ever mixed; `["relaxed"]` says of what the form informs the other player
    beyond the game.

    Parameters
    ----------
    epsilon : float
        The gap that trials aim at, in units of the reward: that of the stop rules where it is smaller. They end
        before, for its numerical limit, where floats bring the bounds no closer.
    stage_tolerance : float
        How exactly stage games are solved, as a share of the gap that a trial aims at.
    stage : str
        How they are solved. "compiled" is the double oracle in kernels; "oracle" is the same and "full" one linear
        program a stage, both with HiGHS and nothing compiled: slower, and what the kernels are held against.

    Raises
    ------
    SpecError
        For a parameter out of its range.

    Examples
    --------
    >>> import fogbound as fb
    >>> solution = fb.solve("pursuit(columns=3)", "pg-hsvi", gap=1.0)
    >>> solution.certified, solution.lower < 83.5 < solution.upper
    ('both', True)
    """

    name = "pg-hsvi"

    epsilon: float = 0.01
    stage_tolerance: float = 0.01
    stage: str = "compiled"

    form: ClassVar[type[OneSided]] = OneSided
    finds: ClassVar[str] = "guarantee"
    preferred: ClassVar[bool] = True
    compiling: ClassVar[float] = 12

    def __post_init__(self) -> None:
        require_settings(
            self,
            epsilon=(self.epsilon > 0, "a number above 0"),
            stage_tolerance=(0 < self.stage_tolerance < 1, "a share between 0 and 1"),
        )
        checked(self.stage, "pg-hsvi: stage")

    def remembers(self, form: OneSided, kept: Kept) -> None:
        from fogbound.solvers.one_sided.checkpoint import declare_bounds

        declare_bounds(form, kept)

    def run(self, form: OneSided, context: Context) -> Iterator[Progress]:
        from fogbound.solvers.one_sided.bounds import OneSidedBounds
        from fogbound.solvers.one_sided.evidence.proof import bounds_progress
        from fogbound.solvers.one_sided.heuristic_search import approach, numerical_limit

        bounds, aim = OneSidedBounds(form, arrays=context.arrays), context.aim(self.epsilon)
        stopping = None if self.stage == "compiled" else context.stopping  # by linear programs a trial may take long
        for lower, upper in approach(bounds, aim, self.stage_tolerance, self.stage, stopping):
            details = {"actions_used": int(bounds.touched.sum()), "actions": len(bounds.touched)}
            yield bounds_progress(bounds, lower, upper, details, numerical_limit(bounds, lower, upper, aim))
            if context.stopping():
                return
