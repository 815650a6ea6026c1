"""Enumerating a game: calling its author once a state and joint action, and giving numbers to what comes back.

Plain Python, since authors write plain Python; so the loop over states keeps everything it calls in local variables.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Hashable, Sequence
from itertools import product
from typing import Any

import numpy as np

from fogbound.core.dist import Dist
from fogbound.core.errors import FogboundError, GameError, LimitError, brief
from fogbound.core.game import AnyGame, Game, Seen
from fogbound.forms.contract import no_action, ordered, require_seats
from fogbound.forms.table import START, Ints, Table
from fogbound.forms.table_rows import ALONE, Rows

OUTCOMES_PER_STATE = 100  # a table may hold this many outcomes for each state that its limit allows


class Enumeration:
    """The builder's work space: id tables and growing columns."""

    def __init__(self, game: AnyGame, limit: int) -> None:
        require_seats(game)
        self.game, self.limit, self.n = game, limit, len(game.players)
        plain = type(game).canonical is Game.canonical
        self.canonical = None if plain else game.canonical
        self.states: list[Any] = []
        self.state_ids: dict[Hashable, int] = {}
        self.crew_ids: dict[tuple[int, ...], int] = {(): 0}
        self.menu_ids: dict[tuple[Hashable, ...], int] = {}
        self.menus: list[tuple[Hashable, ...]] = []
        self.solo: list[list[tuple[Hashable, ...]]] = []  # per menu: its actions as joint actions of one actor
        self.event_ids: dict[tuple[Any, ...], int] = {}  # as the author wrote them
        self.events: dict[tuple[Any, ...], int] = {}  # in full: what is paid to and seen by each player
        self.rows = Rows(OUTCOMES_PER_STATE * limit)
        self.add_next, self.add_event = self.rows.next.append, self.rows.event.append
        self.known_state = self.state_ids.get if plain else _unknown

    def run(self) -> Table:
        crew_of, menus_of, rows = self._states()
        return self._pack(crew_of, menus_of, rows)

    def _states(self) -> tuple[list[int], list[tuple[int, ...]], list[int]]:
        """Breadth first over states; `self.states` grows while it is walked."""
        game, where = self.game, "start()"
        crew_of: list[int] = []
        menus_of: list[tuple[int, ...]] = []
        rows = [1]
        state: Any = None
        try:
            self._outcomes(START, game.start(), None, None)
            actors, actions, step, outcomes = game.actors, game.actions, game.step, self._outcomes
            crew_ids, menu_ids, solo, held = self.crew_ids, self.menu_ids, self.solo, self.rows
            known, added, references, alone, kinds = held.known, held.kind, sys.getrefcount, ALONE, 1
            add = added.append
            add(START)
            for state in self.states:
                where = "actors"
                crew = actors(state)
                number = crew_ids.get(crew)
                if number is None:
                    number = self._new_crew(crew, state)
                crew_of.append(number)
                if number == 0:
                    menus_of.append(())
                    rows.append(rows[-1])
                    continue
                menus = []
                for player in crew:
                    where = "actions"
                    offered = actions(state, player)
                    if type(offered) is not tuple:
                        offered = ordered(game, offered, state)
                    menu = menu_ids.get(offered)
                    if menu is None:
                        menu = self._new_menu(offered, state, player)
                    menus.append(menu)
                menus_of.append(tuple(menus))
                where = "step"
                joints = solo[menus[0]] if len(menus) == 1 else self._joints(menus)
                for joint in joints:
                    dist = step(state, joint)
                    if references(dist) > alone:  # the author holds it as well, and may hand it out again
                        again = known.get(id(dist))
                        if again is not None:
                            add(again)
                            continue
                        held.hold(dist, kinds)
                    outcomes(kinds, dist, state, joint)
                    add(kinds)
                    kinds += 1
                rows.append(rows[-1] + len(joints))
                if len(added) > held.batch:
                    self._require_room()
        except FogboundError:
            raise
        except Exception as error:
            found = f"{type(error).__name__}: {error}"
            at = f" at state {brief(state)}" if state is not None else ""
            raise GameError(f"{game}: {where} raised {found}{at}") from error
        return crew_of, menus_of, rows

    def _require_room(self) -> None:
        if self.rows.overfull():
            raise LimitError(
                f"{self.game}: more than {self.rows.most:,} outcomes, over what limit={self.limit:,} states allows. "
                "Raise limit=, make the game smaller, or use a solver that only samples"
            )

    def _joints(self, menus: list[int]) -> list[tuple[Hashable, ...]]:
        """All joint actions of several movers, counted before they are listed."""
        many = math.prod(len(self.menus[m]) for m in menus)
        if many + len(self.rows) > self.rows.most:
            raise LimitError(
                f"{self.game}: {many:,} joint actions in one state, over what limit={self.limit:,} allows. Raise "
                "limit=, or use a solver that only samples"
            )
        return list(product(*(self.menus[m] for m in menus)))

    def _outcomes(self, kind: int, dist: Dist[Any], state: Any, joint: Any) -> None:
        """The outcomes of one row: ids for states and events, equal outcomes merged, impossible ones dropped."""
        if type(dist) is not Dist:
            raise GameError(f"{self.game}: found {brief(dist)}, expected a Dist of Outcomes, {_where(state, joint)}")
        pairs = dist.pairs
        if len(pairs) == 1 and pairs[0][1] == 1.0:
            outcome = pairs[0][0]
            successor = self.known_state(outcome.state)
            self.add_next(self._new_state(outcome.state) if successor is None else successor)
            key = (outcome.rewards, outcome.public, outcome.private)
            event = self.event_ids.get(key)
            self.add_event(self._new_event(key, state, joint) if event is None else event)
            return
        fault = dist.fault()
        if fault:
            raise GameError(f"{self.game}: found {fault}, {_where(state, joint)}")
        merged: dict[tuple[int, int], float] = {}
        for outcome, p in pairs:
            if p > 0:
                key = (outcome.rewards, outcome.public, outcome.private)
                event = self.event_ids.get(key)
                if event is None:
                    event = self._new_event(key, state, joint)
                successor = self.known_state(outcome.state)
                pair = (self._new_state(outcome.state) if successor is None else successor, event)
                merged[pair] = merged.get(pair, 0.0) + p
        total = math.fsum(merged.values())  # 1 up to rounding, which must not add up over a long game
        for successor, event in merged:
            self.add_next(successor)
            self.add_event(event)
        if len(merged) > 1:
            self.rows.widen(kind, [p / total for p in merged.values()])

    def _new_state(self, state: Any) -> int:
        """The number of a state that is not known as the author wrote it."""
        if self.canonical:
            state = self.canonical(state)
            number = self.state_ids.get(state)
            if number is not None:
                return number
        number = self.state_ids[state] = len(self.states)
        self.states.append(state)
        if number >= self.limit:
            raise LimitError(
                f"{self.game}: more than {self.limit:,} states, so it cannot be enumerated. Raise limit=, "
                "make the game smaller, or use a solver that only samples"
            )
        return number

    def _new_crew(self, crew: Any, state: Any) -> int:
        seats = range(self.n)
        if not isinstance(crew, tuple) or list(crew) != sorted(set(crew) & set(seats)):
            raise GameError(
                f"{self.game}: actors is {brief(crew)} at state {brief(state)}, expected a tuple of different "
                f"seats from 0 to {self.n - 1} in increasing order"
            )
        self.crew_ids[crew] = len(self.crew_ids)
        return self.crew_ids[crew]

    def _new_menu(self, offered: tuple[Hashable, ...], state: Any, player: int) -> int:
        if not offered:
            raise GameError(no_action(self.game, player, state))
        if len(set(offered)) != len(offered):
            raise GameError(f"{self.game}: actions {brief(offered)} at state {brief(state)} hold one action twice")
        self.menus.append(offered)
        self.solo.append([(action,) for action in offered])
        self.menu_ids[offered] = len(self.menus) - 1
        return len(self.menus) - 1

    def _new_event(self, key: tuple[Any, ...], state: Any, joint: Any) -> int:
        rewards, public, private = key
        for name, value in (("rewards", rewards), ("private", private)):
            if not isinstance(value, tuple) or len(value) not in (0, self.n):
                length = f"{len(value)} entries" if isinstance(value, Sequence) else brief(value)
                raise GameError(
                    f"{self.game}: {name} {brief(value)} has {length}, expected a tuple with one a player "
                    f"({self.n}) or (), {_where(state, joint)}"
                )
        if not all(isinstance(r, int | float) and math.isfinite(r) for r in rewards):
            raise GameError(f"{self.game}: rewards {brief(rewards)}, expected finite numbers, {_where(state, joint)}")
        full = (rewards or (0.0,) * self.n, public, private or (None,) * self.n)  # () says the same, shorter
        number = self.event_ids[key] = self.events.setdefault(full, len(self.events))
        return number

    def _pack(self, crew_of: list[int], menus_of: list[tuple[int, ...]], rows: list[int]) -> Table:
        action_ids: dict[Hashable, int] = {}
        menus = [[action_ids.setdefault(a, len(action_ids)) for a in menu] for menu in self.menus]
        sights: tuple[dict[Seen, int], ...] = tuple({} for _ in range(self.n))
        pay, seen = [], []
        for rewards, public, private in self.events:
            pay.append(rewards)
            views = [Seen(public, private[i]) for i in range(self.n)]
            seen.append([ids.setdefault(view, len(ids)) for ids, view in zip(sights, views)])
        width = max(1, max(map(len, self.crew_ids), default=1))
        return Table(
            spec=str(self.game),
            players=tuple(self.game.players),
            discount=float(self.game.discount),
            crew=np.array(crew_of, np.int32),
            crew_actors=_padded(self.crew_ids, width),
            crew_size=np.array([len(c) for c in self.crew_ids], np.int32),
            menu=_padded(menus_of, width),
            menu_actions=_padded(menus, max(map(len, menus), default=1)),
            menu_size=np.array([len(m) for m in menus], np.int32),
            row=np.array(rows, np.int32),
            **self.rows.columns()._asdict(),
            pay=np.array(pay, np.float64).reshape(-1, self.n),
            seen=np.array(seen, np.int32).reshape(-1, self.n),
            states=self.states,
            actions=list(action_ids),
            sights=tuple(list(ids) for ids in sights),
        )


def _unknown(_state: Any) -> int | None:
    """For games whose states must be made canonical before they can be looked up."""
    return None


def _where(state: Any, joint: Any) -> str:
    return "in start()" if joint is None else f"after {brief(joint)} at state {brief(state)}"


def _padded(lists: Any, width: int) -> Ints:
    """Ragged lists of ids as a rectangle, padded with -1."""
    rows = list(lists)
    if width == 1:
        return np.array([r[0] if r else -1 for r in rows], np.int32).reshape(-1, 1)
    rectangle = np.full((len(rows), width), -1, np.int32)
    for r, ids in enumerate(rows):
        rectangle[r, : len(ids)] = ids
    return rectangle
