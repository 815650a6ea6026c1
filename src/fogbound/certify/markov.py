"""Markov policies: bounds on the value of a zero-sum game, or what a profile and best replies earn in each state."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from fogbound.certify.certificate import Arrays, Certificate
from fogbound.certify.tree import Extra
from fogbound.core.policy import Strategy
from fogbound.evaluate.markov import Played, best_reply, guaranteed, markov_behaviours, markov_values, steps_ahead
from fogbound.forms.markov import MarkovGame

RATE = 150_000  # outcomes a second


def on_markov(form: MarkovGame, profile: Mapping[int, Strategy], player: int, extra: Extra) -> Certificate:
    """Of an answer on a Markov game. Recommendations that depend on each other come as `extra`."""
    if extra:
        return Certificate("markov-correlated", player, form.arrays(), {**extra, **_steps(form)})
    return markov_certificate(form, markov_behaviours(form, profile), player)


def markov_certificate(form: MarkovGame, played: Played, player: int) -> Certificate:
    """Both policies of a zero-sum game with what each guarantees; else all of them with values and best replies."""
    shown: Arrays = {f"strategy_{i}": probabilities for i, probabilities in enumerate(played)} | _steps(form)
    if form.constant_sum is not None:
        shown["below"] = guaranteed(form, played, player)
        shown["above"] = best_reply(form, played, player)[0]
        return Certificate("zero-sum-markov", player, form.arrays(), shown)
    measured = markov_values(form, played)
    return Certificate(
        "markov-profile", player, form.arrays(), {**shown, "value": measured.value, "best": measured.best}
    )


def _steps(form: MarkovGame) -> Arrays:
    """What shows that play ends, where nothing is discounted."""
    return {} if form.discount < 1 else {"steps": 2 * np.asarray(steps_ahead(form))}


def work(certificate: Certificate) -> int:
    """How many outcomes the checker looks at: twice for each player whose value it bounds."""
    several = 1 if certificate.kind == "zero-sum-markov" else certificate.form["width"].shape[1]
    return 2 * several * (len(certificate.form["prob"]) + len(certificate.form["reward"]))
