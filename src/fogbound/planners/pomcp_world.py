"""The world as one player's search steps through it: states together with what the fixed others are and remember.

It is the product of `forms.product`, explored only where samples go: a point is a state with the others' minds, and it
knows the points that it has led to, so that a step taken before costs a few dictionary look-ups and asks neither the
rules nor the others again. What was met is forgotten all at once when there is too much of it, between searches.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Hashable, Iterator, Mapping
from itertools import product as combinations
from typing import Any, NamedTuple

from fogbound.core.errors import FormError, GameError, brief
from fogbound.core.game import AnyGame, Outcome, Seen
from fogbound.core.policy import AnyPolicy, Player, kinds
from fogbound.forms.contract import no_action, ordered, require_seats
from fogbound.planners.pomcp_minds import SURE, Menu, Mind, Odds, acts, odds_of

MOST_POINTS = 200_000
Draw = Callable[[], float]  # the `random` of a generator


class Point:
    """A state, with the minds of the others; `place` is where I am among the actors, -1 when I do not move."""

    __slots__ = ("actors", "menu", "menus", "minds", "odds", "place", "rows", "state")

    def __init__(
        self, state: Any, minds: tuple[Mind, ...], actors: tuple[int, ...], menus: list[Menu], me: int
    ) -> None:
        self.state, self.minds, self.actors, self.menus = state, minds, actors, menus
        self.place = actors.index(me) if me in actors else -1
        self.menu: Menu = menus[self.place] if self.place >= 0 else ()
        self.odds: list[Odds | None] | None = None  # what the actors may do; None in my own place
        self.rows: dict[Any, Row] = {}


class Link(NamedTuple):
    """Where one outcome leads, what it pays me and what I see of it."""

    point: Point
    pay: float
    seen: Seen


class Row:
    """The outcomes of one joint move, with links made when they are first drawn."""

    __slots__ = ("links", "odds", "outcomes", "own")

    def __init__(self, own: dict[int, Hashable], outcomes: list[Outcome[Any]], odds: Odds) -> None:
        self.own, self.outcomes, self.odds = own, outcomes, odds
        self.links: list[Link | None] = [None] * len(outcomes)


class World:
    """A game seen from seat `me`, the others being played by `others`."""

    def __init__(self, game: AnyGame, me: int, others: Mapping[int, Player], limit: int = MOST_POINTS) -> None:
        require_seats(game)
        wanted = [seat for seat in range(len(game.players)) if seat != me]
        if not 0 <= me < len(game.players) or sorted(others) != wanted:
            raise FormError(
                f"{game}: player {me} with policies for seats {sorted(others)}, expected one of {len(game.players)} "
                "seats and a policy for each of the others"
            )
        self.game, self.me, self.seats, self.limit = game, me, tuple(wanted), limit
        self.kinds = [[(kind, p) for kind, p in kinds(others[seat]) if p > 0] for seat in wanted]
        self.points: dict[Any, Point] = {}
        self.minds: dict[Any, Mind] = {}
        self.menus: dict[Menu, Menu] = {}

    def trim(self) -> None:
        """Forget what was met when it is too much. Points that somebody holds stay valid: they ask again."""
        if len(self.points) + len(self.minds) > self.limit:
            for point in self.points.values():
                point.rows.clear()
            for mind in self.minds.values():
                mind.after.clear()
                mind.acts.clear()
            for met in (self.points, self.minds, self.menus):
                met.clear()

    def begin(self, seen: Seen) -> Iterator[tuple[Point, float]]:
        """The points at which the game may begin when it shows `seen`, with their probabilities."""
        for outcome, p in self.game.start():
            if p > 0 and outcome.seen(self.me) == seen:
                for drawn in combinations(*self.kinds):
                    minds, weight = [], p
                    for seat, (kind, chance) in zip(self.seats, drawn):
                        minds.append(self._mind(seat, kind, kind.begin(outcome.seen(seat))))
                        weight *= chance
                    yield self._point(outcome.state, tuple(minds)), weight

    def step(self, point: Point, move: int, draw: Draw) -> Link:
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

    def stray(self, point: Point, move: int, draw: Draw) -> Link:
        """One step in which the others are not asked: they do anything legal, and remember that they did."""
        joint: Any = tuple(
            [move if k == point.place else int(draw() * len(menu)) for k, menu in enumerate(point.menus)]
        )
        return self._led(point, joint if len(joint) > 1 else joint[0], draw)

    def _led(self, point: Point, joint: Any, draw: Draw) -> Link:
        """What follows a joint move: one place, or a tuple of them."""
        row = point.rows.get(joint) or self._row(point, joint)
        upto = row.odds.upto
        k = bisect_right(upto, draw()) if upto else 0
        return row.links[k] or self._link(point, row, k)

    def branches(self, point: Point, move: int, slips: bool = False) -> Iterator[tuple[Link, float]]:
        """Every step that may follow, with its probability. Where hands slip, the others do anything legal."""
        odds = point.odds or self._odds(point)
        options = [
            [(move, 1.0)] if o is None
            else [(k, 1 / len(menu)) for k in range(len(menu))] if slips
            else list(zip(o.places, o.weights))
            for o, menu in zip(odds, point.menus)
        ]  # fmt: skip
        for drawn in combinations(*options):
            joint: Any = tuple(k for k, _ in drawn) if len(drawn) > 1 else drawn[0][0]
            row = point.rows.get(joint) or self._row(point, joint)
            chance = 1.0
            for _, p in drawn:
                chance *= p
            for k, p in enumerate(row.odds.weights):
                yield row.links[k] or self._link(point, row, k), chance * p

    def width(self, point: Point) -> int:
        """How many things the others may do here."""
        width = 1
        for odds in point.odds or self._odds(point):
            width *= len(odds.places) if odds else 1
        return width

    def _odds(self, point: Point) -> list[Odds | None]:
        minds = {mind.seat: mind for mind in point.minds}
        found = [None if i == self.me else acts(minds[i], menu) for i, menu in zip(point.actors, point.menus)]
        point.odds = found
        return found

    def _row(self, point: Point, joint: Any) -> Row:
        """Ask the rules what a joint move (one place, or a tuple of them) leads to."""
        places = joint if isinstance(joint, tuple) else (joint,)
        actions = tuple(menu[k] for menu, k in zip(point.menus, places))
        outcomes = self.game.step(point.state, actions)
        fault = outcomes.fault()
        if fault:
            raise GameError(f"{self.game}: found {fault}, at state {brief(point.state)} after {brief(actions)}")
        likely = [(outcome, p) for outcome, p in outcomes if p > 0]
        odds = SURE if len(likely) == 1 else odds_of([p for _, p in likely])
        row = point.rows[joint] = Row(dict(zip(point.actors, actions)), [outcome for outcome, _ in likely], odds)
        return row

    def _link(self, point: Point, row: Row, k: int) -> Link:
        outcome, own = row.outcomes[k], row.own
        minds = tuple([self._after(mind, own.get(mind.seat), outcome.seen(mind.seat)) for mind in point.minds])
        pay = float(outcome.rewards[self.me]) if outcome.rewards else 0.0
        link = row.links[k] = Link(self._point(outcome.state, minds), pay, outcome.seen(self.me))
        return link

    def _point(self, state: Any, minds: tuple[Mind, ...]) -> Point:
        point = self.points.get((state, minds))
        if point is None:
            game, actors = self.game, self.game.actors(state)
            menus = [self._menu(ordered(game, game.actions(state, i), state)) for i in actors]
            if () in menus:
                raise GameError(no_action(game, actors[menus.index(())], state))
            point = self.points[state, minds] = Point(state, minds, actors, menus, self.me)
        return point

    def _menu(self, menu: Menu) -> Menu:
        return self.menus.setdefault(menu, menu)

    def _mind(self, seat: int, policy: AnyPolicy, memory: Any) -> Mind:
        key = (seat, id(policy), memory)
        mind = self.minds.get(key)
        if mind is None:
            mind = self.minds[key] = Mind(seat, policy, memory)
        return mind

    def _after(self, mind: Mind, action: Hashable | None, seen: Seen) -> Mind:
        found = mind.after.get((action, seen))
        if found is None:
            memory = mind.policy.update(mind.memory, action, seen)
            found = mind.after[action, seen] = self._mind(mind.seat, mind.policy, memory)
        return found
