"""A model, such as a file describes, as a game of one player: then all that works on games works on files."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

from fogbound.core.dist import Dist
from fogbound.core.game import Game, Outcome

if TYPE_CHECKING:
    from fogbound.forms.pomdp import POMDP


@dataclass(frozen=True, eq=False)
class Modelled(Game[Hashable, Hashable]):
    """One player in a given POMDP. A step pays what the model expects it to pay."""

    form: POMDP = field(repr=False)

    name: ClassVar[str] = "model"

    def __post_init__(self) -> None:
        object.__setattr__(self, "players", ("agent",))

    @property
    def discount(self) -> float:  # type: ignore[override]
        return self.form.discount

    @cached_property
    def _number(self) -> dict[Hashable, int]:
        return {self.form.label(s): s for s in range(self.form.size)}

    def start(self) -> Dist[Outcome[Hashable]]:
        return self._outcomes(0)

    def actors(self, state: Hashable) -> tuple[int, ...]:
        s = self._number[state]
        return (0,) if self.form.row[s + 1] > self.form.row[s] else ()

    def actions(self, state: Hashable, player: int) -> Sequence[Hashable]:  # noqa: ARG002
        s = self._number[state]
        return [self.form.actions[a] for a in self.form.action[self.form.row[s] : self.form.row[s + 1]]]

    def step(self, state: Hashable, joint: tuple[Hashable, ...]) -> Dist[Outcome[Hashable]]:
        s = self._number[state]
        return self._outcomes(int(self.form.row[s]) + list(self.actions(state, 0)).index(joint[0]))

    def _outcomes(self, row: int) -> Dist[Outcome[Hashable]]:
        form, pay = self.form, (float(self.form.reward[row]),)
        weights: dict[Outcome[Hashable], float] = {}
        for o in range(form.out[row], form.out[row + 1]):
            seen, _ = form.observations[form.obs[o]]
            outcome = Outcome(form.label(int(form.next[o])), pay, seen.public, (seen.private,))
            weights[outcome] = weights.get(outcome, 0.0) + float(form.prob[o])
        return Dist.of(weights)

    def __str__(self) -> str:
        return self.form.spec
