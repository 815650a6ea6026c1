"""Bounds of a one-sided game: both players play by the very arrays that were checked.

Why that is enough, for rho, the checker's violation, no more than rounding:

Below. Every vector that is played by is a node of the certificate, so by the node's mixture it can be kept for one
step, short of rho, with promises that are mixtures of nodes again. The blind player need not play that mixture. A
linear program over the same nodes looks for any first step that keeps the promise, and what it promises next is a
mixture of nodes, too, so that it finds one ever after. A mixture of promises is kept by the mixture of what keeps
them; a promise to fewer states asks for less; the least that could ever happen, which stands in where the certificate
has no node, is kept by whatever is done. It begins with the node that is best at the start, which is no worse than the
certificate's. So by induction it has what the checker computed from that node, whoever plays against it.

Above. The checker shows (`verify/one_sided/upper.py`, "No toll") that, at every belief, some mixture of replies leaves
the blind player no more than the least price of a cover of that belief by points and corners, counting what follows by
such prices again. The fully informed player solves this very stage at the belief that follows from its own play, so
the price at the start, which is at most the certified bound, is never exceeded. Facets, which speed
this up, are found again from the points.

What is left is rounding: a step of the linear program may fall short of a promise by 1e-7 of the scale (the largest
reward, shifted; `partially_informed.ROUNDING`, beside promises cut to multiples of 2^-34), a stage above is solved to
1e-9 of it at beliefs of twelve digits, and rho may be `WRONG`. Each is paid once a step. A
certificate whose claims are further from what they can be proven to be still bounds the game's value, as the
checker has paid for them; it says nothing of those who play by them, and is refuted here.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import fogbound.verify as checker
from fogbound import forms
from fogbound.binding.stored import OTHER_POLICIES, claimed
from fogbound.core.errors import FormError
from fogbound.core.game import AnyGame
from fogbound.driver.solution import Solution
from fogbound.forms.protocol import Form, Question, derive
from fogbound.policies.stored_bounds import StoredBounds
from fogbound.solvers.one_sided.play.profile import stored_strategy
from fogbound.solvers.one_sided.shaping import shaped_game

WRONG = 1e-8  # of the scale, or of the largest reward: from here on a claim is wrong by more than rounding

evidence = claimed


def fault(stored: Solution, game: AnyGame | Form, report: checker.Report) -> str | None:
    """Whether both players' vectors and points are those of the certificate, to the last bit, and can be played by."""
    form, played = derive(game, forms.OneSided, Question(report.player)), []
    for player, policy in stored.profile.items():
        if player not in (report.player, 1 - report.player) or not isinstance(policy, StoredBounds):
            return OTHER_POLICIES
        if policy.partially_informed != (player == report.player) or not _shown(policy, claimed(stored)):
            return OTHER_POLICIES
        played.append(policy)
    scaled = shaped_game(form)
    if report.violation > WRONG * max(scaled.scale, float(abs(form.reward).max(initial=0.0))):
        return f"claims of the certificate are wrong by up to {report.violation:.3g}, and the policies rely on them"
    try:
        for policy in played:
            stored_strategy(policy, form, scaled)
    except FormError as error:
        return f"the file has a policy that cannot be played: {error}"
    return None


def _shown(policy: StoredBounds, evidence: Mapping[str, Any]) -> bool:
    """Whether all arrays of a policy are the evidence's, bit by bit, as files hold them."""
    pairs = [(policy.arrays[name], evidence.get(name)) for name in policy.names]
    return all(
        two is not None and (one.dtype.kind, one.shape, one.tobytes()) == (two.dtype.kind, two.shape, two.tobytes())
        for one, two in pairs
    )
