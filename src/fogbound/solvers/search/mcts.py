"""Monte Carlo tree search for games in which everybody sees everything: chance and several players allowed.

Kocsis and Szepesvári, "Bandit based Monte-Carlo planning" (2006), in the four steps of document 003: SELECTION goes
down the tree by UCB1 (Auer, Cesa-Bianchi and Fischer 2002), EXPANSION adds the first position that is new, SIMULATION
plays on from there at random, BACKPROPAGATION tells every move on the way what came of it. Departures: with several
players values are vectors and each mover maximises its own part (max^n); chance is drawn, one child a state that may
follow; UCB1 is scaled by the spread of the returns. `UCTSearch` does this on plain rules. Where a policy has compiled
rules or a small table it is searched by `kernels.information_sets`, a tree for each player: everybody sees the same.

As a policy it thinks anew at every position it is asked about. As a solver it improves its estimate of the game from
the start. Both only sample the rules, so the game may be of any size, and nothing they say is a bound: the value is the
mean return of simulations that still explore, which approaches the game's value as they grow in number (the error fades
as log n / n), and its interval covers the luck of the draw, not that exploration.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from math import inf, nan, sqrt
from random import Random
from typing import Any, ClassVar

import numpy as np

from fogbound.compiled.rules import CompiledRules
from fogbound.core.cancel import check
from fogbound.core.dist import Dist
from fogbound.core.errors import LimitError
from fogbound.core.game import AnyGame, Outcome
from fogbound.core.policy import Strategy
from fogbound.core.q_value import QValue
from fogbound.core.simulator import RuleSimulator
from fogbound.driver.clock import deadline
from fogbound.driver.protocol import Context, Progress
from fogbound.policies.perfect_information import StatePolicy
from fogbound.solvers.search.decision_values import decision_values
from fogbound.solvers.search.hook_tables import HookTables, hooked_rules
from fogbound.solvers.search.hooks import (
    GameHooks,
    InitialValues,
    LeafValue,
    PreferredActions,
    RolloutPolicy,
    drawn_action,
)
from fogbound.solvers.search.kernels import simulation
from fogbound.solvers.search.planner import SEEDS, Z95, SearchSolver
from fogbound.solvers.search.sampled import SampledGame, compiled_rules_of, generator, require_sight, turn
from fogbound.solvers.search.tree_search import NO_TABLES, Decision, SearchWay, TreeSearch, decision_of, favourite
from fogbound.solvers.search.ucb_node import UCBNode, spread_of

Returns = list[float]  # what each player gets from some point on


class UCTNode(UCBNode):
    """A position in the tree: its moves, how often each was tried, and what they brought the mover in all."""

    __slots__ = ("actions", "children", "mover", "rows", "state")

    def __init__(self, rules: RuleSimulator, state: Any, who: str) -> None:
        self.state = state
        self.mover, self.actions = turn(rules, state, who)
        super().__init__(len(self.actions))
        self.rows: list[Dist[Outcome[Any]] | None] = [None] * len(self.actions)
        self.children: dict[tuple[int, Any], UCTNode] = {}

    @property
    def best(self) -> int:
        """The move tried most: steadier than the highest mean. Of equals the better, of those the first."""
        return max(range(len(self.actions)), key=lambda k: (self.counts[k], self.totals[k] / max(1, self.counts[k])))


@dataclass
class UCTSearch:
    """The rules of the search; `rng` is its only source of chance."""

    rules: RuleSimulator
    rng: Random
    exploration: float
    depth: int
    rollouts: int
    spread: float  # 0: the difference between the best and the worst return met so far
    who: str
    hooks: GameHooks = GameHooks()  # noqa: RUF009  frozen
    prior: float = 5.0

    def __post_init__(self) -> None:
        n = len(self.rules.players)
        self.discount = self.rules.game.discount
        self.low, self.high = [inf] * n, [-inf] * n

    def simulate(self, root: UCTNode) -> tuple[int, Returns]:
        """One simulation from `root`: the first move (-1 where there is none) and what everybody got."""
        path: list[tuple[UCTNode, int, Outcome[Any]]] = []
        rules, discount, node = self.rules, self.discount, root
        returns = [0.0] * len(rules.players)
        while node.mover >= 0 and len(path) < self.depth:
            move = self.select(node)
            row = node.rows[move]
            if row is None:
                row = node.rows[move] = rules.outcomes(node.state, (node.actions[move],))
            outcome = row.sample(self.rng)
            path.append((node, move, outcome))
            child = node.children.get((move, outcome.state))
            if child is None:
                child = node.children[move, outcome.state] = self.node(outcome.state)  # EXPANSION
                returns = self._value(child, len(path))
                break
            node = child
        for node, move, outcome in reversed(path):  # BACKPROPAGATION
            returns = [now + discount * later for now, later in zip(rules.paid(outcome), returns)]
            node.learn(move, returns[node.mover])
        self._widen(returns)
        return (path[0][1] if path else -1), returns

    def select(self, node: UCTNode) -> int:
        """SELECTION: UCB1, scaled by how far the mover's returns lie apart."""
        spread = spread_of(self.spread, self.low[node.mover], self.high[node.mover])
        return node.ucb1(self.exploration * spread, self.prior)

    def node(self, state: Any) -> UCTNode:
        """A position, with what hooks know of its moves."""
        made, initial, prefer = UCTNode(self.rules, state, self.who), self.hooks.initial, self.hooks.preferred
        if initial is not None and made.mover >= 0:
            values = initial(state, made.mover, made.actions)
            made.arrive([values[action] for action in made.actions])
        if prefer is not None and made.mover >= 0:
            chosen = prefer(state, made.mover, made.actions)
            made.preferred = [place for place, action in enumerate(made.actions) if action in chosen]
        return made

    def _value(self, node: UCTNode, depth: int) -> Returns:
        """SIMULATION: a leaf value, or the average of `rollouts` plays."""
        if node.mover < 0:
            return [0.0] * len(self.rules.players)
        if self.hooks.value is not None:
            return [self.hooks.value(node.state, player) for player in range(len(self.rules.players))]
        if self.rollouts == 1:
            return self._rollout(node, depth)
        plays = [self._rollout(node, depth) for _ in range(self.rollouts)]
        return [sum(part) / len(plays) for part in zip(*plays)]

    def _rollout(self, node: UCTNode, depth: int) -> Returns:
        rules, rng, discount, scale = self.rules, self.rng, self.discount, 1.0
        state, mover, actions, hook = node.state, node.mover, node.actions, self.hooks.rollout
        returns = [0.0] * len(rules.players)
        for _ in range(depth, self.depth):
            if hook is None:
                action = actions[int(rng.random() * len(actions))]
            else:
                action = drawn_action(hook(state, mover, actions), rng)
            outcome = rules.drawn(state, (action,), rng)
            if outcome.rewards:
                returns = [sofar + scale * reward for sofar, reward in zip(returns, rules.paid(outcome))]
            scale *= discount
            state = outcome.state
            mover, actions = turn(rules, state, self.who)
            if mover < 0:
                break
        return returns

    def _widen(self, returns: Returns) -> None:
        self.low, self.high = list(map(min, self.low, returns)), list(map(max, self.high, returns))


GROWTH = 8  # an answer after every eighth more simulations
REMEMBERED = 10_000  # positions whose move is kept
SMALL = 20_000  # states of a table that is made for a search
STATISTICAL = "mean return of the simulations through the first move tried most, exploration included; 95 % interval"


@dataclass(frozen=True)
class MCTS(SearchSolver):
    """Good play by UCT (Kocsis and Szepesvári 2006), from the rules alone, where everybody sees everything.

    Works on the sampled game: nothing is enumerated, so what is said about the value is an estimate.

    Parameters
    ----------
    simulations
        For a move, and for the estimate at the start; none: 1,000, for a move as many as fit into `seconds`
        where those are given.
    exploration
        How much UCB1 favours moves seldom tried, in units of `spread`.
    depth
        Steps of one simulation; what is paid later does not count, so cyclic games end too.
    rollouts
        Plays from each new position.
    seconds
        To search for a move; where `simulations` are given too, both limits hold. What is played then depends on the
        clock. 0: no limit of time.
    """

    name: ClassVar[str] = "mcts"
    finds: ClassVar[str] = "good play"
    preferred: ClassVar[bool] = True

    simulations: int | None = None
    exploration: float = 1.4
    spread: float = 0.0
    depth: int = 200
    rollouts: int = 1
    rollout: str | RolloutPolicy = "uniform"
    value: str | LeafValue = "auto"
    initial: str | InitialValues | None = "auto"
    prefer: str | PreferredActions | None = None
    prior: float = 5.0
    seconds: float = 0.0

    def way(self) -> SearchWay:
        return SearchWay("ucb", "multiple", self.exploration, self.spread, self.depth, prior=self.prior)

    def run(self, form: SampledGame, context: Context) -> Iterator[Progress]:
        """The state of a run is its seed and its length: to resume, the same simulations are made again."""
        arrays = context.arrays
        if not arrays:
            arrays["seed"], arrays["done"] = context.rng.integers(0, SEEDS, 1), np.zeros(1, np.int64)
        seed, done = int(arrays["seed"][0]), int(arrays["done"][0])
        root = Root(form, self.search(RuleSimulator(form.game), Random(seed), self.known(form.game)))
        profile: dict[int, Strategy] = {i: self.policy(form.game, i, seed) for i in range(len(form.game.players))}
        for _ in range(done):
            root.simulate()
        if done:
            yield root.answer(done, profile)
        while done < self.at_the_start:
            for _ in range(int(min(1 + done // GROWTH, self.at_the_start - done, max(1.0, context.most - done)))):
                root.simulate()
                done += 1
                if context.stopping():
                    break
            arrays["done"][0] = done
            yield root.answer(done, profile)

    def search(self, rules: RuleSimulator, rng: Random, known: GameHooks) -> UCTSearch:
        numbers = self.exploration, self.depth, self.rollouts, self.spread
        return UCTSearch(rules, rng, *numbers, "mcts", known, self.prior)

    def known(self, game: AnyGame) -> GameHooks:
        """Its hooks in a game, for the search by plain rules."""
        if not self.hooks().any:
            return GameHooks()
        found = self.hooks().on(game, range(len(game.players)))
        if found.followed is not None:
            found.followed.refuse()
        return found

    def policy(self, game: AnyGame, player: int, seed: int = 0) -> StatePolicy:
        """The policy that searches from wherever it is asked: the same answer for the same seed and state.

        By the compiled search where it can be, which is a hundred times as fast: see `compiled`.
        """
        rules, (compiled, tables), known = RuleSimulator(game), self.compiled(game), self.known(game)

        @lru_cache(REMEMBERED)
        def looked(state: Any) -> StateDecision:
            row = None if compiled is None else compiled.state_row(state)
            if compiled is not None and row is not None:
                return self._compiled(compiled, tables, player, row, generator(seed, state).getrandbits(63))
            return self._by_rules(rules, known, state, seed)

        return SearchedStates(game, player, lambda state, _: looked(state).chosen(), looked)

    def _by_rules(self, rules: RuleSimulator, known: GameHooks, state: Any, seed: int) -> StateDecision:
        """What was found from a state, on plain rules."""
        search, late = self.search(rules, generator(seed, state), known), deadline(self.seconds)
        root, returns = search.node(state), list[float]()
        for _ in range(self.for_a_decision if len(root.actions) > 1 else 0):
            check()
            returns.append(search.simulate(root)[1][root.mover])
            if late is not None and late():
                break
        mean, error = (np.mean(returns), np.std(returns) / sqrt(len(returns))) if returns else (nan, nan)
        figures = np.array([mean]), np.array([error])
        found = decision_of(np.array(root.counts), np.array(root.totals), figures, len(returns), len(root.children))
        return StateDecision(tuple(root.actions), root.best, found)

    def compiled(self, game: AnyGame) -> tuple[CompiledRules | None, HookTables]:
        """Compiled rules, its own or of its table where that is small; None: it is searched by its plain rules.

        Hooks need the table.
        """
        if self.rollouts > 1:
            return None, NO_TABLES
        try:
            if self.hooks().any:
                return hooked_rules(game, self.hooks(), SMALL)
            return compiled_rules_of(game, SMALL), NO_TABLES
        except LimitError:
            return None, NO_TABLES

    def _compiled(
        self, compiled: CompiledRules, tables: HookTables, player: int, state: Sequence[int], seed: int
    ) -> StateDecision:
        """What was found from a state."""
        row, codes = np.array([state], np.int64), np.zeros(compiled.most_actions, np.int64)
        legal = codes[: compiled.legal(compiled.rules, row[0], player, codes)].tolist()
        here = simulation.SearchRoot(row, np.zeros((1, len(compiled.players)), np.int64), np.ones(1))
        search = TreeSearch(compiled, self.way(), here, player, seed, tables)
        search.run(self.for_a_decision if len(legal) > 1 else 0, deadline(self.seconds))
        found = search.decision(legal)
        return StateDecision(tuple(compiled.action(code) for code in legal), favourite(found), found)


@dataclass(frozen=True, eq=False)
class StateDecision:
    """What a search found in a state."""

    actions: tuple[Any, ...]
    best: int  # the place of the action tried most
    found: Decision

    def chosen(self) -> Dist[Any]:
        return Dist.sure(self.actions[self.best])


@dataclass(frozen=True, eq=False)
class SearchedStates(StatePolicy):
    """A policy that searches from the state that it is in, and can say what it found there.

    Parameters
    ----------
    game, player, choose
        As in `StatePolicy`.
    looked
        What the search finds in a state.
    """

    looked: Callable[[Any], StateDecision] = field(repr=False)

    def action_values(self, memory: tuple[Any, ...], actions: Sequence[Any]) -> dict[Any, QValue]:  # noqa: ARG002
        """What its search found of each action that it tried: means with their intervals, and visits.

        Parameters
        ----------
        memory
            The states that are possible.
        actions
            The legal actions.

        Returns
        -------
        dict
            By action.
        """
        made = self.looked(self.state(memory))
        return decision_values(made.found, made.actions, self.player)


class Root:
    """The start of the game, which chance may draw, with what came of each first move."""

    def __init__(self, form: SampledGame, search: UCTSearch) -> None:
        require_sight(search.rules, search.who, search.rng, search.depth)
        self.form, self.search, self.begin = form, search, search.rules.opening()
        self.nodes = [search.node(outcome.state) for outcome, _ in self.begin]
        self.starts = Dist(tuple((k, p) for k, (_, p) in enumerate(self.begin)))
        self.met: dict[tuple[int, int], list[float]] = {}  # (start, move) -> how often, sum, sum of squares

    def simulate(self) -> None:
        start = self.starts.sample(self.search.rng)
        move, returns = self.search.simulate(self.nodes[start])
        value, sums = returns[self.form.player], self.met.setdefault((start, move), [0.0, 0.0, 0.0])
        for k, part in enumerate((1.0, value, value * value)):
            sums[k] += part

    def answer(self, done: int, profile: dict[int, Strategy]) -> Progress:
        """The mean over the first moves tried most, averaged over the starts that were drawn."""
        value = variance = weight = 0.0
        for start, (outcome, p) in enumerate(self.begin):
            tried = [sums for (k, _), sums in self.met.items() if k == start]
            if tried:
                n, total, squares = max(tried, key=lambda sums: sums[0])
                paid = self.search.rules.paid(outcome)[self.form.player]
                value, weight = value + p * (paid + total / n), weight + p
                spread = max(0.0, squares / n - (total / n) ** 2) * n / (n - 1) if n > 1 else inf
                variance += p * p * spread / n
        value, half = value / weight, Z95 * sqrt(variance) / weight
        details = {
            "statistical": STATISTICAL,
            "simulations": done,
            "interval": [value - half, value + half] if half < inf else None,
            "visits": self._visits(),
        }
        return Progress(value, -inf, inf, lambda: profile, details, iteration=done, sampled="search")

    def _visits(self) -> dict[str, int]:
        """How often each first move was tried, at the start that came up most."""
        node = max(self.nodes, key=lambda node: node.count)
        return {self.form.game.describe(action): n for action, n in zip(node.actions, node.counts)}
