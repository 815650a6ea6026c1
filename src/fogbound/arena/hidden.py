"""What a log leaves open when no hands are shown: the opponent's moves are known only through what I saw.

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

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fogbound.core.errors import FormError
from fogbound.forms.sequence import SequenceForm, Treeplex
from fogbound.forms.table import Floats

Whole = NDArray[np.int64]
CLOSE, MOST = 1e-9, 20_000  # EM stops when no probability moves by more; at the latest after so many steps


@dataclass(frozen=True, eq=False)
class Hidden:
    """M different histories of mine, K pairs of one of them and a sequence of the opponent it leaves possible."""

    plex: Treeplex = field(repr=False)  # the opponent's
    games: Whole  # [M] how many games looked like this to me
    row: Whole  # [K] my history, in increasing order
    column: Whole  # [K] the opponent's sequence
    chance: Floats  # [K] what chance alone gives to the pair

    @cached_property
    def passed(self) -> tuple[Whole, Whole]:
        return passed(self.plex)

    @cached_property
    def place(self) -> Whole:
        """[K] which of its row's entries a pair is."""
        return np.arange(len(self.row)) - np.searchsorted(self.row, self.row)

    def odds(self, behaviour: Floats) -> tuple[Floats, Floats]:
        """[K] the probability of each pair given its history, and [M] the likelihood of the history."""
        share = self.chance * self.plex.weights(behaviour)[self.column]
        total = sums(self.row, share, len(self.games))
        return share / total[self.row], total

    def expected(self, behaviour: Floats) -> Floats:
        """The E-step: how often each move was made, in expectation over what is hidden."""
        odds, _ = self.odds(behaviour)
        ends = sums(self.column, odds * self.games[self.row], self.plex.sequences)
        return visits(self.passed, ends)

    def objective(self, behaviour: Floats, prior: Floats) -> float:
        """What EM climbs: the log likelihood of what I saw, plus prior[q] log behaviour[q] for each move."""
        _, total = self.odds(behaviour)
        return float(self.games @ np.log(total) + prior[1:] @ np.log(behaviour[1:]))

    def climb(self, prior: Floats) -> Floats:
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
            ends = sums(column.ravel(), drawn.ravel(), self.plex.sequences)
            behaviour = dirichlet(self.plex, prior + visits(self.passed, ends), rng)
            yield behaviour


def hidden(form: SequenceForm, player: int, memories: Mapping[int, int]) -> Hidden:
    """What the games that the other of two seats ended with `memories` (and how often) tell about `player`."""
    tree, me = form.tree, 1 - player
    mine = np.array(sorted(memories), np.int64)
    ends = tree.ends[np.isin(tree.memory[tree.ends, me], mine)]
    row = np.searchsorted(mine, tree.memory[ends, me])
    plex = form.plexes[player]
    key = row * plex.sequences + tree.memory_sequence[tree.memory[ends, player]]
    pairs, where = np.unique(key, return_inverse=True)
    if len(np.unique(row)) < len(mine):
        raise FormError(f"{form.spec}: a game of the log stops before it is over, expected whole games")
    chance = sums(where, tree.reach[ends], len(pairs))
    games = np.array([memories[m] for m in mine.tolist()], np.int64)
    return Hidden(plex, games, pairs // plex.sequences, pairs % plex.sequences, chance)


def passed(plex: Treeplex) -> tuple[Whole, Whole]:
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


def visits(pairs: tuple[Whole, Whole], ends: Floats) -> Floats:
    """How often each move was made when games ended at each sequence `ends` times."""
    last, way = pairs
    return sums(way, ends[last], len(ends))


def sums(where: Whole, what: NDArray[Any], size: int) -> Floats:
    """[size] the total of `what` at each place."""
    total: Floats = np.bincount(where, what, size).astype(np.float64)
    return total


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
