"""Which forms a game has, how large they are, or why there is none: forms are partial functions."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fogbound.core.errors import FormError, LimitError
from fogbound.core.game import AnyGame
from fogbound.forms.normal import MOST_ENTRIES, count_strategies, entries, shape
from fogbound.forms.one_sided.form import one_sided
from fogbound.forms.sequence import sequence
from fogbound.forms.table import MOST_STATES, Table, table
from fogbound.forms.tree import MOST_NODES, count_nodes


@dataclass(frozen=True)
class Available:
    """One form of a game: its size where it exists, the reason where it does not."""

    form: str  # table, tree, sequence, normal, pomdp, belief, one-sided
    exists: bool
    words: str

    def __str__(self) -> str:
        return f"{self.form:<9} {'' if self.exists else 'none: '}{self.words}"


def available(game: AnyGame | Table, states: int = MOST_STATES, nodes: int = MOST_NODES) -> list[Available]:
    """Every form of `game` within the limits. A game that breaks its contract raises GameError."""
    try:
        source = game if isinstance(game, Table) else table(game, states)
    except LimitError as error:
        rest = "needs the table, which is too large"
        return [Available("table", False, str(error))] + [
            Available(form, False, rest) for form in ("tree", "sequence", "normal", "pomdp", "belief", "one-sided")
        ]
    found = [Available("table", True, f"{source.size:,} states, {len(source.prob):,} outcomes")]
    found += _tree_forms(source, nodes)
    alone = len(source.players) == 1
    against = "" if alone else " for one player, once the others' policies are given"
    found.append(Available("pomdp", True, f"{source.size:,} states{against}" if alone else f"exists{against}"))
    ending = any(f.form == "tree" and (f.exists or "histories never end" not in f.words) for f in found)
    words = "finitely many beliefs, since play ends" if ending else "play can go on: finite only if beliefs repeat"
    found.append(Available("belief", True, words + against))
    return [*found, _one_sided(source)]


def _one_sided(source: Table) -> Available:
    """What the form is like with each player blind: what there is to know, and what is not known of it."""
    words = []
    for player, name in enumerate(source.players):
        try:
            form = one_sided(source, player)
        except FormError as error:
            return Available("one-sided", False, _after_spec(source, error))
        most, parts = int(np.diff(form.state_start).max()), len(form.state_start) - 1
        count = f"{form.size:,} states in {parts:,} partition{'s' * (parts != 1)} of at most {most:,}"
        words.append(f"{name} blind: {count}{', the other granted sight' if form.relaxed else ''}")
    return Available("one-sided", True, "; ".join(words))


def _tree_forms(source: Table, limit: int) -> list[Available]:
    names = ("tree", "sequence", "normal")
    try:
        _, depth = count_nodes(source)
        form = sequence(source, limit)
    except (FormError, LimitError) as error:
        return [Available("tree", False, _after_spec(source, error))] + [
            Available(name, False, "needs the tree") for name in names[1:]
        ]
    sizes = " + ".join(f"{plex.sequences:,}" for plex in form.plexes)
    sets = " + ".join(f"{len(plex.sets):,}" for plex in form.plexes)
    found = [
        Available("tree", True, f"{form.tree.size:,} nodes, {sets} information sets, {depth} steps at most"),
        Available("sequence", True, f"{sizes} sequences, {len(form.ends):,} payoffs"),
    ]
    counts = [count_strategies(plex) for plex in form.plexes]
    fits = entries(counts) <= MOST_ENTRIES
    found.append(
        Available("normal", fits, f"{shape(counts)} pure strategies" + ("" if fits else ", too many for a matrix"))
    )
    return found


def _after_spec(source: Table, error: Exception) -> str:
    return str(error).removeprefix(f"{source.spec}: ")
