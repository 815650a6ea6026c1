"""Tree: the game from a node on, never more than can be read; bands of fog join what a player cannot tell apart."""

from __future__ import annotations

from fogbound.api.looking import Look
from fogbound.core.errors import FogboundError
from fogbound.core.numerals import decimal, number
from fogbound.draw.tree.game_tree import branch_words
from fogbound.forms import words
from fogbound.forms.tree import CHANCE, END, Tree
from fogbound.web.explore.address import Address
from fogbound.web.explore.views.shown import NextStep, Selected, View, which_equilibrium, worth_bars
from fogbound.web.refusal import Refusal

MOST = 90  # nodes that are drawn at once
MOST_STEPS = 40


def view(look: Look, player: int, asked: Address) -> View:  # noqa: ARG001, a tree is of all players
    """The game tree from the selected node on."""
    node = asked.number("node") or 0
    form = look.tree_form
    if node >= form.size:
        raise Refusal(404, f"the tree has no node {node:,}: it has {form.size:,}")
    picture = look.tree(node, most=MOST, link=lambda v: asked.to(node=v))
    return View(
        picture,
        which_equilibrium(look),
        _selected(look, form, node, asked),
        [(name, asked.to(node=v)) for v, name in _above(look, form, node)],
        python=f"tree({node})",
        csv=False,
    )


def _above(look: Look, form: Tree, node: int) -> list[tuple[int, str]]:
    """The way from the root: each node with the move that leads to it."""
    way = [node]
    while way[0] > 0:
        way.insert(0, int(form.parent[way[0]]))
    return [(v, _into(look, form, v)) for v in way]


def _into(look: Look, form: Tree, node: int) -> str:
    if node == 0:
        return "the start"
    up = int(form.parent[node])
    if form.mover[up] == CHANCE:
        return branch_words(form, node, look.game.describe)[0] or f"chance {node - int(form.child[up]) + 1}"
    return words.move_into(look.game.describe, form, node)


def _selected(look: Look, form: Tree, node: int, asked: Address) -> Selected:
    mover, whole = int(form.mover[node]), len(look.solution.profile) == len(form.players)
    steps = _steps(look, form, node, asked)
    if mover == END:
        paid = ", ".join(f"{name} {number(float(p), sign=True)}" for name, p in zip(form.players, form.payoff[node]))
        return Selected("The end", said=[f"{paid}."])
    values = look.on_tree.value[node] if whole else ()
    told = [f"{name} {number(float(v), sign=True)}" for name, v in zip(form.players, values)]
    said = [f"From here on, as in this answer: {', '.join(told)}."] if told else []
    if mover == CHANCE:
        return Selected("Chance moves", said=said, steps=steps, steps_title="What may come")
    infoset = int(form.infoset[node])
    known = words.history_text(look.game.describe, form.history(mover, int(form.set_memory[infoset])))
    size = int((form.infoset == infoset).sum())
    said.insert(0, f"{form.players[mover]} cannot tell {size:,} histories apart here." if size > 1 else "It knows all.")
    found = look.on_tree.at(infoset) if whole else None
    worth = [(words.action(look.game.describe, move), value) for move, _, value in found.moves] if found else []
    return Selected(
        f"{form.players[mover]} moves, knowing {known}",
        said=said,
        worth=worth_bars(worth),
        worth_title="Worth of each move, on average over what it cannot tell apart",
        steps=steps,
        steps_title="Moves",
    )


def _steps(look: Look, form: Tree, node: int, asked: Address) -> list[NextStep]:
    below = range(int(form.child[node]), int(form.child[node + 1]))
    try:
        edge = look.on_tree.edge if len(look.solution.profile) == len(form.players) else None
    except FogboundError:
        edge = None
    steps = []
    for v in list(below)[:MOST_STEPS]:
        chance = float(form.prob[v]) if form.mover[node] == CHANCE else float(edge[v]) if edge is not None else None
        ends = form.mover[v] == END
        does = number(float(form.payoff[v][0]), sign=True) if ends else _next(form, v)
        steps.append(NextStep(_into(look, form, v), "" if chance is None else decimal(chance), does, asked.to(node=v)))
    return steps


def _next(form: Tree, node: int) -> str:
    mover = int(form.mover[node])
    return "chance" if mover == CHANCE else f"{form.players[mover]} moves"
