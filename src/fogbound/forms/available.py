"""Which forms a game has, how large they are, or why there is none: forms are partial functions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Protocol, runtime_checkable

import numpy as np

from fogbound.core.errors import FormError, LimitError, SampledOnlyError, many
from fogbound.core.game import AnyGame
from fogbound.forms.markov import markov
from fogbound.forms.normal import MOST_ENTRIES, count_strategies, entries, shape
from fogbound.forms.one_sided.form import one_sided
from fogbound.forms.posg import posg
from fogbound.forms.protocol import FORMS, Form, Question, derive
from fogbound.forms.sequence import SequenceForm, sequence
from fogbound.forms.table import MOST_STATES, Table
from fogbound.forms.tree import MOST_NODES, Tree, tree_size

BEYOND = ("restricted", "average-reward", "hierarchy", "sampled", "modelled")  # kinds that solvers bring with them


@dataclass(frozen=True)
class Available:
    """One form of a game: its size where it exists, the reason where it does not.

    Attributes
    ----------
    form
        The kind of form.
    exists
        Whether the game has it.
    words
        Its size, or why there is none.
    known
        Whether that was found out; False where a limit was met first.
    """

    form: str
    exists: bool
    words: str
    known: bool = True

    def __str__(self) -> str:
        return f"{self.form:<10} {'' if self.exists else 'none: ' if self.known else 'not known: '}{self.words}"


def available_forms(game: AnyGame | Form, states: int = MOST_STATES, nodes: int = MOST_NODES) -> list[Available]:
    """Every form of `game` within the limits, the simplest first.

    Parameters
    ----------
    game
        The game, or a form of it.
    states, nodes
        How many states are enumerated, how many nodes unrolled, at most.

    Returns
    -------
    list of Available
        One for each kind of form, whether it exists or not.

    Raises
    ------
    GameError
        The game breaks its contract.

    Examples
    --------
    >>> from fogbound import forms, games
    >>> print(forms.available(games.make("king-ace"))[4])
    normal     4 x 4 pure strategies
    """
    if isinstance(game, Tree) and game.origin is None:
        return available_from_tree(game)
    return available_from(enumerated(game, states), nodes, game.counted() if isinstance(game, Counted) else {})


@runtime_checkable
class Counted(Protocol):
    """A game that knows the size of some of its forms before it is enumerated."""

    def counted(self) -> dict[str, str]:
        """By kind of form, its size in words."""


def available_from_tree(form: Tree) -> list[Available]:
    """What there is of a file's tree that has no rules: the tree, and what is made from it alone."""
    plexes = sequence(form)
    sizes = " + ".join(f"{plex.sequences:,}" for plex in plexes.plexes)
    listed = {
        "tree": Available("tree", True, form.describe()),
        "sequence": Available("sequence", True, f"{many(sizes, 'sequence')}, {many(len(plexes.ends), 'payoff')}"),
        "normal": _normal(plexes),
        "restricted": _restricted(form.players),
    }
    return [
        listed.get(kind, Available(kind, False, "needs rules that are played step by step"))
        for kind in (*FORMS, *BEYOND)
    ]


def _restricted(players: tuple[str, ...]) -> Available:
    two, believed = len(players) == 2, "once it is said how the other is believed to play"
    return Available("restricted", two, believed if two else f"{many(len(players), 'player')}, expected 2")


def enumerated(game: AnyGame | Form, states: int) -> Table | LimitError:
    """The table, or why there is none within the limit: who needs to know it twice enumerates once."""
    try:
        return derive(game, Table, Question(limit=states))
    except LimitError as error:
        return error


def available_from(
    source: Table | LimitError, nodes: int = MOST_NODES, counted: Mapping[str, str] | None = None
) -> list[Available]:
    """What `available_forms` lists, once the game is enumerated, or was found to be too large for that.

    Parameters
    ----------
    source
        The table, or the limit that was met.
    nodes
        How many nodes are unrolled, at most.
    counted
        By kind, the sizes of forms that are known to exist without the table.
    """
    sampled = {
        "sampled": Available("sampled", True, "the rules themselves, for solvers that only sample"),
        "modelled": Available("modelled", True, "the same for one player, the others as said, or at random"),
    }
    if isinstance(source, LimitError):
        sure = {kind: Available(kind, True, words) for kind, words in (counted or {}).items()}
        never = isinstance(source, SampledOnlyError)
        listed = {"table": Available("table", False, str(source), known=never), **sampled, **sure}
        rest = Available("", False, "needs the table" + ("" if never else ", whose limit was met"), known=never)
    else:
        size = f"{many(source.size, 'state')}, {many(len(source.prob), 'outcome')}"
        listed = {"table": Available("table", True, size), **_tree_forms(source, nodes), **_replies(source), **sampled}
        listed["one-sided"] = _one_sided(source)
        listed["markov"] = _markov(source)
        listed["posg"] = _posg(source)
        rest = Available("", False, "needs the tree")
    return [listed.get(kind, replace(rest, form=kind)) for kind in (*FORMS, *BEYOND)]


def _tree_forms(source: Table, limit: int) -> dict[str, Available]:
    """What is unrolled: nodes, sequences, strategies."""
    try:
        nodes, depth = tree_size(source)
        form = sequence(source, limit)
    except (FormError, LimitError) as error:
        return {"tree": Available("tree", False, str(error).removeprefix(f"{source.spec}: "))}
    written_out = isinstance(form.decisions, Tree)
    sets = " + ".join(f"{len(plex.sets):,}" for plex in form.plexes)
    sizes = " + ".join(f"{plex.sequences:,}" for plex in form.plexes)
    summed_out = f"{many(form.decisions.size, 'combination')}, histories summed out"
    long = f"{many(depth, 'step')} at most"
    return {
        "tree": Available("tree", nodes <= limit, f"{nodes:,.0f} nodes, {many(sets, 'information set')}, {long}"),
        "memories": Available("memories", True, "histories written out: see the tree" if written_out else summed_out),
        "sequence": Available("sequence", True, f"{many(sizes, 'sequence')}, {many(len(form.ends), 'payoff')}"),
        "normal": _normal(form),
        "restricted": _restricted(source.players),
    }


def _normal(form: SequenceForm) -> Available:
    counts = [count_strategies(plex) for plex in form.plexes]
    fits = entries(counts) <= MOST_ENTRIES
    return Available(
        "normal", fits, f"{many(shape(counts), 'pure strategy')}" + ("" if fits else ", too many for a matrix")
    )


def _replies(source: Table) -> dict[str, Available]:
    """What is asked against given opponents."""
    alone = len(source.players) == 1
    against = "" if alone else " for one player, once the others' policies are given"
    try:
        tree_size(source)
        words = "finitely many beliefs, since play ends"
    except FormError:
        words = "play can go on: finite only if beliefs repeat"
    size = f"{many(source.size, 'state')}{against}" if alone else f"exists{against}"
    ends = bool((source.actor_set == 0).any())
    average = "play can end" if ends else f"play never ends{against}"
    levels = "one player, so there is nobody to reason about" if alone else f"{many(source.size, 'state')}, any level 0"
    return {
        "pomdp": Available("pomdp", True, size),
        "belief-mdp": Available("belief-mdp", True, words + against),
        "average-reward": Available("average-reward", not ends, average),
        "hierarchy": Available("hierarchy", not alone, levels),
    }


def _posg(source: Table) -> Available:
    """What the players meet side by side."""
    form = posg(source)
    seen = " x ".join(f"{len(known):,}" for known in form.observations)
    team = ", one reward for all: a team" if form.common_reward and len(source.players) > 1 else ""
    return Available("posg", True, f"{many(form.size, 'state')}, {many(seen, 'observation')}{team}")


def _one_sided(source: Table) -> Available:
    """What the form is like with each player blind: what there is to know, and what is not known of it."""
    words = []
    for player, name in enumerate(source.players):
        try:
            form = one_sided(source, player)
        except FormError as error:
            return Available("one-sided", False, str(error).removeprefix(f"{source.spec}: "))
        most, parts = int(np.diff(form.state_start).max()), len(form.state_start) - 1
        count = f"{many(form.size, 'state')} in {many(parts, 'partition')} of at most {most:,}"
        words.append(f"{name} blind: {count}{', the other informed of more' if form.relaxed else ''}")
    return Available("one-sided", True, "; ".join(words))


def _markov(source: Table) -> Available:
    """Whether whoever moves knows the state."""
    try:
        form = markov(source)
    except FormError as error:
        return Available("markov", False, str(error).removeprefix(f"{source.spec} ").removeprefix(f"{source.spec}: "))
    discounted = (
        f"discount {form.discount:g}"
        if form.discount < 1
        else "play ends"
        if not len(form.endless)
        else "play need not end"
    )
    return Available(
        "markov", True, f"{many(form.size, 'state')}, {many(len(form.reward), 'joint action')}, {discounted}"
    )
