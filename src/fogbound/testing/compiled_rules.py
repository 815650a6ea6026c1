"""Compiled rules against the rules that it repeats: both play the same games, and every answer is compared."""

from __future__ import annotations

from collections.abc import Hashable
from itertools import cycle, islice, product
from random import Random
from typing import Any

from fogbound.compiled import asking
from fogbound.compiled.rules import CompiledRules
from fogbound.compiled.rules import play_out as no_play_out
from fogbound.core.errors import GameError, LimitError, brief
from fogbound.core.game import AnyGame, Game, Observation, Outcome
from fogbound.forms.table import compiled_table, plain_table

LONGEST = 1_000  # steps of one game
MOST_JOINTS = 16  # joint moves of a state that are all tried; of more, this many that are drawn


class Comparison:
    """A game and its compiled rules, side by side; how `fogbound.testing.check_compiled_rules` compares them."""

    def __init__(self, game: AnyGame, compiled: CompiledRules, random: Random) -> None:
        self.game, self.compiled, self.random = game, compiled, random
        self.room = asking.step_arrays(compiled)
        self.players = range(len(game.players))
        self.codes: list[dict[Observation, int]] = [{} for _ in self.players]
        self.observations: list[dict[int, Observation]] = [{} for _ in self.players]

    def run(self, plays: int) -> int:
        starts = list(self.game.start())
        self.same("the number of beginnings", "the start", len(starts), self.compiled.beginnings)
        order = self.random.sample(range(len(starts)), len(starts))
        for k in order[:plays]:
            self.begin(k, *starts[k])
        return sum(self.play(self.begin(k, *starts[k])) for k in islice(cycle(order), plays))

    def begin(self, k: int, outcome: Outcome[Any], p: float) -> Any:
        """The k-th beginning, now in the arrays."""
        where = f"beginning {k}"
        found = asking.begins(self.compiled.begin, self.compiled.rules, self.room, k)
        self.same("the probability", where, p, found)
        self.room.rewards[:] = 0.0  # the compiled rules' beginning pays nothing
        self.outcome(where, outcome)
        return outcome.state

    def play(self, state: Any) -> int:
        """One game from a state; how many states were compared."""
        for steps in range(LONGEST):
            row = self.room.state.copy()
            legal = self.decision(state, row)
            if not legal:
                return steps + 1
            joints = list(product(*map(range, map(len, legal))))
            if len(joints) > MOST_JOINTS:
                joints = self.random.sample(joints, MOST_JOINTS)
            following = [self.step(state, row, legal, places) for places in joints]
            self.plays_out(state, row)
            state, self.room.state[:] = self.random.choice([each for some in following for each in some])
        return LONGEST

    def decision(self, state: Any, row: Any) -> list[tuple[Hashable, ...]]:
        """What each actor may do, after both said the same."""
        compiled, room, where = self.compiled, self.room, f"state {brief(state)}"
        room.state[:] = row
        found = room.actors[: asking.find_actors(compiled.actors, compiled.rules, room)].tolist()
        actors = self.game.actors(state)
        self.same("actors", where, list(actors), found)
        legal = []
        for player in actors:
            codes = room.legal[: asking.offers(compiled.legal, compiled.rules, room, player)].tolist()
            actions = tuple(self.game.actions(state, player))
            self.same(
                f"legal actions of {self.game.players[player]}", where, actions, tuple(map(compiled.action, codes))
            )
            self.same("codes of actions", where, list(map(compiled.action_code, actions)), codes)
            legal.append(actions)
        self.same("the state after it was asked", where, row.tolist(), room.state.tolist())
        return legal

    def step(self, state: Any, row: Any, legal: Any, places: tuple[int, ...]) -> list[tuple[Any, Any]]:
        """What may follow a joint move, as the author's states and as rows."""
        compiled, room, after = self.compiled, self.room, []
        joint = tuple(actions[place] for actions, place in zip(legal, places))
        where = f"{brief(joint)} at state {brief(state)}"
        room.state[:] = row
        room.joint[: len(joint)] = [compiled.action_code(action) for action in joint]
        room.places[: len(joint)] = places
        outcomes = list(self.game.step(state, joint))
        count = asking.outcomes(compiled.chances, compiled.rules, room)
        self.same("probabilities", where, [p for _, p in outcomes], room.weights[:count].tolist())
        for k, (outcome, _) in enumerate(outcomes):
            room.state[:] = row
            asking.follows(compiled.follow, compiled.rules, room, k)
            self.outcome(where, outcome)
            after.append((outcome.state, room.state.copy()))
        return after

    def outcome(self, where: str, outcome: Outcome[Any]) -> None:
        """The state, the rewards and what is seen, as they are in the arrays."""
        compiled, room = self.compiled, self.room
        self.same("the state", where, outcome.state, compiled.state(room.state.tolist()))
        self.same("the state's row", where, list(compiled.state_row(outcome.state) or ()), room.state.tolist())
        self.same("rewards", where, list(outcome.rewards or [0.0] * len(self.players)), room.rewards.tolist())
        for player in self.players:
            seen, code = outcome.observation(player), int(room.seen[player])
            self.same(f"codes below 0 (the code of {seen!r})", where, False, code < 0)
            self.same(f"the code of {seen!r}", where, compiled.observation_code(player, seen), code)
            self.same(f"the code of {seen!r}", where, self.codes[player].setdefault(seen, code), code)
            self.same(f"what code {code} stands for", where, self.observations[player].setdefault(code, seen), seen)

    def plays_out(self, state: Any, row: Any) -> None:
        """Playing on at random, by the compiled rules' own way and by its other rules, from the same draws."""
        compiled, room = self.compiled, self.room
        if compiled.play_out is no_play_out:
            return
        left, draws = self.random.choice([0, 1, 2, 5, LONGEST]), self.random.getrandbits(62)
        rules, ends = (compiled.actors, compiled.legal, compiled.chances, compiled.follow), []
        for own in (False, True):
            room.state[:], room.random[0], room.returns[:] = row, draws, 0.0
            if own:
                asking.plays_out(compiled.play_out, compiled.rules, room, left)
            else:
                asking.play_on(*rules, compiled.rules, room, left, compiled.discount)
            ends.append((room.returns.tolist(), room.state.tolist(), int(room.random[0])))
        where = f"playing on for up to {left} steps from state {brief(state)}"
        for what, one, other in zip(("returns", "the last state", "the random numbers' place"), *ends):
            self.same(what, where, one, other)

    def tables(self, limit: int) -> None:
        """The whole table by both, where it has at most `limit` states and no symmetries are declared."""
        if type(self.game).canonical is not Game.canonical:
            return
        try:
            plain = plain_table(self.game, limit)
        except LimitError:
            return
        found = compiled_table(self.game, self.compiled, limit)
        for name in ("states", "actions", "observations"):
            self.same(name, "the table", list(getattr(plain, name)), list(getattr(found, name)))
        for name, column in plain.arrays().items():
            self.same(name, "the table", column.shape, found.arrays()[name].shape)
            self.same(name, "the table", column.tolist(), found.arrays()[name].tolist())

    def same(self, what: str, where: str, expected: Any, found: Any) -> None:
        if expected != found:
            raise GameError(f"{self.game}: {where}: {what} {brief(expected)}, the compiled rules say {brief(found)}")
