"""Which solver to use when none is named: by the forms the game has, said in a sentence."""

from __future__ import annotations

from typing import Any

from fogbound.core.errors import FormError, LimitError
from fogbound.core.game import AnyGame

LP_ENDS = 400_000  # payoffs up to which a linear program beats learning
STATES = 200_000


def choose(game: AnyGame, against: bool) -> tuple[str, str]:
    """A solver's spec and why it is the one."""
    from fogbound import forms
    from fogbound.forms.normal import MOST_ENTRIES, count_strategies, entries

    if against:
        if _endless(game) and game.discount == 1:
            return "belief-search", "the others' policies are given; play can come back to where it was, undiscounted"
        if _endless(game):
            return "sarsop", "the others' policies are given, and play can come back to where it was"
        return "belief-mdp", "the others' policies are given, so their beliefs decide"
    if len(game.players) == 1:
        return "sarsop", "one player against chance: both bounds, and a controller that is worth the lower one"
    try:
        table = forms.table(game, STATES)
    except LimitError as error:
        raise LimitError(f"{error}. A solver that only samples: mcts (perfect information)") from error
    try:
        form = forms.sequence(table)
    except FormError as error:
        raise FormError(
            f"{error}; or give --against POLICY, to answer given opponents; or --with level-k, to answer any level"
        ) from error
    if _open(table):
        if len(game.players) == 2 and form.constant_sum is not None:
            return "alpha-beta", "two players who see everything, zero-sum"
        return "backward-induction", "players who see everything and move in turn"
    if len(game.players) == 2 and form.constant_sum is not None:
        if len(form.ends) <= LP_ENDS:
            return "sequence-lp", f"two players, zero-sum, {len(form.ends):,} payoffs: one linear program is exact"
        return "dcfr", f"two players, zero-sum, {len(form.ends):,} payoffs: too many for a linear program"
    counts = [count_strategies(plex) for plex in form.plexes]
    if len(game.players) == 2 and entries(counts) <= MOST_ENTRIES // 40:
        return "lemke-howson", "two players, general-sum, few enough strategies for a matrix"
    return "cfr(sampling=full)", "general-sum: the regret of the average profile is reported, nothing is promised"


def _endless(game: AnyGame) -> bool:
    """Whether play can come back to where it was."""
    from fogbound import forms
    from fogbound.forms.tree import count_nodes

    try:
        count_nodes(forms.table(game, STATES))
    except (FormError, LimitError):
        return True
    return False


def _open(table: Any) -> bool:
    """Whether everybody always sees everything."""
    from fogbound.solvers.perfect_information.game import require_perfect_information

    try:
        require_perfect_information(table, "")
    except FormError:
        return False
    return True
