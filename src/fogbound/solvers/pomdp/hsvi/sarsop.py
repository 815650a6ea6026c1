"""SARSOP: sample beliefs that an optimal policy could reach, back them up, prune.

Kurniawati, Hsu and Lee, "SARSOP: Efficient point-based POMDP planning by approximating optimally reachable belief
spaces" (2008). Here its trials, which go deep only while that can matter at the root, alternate with HSVI's, which
go where the gap is; together they improve both bounds sooner than either alone.
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
from fogbound.solvers.pomdp.hsvi.kernels.trials import HSVI_RULE, SARSOP_RULE


@dataclass(frozen=True)
class SARSOP(Solver[POMDP]):
    """Optimal policy of a POMDP with both bounds, as a controller that is exactly evaluated.

    Assumes a discount below 1, or play that surely ends. Observed parts of the state are found in the model.

    Parameters
    ----------
    target
        A SARSOP trial aims at this share of the gap at the root.
    zeta
        An HSVI trial goes on while a gap is more than this share of the root's, discounted.
    policy
        What is played: a "controller", or all "vectors" with beliefs.
    """

    name = "sarsop"

    target: float = 0.5
    zeta: float = 0.9
    policy: Literal["controller", "vectors"] = "controller"

    form: ClassVar[type[POMDP]] = POMDP
    finds: ClassVar[str] = "best response"
    compiling: ClassVar[float] = 13

    def __post_init__(self) -> None:
        for name in ("target", "zeta"):
            if not 0 < getattr(self, name) < 1:
                raise SpecError(f"sarsop: {name} is {getattr(self, name)!r}, expected a share between 0 and 1")
        if self.policy not in ("controller", "vectors"):
            raise SpecError(f"sarsop: policy is {self.policy!r}, expected controller or vectors")

    def remembers(self, form: POMDP, kept: Kept) -> None:
        heuristic_search.remembers(form, kept)

    def warm(self, form: POMDP, profile: Mapping[int, Strategy]) -> dict[str, NDArray[Any]]:
        """Vectors to begin from: what the profile's policy earns on this form, evaluated anew."""
        return heuristic_search.warm(self, form, profile)

    def run(self, form: POMDP, context: Context) -> Iterator[Progress]:
        return heuristic_search.run(self, form, context, ((HSVI_RULE, self.zeta), (SARSOP_RULE, self.target)))
