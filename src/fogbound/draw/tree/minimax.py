"""A minimax or expectimax tree as the slides draw it: values at the nodes, what alpha-beta skips greyed out.

Max is a triangle that points up, min one that points down, chance a circle. A branch that the search cut is dashed
behind two strokes, and nothing below it has a value; the line of best play is bold.

Alpha-beta here is the slides' search (document 003) from left to right on the nodes of the drawn tree, one history a
node; the solver `alpha-beta` searches states. Of a node that was cut short only a bound is known, and it is shown.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np

from fogbound.core import measure, svg
from fogbound.core.drawing import Drawing
from fogbound.core.errors import FormError, LimitError, many, one_line
from fogbound.core.game import AnyGame
from fogbound.core.numerals import chance, number
from fogbound.core.record import NOTHING
from fogbound.core.svg import EMBER, EMBER_FILL, FOG_3, INK, INK_2, INK_3, LAMP_FILL, MARGIN, SEA, SEA_FILL, SURFACE
from fogbound.draw.key import Key, glyph, key, stroke
from fogbound.draw.layout.tree import ROW, TreeLayout, tree_layout
from fogbound.forms import words
from fogbound.forms.protocol import Form, derive
from fogbound.forms.tree import CHANCE, END, Tree
from fogbound.forms.words import Describe

GLYPH, STUB = 13, 46  # half a triangle's width; how far above a node its branch comes down straight


def _range_words(known: Range) -> str:
    """A value, or what is known of it."""
    low, high = known
    if low == high:
        return number(low)
    if low == -inf:
        return f"≤{number(high)}"
    return f"≥{number(low)}" if high == inf else f"{number(low)}…{number(high)}"


def player_mark(player: int, x: float, y: float, skipped: bool = False) -> str:
    """Max points up, min down, chance is round; what is never looked at is an outline."""
    at, edge = svg.at, FOG_3 if skipped else SURFACE
    fill = SURFACE if skipped else SEA_FILL if player == MAX else EMBER_FILL
    if player == CHANCE:
        return svg.dot(x, y, 10, SURFACE, FOG_3 if skipped else INK_3)
    side = 1 if player == MAX else -1
    steps = f"M{at(x)} {at(y - 12 * side)} l{GLYPH} {at(22 * side)} h{-2 * GLYPH} Z"
    return svg.path(steps, edge, 1.5, fill)


def end_mark(x: float, y: float, said: str, skipped: bool) -> str:
    """The payoff of an end, in the colour of who gains."""
    gained = EMBER if said.startswith("−") else INK if said == "0" else SEA
    ground = svg.box(x - 5, y - 12, 10, 22, SURFACE)
    return ground + svg.text(x, y + 4, said, INK_3 if skipped else gained, anchor="middle", weight=600)


def branch_curve(x: float, y: float, to: float, down: float, stroke: str, width: float, dashes: str) -> str:
    """From below a node to above its child, arriving straight from above."""
    at, begin, stub = svg.at, y + 11, down - STUB
    half = (begin + stub) / 2
    return svg.path(
        f"M{at(x)} {at(begin)} C{at(x)} {at(half)} {at(to)} {at(half)} {at(to)} {at(stub)} V{at(down - 12)}",
        stroke,
        width,
        dashes=dashes,
    )


def _legend(form: Tree, pruned: bool) -> Key:
    """Who picks which value by which mark, and what bold and dashed branches are."""
    entries = []
    for player in (p for p in (MAX, 1, CHANCE) if (form.mover == p).any()):
        name = "chance: the average" if player == CHANCE else words.label(form.players[player])
        name += {MAX: ": the largest", 1: ": the smallest"}.get(player, "")
        entries.append(glyph(name, GLYPH, partial(player_mark, player)))
    entries += [stroke("best play", LAMP_FILL, 4)] + [stroke("cut off", FOG_3, 1.5, "4 5")] * pruned
    return key(entries, MARGIN, 86)


TOP, LEVEL, GAP = 124, 104, 12
LABEL = 110  # the most room that a branch's label takes
MOST = 200


def minimax(
    form: AnyGame | Form, *, pruned: bool = True, describe: Describe = str, title: str = "", most: int = MOST
) -> Drawing:
    """Draw a game tree with its values backed up, and what alpha-beta never looks at greyed out.

    For two players zero-sum or for one, chance included, where everybody sees everything.

    Parameters
    ----------
    form : Game or Form
        The tree, or what it can be derived from.
    pruned : bool
        Whether to show what alpha-beta, from left to right, skips.
    describe : callable
        An action in words, such as `game.describe`.
    title : str
        The first line of the picture.
    most : int
        How many nodes are drawn: over that the first levels. Values are those of the whole tree.

    Returns
    -------
    Drawing

    Raises
    ------
    FormError
        Where somebody does not see everything, or the players are not opponents.

    Examples
    --------
    >>> from fogbound import games
    >>> minimax(games.make("slide-tree"))
    <Drawing 562 × 372: Minimax tree of slide-tree(seventh=19).>
    """
    form = derive(form, Tree)
    picture = _Picture(tree_layout(form, max(2, most)), _backed_up(form, pruned), describe)
    heading, heading_width = svg.heading(
        one_line(title) or f"{form.spec}: {_kind(form)} tree", picture.subtitle(pruned)
    )
    tokens = _legend(form, picture.backed_up.pruned)
    body = [heading, tokens.body, *picture.branches(), *map(picture.node, range(picture.placement.shown))]
    width = max(picture.x(picture.placement.height) + MARGIN, heading_width, tokens.right)
    return svg.document(width, picture.bottom, body, f"{_kind(form).capitalize()} tree of {form.spec}.")


@dataclass(frozen=True)
class _Picture:
    placement: TreeLayout
    backed_up: BackedUpValues
    describe: Describe

    @cached_property
    def unit(self) -> float:
        """From end to end: room for the widest branch label, or for a mark with its value beside it."""
        form, room = self.placement.form, 34.0
        for v in range(self.placement.shown):
            mark = GLYPH if form.mover[v] != END else 0
            room = max(room, 2 * mark + measure.width_of(self.said(v), bold=True) + GAP)
            room = max(room, measure.width_of(self.label(v)) + GAP)
        return max(room, *(measure.width_of(f"+{n:,}") + GAP for n, _ in self.placement.more.values()), 0.0)

    @property
    def bottom(self) -> float:
        return TOP + LEVEL * (max(self.placement.column) + bool(self.placement.more)) + 2 * MARGIN

    def x(self, across: float) -> float:
        return MARGIN + across * self.unit / ROW

    def place(self, v: int) -> tuple[float, float]:
        return self.x(self.placement.y[v]), TOP + LEVEL * self.placement.column[v]

    def skipped(self, v: int) -> bool:
        return self.backed_up.known[v] is None

    def said(self, v: int) -> str:
        """What stands at a node: its value, a bound where that is all the search knows, an end's payoff."""
        known = self.backed_up.known[v]
        if known is None:
            return number(self.backed_up.value[v]) if self.placement.form.mover[v] == END else ""
        return _range_words(known)

    def label(self, v: int) -> str:
        """The move that leads to a node; where chance moves, what is seen of it and how likely it is."""
        form, up = self.placement.form, int(self.placement.form.parent[v])
        if up < 0:
            return ""
        if form.mover[up] != CHANCE:
            return measure.clip(words.move_into(self.describe, form, v), LABEL)
        seen, p = words.observed(form.word(0, int(form.memory[v, 0]))[1]), chance(float(form.prob[v]))
        return measure.clip(p if seen == NOTHING else f"{seen}: {p}", LABEL)

    def branches(self) -> list[str]:
        """Every branch with its label; first those that do not matter, so that the bold line lies on top."""
        shown = sorted(range(1, self.placement.shown), key=lambda v: (self.backed_up.best[v], not self.skipped(v), v))
        body = [self._branch(v) for v in shown]
        for v, (count, across) in self.placement.more.items():
            (x, y), to = self.place(v), self.x(across)
            body += [
                branch_curve(x, y, to, y + LEVEL, svg.FOG_4, 1.5, "1 5"),
                svg.text(to, y + LEVEL + 4, f"+{count:,}", INK_3, anchor="middle"),
            ]
        return body

    def _branch(self, v: int) -> str:
        up = int(self.placement.form.parent[v])
        (x, y), (to, down), label = self.place(up), self.place(v), self.label(v)
        tone, width = (LAMP_FILL, 4.0) if self.backed_up.best[v] else (svg.EDGE, 1.5)
        parts = [
            branch_curve(x, y, to, down, FOG_3 if self.skipped(v) else tone, width, "4 5" if self.skipped(v) else "")
        ]
        if self.skipped(v) and not self.skipped(up):
            strokes = " ".join(f"M{svg.at(to - 6)} {svg.at(down - STUB + k)} l12 -5" for k in (-5, 0))
            parts.append(
                svg.group([svg.path(strokes, EMBER, 1.5)], "cut: it cannot matter any more", f' data-cut="{v}"')
            )
        if label:
            wide = measure.width_of(label) + 6
            parts.append(svg.box(to - wide / 2, down - 35, wide, 17, SURFACE))
            parts.append(svg.text(to, down - 22, label, INK_3 if self.skipped(v) else INK_2, anchor="middle"))
        return "".join(parts)

    def node(self, v: int) -> str:
        form, (x, y) = self.placement.form, self.place(v)
        player, said = int(form.mover[v]), self.said(v)
        if player == END:
            return svg.group([end_mark(x, y, said, self.skipped(v))], more=f' data-end="{v}"')
        body = [player_mark(player, x, y, self.skipped(v)), svg.text(x + GLYPH + 4, y + 4, said, INK, weight=600)]
        mover = "chance" if player == CHANCE else words.label(form.players[player])
        return svg.group(body, f"{mover}: {said or 'never looked at'}", f' data-node="{v}"')

    def subtitle(self, pruned: bool) -> str:
        form, ends = self.placement.form, self.placement.form.ends.tolist()
        value = f"value {number(self.backed_up.value[0])} for {words.label(form.players[MAX])}"
        drawn = f"; the first {self.placement.shown:,} of {form.size:,} nodes" if self.placement.more else ""
        if not pruned or _kind(form) == "expectimax":
            return f"{value}; {many(len(ends), 'end')}{drawn}"
        looked = sum(not self.skipped(v) for v in ends)
        return f"{value}; alpha-beta from left to right looks at {looked:,} of {many(len(ends), 'end')}{drawn}"


def _kind(form: Tree) -> str:
    return "minimax" if (form.mover == 1).any() else "expectimax"


inf = math.inf
MAX = 0
DEEPEST = 300  # levels that the search follows
Range = tuple[float, float]  # at least, at most


@dataclass(frozen=True)
class BackedUpValues:
    """By node: its value, what the search knows of it (None where it never came), and whether best play leads there."""

    value: list[float]
    known: list[Range | None]
    best: list[bool]

    @property
    def pruned(self) -> bool:
        return None in self.known


def _backed_up(form: Tree, pruned: bool) -> BackedUpValues:
    """Back the ends of `form` up, with an alpha-beta search or (not `pruned`) looking at everything."""
    _require_minimax(form)
    value = _values(form)
    known: list[Range | None] = [None] * form.size if pruned else [(v, v) for v in value]
    if pruned:
        _Search(form, known).look(0, -inf, inf)
    return BackedUpValues(value, known, _best_line(form, value))


def _require_minimax(form: Tree) -> None:
    """Refuse trees that minimax does not back up: hidden moves, three players, payoffs that are not zero-sum."""
    players, spec = len(form.players), form.spec
    if players > 2 or (players == 2 and form.constant_sum is None):
        raise FormError(
            f"{spec}: a minimax tree needs one player, or two whose payoffs are zero-sum; draw it with draw.tree"
        )
    if _hides(form):
        raise FormError(
            f"{spec}: hides something, and a minimax tree needs perfect information; draw it with draw.tree"
        )
    depth = np.zeros(form.size, np.int64)
    for v in range(1, form.size):
        depth[v] = depth[form.parent[v]] + 1
    if depth.max() > DEEPEST:
        raise LimitError(f"{spec}: {int(depth.max())} levels, over the {DEEPEST} that a picture takes")


def _hides(form: Tree) -> bool:
    """Whether somebody moves without knowing the state: sets with two states, or movers at the same one."""
    asked = np.flatnonzero(form.infoset >= 0)
    state, of = form.state[asked], form.infoset[asked]
    low, high = np.full(len(form.set_owner), form.size), np.full(len(form.set_owner), -1)
    np.minimum.at(low, of, state)
    np.maximum.at(high, of, state)
    above = form.parent[asked]
    together = (above >= 0) & (form.infoset[above] >= 0) & (form.state[above] == state)
    return bool((low != high).any() or together.any())


def _values(form: Tree) -> list[float]:
    """Every node's value for player 0, ends first: nodes stand breadth first, so children have higher numbers."""
    value: list[float] = form.payoff[:, MAX].tolist()
    child, prob, player = form.child.tolist(), form.prob.tolist(), form.mover.tolist()
    for v in range(form.size - 1, -1, -1):
        below = range(child[v], child[v + 1])
        if player[v] == CHANCE:
            value[v] = sum(prob[w] * value[w] for w in below)
        elif player[v] != END:
            value[v] = (max if player[v] == MAX else min)(value[w] for w in below)
    return value


def _best_line(form: Tree, value: list[float]) -> list[bool]:
    """The nodes that best play reaches: the first best move of each mover, everything that chance may do."""
    best = [False] * form.size
    best[0] = True
    for v in range(form.size):
        below = range(int(form.child[v]), int(form.child[v + 1]))
        if best[v] and below:
            on = below if form.mover[v] == CHANCE else [next(w for w in below if value[w] == value[v])]
            for w in on:
                best[w] = True
    return best


class _Search:
    def __init__(self, form: Tree, known: list[Range | None]) -> None:
        self.known = known
        self.child, self.player = form.child.tolist(), form.mover.tolist()
        self.prob, self.payoff = form.prob.tolist(), form.payoff[:, MAX].tolist()

    def look(self, v: int, alpha: float, beta: float) -> Range:
        """MAX-VALUE and MIN-VALUE, returning what is known of a node: at least and at most."""
        player, below = self.player[v], range(self.child[v], self.child[v + 1])
        if player == END:
            bounds = (self.payoff[v], self.payoff[v])
        elif player == CHANCE:
            parts = [self.look(w, -inf, inf) for w in below]
            low, high = (sum(self.prob[w] * part[side] for w, part in zip(below, parts)) for side in (0, 1))
            bounds = (low, high)
        else:
            bounds = (self._max if player == MAX else self._min)(below, alpha, beta)
        self.known[v] = bounds
        return bounds

    def _max(self, below: range, alpha: float, beta: float) -> Range:
        low = high = -inf
        for w in below:
            least, most = self.look(w, alpha, beta)
            low, high = max(low, least), max(high, most)
            if low >= beta and w != below[-1]:
                return low, inf
            alpha = max(alpha, low)
        return low, high

    def _min(self, below: range, alpha: float, beta: float) -> Range:
        low = high = inf
        for w in below:
            least, most = self.look(w, alpha, beta)
            low, high = min(low, least), min(high, most)
            if high <= alpha and w != below[-1]:
                return -inf, high
            beta = min(beta, high)
        return low, high
