"""Compiled rules: a game once more, as functions on integers that enumerate and search it a hundred times as fast.

A state is a row of int64 words. The rules are five functions of fixed signatures, written in the subset of Python that
numba compiles and marked `@rule`; they are compiled once and handed to kernels as addresses, so that one kernel plays
every game and holds the code of none. `rules.integers` and `rules.numbers` hold the game's own constants; all other
arguments are columns that the caller made, to be read or filled:

- `begin(rules, k, state, seen)` writes the k-th outcome of `Game.start` and what each player sees of it; returns its
  probability. The start pays nothing.
- `actors(rules, state, out)` writes who moves, in increasing order; returns how many: 0, the game is over.
- `legal(rules, state, player, out)` writes the codes of an actor's legal actions, in the author's order; returns how
  many.
- `chances(rules, state, joint, places, weights)` writes the probabilities of the outcomes of a joint action, all
  positive; returns how many.
- `follow(rules, state, joint, places, k, rewards, seen)` makes `state` the k-th of those, in the author's order, and
  writes what each player is paid and sees; returns 0.

`joint` holds the actors' action codes, `places` the places of these in their lists. Codes stand for actions and for
observations of a player: equal exactly where these are, and not negative.

Optional functions say more than the plain rules do. A kernel works without them:

- `play_out(rules, state, random, left, returns)` plays up to `left` steps at random and adds what everybody gets;
  returns how many it played. It draws as the search would: each actor's place, then an outcome where there are several.
- `worths(rules, state, player, out)` writes an upper bound of each legal action's value: what it is worth to a player
  who sees everything from then on; returns how many.
- `knows(rules, state, player)` gives the number of a player's memory, where a state is a whole history.

What is asked later (the public structure of a deal, its public actions and successors) becomes one more optional
function: a line in `SIGNATURES`, a default below, a comparison in `fogbound.testing.check_compiled_rules`. A step of
many states at once needs none: rows of a matrix are columns, and a kernel loops over them with the same functions.

Simulators, which draw instead of listing outcomes, are compiled by the same `@rule` from rows of numbers
(`compiled/sampled_rules.py`, the functions of `SAMPLING`).
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

import numpy as np
from numba import config, njit, types
from numba.core import cgutils
from numba.experimental.function_type import FunctionModel
from numba.extending import NativeValue, register_model, typeof_impl, unbox

from fogbound.compiled.bundle import Bundle, Column
from fogbound.compiled.cache import kernel_cache
from fogbound.core.contract import require_discount
from fogbound.core.errors import GameError
from fogbound.core.game import AnyGame, Observation


@dataclass(frozen=True, eq=False)
class Rules(Bundle):
    """The constants of one game's rules: its parameters, its arrays laid end to end."""

    integers: np.ndarray  # [i]
    numbers: np.ndarray  # [f]


RULES = Rules(np.zeros(1, np.int64), np.zeros(1))._kind  # type: ignore[attr-defined]
WORDS, REALS, COUNT, REAL = Column(types.int64), Column(types.float64), types.int64, types.float64
SIGNATURES = {
    "begin": REAL(RULES, COUNT, WORDS, WORDS),
    "actors": COUNT(RULES, WORDS, WORDS),
    "legal": COUNT(RULES, WORDS, COUNT, WORDS),
    "chances": COUNT(RULES, WORDS, WORDS, WORDS, REALS),
    "follow": COUNT(RULES, WORDS, WORDS, WORDS, COUNT, REALS, WORDS),
    "play_out": COUNT(RULES, WORDS, WORDS, COUNT, REALS),
    "worths": COUNT(RULES, WORDS, COUNT, REALS),
    "knows": COUNT(RULES, WORDS, COUNT),
}
SAMPLING = {  # of simulators: states and observations are rows of numbers
    "initial": COUNT(RULES, WORDS, REALS),
    "step": COUNT(RULES, REALS, COUNT, WORDS, REALS, REALS),
    "observation_density": REAL(RULES, REALS, COUNT, REALS, REALS),
    "value": REAL(RULES, REALS),
    "upper": REAL(RULES, REALS),
    "lower": REAL(RULES, REALS),
    "rollout": COUNT(RULES, REALS, WORDS),
}

REQUIRED = ("begin", "actors", "legal", "chances", "follow")


class RuleType(types.FunctionType):
    """The type of a rule: numba's own of functions, which is handed over by asking for its address alone.

    Numba's own way asks Python a dozen questions about each function at each call of a kernel, .02 ms in all.
    """


register_model(RuleType)(FunctionModel)


class Rule(types.WrapperAddressProtocol):
    """One compiled function of compiled rules, handed to kernels by its address; also callable, as plain Python."""

    def __init__(self, name: str, function: Callable[..., Any]) -> None:
        signatures = {**SIGNATURES, **SAMPLING}
        if name not in signatures:
            raise GameError(f"@rule {name}: compiled rules have no such function, expected {', '.join(signatures)}")
        self.name, self.function, self._signature = name, function, signatures[name]
        self.kind = RuleType(self._signature)
        self._address = 0

    @property
    def address(self) -> int:
        """Where the machine code begins."""
        return self._address or self.__wrapper_address__()

    def __call__(self, *arguments: Any) -> Any:
        return self.function(*arguments)

    def __wrapper_address__(self) -> int:
        """Where the machine code begins; compiled when it is first asked for, and kept on disk."""
        if not self._address:
            compiled = njit(self.function)
            compiled._cache = kernel_cache(self.function, "rules")
            compiled.compile(self._signature)
            made = compiled.get_compile_result(self._signature)
            self._kept = compiled
            self._address = made.library.get_pointer_to_function(made.fndesc.llvm_cfunc_wrapper_name)
        return self._address

    def signature(self) -> Any:
        return self._signature


@typeof_impl.register(Rule)
def _kind_of(rule: Rule, _context: object) -> RuleType:
    return rule.kind


@unbox(RuleType)
def _unbox(kind: RuleType, rule: Any, context: Any) -> NativeValue:
    """What a kernel holds: the address, and nothing that numba would call instead."""
    held = cgutils.create_struct_proxy(kind)(context.context, context.builder)
    address = context.pyapi.object_getattr_string(rule, "address")
    held.c_addr = context.pyapi.long_as_voidptr(address)
    context.pyapi.decref(address)
    nothing = context.context.get_constant_null(types.voidptr)
    held.py_addr = nothing
    held.jit_addr = nothing
    return NativeValue(held._getvalue(), is_error=cgutils.is_not_null(context.builder, context.pyapi.err_occurred()))


def rule(function: Callable[..., Any]) -> Any:
    """Mark a function of compiled rules, named as in `SIGNATURES` or `SAMPLING`; without a compiler nothing changes."""
    return function if config.DISABLE_JIT else Rule(function.__name__, function)  # type: ignore[attr-defined]


def functions_in(module: Mapping[str, Any]) -> dict[str, Any]:
    """The functions of compiled rules among the names of a module (`vars(module)`, `globals()`)."""
    missing = [name for name in REQUIRED if name not in module]
    if missing:
        raise GameError(f"{module.get('__name__')}: no @rule {', '.join(missing)}, expected {', '.join(REQUIRED)}")
    return {name: module[name] for name in SIGNATURES if name in module}


@rule
def play_out(rules, state, random, left, returns):  # noqa: ARG001
    """Nothing of its own."""
    return np.int64(0)


@rule
def worths(rules, state, player, out):  # noqa: ARG001
    """Nothing known."""
    return np.int64(0)


@rule
def knows(rules, state, player):  # noqa: ARG001
    """Nothing known."""
    return np.int64(-1)


class Words(Protocol):
    """The author's words for the numbers of compiled rules."""

    def action(self, code: int, /) -> Hashable:
        """The action that a code stands for."""

    def action_code(self, action: Hashable, /) -> int:
        """The code of an action."""

    def observation_code(self, player: int, seen: Observation, /) -> int:
        """The code of what a player sees; -1 where it is no observation of this game."""

    def state(self, row: Sequence[int], /) -> Hashable:
        """The author's state that a row stands for."""

    def state_row(self, state: Any, /) -> Sequence[int] | None:
        """The row of a state; None where it has none, as where nothing is left to be paid."""


@dataclass(frozen=True, eq=False)
class CompiledRules:
    """A game as compiled functions, and the words for its numbers.

    Parameters
    ----------
    spec
        The spec of the game.
    players
        Its players' names.
    discount
        Step t counts discount**t.
    rules
        The constants that all functions are handed first.
    words
        What its numbers stand for.
    width
        Words of a state.
    beginnings
        Outcomes of the start.
    most_actions, most_outcomes
        At any one decision, and after any joint action.
    begin, actors, legal, chances, follow
        The rules.
    play_out, worths, knows
        What it may have beside them.
    """

    spec: str
    players: tuple[str, ...]
    discount: float
    rules: Rules = field(repr=False)
    words: Words = field(repr=False)
    width: int
    beginnings: int
    most_actions: int
    most_outcomes: int
    begin: Any = field(repr=False)
    actors: Any = field(repr=False)
    legal: Any = field(repr=False)
    chances: Any = field(repr=False)
    follow: Any = field(repr=False)
    play_out: Any = field(default=play_out, repr=False)
    worths: Any = field(default=worths, repr=False)
    knows: Any = field(default=knows, repr=False)

    def __post_init__(self) -> None:
        require_discount(self.spec, self.discount, GameError)

    @classmethod
    def of(
        cls,
        game: AnyGame,
        functions: Mapping[str, Any],
        words: Words,
        *,
        width: int,
        most_actions: int,
        beginnings: int = 1,
        most_outcomes: int = 1,
        integers: Sequence[int] | np.ndarray = (0,),
        numbers: Sequence[float] | np.ndarray = (0.0,),
    ) -> CompiledRules:
        """The compiled rules of a game.

        Parameters
        ----------
        game
            The plain rules, of which players and discount are taken.
        functions
            The names of the module that holds the functions, as `vars(kernels)` or `globals()`.
        words, width, most_actions, beginnings, most_outcomes
            As above.
        integers, numbers
            The game's constants.

        Returns
        -------
        CompiledRules
        """
        constants = Rules(np.array(integers, np.int64), np.array(numbers, np.float64))
        sizes = width, beginnings, most_actions, most_outcomes
        return cls(str(game), game.players, game.discount, constants, words, *sizes, **functions_in(functions))

    def action(self, code: int) -> Hashable:
        return self.words.action(code)

    def action_code(self, action: Hashable) -> int:
        return self.words.action_code(action)

    def observation_code(self, player: int, seen: Observation) -> int:
        return self.words.observation_code(player, seen)

    def state(self, row: Sequence[int]) -> Hashable:
        return self.words.state(row)

    def state_row(self, state: Any) -> Sequence[int] | None:
        return self.words.state_row(state)

    def without_worths(self) -> CompiledRules:
        """The same game, as if nothing were known of what actions are worth."""
        return replace(self, worths=worths)

    @property
    def functions(self) -> tuple[Any, ...]:
        """All that a search calls, in the order in which its kernels take them."""
        return self.actors, self.legal, self.chances, self.follow, self.play_out, self.worths, self.knows
