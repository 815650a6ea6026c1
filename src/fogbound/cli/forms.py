"""The form that a solver asks for, built from a game."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fogbound.core.errors import FormError
from fogbound.core.game import AnyGame
from fogbound.core.policy import Strategy


def build_form(
    solver: Any, game: AnyGame, player: int, others: Mapping[int, Strategy], limit: int | None = None
) -> Any:
    """The form on which `solver` works, with up to `limit` nodes or beliefs."""
    most = {} if limit is None else {"limit": limit}
    from fogbound import forms

    if solver.form in ("belief", "pomdp", "restricted"):
        missing = [i for i in range(len(game.players)) if i != player and i not in others]
        if missing:
            name = game.players[missing[0]]
            raise FormError(
                f"{solver.name} needs to know how the others play: give --against POLICY for {name} (player "
                f"{missing[0]})"
            )
        if solver.form == "restricted":
            return _restricted(solver, game, player, others)
        process = forms.pomdp(game, player, others, **most)
        return process if solver.form == "pomdp" else forms.belief_mdp(process, **most)
    if solver.form == "one-sided" and not others:
        return forms.one_sided(game, player, **most)
    if solver.form == "ladder":
        from fogbound.policies import hierarchy

        return hierarchy(game, player, others)
    if others:
        raise FormError(f"{solver.name} finds an equilibrium against anyone, so --against means nothing to it")
    if solver.form == "table":
        from fogbound.solvers.perfect_information.game import player_table

        return player_table(forms.table(game), player)
    if solver.form == "game":
        from fogbound.solvers.search import SampledGame

        return SampledGame(game, player)
    form = forms.sequence(game, **most)
    return forms.normal(form) if solver.form == "normal" else form


def _restricted(solver: Any, game: AnyGame, player: int, others: Mapping[int, Strategy]) -> Any:
    """The game of one player against another that is believed in part."""
    from fogbound.evaluate import behaviour
    from fogbound.forms import sequence
    from fogbound.forms.restricted import restricted_game

    if len(game.players) != 2:
        raise FormError(f"{solver.name}: {game} has {len(game.players)} players, expected 2")
    form, other = sequence(game), 1 - player
    return restricted_game(form, player, behaviour(form, other, others[other]))


def form_words(form: Any) -> str:
    """A form and its size, as a person would say it."""
    from fogbound.forms import POMDP, BeliefMDP, NormalForm, OneSided, RestrictedGame, SequenceForm, Table
    from fogbound.policies import Hierarchy
    from fogbound.solvers.search import SampledGame

    if isinstance(form, Table):
        return f"table, {form.size:,} states"
    if isinstance(form, OneSided):
        return (
            f"one-sided game, {form.size:,} states in {len(form.slot) - 1:,} partitions, {len(form.action):,} actions"
        )
    if isinstance(form, Hierarchy):
        return f"ladder of levels, {form.table.size:,} states"
    if isinstance(form, SampledGame):
        return "the game itself, sampled"
    if isinstance(form, POMDP):
        return f"POMDP, {form.size:,} states, {len(form.actions):,} actions, {len(form.observations):,} observations"
    if isinstance(form, BeliefMDP):
        return f"belief MDP, {form.size:,} beliefs over {form.pomdp.size:,} states"
    if isinstance(form, RestrictedGame):
        return f"{form_words(form.sequence)}, the other believed in part"
    if isinstance(form, NormalForm):
        return "normal form, " + " x ".join(f"{len(w):,}" for w in form.weights) + " strategies"
    if isinstance(form, SequenceForm):
        sizes = " + ".join(f"{plex.sequences:,}" for plex in form.plexes)
        return f"sequence form, {sizes} sequences ({form.tree.size:,} nodes)"
    return type(form).__name__
