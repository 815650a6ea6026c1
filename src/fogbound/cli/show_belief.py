"""`fogbound show --view belief`: one game played by an answer's policies, as a seat believed it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from fogbound.cli.show_parts import Shown, as_svg, facing
from fogbound.core.errors import SpecError
from fogbound.core.game import AnyGame

if TYPE_CHECKING:
    from fogbound.evaluate.tracking import Tracked
    from fogbound.forms import POMDP
    from fogbound.forms.tree import History

STEPS = 25


def belief(profile: dict[int, Any], game: AnyGame, seat: int, seed: int, head: str) -> Shown:
    """The belief after each of the first steps of a game that `seed` draws."""
    from fogbound import draw, evaluate

    absent = [name for other, name in enumerate(game.players) if other not in profile]
    if absent:
        raise SpecError(f"{game}: there is no policy for {absent[0]}, so no game can be played")
    form = facing(game, seat, profile)
    history = _lived(game, [profile[i] for i in range(len(game.players))], seat, np.random.default_rng(seed))
    source, tracked = _over_the_game(form, evaluate.track(form, history))
    title = f"What {game.players[seat]} believed"

    def text() -> str:
        return f"{head}\n{title}\n{draw.belief_history_text(source, tracked, game.describe)}"

    return text, as_svg(lambda: draw.belief_history(source, tracked, game.describe, f"{game}: {title.lower()}"))


def _lived(game: AnyGame, policies: Sequence[Any], seat: int, rng: np.random.Generator) -> History:
    """What the seat did and saw in one game."""
    from fogbound.arena.playing import Table

    steps = list(Table(game, policies, rng).steps(STEPS))
    told: list[Any] = [steps[0].outcome.seen(seat)]
    for step in steps[1:]:
        own = dict(zip(game.actors(step.before), step.joint or ()))
        told.append((own.get(seat), step.outcome.seen(seat)))
    return tuple(told)


class _States:
    """The states of a game, by number."""

    def __init__(self, states: Sequence[Any]) -> None:
        self.states = states

    def label(self, state: int) -> Any:
        return self.states[state]


def _over_the_game(form: POMDP, tracked: Sequence[Tracked]) -> tuple[Any, Sequence[Tracked]]:
    """Beliefs over the game's states alone: what the others remember is summed out."""
    from fogbound.forms.bayes import Belief

    paired = form.product
    if paired is None:
        return form, tracked

    def own(step: Tracked) -> Tracked:
        if step.belief is None:
            return step
        return replace(step, belief=Belief.of(paired.point[step.belief.states, 0], step.belief.weights))

    return _States(paired.table.states), [own(step) for step in tracked]
