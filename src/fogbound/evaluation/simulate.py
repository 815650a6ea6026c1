"""What a policy earns in a POMDP, estimated by playing: a statistic with its interval, never called a bound.

All games run side by side in compiled loops (`evaluation.episodes`). Memory is a value, so games in which the policy
remembers the same share one number: it is asked once for each memory, not once for each game.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

from fogbound.core.errors import SpecError
from fogbound.core.game import AnyGame
from fogbound.core.profile import Profile, policy_of
from fogbound.forms.arrays import Floats
from fogbound.forms.bayes_filter import START
from fogbound.forms.pomdp import POMDP
from fogbound.forms.protocol import Form, derive

STEPS = 10_000
TOLERANCE = 1e-4  # of the range of rewards: what a discounted run may leave out


@dataclass(frozen=True)
class ValueEstimate:
    """The mean discounted reward of `games` runs.

    `sampled` is the normal interval of what was paid until runs ended or were cut. `interval` adds the most and
    the least that the cut ones might still have been paid: without a discount that knows no bound, so a side on
    which anything may follow is infinite.

    Attributes
    ----------
    mean
        The mean discounted reward.
    error
        The standard error of the mean.
    level
        The level of both intervals.
    sampled
        The interval of what was paid until runs ended or were cut.
    interval
        The interval of the value, whatever the cut runs might still have been paid.
    games
        How many runs there were.
    cut
        Runs that were stopped before their end.
    steps
        Steps of a run, on average.
    """

    mean: float
    error: float
    level: float
    sampled: tuple[float, float]
    interval: tuple[float, float]
    games: int
    cut: int
    steps: float


def simulate(
    form: AnyGame | Form,
    policy: Profile,
    games: int,
    rng: np.random.Generator,
    steps: int = STEPS,
    level: float = 0.95,
    tolerance: float = TOLERANCE,
) -> ValueEstimate:
    """Play `games` games by `policy` (mixed ones are drawn for each game).

    A run is cut after `steps` steps, and with a discount as soon as all that can follow counts for less than
    `tolerance` of the range of rewards.

    Parameters
    ----------
    form
        The POMDP of the player who plays, or what it can be derived from: a game of one player.
    policy
        How it plays: a policy, or a profile that has one for the form's player.
    games
        How many runs, at least 1.
    rng
        All randomness comes from here.
    steps
        After how many steps a run is cut.
    level
        Of the intervals, between 0 and 1.
    tolerance
        Of the range of rewards: what a discounted run may leave out.

    Returns
    -------
    ValueEstimate
        A statistic with its intervals, never a bound.

    Raises
    ------
    SpecError
        A number is out of its range.
    PolicyError
        The profile has no policy for the form's player.

    Examples
    --------
    >>> import numpy as np
    >>> import fogbound as fb
    >>> form = fb.forms.pomdp(fb.game("tiger"))
    >>> played = fb.evaluation.simulate(form, fb.policies.Uniform(), games=1_000, rng=np.random.default_rng(0))
    >>> played.interval[0] < fb.evaluation.value(fb.game("tiger"), fb.policies.Uniform())[0] < played.interval[1]
    True
    """
    from fogbound.evaluation.episodes import CUT, play_episodes

    if games < 1 or steps < 0 or not 0 < level < 1 or not tolerance > 0:
        asked = f"games {games}, steps {steps}, level {level}, tolerance {tolerance}"
        raise SpecError(f"simulate: {asked}, expected at least 1, at least 0, between 0 and 1, above 0")
    form = derive(form, POMDP)
    if form.discount < 1:
        fade = math.log(tolerance * (1 - form.discount)) / math.log(form.discount) if form.discount else 1
        steps = min(steps, max(1, math.ceil(fade)))
    seed = int(rng.integers(1 << 62))
    played = play_episodes(form, [policy_of(policy, form.player)], games, seed, steps)
    if played.interrupted:
        raise KeyboardInterrupt
    return estimated(
        form, played.paid[:, 0], int((played.ended == CUT).sum()), steps, float(played.steps.mean()), level
    )


def estimated(form: POMDP, paid: Floats, cut: int, steps: int, taken: float, level: float) -> ValueEstimate:
    """The statistics of what games paid, of which `cut` were cut after `steps`."""
    games, mean = len(paid), float(paid.mean())
    error = float(paid.std(ddof=1)) / math.sqrt(games) if games > 1 else math.inf
    half = NormalDist().inv_cdf((1 + level) / 2) * error
    reward = form.reward[START + 1 :]
    ends = (float(reward.min(initial=0.0)), float(reward.max(initial=0.0)))  # the rewards of a step; once it is over, 0
    left = form.discount**steps / (1 - form.discount) if form.discount < 1 else math.inf
    least, most = (cut / games * end * left if cut and end else 0.0 for end in ends)
    sampled, interval = (mean - half, mean + half), (mean - half + least, mean + half + most)
    return ValueEstimate(mean, error, level, sampled, interval, games, cut, taken)
