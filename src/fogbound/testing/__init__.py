"""Public contract tests: hold your own game, form or solver against what Fogbound expects of it.

`check_game` finds what is wrong with a game and says it in words; `check_solver` holds a solver's answer
against exact evaluation and the independent checker; `check_compiled_rules` compares compiled rules with plain ones;
`random_games` is a hypothesis strategy (the extra `fogbound[testing]`) over games that hide bugs well.
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

import numpy as np

from fogbound.arena.episode import play
from fogbound.core.cancel import check
from fogbound.core.errors import FogboundError, GameError, LimitError, SpecError, brief, many
from fogbound.core.game import AnyGame
from fogbound.core.labels import to_json
from fogbound.driver.measured import measured
from fogbound.driver.solution import Solution
from fogbound.driver.solve import Until, solve
from fogbound.forms.available import enumerated
from fogbound.forms.knowledge import Knowledge, knowledge
from fogbound.forms.protocol import Form
from fogbound.forms.table import Table, table
from fogbound.policies.uniform import Uniform

if TYPE_CHECKING:
    from fogbound.compiled.rules import CompiledRules

__all__ = ["Finding", "check_compiled_rules", "check_form", "check_game", "check_solver", "random_games"]

STATES = 100_000
SETS = 10_000
ROWS = 2_000  # how many rows are asked for twice
DRAWN = 300  # how many states are drawn for each player


@dataclass(frozen=True)
class Finding:
    """One result of a check: fine, a warning, or something that could not be looked at.

    Attributes
    ----------
    mark
        ``ok``, ``warning`` or ``skipped``.
    words
        What was found, in a line.
    """

    mark: str
    words: str


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


def checking_game(game: AnyGame, source: Table | LimitError) -> Iterator[Finding]:
    """What `check_game` finds, as it is found: whoever stops it has what was found so far.

    `source` is the game's table, or why there is none (`forms.available.enumerated`).
    """
    if isinstance(source, LimitError):
        yield _plays(game)
        yield Finding("skipped", f"not enumerated, so only sampled play was checked: {source}")
        return
    yield Finding("ok", f"every state and action enumerates: {many(source.size, 'state')}")
    yield _plays(game)
    yield _repeats(game, source)
    yield from _labels(source)
    for player in range(len(game.players)):
        knows = knowledge(source, player, SETS)
        yield _knows(source, knows)
        yield _pictures(game, source, knows)


def _plays(game: AnyGame) -> Finding:
    """Uniform play a few times over: catches what would break in the middle of a game."""
    rng, steps = np.random.default_rng(0), 0
    policies = [Uniform()] * len(game.players)
    for _ in range(20):
        check()
        steps += play(game, policies, rng, most_steps=1_000).steps
    return Finding("ok", f"plays at random: 20 games, {steps / 20:.1f} steps on average")


def _repeats(game: AnyGame, source: Table) -> Finding:
    """Rules are functions: asked again they say the same."""
    if game.start() != game.start():
        raise GameError(f"{game}: start() says something else when asked again; rules may not draw at random")
    asked = 0
    for number, state in enumerate(source.states):
        if source.actor_set[number] == 0 or asked >= ROWS:
            continue
        check()
        joint = tuple(next(iter(game.actions(state, i))) for i in game.actors(state))
        if game.step(state, joint) != game.step(state, joint):
            where = f"step({brief(state)}, {brief(joint)})"
            raise GameError(f"{game}: {where} says something else when asked again; rules may not draw at random")
        asked += 1
    return Finding("ok", "the rules answer alike when asked twice")


def _labels(source: Table) -> list[Finding]:
    """Labels must print, save and stay apart: 1 and True are the same key in Python."""
    findings = []
    values: list[Any] = [
        *source.actions,
        *(part for observations in source.observations for seen in observations for part in seen),
    ]
    kinds = {type(v) for v in values if v is not None and v in (0, 1)}
    if bool in kinds and kinds & {int, float}:
        findings.append(Finding("warning", "labels mix True/False with 1/0, which Python holds to be equal"))
    try:
        for value in values:
            check()
            to_json(value)
        findings.append(Finding("ok", "actions and observations are plain values, so policies can be saved"))
    except FogboundError as error:
        findings.append(Finding("warning", str(error)))
    return findings


def _knows(source: Table, knows: Knowledge) -> Finding:
    name = source.players[knows.player]
    if knows.surprised:
        one, other = (brief(source.states[s], 40) for s in knows.surprised)
        return Finding("warning", f"{name}: being asked to move tells {one} from {other}, which look alike until then")
    part = "" if knows.complete else f" (in the first {len(knows.sets):,} of more sets of like states)"
    return Finding("ok", f"{name}: legal actions follow from what is known{part}")


def _pictures(game: AnyGame, source: Table, knows: Knowledge) -> Finding:
    """A player's picture must be the same for all states it cannot tell apart, and must be proper SVG."""
    player, name = knows.player, source.players[knows.player]
    for called, show, most in (("board()", game.board, source.size), ("draw()", game.draw, DRAWN)):
        shown: dict[int, Any] = {}
        for states in knows.sets:
            check()
            live = [s for s in states if source.actor_set[s] != 0][:most]
            for s in live:
                if s not in shown:
                    shown[s] = show(source.states[s], player)
                if shown[s] != shown[live[0]]:
                    one, other = (brief(source.states[k]) for k in (live[0], s))
                    raise GameError(f"{game}: {name} cannot tell {one} from {other}, but {called} shows a difference")
            if len(shown) >= most:
                break
    picture = game.draw(source.states[0], player)
    try:
        ElementTree.fromstring(picture.svg)
    except ElementTree.ParseError as error:
        raise GameError(f"{game}: draw() for {name} is no well-formed SVG: {error}") from error
    return Finding("ok", f"{name}: the board shows only what is known")


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


def check_solver(solver: Any, form: Form, until: Until | None = None, seed: int = 0) -> Solution:
    """Solve twice, and compare the solver's last claims with an evaluation of its policies.

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
        Bounds cross, the solver claims a better bound or a smaller gap than its policies have, or the same seed does
        not give the same answer.

    Examples
    --------
    >>> import fogbound as fb
    >>> form = fb.forms.sequence(fb.game("card-poker(ranks=3)"))
    >>> round(fb.testing.check_solver(fb.solver("sequence-lp"), form).value, 6)
    -0.055556
    """
    first, second = solve(solver, form, until, seed), solve(solver, form, until, seed)
    if (first.value, first.lower, first.upper) != (second.value, second.lower, second.upper):
        raise FogboundError(f"{form.spec}: the same seed gave {first.value!r} and {second.value!r}")
    slack = 1e-9 * max(1.0, abs(first.value))
    if not first.lower - slack <= first.value <= first.upper + slack or not math.isfinite(first.value):
        raise FogboundError(f"{form.spec}: value {first.value} outside its bounds {first.lower}, {first.upper}")
    _check_claims(first, form)
    return first


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

    from fogbound.forms.tree import count_nodes
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
    return games if loops else games.filter(lambda game: count_nodes(table(game))[0] <= most_nodes)
