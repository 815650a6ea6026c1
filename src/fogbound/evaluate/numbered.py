"""A policy that plays many games at once: memories are values, so each is numbered and asked about once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fogbound.core.policy import AnyPolicy, Player, kinds
from fogbound.forms.bayes import Numbers
from fogbound.forms.pomdp import POMDP, WAIT
from fogbound.forms.product import moves
from fogbound.forms.table import Floats, Ints

SURE = 2.0  # above every draw: the running sum from the last possible place on


class Numbered:
    """Arrays of numbers in, one entry a game, arrays of numbers out."""

    def __init__(self, form: POMDP, policy: Player) -> None:
        self.form = form
        likely = [(kind, p) for kind, p in kinds(policy) if p > 0]
        self.types: list[AnyPolicy] = [kind for kind, _ in likely]
        self.prior = np.array([p for _, p in likely]) / sum(p for _, p in likely)
        self.numbers: dict[tuple[int, Any], int] = {}
        self.memories: list[tuple[int, Any]] = []
        self.known: dict[int, int] = {}  # (memory, action, observation) to the memory after it
        self.chosen: dict[int, int] = {}  # (memory, menu) to a row of `upto`
        self.sights, self.menus = zip(*form.observations)
        self.menu_of = np.array(self.menus, np.int64)
        widest = max((len(menu) for menu in form.menus), default=1)
        self.upto: Floats = np.full((16, widest), SURE)  # [choices, places] running sums of probabilities

    def first(self, obs: Ints, rng: np.random.Generator) -> Numbers:
        """The memories that games begin with."""
        games, sights = len(obs), len(self.sights)
        kind = rng.choice(len(self.types), games, p=self.prior) if len(self.types) > 1 else np.zeros(games, np.int64)
        return _each(kind * sights + obs, lambda key: self._first(*divmod(key, sights)))

    def place(self, memory: Numbers, obs: Ints, rng: np.random.Generator) -> Numbers:
        """Where in its menu each game's action stands; 0 where the player can only wait."""
        menus, menu = len(self.form.menus) + 1, self.menu_of[obs]
        asked = np.flatnonzero(menu >= 0)
        places = np.zeros(len(memory), np.int64)
        keys = memory[asked] * menus + menu[asked]
        choices = _each(keys, lambda key: self._choice(key, *divmod(key, menus)))
        places[asked] = (rng.random(len(asked))[:, None] >= self.upto[choices]).sum(axis=1)
        return places

    def after(self, memory: Numbers, action: Ints, obs: Ints) -> Numbers:
        """The memories after a step."""
        actions, sights = len(self.form.actions) + 1, len(self.sights)
        keys = (memory * actions + action + 1) * sights + obs
        return _each(keys, lambda key: self._after(key, actions, sights))

    def _number(self, kind: int, memory: Any) -> int:
        number = self.numbers.setdefault((kind, memory), len(self.memories))
        if number == len(self.memories):
            self.memories.append((kind, memory))
        return number

    def _first(self, kind: int, obs: int) -> int:
        return self._number(kind, self.types[kind].begin(self.sights[obs]))

    def _choice(self, key: int, memory: int, menu: int) -> int:
        """The row of `upto` that holds what the policy does with this memory, asked for this menu."""
        row = self.chosen.get(key)
        if row is None:
            kind, value = self.memories[memory]
            pairs = moves(self.types[kind], value, self.form.menus[menu])
            row = self.chosen[key] = len(self.chosen)
            if row == len(self.upto):
                self.upto = np.concatenate([self.upto, np.full_like(self.upto, SURE)])
            shares = np.zeros(pairs[-1][0] + 1)
            shares[[place for place, _ in pairs]] = [p for _, p in pairs]
            self.upto[row, : len(shares) - 1] = np.cumsum(shares)[:-1]
        return row

    def _after(self, key: int, actions: int, sights: int) -> int:
        found = self.known.get(key)
        if found is None:
            (memory, action), obs = divmod(key // sights, actions), key % sights
            kind, value = self.memories[memory]
            label = None if action - 1 == WAIT else self.form.actions[action - 1]
            found = self.known[key] = self._number(kind, self.types[kind].update(value, label, self.sights[obs]))
        return found


def _each(keys: NDArray[np.int64], answer: Callable[[int], int]) -> Numbers:
    """The answer to every key, asked once for those that are equal."""
    distinct, place = np.unique(keys, return_inverse=True)
    return np.array([answer(key) for key in distinct.tolist()], np.int64)[place]
