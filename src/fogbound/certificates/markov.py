"""Markov policies: bounds on the value of a zero-sum game, or what a profile and best replies earn in each state.

The checker judges what the stored policies play in each state; joint recommendations as the file has them.
"""

from __future__ import annotations

from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from fogbound.certificates.certificate import Arrays, Certificate
from fogbound.certificates.exact import ExactKind, Extra, Profile
from fogbound.certificates.held import OTHER_POLICIES, HeldSolution, StoredSolution, certificate_of
from fogbound.certificates.wording import EARNS_AND_REPLY, OBEDIENCE, VALUE, VALUE_LIES
from fogbound.core.errors import FileError, FormError, LimitError, PolicyError
from fogbound.evaluation.markov import (
    Played,
    best_reply,
    from_start,
    guaranteed,
    markov_behaviours,
    markov_values,
    steps_ahead,
)
from fogbound.forms.arrays import Floats, summed
from fogbound.forms.markov import MarkovGame
from fogbound.forms.protocol import Form, derive, underlying

CLOSE = 1e-9  # what is written down a second time, beside the policies, may differ by so much


class MarkovKind(ExactKind):
    """Every player's probabilities in every state: from what they earn to what a best reply would."""

    name = "markov-profile"
    wording = EARNS_AND_REPLY
    form = MarkovGame.kind
    rate = 150_000  # outcomes a second

    def certificate(self, form: MarkovGame, played: Played, player: int) -> Certificate:
        """All policies, with values and best replies."""
        measured = markov_values(form, played)
        shown = {"value": measured.value, "best": measured.best}
        return Certificate(self, player, form.arrays(), {**_strategies(form, played), **shown})

    def make(self, form: Form, profile: Profile, player: int, extra: Extra) -> Certificate:  # noqa: ARG002
        states = underlying(form, MarkovGame)
        return self.certificate(states, markov_behaviours(states, profile), player)

    def work(self, certificate: Certificate) -> float:
        """Outcomes that the checker looks at: twice for each player whose value it bounds."""
        several = 1 if self.zero_sum else certificate.form["width"].shape[1]
        return 2 * several * (len(certificate.form["prob"]) + len(certificate.form["reward"]))

    def evidence(self, stored: StoredSolution, form: Form) -> Arrays:
        """What the stored policies play in every state, with what that guarantees or earns."""
        certificate_of(stored)
        return markov_certificate(*_read(stored, form), stored.player).evidence

    def fault(self, held: HeldSolution) -> str | None:
        """Whether the policies written down in the certificate, for other checkers, are those that are played."""
        for player, played in enumerate(_read(held.stored, held.form)[1]):
            if not _close(held.array(f"strategy_{player}"), played):
                return OTHER_POLICIES
        return None


class ZeroSumMarkovKind(MarkovKind):
    """Both policies of a zero-sum game, with what each guarantees."""

    name = "zero-sum-markov"
    wording = VALUE_LIES
    certifies = ("markov",)
    answer = VALUE
    zero_sum = True

    def certificate(self, form: MarkovGame, played: Played, player: int) -> Certificate:
        """Both policies, with what each guarantees."""
        shown = {"below": guaranteed(form, played, player), "above": best_reply(form, played, player)[0]}
        return Certificate(self, player, form.arrays(), {**_strategies(form, played), **shown})

    def make(self, form: Form, profile: Profile, player: int, extra: Extra) -> Certificate:
        """Of any answer on a Markov game. Recommendations that depend on each other come as `extra`."""
        states = underlying(form, MarkovGame)
        if extra:
            return RECOMMENDED.make(states, profile, player, extra)
        return markov_certificate(states, markov_behaviours(states, profile), player)

    def expected_seconds(self, form: Form, player: int) -> float:
        kind = _suited(form)
        return kind.seconds(Certificate(kind, player, form.arrays(), {}))

    def earned(self, held: HeldSolution) -> float:
        """What the stored policies earn against each other, from the start."""
        form, played = _read(held.stored, held.form)
        return from_start(form, markov_values(form, played).value)[held.report.player]


class RecommendedMarkovKind(MarkovKind):
    """Joint recommendations in every state: from what obeying earns to the best that disobeying does."""

    name = "markov-correlated"
    wording = OBEDIENCE
    derived = False

    def make(self, form: Form, profile: Profile, player: int, extra: Extra) -> Certificate:  # noqa: ARG002
        states = underlying(form, MarkovGame)
        return Certificate(self, player, states.arrays(), {**extra, **_steps(states)})

    def evidence(self, stored: StoredSolution, form: Form) -> Arrays:
        """The recommendations as the file has them."""
        return ExactKind.evidence(self, stored, form)

    def fault(self, held: HeldSolution) -> str | None:
        """Whether every player's own policy is its part of the recommendations."""
        (form, policies), joint = _read(held.stored, held.form), held.array("joint")
        if joint.shape != (len(form.reward),):
            return OTHER_POLICIES
        for player, played in enumerate(policies):
            if not _close(summed(form.choice[:, player], joint, len(played)), played):
                return OTHER_POLICIES
        return None


ZERO_SUM, PROFILE, RECOMMENDED = ZeroSumMarkovKind(), MarkovKind(), RecommendedMarkovKind()
KINDS = (ZERO_SUM, PROFILE, RECOMMENDED)


def markov_certificate(form: MarkovGame, played: Played, player: int) -> Certificate:
    """Of policies by state: bounds on the value where the sum is constant, else values and best replies."""
    return _suited(form).certificate(form, played, player)


def _suited(form: Form) -> MarkovKind:
    return PROFILE if form.constant_sum is None else ZERO_SUM


def _strategies(form: MarkovGame, played: Played) -> Arrays:
    return {f"strategy_{i}": probabilities for i, probabilities in enumerate(played)} | _steps(form)


def _steps(form: MarkovGame) -> Arrays:
    """What shows that play ends, where nothing is discounted."""
    return {} if form.discount < 1 else {"steps": 2 * np.asarray(steps_ahead(form))}


_LAST: WeakKeyDictionary[StoredSolution, tuple[Form, MarkovGame, list[Floats]]] = WeakKeyDictionary()


def _read(stored: StoredSolution, form: Form) -> tuple[MarkovGame, list[Floats]]:
    """The Markov game, and what the stored policies play in it: read once for the evidence and for its fault."""
    last = _LAST.get(stored)
    if last is None or last[0] is not form:
        states = derive(form, MarkovGame)
        last = _LAST[stored] = form, states, _played(stored, states)
    return last[1], last[2]


def _played(stored: StoredSolution, form: MarkovGame) -> list[Floats]:
    try:
        return markov_behaviours(form, stored.profile)
    except (FormError, LimitError, PolicyError) as error:
        raise FileError(f"holds policies of which such a certificate cannot speak: {error}") from error


def _close(one: NDArray[Any], two: Floats) -> bool:
    return one.shape == two.shape and bool((np.abs(one - two) <= CLOSE).all())
