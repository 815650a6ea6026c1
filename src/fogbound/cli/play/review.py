"""After a game: the whole truth, who they were, and what each of your moves cost."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from fogbound.cli.console import say
from fogbound.cli.play.panel import SOME_LEVEL, valued
from fogbound.cli.play.person import Person
from fogbound.core.errors import FogboundError
from fogbound.core.numerals import number
from fogbound.core.policy import Explains
from fogbound.inference.fog import OpponentFog, Review
from fogbound.inference.online.opponent_inference import OpponentInference
from fogbound.inference.type_posterior import describe_levels


def reveal(person: Person, steps: list[Any], played: Any) -> None:
    """What everybody did, the last board uncovered, and the returns."""
    game = person.game
    say("\nThe whole truth")
    for step in steps:
        if step.joint is not None:
            moves = zip(game.actors(step.before), step.joint)
            say("  " + ", ".join(f"{game.players[i]}: {game.describe(action)}" for i, action in moves))
    board, last = game.board(steps[-1].outcome.state, None), ""
    if (not board or not board.rows) and steps[-1].before is not None:  # an end that keeps nothing: the state before
        board, last = game.board(steps[-1].before, None), "before the last move:"
    if board:
        say("\n".join("  " + line for line in ([last] if last else []) + board.text().splitlines()))
    if played.ended == "cycle":
        say("Play entered a cycle and would never end; it is stopped here.")
    returns = ", ".join(f"{game.players[i]} {number(r, 6)}" for i, r in enumerate(played.returns))
    assisted = " This game was assisted: you lifted the fog." if person.panel.used else ""
    say(f"You get {number(played.returns[person.player], 6)}. ({returns}){assisted}")


def judge(person: Person, policies: Sequence[Any], named: dict[int, str], review: bool) -> None:
    """Who the other was, and what the moves cost, where the belief panel was shown or a review is asked for."""
    shown = person.panel.used or review
    if not shown and SOME_LEVEL not in named.values():
        return
    if isinstance(person.panel.fog, OpponentFog):
        inference = person.panel.fog.inference
        say(_was(person, inference, policies[inference.other], named[inference.other]))
    if shown:
        try:
            judged = person.panel.fog.review(tuple(person.history))
        except FogboundError as error:
            say(f"What your moves cost cannot be said: {error}")
            return
        for line in _cost_lines(person, judged):
            say(line)


def _was(person: Person, inference: OpponentInference, policy: Any, text: str) -> str:
    """Which level the other was, as far as levels tell."""
    name, own = person.game.players[inference.other], "" if text == SOME_LEVEL else f" {text},"
    try:
        levels = inference.levels_like(policy)
    except FogboundError as error:
        return f"{name} was{own} which cannot be compared with levels: {error}"
    if not levels:
        return f"{name} was{own} none of levels 0 to {inference.hierarchy.levels}."
    alike = " (they play alike)" if len(levels) > 1 else ""
    return f"{name} was{own} {describe_levels(levels)}{alike}."


def _cost_lines(person: Person, judged: Review) -> list[str]:
    """Every own move with its value when it was made, and what it cost against the best."""
    if not judged.moves:
        return []
    texts = [person.game.describe(move.action) for move in judged.moves]
    wide = max(map(len, texts))
    assumed = [judged.assumption] if judged.assumption else []
    lines = [", ".join(["What your moves cost, given what you could know when you made them", *assumed])]
    for k, (text, move) in enumerate(zip(texts, judged.moves), 1):
        low, high = move.cost
        best = " or ".join(person.game.describe(value.action) for value in move.best)
        cost = number(low, 4) if high - low < 1e-7 else f"{number(low, 4)} to {number(high, 4)}"
        verdict = "nothing" if high == 0 else f"{cost}; best was {best}, {valued(move.best[0])}"
        lines.append(f"  {k:>2}  {text:<{wide}}  value {valued(move.value)}, cost {verdict}")
    return lines


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
