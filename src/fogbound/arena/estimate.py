"""An opponent estimated by repeated play: a Dirichlet posterior at each of its information sets.

"If the opponent's policy is fixed (either known or estimated by repeated play)" its best reply can be
computed: Oliehoek, Spaan and Vlassis (2005). Here is the second case. Moves at different information sets of
one player are independent parameters, so where everything is shown after the game the posterior is exactly
one Dirichlet a set: prior pseudo-counts plus what was counted. Where hands stay hidden see `hidden`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice
from typing import Literal

import numpy as np

from fogbound.arena.hidden import Hidden, dirichlet, hidden, passed, visits
from fogbound.arena.log import Record
from fogbound.core.errors import FormError, PolicyError, SpecError, brief
from fogbound.core.policy import Player
from fogbound.evaluate.behaviour import behaviour
from fogbound.forms.sequence import SequenceForm
from fogbound.forms.table import Floats
from fogbound.forms.tree import History
from fogbound.policies.tabular import Tabular

DOUBT = 0.01  # the share of every prior that is spread evenly: what it calls impossible may still be seen
BURN, SWEEPS = 200, 4_000  # steps of the chain before a draw counts, and those that an interval is read from


@dataclass(frozen=True, eq=False)
class Estimate:
    """What is known of `player` after `games` games."""

    form: SequenceForm = field(repr=False)
    player: int
    games: int
    prior: Floats = field(repr=False)  # [sequences] pseudo-counts
    seen: Floats = field(repr=False)  # [sequences] how often each move was made; expected where hands stay hidden
    hidden: Hidden | None = field(default=None, repr=False)

    @property
    def counts(self) -> Floats:
        """The Dirichlet counts by sequence."""
        return self.prior + self.seen

    @cached_property
    def policy(self) -> Tabular:
        """The posterior mean; where hands stay hidden, the fixed point of expectation-maximisation."""
        return Tabular(self.form.tree, self.player, self.form.plexes[self.player].behaviour(self.counts))

    def interval(self, infoset: int, move: Hashable, level: float = 0.95) -> tuple[float, float]:
        """A credible interval for the probability of `move`: with this probability, given prior and log, it holds.

        Everything shown: the quantiles of the Beta that a Dirichlet has as its marginal. Hands hidden: those
        of draws from the true posterior, since expected counts would pretend to more than was seen.
        """
        tree = self.form.tree
        moves = tree.moves(infoset) if tree.set_owner[infoset] == self.player else ()
        if move not in moves or not 0 < level < 1:
            raise SpecError(f"interval: {brief(move)} at level {level}, expected one of {brief(moves)} and 0 to 1")
        first, tail = int(tree.set_first[infoset]), (1 - level) / 2
        q = first + moves.index(move)
        if self.hidden is not None:
            low, high = np.quantile(self._draws[:, q], [tail, 1 - tail])
            return float(low), float(high)
        from scipy.stats import beta

        yes = float(self.counts[q])
        no = float(self.counts[first : first + len(moves)].sum()) - yes
        if len(moves) == 1:
            return 1.0, 1.0
        return float(beta.ppf(tail, yes, no)), float(beta.ppf(1 - tail, yes, no))

    def sample(self, rng: np.random.Generator) -> Tabular:
        """An opponent drawn from the posterior."""
        plex = self.form.plexes[self.player]
        if self.hidden is None:
            drawn = dirichlet(plex, self.counts, rng)
        else:
            drawn = next(islice(self.hidden.chain(self.prior, self.policy.behaviour, rng), BURN, None))
        return Tabular(self.form.tree, self.player, drawn)

    @cached_property
    def _draws(self) -> Floats:
        """[SWEEPS, sequences] the chain that intervals are read from; the same log gives the same intervals."""
        assert self.hidden is not None
        chain = self.hidden.chain(self.prior, self.policy.behaviour, np.random.default_rng(0))
        return np.array(list(islice(chain, BURN, BURN + SWEEPS)))


def estimate(
    form: SequenceForm,
    player: int,
    log: Sequence[Record],
    prior: Player | None = None,
    strength: float = 1.0,
    view: Literal["all", "mine"] = "all",
) -> Estimate:
    """Estimate how `player` plays from a log of games.

    The prior is a policy (none: uniform) that counts as `strength` visits to each information set. With
    `view="all"` hands were shown after each game, so the log holds what `player` itself saw and did. With
    `view="mine"`, in games for two, only what the other seat saw is used (not even what it was paid): what
    this cannot tell apart stays as the prior has it, and in deep games EM may stop at a local best.
    """
    if not 0 <= player < len(form.plexes):
        raise FormError(f"{form.spec}: player {player}, expected a seat from 0 to {len(form.plexes) - 1}")
    pseudo = pseudo_counts(form, player, prior, strength)
    if view == "all":
        memories = _memories(form, player, log, ', or use view="mine"')
        ends = np.zeros(len(pseudo))
        for memory, games in memories.items():
            ends[form.tree.memory_sequence[memory]] += games
        return Estimate(form, player, len(log), pseudo, visits(passed(form.plexes[player]), ends))
    if view != "mine":
        raise SpecError(f"estimate: view is {view!r}, expected all or mine")
    if len(form.plexes) != 2:
        raise FormError(f'{form.spec} has {len(form.plexes)} players, expected 2 for view="mine"; use view="all"')
    kept = hidden(form, player, _memories(form, 1 - player, log))
    return Estimate(form, player, len(log), pseudo, kept.climb(pseudo), kept)


def pseudo_counts(form: SequenceForm, player: int, prior: Player | None, strength: float) -> Floats:
    """The prior by sequence. A share of it is spread evenly (Cromwell's rule: nothing possible has prior zero)."""
    if not 0 < strength < np.inf:
        raise SpecError(f"estimate: strength is {strength}, expected a positive number of visits")
    plex = form.plexes[player]
    believed = plex.uniform if prior is None else behaviour(form, player, prior)
    counts: Floats = strength * ((1 - DOUBT) * believed + DOUBT * plex.uniform)
    counts[0] = 0.0
    return counts


def _memories(form: SequenceForm, seat: int, log: Sequence[Record], instead: str = "") -> Counter[int]:
    """Where in the tree's memories of `seat` the games of a log ended, and how often."""
    histories: dict[History, list[int]] = {}
    for number, kept in enumerate(log):
        history = kept.histories[seat] if len(kept.histories) == len(form.plexes) else None
        if history is None:
            name = form.tree.players[seat]
            raise FormError(f"{form.spec}: game {number} of the log does not say what {name} saw; log it{instead}")
        histories.setdefault(history, []).append(number)
    walker, memories = Tabular(form.tree, seat, form.plexes[seat].uniform), Counter[int]()
    for history, numbers in histories.items():
        try:
            memory = walker.begin(history[0])
            for action, seen in history[1:]:
                memory = walker.update(memory, action, seen)
        except PolicyError as error:
            raise FormError(f"game {numbers[0]} of the log is no game of {form.spec}: {error}") from error
        memories[memory] += len(numbers)
    return memories
