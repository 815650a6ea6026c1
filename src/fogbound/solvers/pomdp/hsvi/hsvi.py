"""HSVI: heuristic search between two bounds.

Smith and Simmons, "Point-based POMDP algorithms: improved analysis and implementation" (2005), in the anytime form:
each trial aims at a share of the gap that is left at the root (Algorithms 1 to 3 of the thesis that brings it to
one-sided games).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from numpy.typing import NDArray

from fogbound.core.errors import SpecError
from fogbound.core.policy import Strategy
from fogbound.driver.kept import Kept
from fogbound.driver.protocol import Context, Progress
from fogbound.driver.solver import Solver
from fogbound.forms.pomdp import POMDP
from fogbound.solvers.pomdp.hsvi import heuristic_search
from fogbound.solvers.pomdp.hsvi.kernels.trials import HSVI_RULE


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
        if not 0 < self.zeta < 1:
            raise SpecError(f"hsvi: zeta is {self.zeta!r}, expected a share between 0 and 1")
        if self.policy not in ("controller", "vectors"):
            raise SpecError(f"hsvi: policy is {self.policy!r}, expected controller or vectors")

    def remembers(self, form: POMDP, kept: Kept) -> None:
        heuristic_search.remembers(form, kept)

    def warm(self, form: POMDP, profile: Mapping[int, Strategy]) -> dict[str, NDArray[Any]]:
        """Vectors to begin from: what the profile's policy earns on this form, evaluated anew."""
        return heuristic_search.warm(self, form, profile)

    def run(self, form: POMDP, context: Context) -> Iterator[Progress]:
        return heuristic_search.run(self, form, context, ((HSVI_RULE, self.zeta),))
