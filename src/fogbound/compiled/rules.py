"""A game as compiled functions on whole numbers: what a search that plays a million games a second asks.

A state is a row of integers. The rules are five functions of fixed signatures, compiled once and handed on as
addresses, so that one search, compiled once, plays every game and holds the code of none. Any enumerated
game has compiled rules without a line of its own (`forms.compiled_rules.table_rules`); a larger one writes its rules a
second time, and a contract test (`fogbound.testing.check_compiled_rules`) plays both against each other.

The functions, all on a `Rules` bundle `rules` of the game's own numbers and on columns that the caller made:

- `begin(rules, k, state, seen)` writes the k-th way to begin and what each player sees of it; returns its probability.
- `actors(rules, state, out)` writes who moves and returns how many they are: 0, the game is over.
- `legal(rules, state, player, out)` writes the codes of what an actor may do, in the author's order; returns how many.
- `chances(rules, state, joint, places, weights)` writes the probabilities of what may follow; returns their number.
- `follow(rules, state, joint, places, k, rewards, seen)` makes `state` the k-th of those, in the author's order, and
  writes what each player is paid and sees.

`joint` holds the actors' codes, `places` the places of these in their lists of legal actions. A code stands for an
action or an observation of one player: equal exactly where these are.

Three more make a search faster or better where a game has them. `play_out(rules, state, random, left, returns)` plays
on at random and adds what everybody gets, drawing as the search itself would: for every step the place of each actor's
action, then an outcome where there are several. `worths(rules, state, player, out)` writes what each legal action is
worth to a player who from then on sees everything, an upper bound. `knows(rules, state, player)` gives the number of
what a player knows in a state that is a whole history, as a node of a tree is.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field, replace
from types import ModuleType
from typing import Any

import numpy as np
from numba import config, njit, types
from numba.core import cgutils
from numba.experimental.function_type import FunctionModel
from numba.extending import NativeValue, register_model, typeof_impl, unbox

from fogbound.compiled.bundle import Bundle, Column
from fogbound.compiled.cache import kernel_cache
from fogbound.core.contract import require_discount
from fogbound.core.errors import GameError
from fogbound.core.game import Observation


@dataclass(frozen=True, eq=False)
class Rules(Bundle):
    """The numbers that the rules of one game are made of: its parameters, its arrays laid end to end."""

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


class RuleType(types.FunctionType):
    """The type of a rule: numba's own of functions, which is handed over by asking for its address alone.

    Numba's own way asks Python a dozen questions about each function at each call of a kernel, .02 ms in all.
    """


register_model(RuleType)(FunctionModel)


class Rule(types.WrapperAddressProtocol):
    """One compiled function of compiled rules, handed to kernels by its address; also callable, as plain Python."""

    def __init__(self, name: str, function: Callable[..., Any]) -> None:
        self.name, self.function, self._signature = name, function, SIGNATURES[name]
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
            compiled.compile(self._signature.args)
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
    """A function of compiled rules, by its name one of `SIGNATURES`; where nothing is compiled it stays what it is."""
    return function if config.DISABLE_JIT else Rule(function.__name__, function)  # type: ignore[attr-defined]


def functions_in(kernels: ModuleType) -> dict[str, Any]:
    """The functions of compiled rules that a module holds, by their names: all that it has of `SIGNATURES`."""
    return {name: vars(kernels)[name] for name in SIGNATURES if name in vars(kernels)}


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
        What its functions are handed first.
    width
        Integers of a state.
    beginnings
        Ways to begin.
    most_actions, most_outcomes
        At any one decision, and after any joint move.
    begin, actors, legal, chances, follow
        The rules.
    play_out, worths, knows
        What it may have beside them.
    action
        The action that a code stands for.
    action_code
        The code of an action.
    observation_code
        The code of what a player sees.
    state
        The author's state that a row of integers stands for.
    state_row
        The row of a state; None where it has none, as where nothing is left to be paid.
    """

    spec: str
    players: tuple[str, ...]
    discount: float
    rules: Rules = field(repr=False)
    width: int
    beginnings: int
    most_actions: int
    most_outcomes: int
    begin: Any = field(repr=False)
    actors: Any = field(repr=False)
    legal: Any = field(repr=False)
    chances: Any = field(repr=False)
    follow: Any = field(repr=False)
    action: Callable[[int], Hashable] = field(repr=False)
    action_code: Callable[[Hashable], int] = field(repr=False)
    observation_code: Callable[[int, Observation], int] = field(repr=False)
    state: Callable[[Sequence[int]], Hashable] = field(repr=False)
    state_row: Callable[[Any], Sequence[int] | None] = field(repr=False)
    play_out: Any = field(default=play_out, repr=False)
    worths: Any = field(default=worths, repr=False)
    knows: Any = field(default=knows, repr=False)

    def __post_init__(self) -> None:
        require_discount(self.spec, self.discount, GameError)

    def without_worths(self) -> CompiledRules:
        """The same game, as if nothing were known of what actions are worth."""
        return replace(self, worths=worths)

    @property
    def functions(self) -> tuple[Any, ...]:
        """All that a search calls, in the order in which its kernels take them."""
        return self.actors, self.legal, self.chances, self.follow, self.play_out, self.worths, self.knows
