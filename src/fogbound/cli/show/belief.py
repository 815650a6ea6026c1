"""`fogbound show --view belief` and `--view vectors`: one game as it was believed, and value by belief."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from fogbound.api import naming
from fogbound.cli.show.common import Shown, pomdp_facing
from fogbound.core.drawing import Drawing
from fogbound.core.errors import FileError, SpecError
from fogbound.core.game import AnyGame

if TYPE_CHECKING:
    from fogbound.evaluate.tracking import BeliefStep
    from fogbound.forms import POMDP
    from fogbound.forms.decisions import History


STEPS = 25


def belief(profile: dict[int, Any], game: AnyGame, player: int, seed: int, head: str) -> Shown:
    """The belief after each of the first steps of a game that `seed` draws."""
    from fogbound import draw, evaluate

    absent = [name for other, name in enumerate(game.players) if other not in profile]
    if absent:
        raise SpecError(f"{game}: there is no policy for {absent[0]}, so no game can be played")
    form = pomdp_facing(game, player, profile)
    history = _lived(game, [profile[i] for i in range(len(game.players))], player, np.random.default_rng(seed))
    model, tracked = _over_the_game(form, evaluate.track(form, history))
    title = f"What {game.players[player]} believed"

    def drawn() -> Drawing:
        return draw.belief_history(tracked, model=model, describe=game.describe, title=f"{game}: {title.lower()}")

    return Shown(lambda: f"{head}\n{title}\n{drawn().text}", drawn)


def _lived(game: AnyGame, policies: Sequence[Any], player: int, rng: np.random.Generator) -> History:
    """What the player did and saw in one game."""
    from fogbound.arena.episode import Episode

    steps = list(Episode(game, policies, rng).steps(STEPS))
    lived: list[Any] = [steps[0].outcome.observation(player)]
    for step in steps[1:]:
        own = dict(zip(game.actors(step.before), step.joint or ()))
        lived.append((own.get(player), step.outcome.observation(player)))
    return tuple(lived)


class _States:
    """The states of a game, by number."""

    def __init__(self, states: Sequence[Any]) -> None:
        self.states = states

    def label(self, state: int) -> Any:
        return self.states[state]


def _over_the_game(form: POMDP, tracked: Sequence[BeliefStep]) -> tuple[Any, Sequence[BeliefStep]]:
    """Beliefs over the game's states alone: what the others remember is summed out."""
    from fogbound.forms.bayes_filter import Belief

    paired = form.product
    if paired is None:
        return form, tracked

    def own(step: BeliefStep) -> BeliefStep:
        if step.belief is None:
            return step
        return replace(step, belief=Belief.of(paired.point[step.belief.states, 0], step.belief.weights))

    return _States(paired.table.states), [own(step) for step in tracked]


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

    mine = solution.profile[form.player]
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
    """Points of the upper bound, (probability of the second state, value); a state alone by its informed bound."""
    from fogbound.draw.belief.vectors import two_states

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

    def drawn() -> Drawing:
        return draw.vectors(policy, upper=upper, describe=game.describe)

    return Shown(lambda: f"{head}\n{drawn().text}", drawn)
