"""The figures to report: recomputed from the returned profile, and certified where that is quick.

A solver's own numbers are its claims. The reported ones come from the exact checker wherever it has confirmed them,
otherwise from an evaluation of the profile in floats (`driver.measured`); those that neither gives are called claimed.

Evidence for which the time limit leaves time: all of it, or less, and what that costs of the gap.

A profile's own figures, in floats: what it earns, and where the form allows it, what best replies to it would earn.

The driver recomputes these from the profile that it returns, so that no reported number is the solver's word alone.
Nothing here is certified: the independent checker does that (`fogbound.certificates`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from math import inf
from typing import TYPE_CHECKING, Any

import numpy as np

from fogbound.certificates.certificate import Certificate
from fogbound.certificates.checking import Checking, certify
from fogbound.certificates.wording import LOWER
from fogbound.core.errors import FogboundError, FormError, LimitError, PolicyError, Stopped
from fogbound.core.numerals import number
from fogbound.core.policy import AnyPolicy, Strategy, kinds, thinks
from fogbound.driver.limits import SHARE
from fogbound.driver.protocol import Evidence, Progress, Until
from fogbound.evaluation.exploitability import exploitability
from fogbound.forms.arrays import Floats
from fogbound.forms.path_totals import return_ranges
from fogbound.forms.pomdp import POMDP
from fogbound.forms.protocol import OTHERS, Form, FormGame, Playable, Question, ValueRange, derive, underlying
from fogbound.forms.sequence import SequenceForm
from fogbound.forms.table import Table
from fogbound.policies.perfect_information import StatePolicy

if TYPE_CHECKING:
    from fogbound.policies.alpha_vectors import AlphaVectors

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
    from fogbound.policies.alpha_vectors import RemembersBelief

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
UNMEASURED = ("restricted", "one-sided", "average", "nothing")


def possible_values(form: Form, player: int) -> tuple[float, float] | None:
    """The least and the most that any policies can earn `player`: trivial bounds, from the rewards alone.

    Of what is enumerated already, or has few states; None of other games, and where nothing bounds the number of steps.
    """
    try:
        held = _held(form)
        if isinstance(held, ValueRange):
            return held.value_range()
        ranges = return_ranges(derive(form, Table, Question(limit=FEW)))
    except FogboundError:
        return None
    return None if ranges is None else (float(ranges[0, player]), float(ranges[1, player]))


def _held(form: Form) -> object:
    """The form that its game was made around, or the form itself."""
    game = form.as_game() if isinstance(form, Playable) else None
    return game.form if isinstance(game, FormGame) else form


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


LOSS = 0.25  # of the gap: a policy that loses more by thinning is not worth the certificate
STARTING = 0.25  # seconds until a process beside this one has read what it checks
MOMENT = 0.2  # seconds: a check of no more is worth making whatever the limit
NOTHING, ROUNDING = 1e-3, 1e-12  # of the gap, and of the values: a cost that is not worth a word
SAMPLE, SAMPLE_SECONDS = 20_000, 0.06  # sums of fractions, and how long they take where checks were measured


def evidence_in_time(progress: Progress, checking: Checking) -> Evidence:
    """The evidence of an answer, thinned where time is short; `details["thinned"]` says what that costs."""
    thinning = progress.thinning
    if thinning is None or not checking.thins or thinning.seconds() <= MOMENT:
        return progress.evidence()
    end, slow = checking.elapsed() + checking.left, slowness(checking.elapsed)

    def allowed() -> float:
        return SHARE * max(end - checking.elapsed() - STARTING, 0.0) / slow

    if thinning.least > max(allowed(), MOMENT):  # whatever is left out: all of it, for `fogbound verify`
        return progress.evidence()
    less = thinning.make(allowed)
    lower = progress.lower if progress.earned is None else progress.earned()
    upper = progress.upper if progress.upper < inf or less.upper is None else less.upper
    own = max(upper - lower, 0.0)
    spare = own * (1 + NOTHING) + ROUNDING * max(abs(lower), abs(upper))
    if less.lower is None or less.upper is None or less.upper - less.lower <= spare:
        return less
    gap = less.upper - less.lower
    if lower - less.lower > LOSS * own and thinning.seconds() * slow <= checking.left:
        return progress.evidence()  # all of it may just fit, and less is not worth the check
    if lower - less.lower > LOSS * own:
        why = f"not certified: a policy small enough to be checked in the time left earns {less.lower:.4g} only"
        return Evidence.missing(why, lower, max(upper, lower))
    return replace(less, details={**less.details, "thinned": {"gap": own, "cost": gap - own}})


def slowness(elapsed: Callable[[], float]) -> float:
    """How many times longer exact arithmetic takes here and now than where checks were measured, at least 1."""
    began, part = elapsed(), Fraction(1, 89)
    for k in range(SAMPLE):
        Fraction(k, 97) + part
    return max(1.0, (elapsed() - began) / SAMPLE_SECONDS)


EARNED, GUARANTEE, ESTIMATE, SEARCH, CLAIMED = "earned", "guarantee", "estimate", "search", "claimed"
EQUILIBRIUM = "equilibrium"  # `Solver.finds` of those that claim one
REGRET = 1e-6  # of the payoff range: what a profile may leave to be gained and still be called an equilibrium


@dataclass(frozen=True)
class Report:
    """Value, bounds and gap as they are reported, with the certificate behind them.

    Parameters
    ----------
    value, lower, upper, gap
        As `Solution` has them.
    value_is
        ``earned``: the player's expected payoff under the profile, evaluated. ``guarantee``: a proven lower bound on
        it, where the profile cannot be evaluated exactly. ``estimate``: the mean return of games that it played.
        ``search``: the mean return of a search's simulations. ``claimed``: the solver's word.
    claimed
        Which of value, lower and upper are the solver's word alone.
    regret
        The most that any player could gain by deviating alone, where that is known.
    certificate
        The evidence for the bounds.
    details
        What became known with them.
    profile
        The policies that the certificate is about, where these are not the ones that the solver returned first.
    alpha_vectors
        Makes the alpha vectors that stay with an answer of those policies.
    """

    value: float
    lower: float
    upper: float
    gap: float
    value_is: str = CLAIMED
    claimed: tuple[str, ...] = ("value", "lower", "upper")
    regret: float | None = None
    certificate: Certificate | None = None
    details: Mapping[str, Any] = field(default_factory=dict)
    profile: dict[int, Strategy] | None = None
    alpha_vectors: Callable[[], AlphaVectors | None] | None = None

    def basis(self) -> dict[str, Any]:
        """What the figures rest on, for `Solution.details`, where that is not an evaluation of the profile."""
        value_is = {} if self.value_is == EARNED else {"value_is": self.value_is}
        return value_is | ({"claimed": list(self.claimed)} if self.claimed else {})


def own_figures(progress: Progress, uncertified: str = "") -> Report:
    """The solver's own figures, all of them claimed, and why they are not certified, where that is to be said."""
    details = {"uncertified": uncertified} if uncertified else {}
    own = Report(progress.value, progress.lower, progress.upper, progress.distance, details=details)
    if progress.sampled not in (ESTIMATE, SEARCH):
        return replace(own, claimed=_claimed(own, "value", "lower", "upper"))
    return replace(own, value_is=progress.sampled, claimed=_claimed(own, "lower", "upper"))


def evaluated_figures(
    progress: Progress, form: Form, profile: Mapping[int, Strategy], player: int, uncertified: str = ""
) -> Report:
    """The figures of a profile for which there is no certificate: evaluated where that is possible."""
    own = own_figures(progress, uncertified)
    try:
        found = _measured(progress, form, profile, player)
    except Stopped:
        found = None
    if found is None and progress.earned is not None:
        value = progress.earned()
        upper = max(own.upper, value)
        return replace(own, value=value, lower=value, upper=upper, gap=upper - value)
    return own if found is None else _evaluated(own, found)


def report(progress: Progress, form: Form, profile: Mapping[int, Strategy], player: int, checking: Checking) -> Report:
    """The figures to report for an answer, certified where that is quick; `Stopped` where there is no time for it."""
    shown = evidence_in_time(progress, checking)
    settled = _settled(progress, form, profile, player, checking, shown)
    return settled if settled.profile is None else replace(settled, alpha_vectors=shown.alpha_vectors)


def _settled(
    progress: Progress, form: Form, profile: Mapping[int, Strategy], player: int, checking: Checking, shown: Evidence
) -> Report:
    """The figures that this evidence leaves to be reported."""
    own = own_figures(progress)
    if shown.lower is not None and shown.upper is not None:  # what the evidence says, not what the search hoped
        own = Report(shown.lower, shown.lower, shown.upper, shown.upper - shown.lower, details=shown.details)
    proof, why = certify(form, profile, player, shown.arrays, checking)
    played = shown.profile() if shown.profile and proof is not None else None
    if proof is not None and proof.checked and proof.proves_value:
        return replace(_proven(progress, form, proof, None), details=own.details, profile=played)
    found = _measured(progress, form, played or profile, player)
    if proof is not None and proof.checked:
        return replace(_proven(progress, form, proof, found), details=own.details, profile=played)
    settled = own if found is None else _evaluated(own, found, keep=proof is not None)
    if proof is None:
        return settled
    if "thinned" in shown.details:  # thinned evidence that nothing confirmed proves nothing
        return evaluated_figures(progress, form, profile, player, f"not yet certified: {why}")
    late = {"uncertified": f"not yet certified: {why}"}
    proof = proof.claiming(settled.lower, settled.upper)
    return replace(settled, certificate=proof, details={**own.details, **late}, profile=played)


def _measured(progress: Progress, form: Form, profile: Mapping[int, Strategy], player: int) -> Measured | None:
    """The profile's own figures. The parts of a mediator's recommendations are no profile to be evaluated."""
    return None if "mediator" in progress.details else measured(form, profile, player)


def _proven(progress: Progress, form: Form, proof: Certificate, found: Measured | None) -> Report:
    """The checker's figures, and the profile's own value where these are only bounds on it."""
    lower, upper = proof.lower, proof.upper
    if proof.kind.proves == LOWER:  # the policy's value: the upper bound stays the solver's
        upper = max(progress.upper, lower)
    gap, regret = upper - lower, proof.regret
    if regret is not None and form.against != OTHERS:  # a profile of several players: the largest regret
        gap = regret
    elif progress.gap is not None and not proof.kind.zero_sum:
        gap = progress.gap if regret is None else regret
    settled = Report(lower, lower, upper, gap, EARNED, (), regret, proof)
    if proof.kind.proves == LOWER:
        settled = replace(settled, claimed=_claimed(settled, "upper"))
    if proof.proves_value:
        return settled
    if found is None:
        return replace(settled, value_is=GUARANTEE)
    return replace(settled, value=min(max(found.value, lower), upper), regret=found.regret)


def _evaluated(own: Report, found: Measured, keep: bool = False) -> Report:
    """The profile's figures in floats. What it does not determine stays claimed.

    With `keep` a lower bound stays as low as the evidence for it.
    """
    value = found.value
    settled = replace(own, value=value, value_is=EARNED, regret=found.regret)
    if found.lower is None:
        return replace(settled, claimed=_claimed(own, "lower", "upper"))
    if found.upper is None or found.gap is None:
        lower, upper = min(own.lower, found.lower) if keep else found.lower, max(own.upper, value)
        return replace(settled, lower=lower, upper=upper, gap=upper - lower, claimed=_claimed(own, "upper"))
    return replace(settled, lower=found.lower, upper=found.upper, gap=found.gap, claimed=())


def _claimed(own: Report, *names: str) -> tuple[str, ...]:
    """Those of these figures that claim anything."""
    return tuple(name for name in names if math.isfinite(getattr(own, name)))


def not_equilibrium(settled: Report, finds: str, form: Form, until: Until) -> str:
    """Why a profile is no equilibrium, although its solver looks for one; empty where it is, or was not looked for.

    The one rule: it is an equilibrium where no player gains more by deviating alone than the gap that was asked for, or
    a millionth of the payoff range where that is more.
    """
    if finds != EQUILIBRIUM:
        return ""
    regret = settled.gap if settled.regret is None else settled.regret
    if not math.isfinite(regret):
        return "not known to be an equilibrium: its regret was not evaluated"
    allowed = max(until.close(settled.lower, settled.upper, form.largest), REGRET * payoff_range(form))
    return f"not an equilibrium: regret {number(regret, 3)}" if regret > allowed else ""
