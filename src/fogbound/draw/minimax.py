"""A minimax or expectimax tree as the slides draw it: values at the nodes, what alpha-beta skips greyed out.

Max is a triangle that points up, min one that points down, chance a circle. A branch that the search cut is dashed
behind two strokes, and nothing below it has a value; the line of best play is bold.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from fogbound.core.game import AnyGame
from fogbound.draw import measure, svg, words
from fogbound.draw.minimax_parts import GLYPH, STUB, curve, end, in_words, legend, mark
from fogbound.draw.minimax_values import MAX, Backed, backed
from fogbound.draw.svg import EMBER, FOG_3, INK, INK_2, INK_3, LAMP_FILL, MARGIN, SURFACE
from fogbound.draw.tree_layout import ROW, TreeLayout, layout
from fogbound.draw.words import Describe
from fogbound.forms.table import Table
from fogbound.forms.tree import CHANCE, END, Tree, tree

TOP, LEVEL, GAP = 124, 104, 12
LABEL = 110  # the most room that a branch's label takes


def minimax(source: AnyGame | Table | Tree, pruned: bool = True, most: int = 200, describe: Describe = str) -> str:
    """The game tree with its values backed up; `pruned` shows what alpha-beta, from left to right, never looks at.

    For two players zero-sum or for one, chance included, where everybody sees everything. Over `most` nodes only the
    first levels are drawn; values are those of the whole tree.
    """
    form = source if isinstance(source, Tree) else tree(source)
    picture = _Picture(layout(form, max(2, most)), backed(form, pruned), describe)
    title, title_width = svg.heading(f"{form.spec}: {_kind(form)} tree", picture.subtitle(pruned))
    key, key_width = legend(form, picture.found.pruned)
    body = [title, key, *picture.branches(), *map(picture.node, range(picture.plan.shown))]
    width = max(picture.x(picture.plan.height) + MARGIN, title_width, key_width)
    return svg.document(width, picture.bottom, body, f"{_kind(form).capitalize()} tree of {form.spec}.")


@dataclass(frozen=True)
class _Picture:
    plan: TreeLayout
    found: Backed
    describe: Describe

    @cached_property
    def unit(self) -> float:
        """From end to end: room for the widest branch label, or for a mark with its value beside it."""
        form, room = self.plan.form, 34.0
        for v in range(self.plan.shown):
            mark = GLYPH if form.player[v] != END else 0
            room = max(room, 2 * mark + measure.width_of(self.said(v), bold=True) + GAP)
            room = max(room, measure.width_of(self.label(v)) + GAP)
        return max(room, *(measure.width_of(f"+{n:,}") + GAP for n, _ in self.plan.more.values()), 0.0)

    @property
    def bottom(self) -> float:
        return TOP + LEVEL * (max(self.plan.column) + bool(self.plan.more)) + 2 * MARGIN

    def x(self, across: float) -> float:
        return MARGIN + across * self.unit / ROW

    def place(self, v: int) -> tuple[float, float]:
        return self.x(self.plan.y[v]), TOP + LEVEL * self.plan.column[v]

    def skipped(self, v: int) -> bool:
        return self.found.known[v] is None

    def said(self, v: int) -> str:
        """What stands at a node: its value, a bound where that is all the search knows, an end's pay."""
        known = self.found.known[v]
        if known is None:
            return svg.number(self.found.value[v]) if self.plan.form.player[v] == END else ""
        return in_words(known)

    def label(self, v: int) -> str:
        """The move that leads to a node; where chance moves, what is seen of it and how likely it is."""
        form, up = self.plan.form, int(self.plan.form.parent[v])
        if up < 0:
            return ""
        if form.player[up] != CHANCE:
            move = form.moves(int(form.infoset[up]))[v - int(form.child[up])]
            return measure.clip(words.action(self.describe, move), LABEL)
        seen, p = words.sight(form.word(0, int(form.memory[v, 0]))[1]), svg.chance(float(form.prob[v]))
        return measure.clip(p if seen == words.NOTHING else f"{seen}: {p}", LABEL)

    def branches(self) -> list[str]:
        """Every branch with its label; first those that do not matter, so that the bold line lies on top."""
        shown = sorted(range(1, self.plan.shown), key=lambda v: (self.found.best[v], not self.skipped(v), v))
        body = [self._branch(v) for v in shown]
        for v, (count, across) in self.plan.more.items():
            (x, y), to = self.place(v), self.x(across)
            body += [
                curve(x, y, to, y + LEVEL, svg.FOG_4, 1.5, "1 5"),
                svg.text(to, y + LEVEL + 4, f"+{count:,}", INK_3, anchor="middle"),
            ]
        return body

    def _branch(self, v: int) -> str:
        up = int(self.plan.form.parent[v])
        (x, y), (to, down), label = self.place(up), self.place(v), self.label(v)
        tone, width = (LAMP_FILL, 4.0) if self.found.best[v] else (svg.EDGE, 1.5)
        parts = [curve(x, y, to, down, FOG_3 if self.skipped(v) else tone, width, "4 5" if self.skipped(v) else "")]
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
        form, (x, y) = self.plan.form, self.place(v)
        player, said = int(form.player[v]), self.said(v)
        if player == END:
            return svg.group([end(x, y, said, self.skipped(v))], more=f' data-end="{v}"')
        body = [mark(player, x, y, self.skipped(v)), svg.text(x + GLYPH + 4, y + 4, said, INK, weight=600)]
        mover = "chance" if player == CHANCE else words.label(form.players[player])
        return svg.group(body, f"{mover}: {said or 'never looked at'}", f' data-node="{v}"')

    def subtitle(self, pruned: bool) -> str:
        form, ends = self.plan.form, self.plan.form.ends.tolist()
        worth = f"worth {svg.number(self.found.value[0])} to {words.label(form.players[MAX])}"
        drawn = f"; the first {self.plan.shown:,} of {form.size:,} nodes" if self.plan.more else ""
        if not pruned or _kind(form) == "expectimax":
            return f"{worth}; {len(ends):,} ends{drawn}"
        looked = sum(not self.skipped(v) for v in ends)
        return f"{worth}; alpha-beta from left to right looks at {looked:,} of {len(ends):,} ends{drawn}"


def _kind(form: Tree) -> str:
    return "minimax" if (form.player == 1).any() else "expectimax"
