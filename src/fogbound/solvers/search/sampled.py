"""A game as the form of solvers that only sample it: nothing is enumerated, so nothing is bounded.

What cannot be enumerated cannot be proven to hide nothing either. Random plays are watched from every player; one
decision at which a mover could be in two states is enough to refuse the game, and most games that hide something
show it at once. The policies themselves check every decision that they are asked for.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from random import Random
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from fogbound.compiled.rules import CompiledRules
from fogbound.core.dist import Dist
from fogbound.core.errors import FormError, LimitError, PolicyError, brief
from fogbound.core.game import AnyGame
from fogbound.core.policy import Strategy
from fogbound.core.simulator import RuleSimulator
from fogbound.forms.compiled_rules import table_rules
from fogbound.forms.identity import game_files
from fogbound.forms.protocol import MAYBE, NOTHING, Described, Question
from fogbound.forms.table import enumerate_table
from fogbound.policies.perfect_information import StatePolicy

OVER: tuple[int, tuple[Any, ...]] = (-1, ())  # nobody's turn, nothing to do
PLAYS, STEPS = 20, 500  # random plays that are watched, and their steps in all
ELSE = "use a solver of hidden information, such as sequence-lp, cfr-plus or mccfr"


@dataclass(frozen=True, eq=False, repr=False)
class SampledGame(Described):
    """The game itself, and the player whose value is asked for.

    Parameters
    ----------
    game
        The game, which is only played, never enumerated.
    player
        Whose value is asked for.
    """

    kind: ClassVar[str] = "sampled"
    made_from: ClassVar[str] = "game"
    against: ClassVar[str] = NOTHING
    certified_as: ClassVar[str] = "nothing"

    game: AnyGame
    player: int = 0

    @property
    def spec(self) -> str:
        return str(self.game)

    @property
    def origin(self) -> None:
        """The game itself, which is no form."""

    @property
    def players(self) -> tuple[str, ...]:
        return self.game.players

    @property
    def size(self) -> int:
        """Nothing is enumerated."""
        return 0

    @property
    def constant_sum(self) -> None:
        """Not known of what is only sampled."""

    @property
    def largest(self) -> float:
        """Not known of what is only sampled."""
        return 0.0

    def describe(self) -> str:
        return "the game itself, sampled"

    @classmethod
    def derive(cls, source: AnyGame, question: Question) -> SampledGame:
        return cls(source, question.player)

    def as_game(self) -> AnyGame:
        return self.game

    @cached_property
    def compiled(self) -> CompiledRules:
        """The game for the compiled search."""
        return compiled_rules_of(self.game)

    def arrays(self) -> dict[str, NDArray[Any]]:
        """What the provenance is hashed over: the spec, and the content of what the rules are read from."""
        read_from = sorted(game_files(self.game).values())
        return {"spec": _letters(self.spec), **({"rules": _letters(" ".join(read_from))} if read_from else {})}


@dataclass(frozen=True, eq=False, repr=False)
class ModelledGame(SampledGame):
    """The game itself, the player whose value is asked for, and how the others play; at random where nobody says.

    Parameters
    ----------
    game
        The game, which is enumerated only where that is affordable.
    player
        Whose value is asked for.
    others
        The policies or mixtures of the others, by player; empty: they move at random.
    """

    kind: ClassVar[str] = "modelled"
    against: ClassVar[str] = MAYBE

    others: Mapping[int, Strategy] = field(default_factory=dict)

    def describe(self) -> str:
        return "the game itself, sampled, with the others modelled"

    @classmethod
    def derive(cls, source: AnyGame, question: Question) -> ModelledGame:
        return cls(source, question.player, dict(question.others))


def _letters(text: str) -> NDArray[np.int64]:
    return np.frombuffer(text.encode(), np.uint8).astype("<i8")


def compiled_rules_of(game: AnyGame, limit: int | None = None) -> CompiledRules:
    """A game for the compiled search: its own compiled rules, or those of its table.

    Parameters
    ----------
    game
        The game.
    limit
        States of the table, at most; None: as many as tables have.

    Returns
    -------
    CompiledRules

    Raises
    ------
    LimitError
        It has no compiled rules and is too large for a table.
    """
    own: CompiledRules | None = game.compiled_rules()
    if own is not None:
        return own
    try:
        return table_rules(enumerate_table(game) if limit is None else enumerate_table(game, limit=limit))
    except LimitError as error:
        instead = (
            f"the compiled search needs a table, or compiled rules of its own: {type(game).__name__}.compiled_rules()"
        )
        raise LimitError(f"{error}; {instead}") from error


def generator(seed: int, state: Any) -> Random:
    """A generator of its own for each seed and state: the same in every process."""
    return Random(f"{seed} {stable_text(state)}")


def stable_text(value: Any) -> str:
    """A text that tells values apart and is the same in every run; the order within sets is not (hashes are salted)."""
    if isinstance(value, frozenset | set):
        return "{" + ",".join(sorted(map(stable_text, value))) + "}"
    if isinstance(value, tuple | list):
        return "(" + ",".join(map(stable_text, value)) + ")"
    if dataclasses.is_dataclass(value):
        parts = [stable_text(getattr(value, part.name)) for part in dataclasses.fields(value)]
        return f"{type(value).__name__}({','.join(parts)})"
    return repr(value)


def turn(rules: RuleSimulator, state: Any, who: str) -> tuple[int, tuple[Any, ...]]:
    """Whose turn it is (-1 when play is over) and what it may do; FormError where several move at once."""
    actors = rules.actors(state)
    if len(actors) == 1:
        return actors[0], rules.legal(state, actors)[0]
    if not actors:
        return OVER
    names = " and ".join(rules.players[i] for i in actors)
    raise FormError(
        f"{who}: in {rules.spec} {names} move at once at state {brief(state)}, so neither sees what the other does, "
        f"and perfect information is needed; {ELSE}"
    )


def require_sight(rules: RuleSimulator, who: str, rng: Random, depth: int) -> None:
    """Refuse a game that hides something, as far as random plays can tell."""
    steps, everybody = 0, range(len(rules.players))
    for _ in range(PLAYS):
        watchers = [StatePolicy(rules.game, player, lambda _, actions: Dist.uniform(actions)) for player in everybody]
        outcome = rules.opening().sample(rng)
        memories = [watcher.begin(rules.observed(outcome, player)) for player, watcher in enumerate(watchers)]
        for _ in range(depth):
            mover, actions = turn(rules, outcome.state, who)
            if mover < 0 or steps == STEPS:
                break
            steps += 1
            try:
                watchers[mover].state(memories[mover])
            except PolicyError as error:
                raise FormError(f"{who}: {error}") from error
            action = actions[int(rng.random() * len(actions))]
            outcome = rules.drawn(outcome.state, (action,), rng)
            for player, watcher in enumerate(watchers):
                own = action if player == mover else None
                memories[player] = watcher.update(memories[player], own, rules.observed(outcome, player))
