"""After a game: what the others thought at each of their moves, where they can say it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from fogbound.cli.console import say
from fogbound.cli.play.person import Person
from fogbound.core.policy import Explains


def tell_thoughts(person: Person, policies: Sequence[Any], steps: Sequence[Any]) -> None:
    """What those who search as they play found at each decision; after the game, since it shows their hands."""
    game = person.game
    for player, policy in enumerate(policies):
        if player == person.player:
            continue
        name = game.players[player]
        if not isinstance(policy, Explains):
            say(f"{name} does not search as it plays, so there is nothing to tell of its thoughts.")
            continue
        say(f"\nWhat {name} thought")
        for action, explanation in _explained(game, player, policy, steps):
            if explanation is None:
                say(f"  {game.describe(action)}: nothing that may be true fitted what was seen, so any legal action")
                continue
            say(f"  {game.describe(action)}")
            for line in explanation.words(game):
                say(f"    {line}")


def _explained(game: Any, player: int, policy: Any, steps: Sequence[Any]) -> list[tuple[Any, Any]]:
    """(what it did, why) at each of a player's decisions where it had a choice."""
    found, memory = [], None
    for step in steps:
        seen = step.outcome.observation(player)
        if step.joint is None:
            memory = policy.begin(seen)
            continue
        done = dict(zip(game.actors(step.before), step.joint)).get(player)
        if done is not None:
            legal = tuple(game.actions(step.before, player))
            if len(legal) > 1:
                found.append((done, policy.explain(memory, legal)))
        memory = policy.update(memory, done, seen)
    return found
