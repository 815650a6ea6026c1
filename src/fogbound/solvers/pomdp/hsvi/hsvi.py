"""HSVI: heuristic search between two bounds.

Smith and Simmons, "Point-based POMDP algorithms: improved analysis and implementation" (2005). A trial follows the
action with the highest upper bound and the observation with the largest excess, weighted by its probability, until the
gap is below gamma^-t epsilon, and backs up both bounds on the way back (`kernels.trials`, with HSVI's rule).

Departures from the paper: epsilon is the share `zeta` of the gap at the root, anew in each trial (the anytime form,
Algorithms 1 to 3 of the thesis that brings it to one-sided games), and beliefs are backed up on the way down as well.
The bounds, what is pruned and what is noted down are those of SARSOP, which lists their departures (`hsvi.sarsop`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from numpy.typing import NDArray

from fogbound.core.policy import Strategy
from fogbound.driver.kept import Kept
from fogbound.driver.protocol import Context, Progress
from fogbound.driver.solver import Solver
from fogbound.forms.mixed_observability import mixed_observability
from fogbound.forms.pomdp import POMDP, check_ends
from fogbound.solvers.pomdp.hsvi.checkpoint import declare_search
from fogbound.solvers.pomdp.hsvi.kernels.trials import HSVI_RULE
from fogbound.solvers.pomdp.hsvi.sarsop import answers, check_parameters, warm_search
from fogbound.solvers.pomdp.hsvi.search import HeuristicSearch


@dataclass(frozen=True)
class HSVI(Solver[POMDP]):
    """Optimal policy of a POMDP with both bounds, as a controller that is exactly evaluated.

    Assumes a discount below 1, or play that surely ends. Observed parts of the state are found in the model.

    Parameters
    ----------
    zeta
        A trial goes on while a gap is more than this share of the root's, discounted.
    policy
        What is played: a "controller", or all "vectors" with beliefs.
    """

    name = "hsvi"

    zeta: float = 0.9
    policy: Literal["controller", "vectors"] = "controller"

    form: ClassVar[type[POMDP]] = POMDP
    finds: ClassVar[str] = "best response"
    compiling: ClassVar[float] = 16

    def __post_init__(self) -> None:
        check_parameters(self.name, self.policy, zeta=self.zeta)

    def remembers(self, form: POMDP, kept: Kept) -> None:
        declare_search(mixed_observability(form), kept)

    def warm(self, form: POMDP, profile: Mapping[int, Strategy]) -> dict[str, NDArray[Any]]:
        """Vectors to begin from: what the profile's policy earns on this form, evaluated anew."""
        return warm_search(form, profile, self.name)

    def run(self, form: POMDP, context: Context) -> Iterator[Progress]:
        check_ends(form, self.name)
        search = HeuristicSearch(mixed_observability(form), context.arrays)
        yield from answers(search, ((HSVI_RULE, self.zeta),), self.policy, context)
