"""Beliefs: value by belief where two states are in question, one game as it was believed, and the beliefs visited."""

from __future__ import annotations

from fogbound.api.looking import Look
from fogbound.core.drawing import Drawing
from fogbound.core.errors import FogboundError
from fogbound.core.numerals import number
from fogbound.evaluation.belief_words import belief_note
from fogbound.forms import words
from fogbound.web.explore.address import Address
from fogbound.web.explore.views.shown import NextStep, Selected, View, which_equilibrium

MOST = 24  # beliefs that are listed


def view(look: Look, player: int, asked: Address) -> View:
    """What a player believes, and what that is worth."""
    seed = asked.number("seed") or 0
    name = look.game.players[player]
    game, why = _drawn(lambda: look.beliefs(player, seed=seed))
    value, _ = _drawn(lambda: look.vectors(player))
    pictures = [one for one in ((("Value by belief", value)), ("One game, as it was believed", game)) if one[1]]
    if not pictures:
        raise FogboundError(why)
    (_, first), *more = pictures
    call = f"vectors({name!r})" if value else f"beliefs({name!r}, seed={seed})"
    links = [("Another game", asked.to(seed=seed + 1))] if game else []
    drawn = [(heading, picture) for heading, picture in more if picture]
    assert first is not None
    return View(first, which_equilibrium(look), _visited(look, player, asked), (), links, drawn, call)


def _drawn(make: object) -> tuple[Drawing | None, str]:
    """A picture, or why there is none."""
    try:
        return make(), ""  # type: ignore[operator]
    except FogboundError as error:
        return None, str(error)


def _visited(look: Look, player: int, asked: Address) -> Selected | None:
    """The beliefs at the nodes of the controller, those that play visits most first."""
    try:
        policy, held = look.automaton(player), look.visitation(player)
    except FogboundError:
        return None
    order = sorted(range(policy.size), key=lambda node: -held.visits[node])[:MOST]
    steps = []
    for node in order:
        choice = policy.choices[node]
        if held.visits[node] > 0:
            does = words.WAITS if choice is None else words.choice(look.game.describe, choice, 2)
            worth = number(held.values[node], 4, sign=True)
            note = belief_note(held.beliefs[node], told=held.told)
            steps.append(NextStep(note, worth, does, asked.to("controller", node=node)))
    return Selected("Beliefs that play comes to", "worth", steps=steps, steps_title="")
