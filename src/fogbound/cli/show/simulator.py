"""`fogbound show` of a simulator: how an episode begins, as its picture, and a few of its steps, drawn at random."""

from __future__ import annotations

from random import Random
from typing import Any

from fogbound import api
from fogbound.cli.show.common import Shown
from fogbound.core.drawing import Drawing
from fogbound.core.errors import SpecError
from fogbound.core.game import AnyGame
from fogbound.core.numerals import number
from fogbound.core.simulator import RuleSimulator
from fogbound.naming import games as naming

MOST_STEPS = 8


def sampled_game(args: Any, game: AnyGame) -> Shown:
    """A game that can only be sampled: `--seed` draws the episode."""
    if args.view not in ("auto", "board"):
        raise SpecError(f"--view {args.view}: {game.only_sampled}; --view board shows how an episode begins")
    player = None if args.player is None else naming.player_index(args.player, game)
    rng = Random(args.seed)
    rules = RuleSimulator(game)
    first = rules.opening().sample(rng).state
    board = game.board(first, player)

    def picture() -> Drawing:
        args.refuse("above a board", "title")
        if board is None:
            whose = "" if player is None else f" as {game.players[player]} sees it; leave --player out"
            raise SpecError(f"{game} has no picture of a state{whose}")
        return game.draw(first, player)

    def text() -> str:
        about = (api.rules(game).splitlines() or [""])[0]
        shown = [f"{game}: {about}", *([] if board is None else [board.text()])]
        return "\n".join(
            [*shown, *([] if args.view == "board" else [*_episode(rules, first, rng, args.seed), *_uses()])]
        )

    return Shown(text, picture)


def _episode(rules: RuleSimulator, state: Any, rng: Random, seed: int) -> list[str]:
    """The first steps of an episode in which any action is played."""
    game = rules.game
    lines = [f"an episode with random actions (seed {seed})"]
    for _ in range(MOST_STEPS):
        action = rng.choice(rules.legal(state, (0,))[0])
        outcome = rules.drawn(state, (action,), rng)
        seen, paid = outcome.public, number(float(rules.paid(outcome)[0]))
        said = number(seen) if isinstance(seen, float) else game.describe_public(seen)
        lines.append(f"  {game.describe(action)}: sees {said}, is paid {paid}")
        state = outcome.state
        if not rules.actors(state):
            return [*lines, "  the episode is over"]
    return [*lines, "  …"]


def _uses() -> list[str]:
    """What a simulator has instead of forms."""
    from fogbound.solvers import SOLVERS

    enough = ", ".join(name for name in SOLVERS if SOLVERS.load(name).simulators)
    return ["forms", f"  none: outcomes are drawn and cannot be listed; {enough} only sample"]
