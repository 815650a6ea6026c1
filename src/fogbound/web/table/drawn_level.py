"""An opponent whose level is drawn anew for each game, as people's levels differ: `some-level(levels=4, tau=1.5)`.

What is solved is the reply of somebody who believes in that distribution: whom it replies to is the opponent.
"""

from __future__ import annotations

from dataclasses import dataclass

from fogbound.core.errors import SpecError
from fogbound.core.registry import build
from fogbound.core.spec import Spec, parse
from fogbound.solvers.level_k.form import check_prior, prior_weights

NAME = "some-level"
MOST_LEVELS = 12


@dataclass(frozen=True)
class DrawnLevel:
    """A level from 0 to `levels`, drawn from `prior`.

    Parameters
    ----------
    levels
        The highest.
    prior
        ``poisson``, ``uniform``, or the weights of the levels.
    tau
        The mean of a Poisson distribution.

    Examples
    --------
    >>> one = drawn_level("some-level(levels=2, prior=uniform)")
    >>> one.reply, one.drawn, one.words
    ('level-k(levels=3, prior=uniform)', (0, 1, 2), 'a level from 0 to 2, drawn for each game')
    """

    levels: int = 4
    prior: str | tuple[float, ...] = "poisson"
    tau: float = 1.5

    def __post_init__(self) -> None:
        if not 2 <= self.levels <= MOST_LEVELS:
            raise SpecError(f"{NAME}: levels is {self.levels}, expected 2 to {MOST_LEVELS}")
        if self.prior == "previous":
            raise SpecError(f"{NAME}: prior is 'previous', expected poisson, uniform or a list of weights, [1, 2, 1]")
        check_prior(self.prior, self.tau)

    @property
    def reply(self) -> str:
        """The solver whose answer replies to it."""
        return self._level_k(self.levels + 1)

    @property
    def drawn(self) -> tuple[int, ...]:
        """The levels that it may be."""
        weights = prior_weights(self.prior, self.tau, self.levels + 1)
        return tuple(level for level, p in enumerate(weights) if p > 0)

    @property
    def words(self) -> str:
        return f"a level from 0 to {self.levels}, drawn for each game"

    def _level_k(self, levels: int) -> str:
        tau = (("tau", self.tau),) if self.prior == "poisson" else ()
        return str(Spec("level-k", (("levels", levels), ("prior", self.prior), *tau)))


def is_drawn(text: str) -> bool:
    """Whether an opponent is named so."""
    return text.partition("(")[0].strip() == NAME


def drawn_level(text: str) -> DrawnLevel:
    """The opponent that a spec describes; SpecError where it describes none."""

    def none_inside(spec: Spec) -> DrawnLevel:
        raise SpecError(f"{NAME} takes no {spec.name!r}")

    return build(DrawnLevel, parse(text), none_inside)
