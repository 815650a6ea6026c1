"""The induced model explored only where samples go: states together with what the fixed others are and remember.

These are the interactive states of I-POMDPs (Gmytrasiewicz and Doshi 2005). Each knows those that it has led to, so a
step taken before costs a few dictionary look-ups and asks neither the rules nor the others again. What was met is
forgotten all at once when there is too much of it, between searches.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Hashable, Iterator, Mapping
from itertools import accumulate
from itertools import product as combinations
from typing import Any, NamedTuple

from fogbound.core.contract import no_action, ordered, require_players
from fogbound.core.errors import FormError, GameError, PolicyError, brief
from fogbound.core.game import AnyGame, Observation, Outcome
from fogbound.core.policy import AnyPolicy, Strategy, kinds

# The others as a search meets them: which policy each turned out to be, what it remembers, and what it then does.


Legal = tuple[Hashable, ...]


class Cumulative(NamedTuple):
    """A distribution to draw places from: a running sum without its last entry, which is the rest."""

    upto: list[float]
    places: list[int]
    weights: list[float]


SURE = Cumulative([], [0], [1.0])


class OpponentModel:
    """One of the others: which policy it turned out to be, and what it remembers."""

    __slots__ = ("acts", "after", "memory", "opponent", "policy")

    def __init__(self, opponent: int, policy: AnyPolicy, memory: Any) -> None:
        self.opponent, self.policy, self.memory = opponent, policy, memory
        self.acts: dict[Legal, Cumulative] = {}
        self.after: dict[tuple[Hashable | None, Observation], OpponentModel] = {}


def acts(model: OpponentModel, legal: Legal) -> Cumulative:
    """What a mind does when offered `menu`; asked once, and checked to be a distribution over it."""
    found = model.acts.get(legal)
    if found is None:
        dist, name = model.policy.act(model.memory, legal), type(model.policy).__name__
        fault = dist.fault()
        if fault:
            raise PolicyError(f"{name}: found {fault}, when asked to choose from {brief(legal)}")
        place = {action: k for k, action in enumerate(legal)}
        stray = [action for action, p in dist if p > 0 and action not in place]
        if stray:
            raise PolicyError(f"{name} plays {brief(stray[0])}, expected one of {brief(legal)}")
        likely = [(place[action], p) for action, p in dist if p > 0]
        found = model.acts[legal] = odds_of([p for _, p in likely], [k for k, _ in likely])
    return found


def odds_of(weights: list[float], places: list[int] | None = None) -> Cumulative:
    """Odds of `places` (0, 1, …), which need weights that sum to 1."""
    return Cumulative(list(accumulate(weights[:-1])), list(range(len(weights))) if places is None else places, weights)


MOST_POINTS = 200_000
Draw = Callable[[], float]  # the `random` of a generator


class InteractiveState:
    """A state, with the minds of the others; `place` is where I am among the actors, -1 when I do not move."""

    __slots__ = ("actors", "legal", "legal_sets", "models", "odds", "place", "rows", "state")

    def __init__(
        self,
        state: Any,
        models: tuple[OpponentModel, ...],
        actors: tuple[int, ...],
        legal_sets: list[Legal],
        player: int,
    ) -> None:
        self.state, self.models, self.actors, self.legal_sets = state, models, actors, legal_sets
        self.place = actors.index(player) if player in actors else -1
        self.legal: Legal = legal_sets[self.place] if self.place >= 0 else ()
        self.odds: list[Cumulative | None] | None = None  # what the actors may do; None in my own place
        self.rows: dict[Any, JointMove] = {}


class Transition(NamedTuple):
    """Where one outcome leads, what it pays me and what I see of it."""

    point: InteractiveState
    pay: float
    seen: Observation


class JointMove:
    """The outcomes of one joint move, with links made when they are first drawn."""

    __slots__ = ("links", "odds", "outcomes", "own")

    def __init__(self, own: dict[int, Hashable], outcomes: list[Outcome[Any]], odds: Cumulative) -> None:
        self.own, self.outcomes, self.odds = own, outcomes, odds
        self.links: list[Transition | None] = [None] * len(outcomes)


class InducedSimulator:
    """A game seen from `player`, the others being played by `others`."""

    def __init__(self, game: AnyGame, player: int, others: Mapping[int, Strategy], limit: int = MOST_POINTS) -> None:
        require_players(game)
        wanted = [opponent for opponent in range(len(game.players)) if opponent != player]
        if not 0 <= player < len(game.players) or sorted(others) != wanted:
            raise FormError(
                f"{game}: player {player} with policies for players {sorted(others)}, expected one of "
                f"{len(game.players)} "
                "players and a policy for each of the others"
            )
        self.game, self.player, self.opponents, self.limit = game, player, tuple(wanted), limit
        self.kinds = [[(kind, p) for kind, p in kinds(others[opponent]) if p > 0] for opponent in wanted]
        self.points: dict[Any, InteractiveState] = {}
        self.models: dict[Any, OpponentModel] = {}
        self.legal_sets: dict[Legal, Legal] = {}

    def trim(self) -> None:
        """Forget what was met when it is too much. Points that somebody holds stay valid: they ask again."""
        if len(self.points) + len(self.models) > self.limit:
            for point in self.points.values():
                point.rows.clear()
            for model in self.models.values():
                model.after.clear()
                model.acts.clear()
            for met in (self.points, self.models, self.legal_sets):
                met.clear()

    def begin(self, seen: Observation | None = None) -> Iterator[tuple[InteractiveState, float]]:
        """The points at which the game may begin when it shows `seen` (None: anything), with their probabilities."""
        for outcome, p in self.game.start():
            if p > 0 and (seen is None or outcome.seen(self.player) == seen):
                for drawn in combinations(*self.kinds):
                    models, weight = [], p
                    for opponent, (kind, chance) in zip(self.opponents, drawn):
                        models.append(self._model(opponent, kind, kind.begin(outcome.seen(opponent))))
                        weight *= chance
                    yield self._point(outcome.state, tuple(models)), weight

    def step(self, point: InteractiveState, move: int, draw: Draw) -> Transition:
        """One step drawn, in which I play `move` of my menu (or anything, where I do not move)."""
        odds = point.odds or self._odds(point)
        joint: Any
        if len(odds) == 1:
            only = odds[0]
            if only is None:
                joint = move
            else:
                joint = only.places[bisect_right(only.upto, draw())] if only.upto else only.places[0]
        else:
            joint = tuple([move if o is None else o.places[bisect_right(o.upto, draw())] for o in odds])
        return self._led(point, joint, draw)

    def stray(self, point: InteractiveState, move: int, draw: Draw) -> Transition:
        """One step in which the others are not asked: they do anything legal, and remember that they did."""
        joint: Any = tuple(
            [move if k == point.place else int(draw() * len(legal)) for k, legal in enumerate(point.legal_sets)]
        )
        return self._led(point, joint if len(joint) > 1 else joint[0], draw)

    def _led(self, point: InteractiveState, joint: Any, draw: Draw) -> Transition:
        """What follows a joint move: one place, or a tuple of them."""
        row = point.rows.get(joint) or self._row(point, joint)
        upto = row.odds.upto
        k = bisect_right(upto, draw()) if upto else 0
        return row.links[k] or self._link(point, row, k)

    def branches(self, point: InteractiveState, move: int, slips: bool = False) -> Iterator[tuple[Transition, float]]:
        """Every step that may follow, with its probability. Where hands slip, the others do anything legal."""
        odds = point.odds or self._odds(point)
        options = [
            [(move, 1.0)] if o is None
            else [(k, 1 / len(legal)) for k in range(len(legal))] if slips
            else list(zip(o.places, o.weights))
            for o, legal in zip(odds, point.legal_sets)
        ]  # fmt: skip
        for drawn in combinations(*options):
            joint: Any = tuple(k for k, _ in drawn) if len(drawn) > 1 else drawn[0][0]
            row = point.rows.get(joint) or self._row(point, joint)
            chance = 1.0
            for _, p in drawn:
                chance *= p
            for k, p in enumerate(row.odds.weights):
                yield row.links[k] or self._link(point, row, k), chance * p

    def width(self, point: InteractiveState) -> int:
        """How many things the others may do here."""
        width = 1
        for odds in point.odds or self._odds(point):
            width *= len(odds.places) if odds else 1
        return width

    def _odds(self, point: InteractiveState) -> list[Cumulative | None]:
        models = {model.opponent: model for model in point.models}
        found = [
            None if i == self.player else acts(models[i], legal) for i, legal in zip(point.actors, point.legal_sets)
        ]
        point.odds = found
        return found

    def _row(self, point: InteractiveState, joint: Any) -> JointMove:
        """Ask the rules what a joint move (one place, or a tuple of them) leads to."""
        places = joint if isinstance(joint, tuple) else (joint,)
        actions = tuple(legal[k] for legal, k in zip(point.legal_sets, places))
        outcomes = self.game.step(point.state, actions)
        fault = outcomes.fault()
        if fault:
            raise GameError(f"{self.game}: found {fault}, at state {brief(point.state)} after {brief(actions)}")
        likely = [(outcome, p) for outcome, p in outcomes if p > 0]
        odds = SURE if len(likely) == 1 else odds_of([p for _, p in likely])
        row = point.rows[joint] = JointMove(dict(zip(point.actors, actions)), [outcome for outcome, _ in likely], odds)
        return row

    def _link(self, point: InteractiveState, row: JointMove, k: int) -> Transition:
        outcome, own = row.outcomes[k], row.own
        models = tuple(
            [self._after(model, own.get(model.opponent), outcome.seen(model.opponent)) for model in point.models]
        )
        pay = float(outcome.rewards[self.player]) if outcome.rewards else 0.0
        link = row.links[k] = Transition(self._point(outcome.state, models), pay, outcome.seen(self.player))
        return link

    def _point(self, state: Any, models: tuple[OpponentModel, ...]) -> InteractiveState:
        point = self.points.get((state, models))
        if point is None:
            game, actors = self.game, self.game.actors(state)
            legal_sets = [self._menu(ordered(game, game.actions(state, i), state)) for i in actors]
            if () in legal_sets:
                raise GameError(no_action(game, actors[legal_sets.index(())], state))
            point = self.points[state, models] = InteractiveState(state, models, actors, legal_sets, self.player)
        return point

    def _menu(self, legal: Legal) -> Legal:
        return self.legal_sets.setdefault(legal, legal)

    def _model(self, opponent: int, policy: AnyPolicy, memory: Any) -> OpponentModel:
        key = (opponent, id(policy), memory)
        model = self.models.get(key)
        if model is None:
            model = self.models[key] = OpponentModel(opponent, policy, memory)
        return model

    def _after(self, model: OpponentModel, action: Hashable | None, seen: Observation) -> OpponentModel:
        found = model.after.get((action, seen))
        if found is None:
            memory = model.policy.update(model.memory, action, seen)
            found = model.after[action, seen] = self._model(model.opponent, model.policy, memory)
        return found
