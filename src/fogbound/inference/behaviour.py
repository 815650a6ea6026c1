"""An opponent estimated by repeated play: a Dirichlet posterior at each of its information sets.

"If the opponent's policy is fixed (either known or estimated by repeated play)" its best reply can be
computed: Oliehoek, Spaan and Vlassis (2005). Here is the second case. Moves at different information sets of
one player are independent parameters, so where everything is shown after the game the posterior is exactly
one Dirichlet a set: prior pseudo-counts plus what was counted. Where hands stay hidden see `Hidden`.

What a log leaves open when no hands are shown: the opponent's moves are known only through what I saw.

By perfect recall a whole game is, for the purpose of estimating one opponent, one number: the sequence q of
its own moves at which the game ended. What I saw of the game leaves several q possible; given the opponent's
realisation weights y their odds are c[mine, q] y[q], with c the chance probability of all the ends that look
like this to me and lie at q. My own moves cancel: they are the same at all these ends. So the hidden data of
a log is one multinomial for each of my histories, and the standard machinery for such data applies:
expectation-maximisation (Dempster, Laird and Rubin 1977) for the estimate, data augmentation (Tanner and
Wong 1987) for its posterior. In Baum and Welch's words, tree and chance are the known transitions and
emissions, the opponent's behaviour the unknown part.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice
from typing import Literal

import numpy as np

from fogbound.arena.log import Record
from fogbound.core.errors import FormError, PolicyError, SpecError, brief
from fogbound.core.policy import Strategy
from fogbound.evaluation.exploitability import behaviour
from fogbound.forms.arrays import Floats, Longs, summed
from fogbound.forms.decisions import History
from fogbound.forms.sequence import SequenceForm, Treeplex
from fogbound.policies.tabular import Tabular

CLOSE, MOST = 1e-9, 20_000  # EM stops when no probability moves by more; at the latest after so many steps


@dataclass(frozen=True, eq=False)
class Hidden:
    """M different histories of mine, K pairs of one of them and a sequence of the opponent it leaves possible."""

    plex: Treeplex = field(repr=False)  # the opponent's
    games: Longs  # [M] how many games looked like this to me
    row: Longs  # [K] my history, in increasing order
    column: Longs  # [K] the opponent's sequence
    chance: Floats  # [K] what chance alone gives to the pair

    @cached_property
    def passed(self) -> tuple[Longs, Longs]:
        return passed(self.plex)

    @cached_property
    def place(self) -> Longs:
        """[K] which of its row's entries a pair is."""
        return np.arange(len(self.row)) - np.searchsorted(self.row, self.row)

    def odds(self, behaviour: Floats) -> tuple[Floats, Floats]:
        """[K] the probability of each pair given its history, and [M] the likelihood of the history."""
        share = self.chance * self.plex.weights(behaviour)[self.column]
        total = summed(self.row, share, len(self.games))
        return share / total[self.row], total

    def expected(self, behaviour: Floats) -> Floats:
        """The E-step: how often each move was made, in expectation over what is hidden."""
        odds, _ = self.odds(behaviour)
        ends = summed(self.column, odds * self.games[self.row], self.plex.sequences)
        return _move_counts(self.passed, ends)

    def objective(self, behaviour: Floats, prior: Floats) -> float:
        """What EM raises: the log likelihood of what I saw, plus prior[q] log behaviour[q] for each move."""
        _, total = self.odds(behaviour)
        return float(self.games @ np.log(total) + prior[1:] @ np.log(behaviour[1:]))

    def fit(self, prior: Floats) -> Floats:
        """Expectation-maximisation from the prior's mean: the expected count of each move at a fixed point.

        The M-step plays each move in proportion to its prior and expected count. That is the Dirichlet's
        mean given the counts, and also the mode under one count more each, so `objective` never falls
        (which the raw mode would not give: it is undefined for pseudo-counts below one).
        """
        played = self.plex.behaviour(prior)
        for _ in range(MOST):
            counts = self.expected(played)
            before, played = played, self.plex.behaviour(prior + counts)
            if np.abs(played - before).max() < CLOSE:
                break
        return self.expected(played)

    def chain(self, prior: Floats, behaviour: Floats, rng: np.random.Generator) -> Iterator[Floats]:
        """Behaviours from the posterior, for ever: draw what was hidden, then the behaviour given all counts."""
        column = np.zeros((len(self.games), int(self.place.max(initial=0)) + 1), np.int64)
        column[self.row, self.place] = self.column  # what is padded points to the empty sequence, which counts nothing
        while True:
            share = np.zeros(column.shape)
            share[self.row, self.place], _ = self.odds(behaviour)
            drawn = rng.multinomial(self.games, share)
            ends = summed(column.ravel(), drawn.ravel(), self.plex.sequences)
            behaviour = dirichlet(self.plex, prior + _move_counts(self.passed, ends), rng)
            yield behaviour


def hidden(form: SequenceForm, player: int, memories: Mapping[int, int]) -> Hidden:
    """What the games that the other of two players ended with `memories` (and how often) tell about `player`."""
    tree, other = form.tree, 1 - player
    mine = np.array(sorted(memories), np.int64)
    ends = tree.ends[np.isin(tree.memory[tree.ends, other], mine)]
    row = np.searchsorted(mine, tree.memory[ends, other])
    plex = form.plexes[player]
    key = row * plex.sequences + tree.memory_sequence[tree.memory[ends, player]]
    pairs, where = np.unique(key, return_inverse=True)
    if len(np.unique(row)) < len(mine):
        raise FormError(f"{form.spec}: a game of the log stops before it is over, expected whole games")
    chance = summed(where, tree.reach[ends], len(pairs))
    games = np.array([memories[m] for m in mine.tolist()], np.int64)
    return Hidden(plex, games, pairs // plex.sequences, pairs % plex.sequences, chance)


def passed(plex: Treeplex) -> tuple[Longs, Longs]:
    """All pairs (sequence, a sequence on the way to it, itself included), without the empty one."""
    up = np.zeros(plex.sequences, np.int64)
    up[1:] = np.repeat(plex.parent, plex.size)
    last = here = np.arange(1, plex.sequences)
    pairs = []
    while len(here):
        pairs.append((last, here))
        going = up[here] > 0
        last, here = last[going], up[here[going]]
    if not pairs:
        return np.zeros(0, np.int64), np.zeros(0, np.int64)
    return np.concatenate([q for q, _ in pairs]), np.concatenate([p for _, p in pairs])


def _move_counts(pairs: tuple[Longs, Longs], ends: Floats) -> Floats:
    """How often each move was made when games ended at each sequence `ends` times."""
    last, way = pairs
    return summed(way, ends[last], len(ends))


def dirichlet(plex: Treeplex, counts: Floats, rng: np.random.Generator) -> Floats:
    """A behaviour drawn from the Dirichlets with these counts, safe for tiny ones.

    Gamma(a) is Gamma(a + 1) U^(1/a), whose logarithm does not underflow (Marsaglia and Tsang 2000).
    """
    behaviour = np.ones(plex.sequences)
    if not len(plex.first):
        return behaviour
    a = counts[1:]
    log = np.log(rng.standard_gamma(a + 1.0)) + np.log1p(-rng.random(len(a))) / a
    weight = np.exp(log - np.repeat(np.maximum.reduceat(log, plex.first - 1), plex.size))
    behaviour[1:] = weight / np.repeat(np.add.reduceat(weight, plex.first - 1), plex.size)
    return behaviour


DOUBT = 0.01  # the share of every prior that is spread evenly: what it calls impossible may still be seen
BURN, SWEEPS = 200, 4_000  # steps of the chain before a draw counts, and those that an interval is read from


@dataclass(frozen=True, eq=False)
class BehaviourEstimate:
    """What is known of `player` after `games` games.

    Attributes
    ----------
    form
        The game.
    player
        Who was watched.
    games
        How many games were watched.
    prior : [sequences]
        The pseudo-counts.
    seen : [sequences]
        How often each move was made; expected where hands stay hidden.
    hidden
        What was not shown, where hands stay hidden.
    """

    form: SequenceForm = field(repr=False)
    player: int
    games: int
    prior: Floats = field(repr=False)  # [sequences]
    seen: Floats = field(repr=False)  # [sequences]
    hidden: Hidden | None = field(default=None, repr=False)

    @property
    def counts(self) -> Floats:
        """The Dirichlet counts by sequence."""
        return self.prior + self.seen

    @cached_property
    def policy(self) -> Tabular:
        """The posterior mean; where hands stay hidden, the fixed point of expectation-maximisation."""
        return Tabular(self.form.decisions, self.player, self.form.plexes[self.player].behaviour(self.counts))

    def interval(self, infoset: int, move: Hashable, level: float = 0.95) -> tuple[float, float]:
        """A credible interval for the probability of `move`: with this probability, given prior and log, it holds.

        Everything shown: the quantiles of the Beta that a Dirichlet has as its marginal. Hands hidden: those
        of draws from the true posterior, since expected counts would pretend to more than was seen.
        """
        tree = self.form.decisions
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
        return Tabular(self.form.decisions, self.player, drawn)

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
    prior: Strategy | None = None,
    strength: float = 1.0,
    view: Literal["all", "mine"] = "all",
) -> BehaviourEstimate:
    """Estimate how `player` plays from a log of games.

    A Dirichlet at each information set, whose counts are the prior's and the log's; the estimate is the posterior mean.
    Where hands stay hidden, expectation-maximisation finds the likeliest behaviour: what the log cannot tell apart
    stays as the prior has it, and in deep games EM may stop at a local best.

    Parameters
    ----------
    form
        The game's sequence form.
    player
        Whose behaviour is estimated.
    log
        The games, as `fogbound.arena.record` writes them.
    prior
        A policy; uniform play unless given.
    strength
        How many visits to each information set the prior counts as.
    view
        "all": hands were shown after each game, so the log holds what `player` itself saw and did. "mine", in games
        for two: only what the other player saw is used, not even what it was paid.

    Returns
    -------
    BehaviourEstimate
        Its `policy`, credible intervals of its moves, and draws from the posterior.

    Raises
    ------
    FormError
        For a player that is not there, or `view="mine"` in a game that is not for two.
    SpecError
        For another `view`.

    Examples
    --------
    >>> import fogbound as fb
    >>> game = fb.game("king-ace")
    >>> log = fb.arena.record(game, [fb.policies.Uniform()] * 2, games=200, seed=1)
    >>> estimated = fb.inference.estimate(fb.forms.sequence(game), 1, log)
    >>> [round(bound, 3) for bound in estimated.interval(2, "call")]
    [0.319, 0.599]
    """
    if not 0 <= player < len(form.plexes):
        raise FormError(f"{form.spec}: player {player}, expected a player from 0 to {len(form.plexes) - 1}")
    pseudo = pseudo_counts(form, player, prior, strength)
    if view == "all":
        memories = _memories(form, player, log, ', or use view="mine"')
        ends = np.zeros(len(pseudo))
        for memory, games in memories.items():
            ends[form.decisions.memory_sequence[memory]] += games
        return BehaviourEstimate(form, player, len(log), pseudo, _move_counts(passed(form.plexes[player]), ends))
    if view != "mine":
        raise SpecError(f"estimate: view is {view!r}, expected all or mine")
    if len(form.plexes) != 2:
        raise FormError(f'{form.spec} has {len(form.plexes)} players, expected 2 for view="mine"; use view="all"')
    kept = hidden(form, player, _memories(form, 1 - player, log))
    return BehaviourEstimate(form, player, len(log), pseudo, kept.fit(pseudo), kept)


def pseudo_counts(form: SequenceForm, player: int, prior: Strategy | None, strength: float) -> Floats:
    """The prior by sequence. A share of it is spread evenly (Cromwell's rule: nothing possible has prior zero)."""
    if not 0 < strength < np.inf:
        raise SpecError(f"estimate: strength is {strength}, expected a positive number of visits")
    plex = form.plexes[player]
    believed = plex.uniform if prior is None else behaviour(form, player, prior)
    counts: Floats = strength * ((1 - DOUBT) * believed + DOUBT * plex.uniform)
    counts[0] = 0.0
    return counts


def _memories(form: SequenceForm, player: int, log: Sequence[Record], instead: str = "") -> Counter[int]:
    """Where in the tree's memories of `player` the games of a log ended, and how often."""
    histories: dict[History, list[int]] = {}
    for number, kept in enumerate(log):
        history = kept.histories[player] if len(kept.histories) == len(form.plexes) else None
        if history is None:
            name = form.players[player]
            raise FormError(f"{form.spec}: game {number} of the log does not say what {name} saw; log it{instead}")
        histories.setdefault(history, []).append(number)
    tracker, memories = Tabular(form.decisions, player, form.plexes[player].uniform), Counter[int]()
    for history, numbers in histories.items():
        try:
            memory = tracker.begin(history[0])
            for action, seen in history[1:]:
                memory = tracker.update(memory, action, seen)
        except PolicyError as error:
            raise FormError(f"game {numbers[0]} of the log is no game of {form.spec}: {error}") from error
        memories[memory] += len(numbers)
    return memories
