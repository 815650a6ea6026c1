"""`fogbound show --view vectors`: worth by belief, from a file of vectors or from a solution's own evidence."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from fogbound.cli import naming
from fogbound.cli.show_belief import belief
from fogbound.cli.show_parts import Shown, as_svg
from fogbound.core.errors import FileError, SpecError
from fogbound.core.game import AnyGame

if TYPE_CHECKING:
    from fogbound.forms import POMDP


def value_function(args: Any) -> Shown:
    """A file of vectors, for the game that --game names."""
    from fogbound import files, forms

    if not args.game:
        raise SpecError(f"{args.what}: holds vectors alone; name the model that they are for with --game")
    game = naming.game(args.game)
    policy = files.read_vectors(args.what, forms.pomdp(game))
    if args.view == "belief":
        return belief({0: policy}, game, 0, args.seed, f"{game}   {args.what}")
    if args.view not in ("auto", "vectors"):
        raise SpecError(f"--view {args.view}: a file of vectors is shown with --view vectors or --view belief")
    return _shown(policy, (), game, f"{game}   {args.what}")


def vectors(name: str, solution: Any, form: POMDP, game: AnyGame, head: str) -> Shown:
    """The values of a controller's nodes are vectors, and the evidence for the upper bound are points above them."""
    from fogbound.policies import AlphaVectors

    mine = solution.profile[form.me]
    if isinstance(mine, AlphaVectors):
        return _shown(mine, (), game, head)
    proof = solution.certificate
    if proof is None or proof.kind != "pomdp":
        raise SpecError(f"{name}: holds no vectors; solvers of POMDPs such as sarsop leave them behind")
    evidence = proof.evidence
    try:
        values = np.full((len(evidence["node_action"]), form.size), -np.inf)
        values[tuple(evidence["pair"].T)] = evidence["value"]
        acting = evidence["node_action"] >= 0
        policy = AlphaVectors(form, values[acting], evidence["node_action"][acting].astype(np.int32))
        upper = _upper(form, evidence)
    except (KeyError, IndexError, ValueError) as error:
        raise FileError(f"{name}: its evidence does not fit {game} ({error})") from error
    return _shown(policy, upper, game, head)


def _upper(form: POMDP, evidence: dict[str, Any]) -> list[tuple[float, float]]:
    """Points of the upper bound, (probability of the second state, worth); a state alone by its informed bound."""
    from fogbound.draw.belief_vectors import two_states

    first, second = two_states(form)
    points = []
    for at, state in ((0.0, first), (1.0, second)):
        points.append((at, float(evidence["fib"][form.row[state] : form.row[state + 1]].max())))
    start = evidence["point_start"].tolist()
    for k, (low, high) in enumerate(pairwise(start)):
        states, weights = evidence["point_state"][low:high], evidence["point_weight"][low:high]
        points.append((float(weights[states == second].sum() / weights.sum()), float(evidence["point_value"][k])))
    return points


def _shown(policy: Any, upper: Sequence[tuple[float, float]], game: AnyGame, head: str) -> Shown:
    from fogbound import draw

    return (
        lambda: f"{head}\n{draw.vectors_text(policy, game.describe)}",
        as_svg(lambda: draw.vectors(policy, upper, game.describe)),
    )
