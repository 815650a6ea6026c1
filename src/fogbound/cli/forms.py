"""The form that a solver asks for, built from a game."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fogbound.core.errors import FormError
from fogbound.core.game import AnyGame
from fogbound.core.policy import Player


def build_form(solver: Any, game: AnyGame, player: int, others: Mapping[int, Player]) -> Any:
    """The form on which `solver` works."""
    from fogbound import forms

    if solver.form == "belief":
        missing = [i for i in range(len(game.players)) if i != player and i not in others]
        if missing:
            name = game.players[missing[0]]
            raise FormError(
                f"{solver.name} needs to know how the others play: give --against POLICY for {name} (seat {missing[0]})"
            )
        return forms.belief_mdp(forms.pomdp(game, player, others))
    if others:
        raise FormError(f"{solver.name} finds an equilibrium against anyone, so --against means nothing to it")
    return forms.normal(game) if solver.form == "normal" else forms.sequence(game)


def in_words(form: Any) -> str:
    """A form and its size, as a person would say it."""
    from fogbound.forms import BeliefMDP, NormalForm, SequenceForm

    if isinstance(form, BeliefMDP):
        return f"belief MDP, {form.size:,} beliefs over {form.pomdp.size:,} states"
    if isinstance(form, NormalForm):
        return "normal form, " + " x ".join(f"{len(w):,}" for w in form.weights) + " strategies"
    if isinstance(form, SequenceForm):
        sizes = " + ".join(f"{plex.sequences:,}" for plex in form.plexes)
        return f"sequence form, {sizes} sequences ({form.tree.size:,} nodes)"
    return type(form).__name__
