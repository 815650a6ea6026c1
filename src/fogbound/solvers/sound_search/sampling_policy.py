"""Online outcome sampling as a player where there is no tree: what it remembers is what it did and saw."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field, fields
from functools import cached_property
from itertools import pairwise
from typing import Any, ClassVar, Protocol

from fogbound.core.dist import Dist
from fogbound.core.errors import FormError
from fogbound.core.spec import spec_of
from fogbound.forms.arrays import Floats
from fogbound.forms.table import Table
from fogbound.policies.stored import StoredPlanner
from fogbound.solvers.search.history import ActionObservationHistory, RemembersHistory
from fogbound.solvers.search.sampled import SampledGame
from fogbound.solvers.sound_search.walks_by_rules import WalksByRules, WalkSettings

KEPT_SETS = 2_000_000  # information sets of all the decisions whose statistics are kept together
MOST_ANSWERS = 100_000  # decisions whose answer is kept


class Walks(Protocol):
    """Outcome sampling walks over compiled rules, or by the rules."""

    def nothing(self) -> Any: ...

    def walked(self, known: Any, player: int, history: ActionObservationHistory, seed: int) -> Any: ...

    def average(
        self, known: Any, player: int, history: ActionObservationHistory, actions: Sequence[Hashable]
    ) -> Floats: ...


@dataclass(frozen=True, eq=False)
class SamplingPolicy(RemembersHistory):
    """Play the average strategy that walks from the start have come to, most of them past the decision at hand.

    What walks for its earlier decisions have left is kept. It is a function of the seed and of what was done and seen,
    so that a decision met again, or in another order, is decided alike.

    Parameters
    ----------
    form
        The game's table, or the game itself: its compiled rules where it has any, else its rules.
    player
        By index.
    settings
        The solver, by whose spec it is saved.
    seed
        Of its walks.
    """

    form: Table | SampledGame = field(repr=False)
    player: int
    settings: WalkSettings
    seed: int

    thinks: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if len(self.form.players) != 2:
            raise FormError(
                f"{self.form.spec}: oos is for two players of a constant sum, and there are {len(self.form.players)}; "
                "use is-mcts, which searches for any number"
            )

    def stored(self) -> StoredPlanner:
        """What a file holds of it."""
        return StoredPlanner(spec_of(self.settings), self.seed)

    def act(self, memory: ActionObservationHistory, actions: Sequence[Hashable]) -> Dist[Hashable]:
        legal = tuple(actions)
        if len(legal) == 1:
            return Dist.sure(legal[0])
        known = self._answers.get((memory, legal))
        if known is None:
            found = self._walks.average(self.statistics(memory), self.player, memory, legal)
            known = Dist(tuple((action, p) for action, p in zip(legal, found.tolist()) if p > 0))
            if len(self._answers) >= MOST_ANSWERS:
                self._answers.clear()
            self._answers[memory, legal] = known
        return known

    def statistics(self, memory: ActionObservationHistory) -> Any:
        """What is known when the walks for a decision are over, and before it those for the player's earlier ones."""
        chain = memory.chain()
        asked = [before for before, after in pairwise(chain) if after.action is not None]
        missing, at = [], memory
        while at not in self._kept and asked:
            missing.append(at)
            at = asked.pop()
        if at not in self._kept:
            missing.append(at)
        found = self._kept.get(at) or self._walks.nothing()
        for decision in reversed(missing):
            seed = decision.generator(self.seed, "oos").getrandbits(63)
            found = self._walks.walked(found, self.player, decision, seed)
            self._keep(decision, found)
        return found

    def _keep(self, decision: ActionObservationHistory, found: Any) -> None:
        self._kept[decision] = found
        while len(self._kept) > 1 and sum(each.sets for each in self._kept.values()) > KEPT_SETS:
            self._kept.popitem(last=False)

    @cached_property
    def _walks(self) -> Walks:
        """The compiled walks over the table or the game's compiled rules, else those by its rules."""
        from fogbound.forms.compiled_rules import table_rules
        from fogbound.solvers.sound_search.walks_compiled import CompiledWalks

        rules = table_rules(self.form) if isinstance(self.form, Table) else self.form.game.compiled_rules()
        if rules is None:
            return WalksByRules(self.form.as_game(), self.settings)
        return CompiledWalks(rules, self.settings)

    @cached_property
    def _kept(self) -> OrderedDict[ActionObservationHistory, Any]:
        return OrderedDict()

    @cached_property
    def _answers(self) -> dict[Any, Dist[Hashable]]:
        return {}

    def __getstate__(self) -> dict[str, Any]:
        return {part.name: getattr(self, part.name) for part in fields(self)}  # caches are made anew where it arrives
