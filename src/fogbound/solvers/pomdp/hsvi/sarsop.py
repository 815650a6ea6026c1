"""SARSOP: sample beliefs that an optimal policy could reach, back them up, prune.

Kurniawati, Hsu and Lee, "SARSOP: Efficient point-based POMDP planning by approximating optimally reachable belief
spaces" (2008), Algorithm 1. Gamma holds the alpha vectors of the lower bound, Upsilon the points of the upper one::

    Gamma, Upsilon, T_R = {b_0}                      HeuristicSearch
    repeat
        SAMPLE(T_R, Gamma)                           kernels.trials.sample
        BACKUP(T_R, Gamma, b), b on the sampled path kernels.trials.back_up_path, kernels.backup.backup
        PRUNE(T_R, Gamma)                            kernels.backup.add_vector and prune_points
    until the bounds of b_0 meet                     improvement.improve_bounds

Departures from the paper, with reasons:

- Trials alternate with HSVI's, which go where the gap is; together they improve both bounds sooner than either alone.
- epsilon is a share of the gap at b_0, anew in each trial, so that no precision need be chosen.
- U' = max(U, L' + gamma^-t epsilon) where the paper has Q_lower + gamma^-t epsilon, with L' = max(L, V_lower(b)):
  trials are shorter, and what they leave is met by the next one.
- gamma is the discount times the probability that play goes on: what is lost to endings needs no care either.
- The bins that predict V(b) are left out: trials stop by L and U alone.
- Beliefs are backed up on the way down as well, and an action is expanded only once its upper bound is the highest.
- PRUNE drops what is dominated everywhere on the block (delta = 0), not on the sampled beliefs alone: a smaller set
  that keeps the bound may ruin the policy. Of T_R nothing is pruned, since nodes are shared; when memory is full a new
  tree is begun.
- Changes below a share of the gap are not noted down, until nothing else is found.
- Vectors keep the vectors that they go on with. From time to time all are evaluated as the policy that they are
  (Hansen 1998), and a linear program lowers the upper bound near b_0 (`hull.lower_by_hull`).
- With a discount near 1, where a model is small, Gamma begins with the best short cycle of actions as well
  (`cyclic_start`), and both bounds are refined by policy iteration before there are trials (`near_one`).
- Observed parts of the state are found in the model (Ong, Png, Hsu and Lee 2010): vectors and points are kept by block.

HSVI (Smith and Simmons, "Point-based POMDP algorithms: improved analysis and implementation", 2005) is here as well. A
trial follows the action with the highest upper bound and the observation with the largest excess, weighted by its
probability, until the gap is below gamma^-t epsilon, and backs up both bounds on the way back. Departures from that
paper: epsilon is the share `zeta` of the gap at the root (the anytime form, Algorithms 1 to 3 of the thesis that brings
it to one-sided games), and beliefs are backed up on the way down as well.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from numpy.typing import NDArray

from fogbound.core.cancel import check
from fogbound.core.errors import SpecError
from fogbound.core.policy import Strategy
from fogbound.driver.kept import Kept
from fogbound.driver.protocol import Context, Progress
from fogbound.driver.solver import Solver
from fogbound.forms.mixed_observability import MixedObservability, mixed_observability
from fogbound.forms.pomdp import POMDP, check_ends
from fogbound.solvers.pomdp.hsvi.improvement import Trials, improve_bounds
from fogbound.solvers.pomdp.hsvi.kernels.belief_tree import HULL_AT, WORK
from fogbound.solvers.pomdp.hsvi.kernels.trials import HSVI_RULE, SARSOP_RULE
from fogbound.solvers.pomdp.hsvi.near_one import refine_within, refines
from fogbound.solvers.pomdp.hsvi.search import HeuristicSearch, declare_search
from fogbound.solvers.pomdp.hsvi.solution import HSVISolution
from fogbound.solvers.pomdp.hsvi.upper_evidence import point_evidence

SOONEST, LATEST = 200_000, 30_000_000  # multiplications between two answers: few at first, then some tenths of a second


class _HeuristicSearchSolver(Solver[POMDP]):
    """What SARSOP and HSVI share: all but their parameters and the trials that take turns."""

    policy: str
    form: ClassVar[type[POMDP]] = POMDP
    finds: ClassVar[str] = "best response"

    def __post_init__(self) -> None:
        for name, share in vars(self).items():
            if name != "policy" and not 0 < share < 1:
                raise SpecError(f"{self.name}: {name} is {share!r}, expected a share between 0 and 1")
        if self.policy not in ("controller", "vectors"):
            raise SpecError(f"{self.name}: policy is {self.policy!r}, expected controller or vectors")

    @property
    @abstractmethod
    def trials(self) -> Trials:
        """The kinds of trial that take turns."""

    def remembers(self, form: POMDP, kept: Kept) -> None:
        declare_search(mixed_observability(form), kept)

    def warm(self, form: POMDP, profile: Mapping[int, Strategy]) -> dict[str, NDArray[Any]]:
        """Vectors to begin from: what the profile's policy earns on this form, evaluated anew."""
        check_ends(form, self.name)
        search = HeuristicSearch(mixed_observability(form), {})
        search.begin_from(profile[form.player])
        return search.arrays

    def run(self, form: POMDP, context: Context) -> Iterator[Progress]:
        """Improve both bounds until they meet, and tell now and then what is known."""
        check_ends(form, self.name)
        search = HeuristicSearch(mixed_observability(form), context.arrays)
        count = search.state.count
        yield HSVISolution(search, self.policy).progress()
        while True:
            told = (search.trials, int(count[HULL_AT]), search.unfinished)
            if refines(search) and not search.met() and refine_within(search, context):
                yield HSVISolution(search, self.policy).progress()
                continue
            work = int(min(max(SOONEST, count[WORK] / 2), LATEST))
            done = improve_bounds(search, self.trials, work, context.most, context.stopping, hull=True)
            if (search.trials, int(count[HULL_AT]), search.unfinished) != told:  # where it has ended nothing changes
                yield HSVISolution(search, self.policy).progress()
            if done or context.stopping():
                return


@dataclass(frozen=True)
class SARSOP(_HeuristicSearchSolver):
    """Optimal policy of a POMDP with both bounds, as a controller that is exactly evaluated.

    Assumes a discount below 1, or play that surely ends. Observed parts of the state are found in the model. With a
    discount near 1, models with up to 300 states are solved by policy iteration over points and controllers.

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
    compiling: ClassVar[float] = 13

    target: float = 0.5
    zeta: float = 0.9
    policy: Literal["controller", "vectors"] = "controller"

    @property
    def trials(self) -> Trials:
        return (HSVI_RULE, self.zeta), (SARSOP_RULE, self.target)


@dataclass(frozen=True)
class HSVI(_HeuristicSearchSolver):
    """Optimal policy of a POMDP with both bounds, as a controller that is exactly evaluated.

    Assumes a discount below 1, or play that surely ends. Observed parts of the state are found in the model. With a
    discount near 1, models with up to 300 states are solved by policy iteration over points and controllers.

    Parameters
    ----------
    zeta
        A trial goes on while a gap is more than this share of the root's, discounted.
    policy
        What is played: a "controller", or all "vectors" with beliefs.
    """

    name = "hsvi"
    compiling: ClassVar[float] = 16

    zeta: float = 0.9
    policy: Literal["controller", "vectors"] = "controller"

    @property
    def trials(self) -> Trials:
        return ((HSVI_RULE, self.zeta),)


def upper_by_trials(blocks: MixedObservability, goal: float) -> tuple[dict[str, NDArray[Any]], float]:
    """Evidence for an upper bound of about `goal`, or for what some work leads to; and that bound, in floats."""
    search, done = HeuristicSearch(blocks, {}), False
    while not done and search.bounds()[1] > goal and search.state.count[WORK] < LATEST:
        check()
        done = improve_bounds(search, SARSOP().trials, SOONEST)
    return point_evidence(search)
