"""Public contract tests: hold your own game, form or solver against what Fogbound expects of it.

`check_game` finds what is wrong with a game and says it in words; `check_solver` holds a solver's answer
against exact evaluation and the independent checker; `check_compiled_rules` and `check_vector_rules` compare other
rules with the plain ones;
`random_games` is a hypothesis strategy (the extra `fogbound[testing]`) over games that hide bugs well.
"""

from __future__ import annotations

import math
import random
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import numpy as np

from fogbound.arena.contract import Finding, checking_game
from fogbound.core.errors import FogboundError, GameError, SpecError, brief
from fogbound.core.game import AnyGame
from fogbound.driver.options import RunOptions
from fogbound.driver.protocol import Until
from fogbound.driver.report import measured
from fogbound.driver.solution import Solution
from fogbound.driver.solve import run_solver
from fogbound.driver.solver import AnySolver
from fogbound.forms.available import enumerated
from fogbound.forms.protocol import Form
from fogbound.forms.table import enumerate_table, plain_table, vector_table

if TYPE_CHECKING:
    from fogbound.compiled.rules import CompiledRules

__all__ = [
    "Finding",
    "check_compiled_rules",
    "check_form",
    "check_game",
    "check_solver",
    "check_vector_rules",
    "random_games",
]

STATES = 100_000
RESUMED = 20  # iterations of the run that is interrupted halfway


def check_game(game: AnyGame, states: int = STATES) -> list[Finding]:
    """Hold a game against its contract: what is broken raises, the rest is reported.

    Parameters
    ----------
    game
        The rules.
    states
        How many states are enumerated; of a larger game only sampled play is checked.

    Returns
    -------
    list of Finding
        What is fine, what is worth a look, and what could not be looked at.

    Raises
    ------
    GameError
        A breach of the contract; the message names the state.

    Examples
    --------
    >>> import fogbound as fb
    >>> {finding.mark for finding in fb.testing.check_game(fb.game("king-ace"))}
    {'ok'}
    """
    return list(checking_game(game, enumerated(game, states)))


def check_form(form: Form) -> None:
    """Hold a form's arrays against each other: pointers in range, probabilities that sum to one.

    Parameters
    ----------
    form
        Any form.

    Raises
    ------
    FogboundError
        Two arrays do not fit; the message names the row.

    Examples
    --------
    >>> import fogbound as fb
    >>> fb.testing.check_form(fb.forms.table(fb.game("king-ace")))
    """
    arrays = form.arrays()
    for name in {"row", "out"} & set(arrays):
        if (np.diff(arrays[name]) < 0).any():
            raise FogboundError(f"{form.spec}: {name} goes down")
    if "out" in arrays:
        out, prob = arrays["out"], arrays["prob"]
        rows = np.repeat(np.arange(len(out) - 1), np.diff(out))
        sums = np.bincount(rows, weights=prob, minlength=len(out) - 1)
        if np.abs(sums - 1).max(initial=0.0) > 1e-9:
            raise FogboundError(f"{form.spec}: outcomes of row {int(np.abs(sums - 1).argmax())} do not sum to 1")


def check_vector_rules(game: AnyGame, states: int = STATES) -> int:
    """Compare a game's vectorised rules with its plain ones: the whole tables, states, labels and numbers to the bit.

    Parameters
    ----------
    game
        The rules; `Game.vector_rules` gives the others.
    states
        How many states there may be: test a small variant of a large game.

    Returns
    -------
    int
        How many states were compared.

    Raises
    ------
    GameError
        They differ; the message says where.
    LimitError
        There are more states.

    Examples
    --------
    >>> import fogbound as fb
    >>> fb.testing.check_vector_rules(fb.game("king-ace"))
    Traceback (most recent call last):
    fogbound.core.errors.SpecError: king-ace has no vectorised rules: its vector_rules() returns None
    """
    rules = game.vector_rules()
    if rules is None:
        raise SpecError(f"{game} has no vectorised rules: its vector_rules() returns None")
    plain, found = plain_table(game, states), vector_table(game, rules, states)
    for name in ("states", "actions", "observations"):
        _same_table(game, name, list(getattr(plain, name)), list(getattr(found, name)))
    for name, column in plain.arrays().items():
        _same_table(game, name, column.tolist(), found.arrays()[name].tolist())
    return plain.size


def _same_table(game: AnyGame, name: str, expected: list[Any], found: list[Any]) -> None:
    """Refuse a column in which the two tables differ, with the first place where they do."""
    if expected == found:
        return
    pairs = enumerate(zip(expected, found))
    place = next((k for k, (one, other) in pairs if one != other), min(len(expected), len(found)))
    one, other = (brief(each[place]) if place < len(each) else "nothing" for each in (expected, found))
    raise GameError(f"{game}: {name} of the table, entry {place}: {one}, the vectorised rules say {other}")


def check_solver(solver: AnySolver, form: Form, until: Until | None = None, seed: int = 0) -> Solution:
    """The contract test of a solver: solve twice, compare claims with an evaluation, go on from a checkpoint.

    Parameters
    ----------
    solver
        What is tested.
    form
        The form that it works on.
    until
        When it stops.
    seed
        Of its random numbers.

    Returns
    -------
    Solution

    Raises
    ------
    FogboundError
        It is no solver, bounds cross, it claims a better bound or a smaller gap than its policies have, the same seed
        does not give the same answer, or a run that was interrupted does not go on to the same answer.

    Examples
    --------
    >>> import fogbound as fb
    >>> form = fb.forms.sequence(fb.game("card-poker(ranks=3)"))
    >>> round(fb.testing.check_solver(fb.solver("sequence-lp"), form).value, 6)
    -0.055556
    """
    first, second = (run_solver(solver, form, RunOptions(until or Until(), seed)) for _ in range(2))
    if (first.value, first.lower, first.upper) != (second.value, second.lower, second.upper):
        raise FogboundError(f"{form.spec}: the same seed gave {first.value!r} and {second.value!r}")
    slack = 1e-9 * max(1.0, abs(first.value))
    if not first.lower - slack <= first.value <= first.upper + slack or not math.isfinite(first.value):
        raise FogboundError(f"{form.spec}: value {first.value} outside its bounds {first.lower}, {first.upper}")
    _check_claims(first, form)
    _check_resumed(solver, form, min(first.iterations, RESUMED), seed)
    return first


def _check_resumed(solver: AnySolver, form: Form, iterations: int, seed: int) -> None:
    """A run that was interrupted goes on from its checkpoint to the answer of one that was not."""
    with TemporaryDirectory() as folder:
        whole = RunOptions(Until(iterations=iterations), seed, check_seconds=None)
        kept = Path(folder) / "checkpoint.npz"
        run_solver(solver, form, replace(whole, until=Until(iterations=max(1, iterations // 2)), checkpoint=kept))
        once, resumed = run_solver(solver, form, whole), run_solver(solver, form, replace(whole, resume=kept))
    for name in ("value", "lower", "upper", "iterations"):
        one, other = getattr(once, name), getattr(resumed, name)
        if one != other and not (one != one and other != other):
            raise FogboundError(f"{form.spec}: resumed, {solver.name} has the {name} {other!r}, in one go {one!r}")


def _check_claims(found: Solution, form: Form) -> None:
    """The last figures that the solver yielded, against an evaluation of its profile: it may claim less, never more."""
    own = None if "mediator" in found.details else measured(form, found.profile, found.player)
    if own is None:  # such profiles are not evaluated: the figures are called claimed, or certified
        return
    said = found.trace[-1]
    slack = 1e-9 * max(1.0, abs(own.value), abs(own.lower or 0.0), abs(own.upper or 0.0))
    for name, better in (("lower", 1), ("upper", -1), ("gap", -1)):
        claimed, has = getattr(said, name), getattr(own, name)
        if has is not None and better * (claimed - has) > slack:
            raise FogboundError(f"{form.spec}: the solver claims the {name} {claimed!r}, its profile has {has!r}")


def check_compiled_rules(
    game: AnyGame, plays: int = 20, seed: int = 0, compiled: CompiledRules | None = None, limit: int = 2_000
) -> int:
    """Play a game and its compiled rules side by side, and compare all that they say.

    At every state: who moves, what is legal and in which order; after every joint move the outcomes in order with their
    probabilities, the states, the rewards and what everybody sees, codes being equal exactly where observations are.
    Then `play_out` plays on from there, and must take the same draws to the same end as the other functions do. A game
    of at most `limit` states is also enumerated by both: the tables must be equal, bit for bit and in the same order.

    Parameters
    ----------
    game
        The rules.
    plays
        Games, from different beginnings where there are as many.
    seed
        Of the moves.
    compiled
        What is compared; the game's own where none is given.
    limit
        States up to which the whole tables are compared.

    Returns
    -------
    int
        How many states were compared.

    Raises
    ------
    GameError
        The two differ; the message names the state and what each says.

    Examples
    --------
    >>> import fogbound as fb
    >>> fb.testing.check_compiled_rules(fb.game("king-up(seats=2)"), plays=2) > 20
    True
    """
    from fogbound.testing.compiled_rules import Comparison

    made = game.compiled_rules() if compiled is None else compiled
    if made is None:
        raise SpecError(f"{game}: has no compiled rules, expected a game whose compiled_rules() gives them")
    if (made.players, made.discount) != (game.players, game.discount):
        found = f"{brief(made.players)} and {made.discount}"
        expected = f"{game.players} and {game.discount}"
        raise GameError(f"{game}: the compiled rules' players and discount are {found}, expected {expected}")
    comparison = Comparison(game, made, random.Random(seed))
    compared = comparison.run(plays)
    comparison.tables(limit)
    return compared


def random_games(zero_sum: bool = False, loops: bool = False, most_nodes: int = 3_000) -> Any:
    """A hypothesis strategy over small random games (needs the extra `fogbound[testing]`).

    Random turn order with simultaneous moves, chance, public and private signals, general-sum or zero-sum
    rewards, discounts.

    Parameters
    ----------
    zero_sum
        Only games of two players in which one's gain is the other's loss.
    loops
        Games in which play can come back to where it was; these are discounted.
    most_nodes
        How many nodes the tree of a game without loops may have.

    Returns
    -------
    hypothesis.strategies.SearchStrategy

    Examples
    --------
    >>> from hypothesis import given
    >>> import fogbound as fb
    >>> @given(fb.testing.random_games(zero_sum=True))
    ... def test_my_solver(game):
    ...     assert len(game.players) == 2
    """
    from hypothesis import strategies as st

    from fogbound.forms.tree import tree_size
    from fogbound.games.random_game import RandomGame

    games = st.builds(
        RandomGame,
        seed=st.integers(0, 10**6),
        seats=st.just(2) if zero_sum else st.integers(1, 3),
        depth=st.integers(1, 4),
        width=st.integers(1, 3),
        actions_=st.integers(1, 3),
        signals=st.integers(1, 3),
        zero_sum=st.just(zero_sum),
        loops=st.just(loops),
        discount=st.sampled_from([0.5, 0.75, 0.9] if loops else [1.0, 1.0, 0.5, 0.9]),
    )
    return games if loops else games.filter(lambda game: tree_size(enumerate_table(game))[0] <= most_nodes)
