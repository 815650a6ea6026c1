"""A profile's own figures, in floats: what it earns, and where the form allows it, what best replies to it would earn.

The driver recomputes these from the profile that it returns, so that no reported number is the solver's word alone.
Nothing here is certified: the independent checker does that (`fogbound.certificates`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from fogbound.core.errors import FogboundError, FormError, LimitError, PolicyError
from fogbound.core.policy import AnyPolicy, Strategy, kinds, thinks
from fogbound.evaluation.exploitability import exploitability
from fogbound.forms.arrays import Floats
from fogbound.forms.form_game import FormGame
from fogbound.forms.path_totals import return_ranges, reward_sums
from fogbound.forms.pomdp import POMDP
from fogbound.forms.protocol import Form, Playable, Question, derive, underlying
from fogbound.forms.sequence import SequenceForm
from fogbound.forms.table import Table
from fogbound.policies.perfect_information import StatePolicy

POINTS = 20_000  # pairs of a state and memories that a profile is evaluated over ...
BELIEF_POINTS = 1_000  # ... where memories are beliefs: each is computed, and most policies reach infinitely many
FEW = 5_000  # states that are enumerated for the sake of trivial bounds alone
STATES = 20_000  # of a table whose best replies are computed state by state


@dataclass(frozen=True)
class Measured:
    """The figures of one profile, for one player.

    Parameters
    ----------
    value
        The player's expected payoff when everybody plays the profile.
    lower, upper
        Of two players and a constant sum: what the player's own strategy guarantees, and what a best reply to the
        other's earns. Of other profiles: the value, and what the player's best reply earns. None where the profile
        does not determine it cheaply.
    gap
        ``upper - lower`` of two players and a constant sum, which is NashConv; of other profiles the largest regret.
    regret
        The most that any player could gain by deviating alone; None where best replies are unknown.
    """

    value: float
    lower: float | None = None
    upper: float | None = None
    gap: float | None = None
    regret: float | None = None


def measured(form: Form, profile: Mapping[int, Strategy], player: int) -> Measured | None:
    """What `profile` earns on `form`, evaluated; None where that is impossible or too expensive.

    Policies that search at every move are not asked: what they earn is estimated by playing.
    """
    if any(_searches(kind) for policy in profile.values() for kind, _ in kinds(policy)):
        return None
    if form.certified_as in UNMEASURED:
        return None
    try:
        return MEASURES.get(form.certified_as, _on_chain)(form, profile, player)
    except (FormError, LimitError, PolicyError):
        return None


def _searches(policy: AnyPolicy) -> bool:
    """Whether a policy searches when it is asked; one of a table's states only looks up what was computed."""
    return thinks(policy) and not (isinstance(policy, StatePolicy) and isinstance(policy.game, Table))


def _on_sequences(form: Form, profile: Mapping[int, Strategy], player: int) -> Measured:
    """On trees, memories, sequence forms and matrices: values and best replies of all players."""
    found = exploitability(underlying(form, SequenceForm), profile)
    return _between(form, found.values, found.best, max(found.regrets), player)


def _on_markov(form: Form, profile: Mapping[int, Strategy], player: int) -> Measured:
    """On states that everybody knows. Regret is the largest in any state, unless the game has a value."""
    from fogbound.evaluation.markov import markov_values

    found = markov_values(form, profile)
    return _between(form, found.values, found.best_values, found.regret, player)


def _between(form: Form, values: tuple[float, ...], best: tuple[float, ...], regret: float, player: int) -> Measured:
    value, upper, total = values[player], best[player], form.constant_sum
    if total is None or len(values) != 2:
        return Measured(value, value, max(upper, value), regret, regret)
    lower = min(total - best[1 - player], value)  # they may cross by rounding
    upper = max(upper, value)
    return Measured(value, lower, upper, upper - lower, max(value - lower, upper - value))


def _on_table(form: Form, profile: Mapping[int, Strategy], player: int) -> Measured:
    """With perfect information: state by state, where the table is small; else the value alone."""
    from fogbound.evaluation.markov import markov_values
    from fogbound.forms.markov import MarkovGame

    table = underlying(form, Table)
    try:
        known = derive(table, MarkovGame) if table.size <= STATES else None
    except FormError:  # somebody does not know the state
        known = None
    if known is None:
        return Measured(_chain_values(table, profile, POINTS)[player])
    found = markov_values(known, profile)
    return _between(form, found.values, found.best_values, found.regret, player)


def _on_chain(form: Form, profile: Mapping[int, Strategy], player: int) -> Measured:
    """The Markov chain of finite-memory policies: the value alone, which is also a lower bound on the best reply's."""
    from fogbound.policies.belief_memory import RemembersBelief

    beliefs = any(isinstance(kind, RemembersBelief) for policy in profile.values() for kind, _ in kinds(policy))
    limit = BELIEF_POINTS if beliefs else POINTS
    if isinstance(form, POMDP):
        value = _chain_values(form, profile, limit)[0]
    else:
        value = _chain_values(underlying(form, Table), profile, limit)[player]
    return Measured(value, value)


def _chain_values(form: Table | POMDP, profile: Mapping[int, Strategy], limit: int) -> tuple[float, ...]:
    from fogbound.evaluation.chain import value

    return value(form, profile, limit)


MEASURES: dict[str, Callable[[Form, Mapping[int, Strategy], int], Measured]] = {  # by Form.certified_as
    "tree": _on_sequences,
    "memories": _on_sequences,
    "sequence": _on_sequences,
    "table": _on_table,
    "markov": _on_markov,
}  # others by the chain that the policies make, but for these
UNMEASURED = ("restricted", "one-sided", "nothing")


def possible_values(form: Form, player: int) -> tuple[float, float] | None:
    """The least and the most that any policies can earn `player`: trivial bounds, from the rewards alone.

    Of what is enumerated already, or has few states; None of other games, and where nothing bounds the number of steps.
    """
    try:
        model = _model(form)
        if model is not None:
            found = reward_sums(model.reward[1:], model.discount)  # row 0 is paid before the first step
            return None if found is None else (float(found[0] + model.reward[0]), float(found[1] + model.reward[0]))
        ranges = return_ranges(derive(form, Table, Question(limit=FEW)))
    except FogboundError:
        return None
    return None if ranges is None else (float(ranges[0, player]), float(ranges[1, player]))


def _model(form: Form) -> POMDP | None:
    """The POMDP that a form is, or that its game was made around."""
    game = form.as_game() if isinstance(form, Playable) else None
    held = game.form if isinstance(game, FormGame) else form
    return held if isinstance(held, POMDP) else None


def payoff_range(form: Form) -> float:
    """The largest difference between two payoffs of one player, or a lower estimate of it: no constant changes it."""
    if form.certified_as in ("tree", "memories", "sequence"):
        return underlying(form, SequenceForm).decisions.payoff_range
    reward: Floats = form.arrays().get("reward", np.zeros(0))
    if not reward.size:
        return form.largest
    spread = float(max(reward.max(), 0.0) - min(reward.min(), 0.0))  # an end pays nothing more
    largest = float(np.abs(reward).max())
    return spread * form.largest / largest if largest > 0 else 0.0
