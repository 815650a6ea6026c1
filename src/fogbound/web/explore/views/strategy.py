"""Strategy: what a player does by what it knows; the information set that is selected, with what each move is worth."""

from __future__ import annotations

from dataclasses import replace

from fogbound.api.looking import Look
from fogbound.core.drawing import Drawing
from fogbound.core.errors import FogboundError, FormError, LimitError, PolicyError
from fogbound.core.numerals import EXACT, decimal, number
from fogbound.evaluation.move_values import MoveValues
from fogbound.forms import words
from fogbound.web.explore.address import Address
from fogbound.web.explore.views.shown import SAME, Selected, View, belief_bars, which_equilibrium, worth_bars
from fogbound.web.refusal import Refusal

MOST_BESIDE = 3


def view(look: Look, player: int, asked: Address) -> View:
    """The strategy of a player."""
    chosen = asked.number("set")
    policy = look.tabular(player)
    if chosen is not None and chosen not in policy.decisions.sets_of(player).tolist():
        raise Refusal(404, f"{look.game.players[player]} has no information set {chosen}")
    title = f"How {look.game.players[player]} plays"
    picture = look.strategy(player, title=title, link=lambda h: asked.to(set=h), chosen=chosen)
    python = f"strategy({look.game.players[player]!r})"
    selected = None if chosen is None else _selected(look, player, chosen)
    return View(picture, which_equilibrium(look), selected, more=_beside(look, player, asked), python=python)


def _beside(look: Look, player: int, asked: Address) -> list[tuple[str, Drawing]]:
    """How the others play, each a way to their own page."""
    found = []
    for other in sorted(look.solution.profile):
        name = look.game.players[other]
        there = replace(asked, player=name)
        if other != player:
            try:
                drawn = look.strategy(other, title=f"How {name} plays", link=lambda h, to=there.to: to(set=h))  # type: ignore[misc]
            except (FormError, LimitError, PolicyError):
                continue
            found.append((f"Against {look.game.players[player]}", drawn))
    return found[:MOST_BESIDE]


def _selected(look: Look, player: int, infoset: int) -> Selected:
    policy = look.tabular(player)
    known, describe = policy.decisions, look.game.describe
    history = known.history(player, int(known.set_memory[infoset]))
    title = f"{look.game.players[player]} knows {words.history_text(describe, history)}"
    first, moves = int(known.set_first[infoset]), known.moves(infoset)
    played = [(words.action(describe, move), float(policy.behaviour[first + k])) for k, move in enumerate(moves)]
    try:
        if len(look.solution.profile) < len(look.game.players) or look.tree_form is not known:
            raise FogboundError("the others' play is not known here")
        found = look.on_tree.at(infoset)
    except FogboundError:
        return Selected(title, said=[_played(played)], belief=belief_bars(played), belief_title="Chance of each move")
    worth = [(words.action(describe, move), value) for move, _, value in found.moves]
    return Selected(
        title,
        f"{decimal(found.reached)} of games" if found.reached > EXACT else "not reached",
        [_played(played), _judged(found, describe), *_elsewhere(look, player, infoset, played[-1][0])],
        worth_bars(worth),
        "Worth of each move, if all play on as in this answer",
        belief_bars(_others(look, player, found)),
        f"What it can infer: {_the_others(look, player)}",
    )


def _played(played: list[tuple[str, float]]) -> str:
    likely = [(name, p) for name, p in played if p > EXACT]
    if len(likely) == 1:
        return f"Always {likely[0][0]}."
    return f"Mixes: {', '.join(f'{name} {decimal(p)}' for name, p in likely)}."


def _judged(found: MoveValues, describe: words.Describe) -> str:
    """Whether another move would be better, as far as this profile goes."""
    if not found.reached > EXACT and not found.belief:
        return "The others never let play come here, so nothing is decided by it."
    best = max(value for _, _, value in found.moves)
    close = SAME * max(1.0, abs(best))
    worst = min(value for _, p, value in found.moves if p > EXACT)
    if best - worst <= close:
        level = sum(best - value <= close for _, _, value in found.moves)
        return "All moves that it plays are best here." + (" Others would be as good." if level > _count(found) else "")
    better = next(move for move, _, value in found.moves if best - value <= close)
    return f"{words.action(describe, better)} would earn {number(best - worst)} more than the least of what it plays."


def _elsewhere(look: Look, player: int, infoset: int, move: str) -> list[str]:
    """What other equilibria do here."""
    span = look.ranges(player).get(infoset)
    if span is None:
        return []
    low, high = map(decimal, span)
    return [f"Over all equilibria: {move} {low if low == high else f'{low} to {high}'}."]


def _count(found: MoveValues) -> int:
    return sum(p > EXACT for _, p, _ in found.moves)


def _the_others(look: Look, player: int) -> str:
    others = [name for i, name in enumerate(look.game.players) if i != player]
    return f"{others[0]} knows" if len(others) == 1 else "the others know"


def _others(look: Look, player: int, found: MoveValues) -> list[tuple[str, float]]:
    """What the others know at the histories that are possible, with how likely that is."""
    form, told = look.tree_form, dict[str, float]()
    for node, p in found.belief:
        known = [
            words.history_text(look.game.describe, form.history(other, int(form.memory[node, other])))
            for other in range(len(form.players))
            if other != player
        ]
        told["; ".join(known)] = told.get("; ".join(known), 0.0) + p
    return sorted(told.items(), key=lambda pair: -pair[1])
