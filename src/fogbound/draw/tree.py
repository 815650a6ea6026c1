"""A game tree as a picture: branches are moves, bands of fog join what a player cannot tell apart."""

from __future__ import annotations

from dataclasses import dataclass

from fogbound.draw import measure, svg, words
from fogbound.draw.svg import INK_2, INK_3, MARGIN
from fogbound.draw.tree_layout import TreeLayout, layout
from fogbound.draw.tree_parts import band, colour, glyph, legend, pay, pays
from fogbound.draw.words import Describe
from fogbound.forms.tree import CHANCE, END, Tree

TOP, FAN, LANE, BAND = 104, 40, 30, 24
LABEL = 150  # the most room that a branch's label takes


def tree(form: Tree, most: int = 200, describe: Describe = str) -> str:
    """The tree from the root on. Over `most` nodes only the first levels are drawn, and every cut says its size."""
    plan = layout(form, most)
    labels = {v: _branch(form, v, describe) for v in range(1, plan.shown)}
    ends = {v: pay(form, v) for v in range(plan.shown) if form.player[v] == END}
    rail = _rails(plan, labels, ends)
    key, key_width = legend(form)
    title, title_width = svg.heading(f"{form.spec}: game tree", _size(plan))
    body = [title, key, *_bands(plan, rail), *_branches(plan, rail, labels), *_marks(plan, rail)]
    body += [pays(ends[v], rail.stop[plan.column[v]], TOP + plan.y[v]) for v in ends]
    body += _nodes(plan, rail, describe)
    width = max(rail.width, key_width, title_width)
    return svg.document(width, TOP + plan.height + MARGIN, body, _sentence(plan))


@dataclass(frozen=True)
class Rails:
    """Where each column's parts lie: branches fan out, run along under their labels, then meet lanes or ends."""

    fan: list[float]  # [column] where the branches into the next column begin to part
    stop: list[float]  # [column] where branches into it arrive: ends stand here
    first: list[float]  # [column] its first lane
    width: float

    def x(self, plan: TreeLayout, node: int) -> float:
        return self.first[plan.column[node]] + LANE * max(0, plan.lane[node])


def _rails(plan: TreeLayout, labels: dict[int, tuple[str, str]], ends: dict[int, list[str]]) -> Rails:
    columns = max(plan.column) + 2  # marks of cut branches may need one more
    room, pay, lanes = [0.0] * columns, [0.0] * columns, [0] * columns
    for v, (move, p) in labels.items():
        room[plan.column[plan.form.parent[v]] + 1] = max(
            room[plan.column[plan.form.parent[v]] + 1], measure.width_of(f"{move} {p}") + 16
        )
    for v, (count, _) in plan.more.items():
        pay[plan.column[v] + 1] = max(pay[plan.column[v] + 1], measure.width_of(_more(count)) + 14)
    for v in range(plan.shown):
        c = plan.column[v]
        lanes[c] = max(lanes[c], plan.lane[v] + 1)
        if v in ends:
            pay[c] = max(pay[c], measure.width_of(" ".join(ends[v]), bold=True) + 14)
    fan, stop, first, x = [], [], [], float(MARGIN)
    for c in range(columns):
        stop.append(x + (FAN + room[c] if c else 0))
        first.append(stop[-1] + pay[c] + LANE / 2)
        x = first[-1] + LANE * lanes[c] - LANE / 2 if lanes[c] else stop[-1] + pay[c]
        fan.append(x)
    used = [stop[c] + pay[c] if not lanes[c] else fan[c] for c in range(columns) if lanes[c] or pay[c]]
    return Rails(fan, stop, first, max(used) + MARGIN)


def _branch(form: Tree, v: int, describe: Describe) -> tuple[str, str]:
    """The move that leads to a node; where chance moves, what is dealt and how likely that is."""
    up = int(form.parent[v])
    if form.player[up] != CHANCE:
        move = form.moves(int(form.infoset[up]))[v - int(form.child[up])]
        return measure.clip(words.action(describe, move), LABEL), ""
    dealt = [
        words.sight(form.word(i, int(form.memory[v, i]))[1])
        for i in range(len(form.players))
        if form.memory[v, i] != form.memory[up, i] and form.memory[v, i] >= len(form.players)
    ]
    said = " | ".join(dict.fromkeys(dealt) if len(set(dealt)) == 1 and _public(form, v) else dealt)
    return measure.clip("" if set(dealt) == {words.NOTHING} else said, LABEL), svg.chance(float(form.prob[v]))


def _public(form: Tree, v: int) -> bool:
    """Whether nobody sees more of the step into a node than all do."""
    return all(form.word(i, int(form.memory[v, i]))[1].private is None for i in range(len(form.players)))


def _branches(plan: TreeLayout, rail: Rails, labels: dict[int, tuple[str, str]]) -> list[str]:
    form, body = plan.form, []
    for v, (move, p) in labels.items():
        up = int(form.parent[v])
        fan, y = rail.fan[plan.column[up]], TOP + plan.y[v]
        to = rail.stop[plan.column[v]] if form.player[v] == END else rail.x(plan, v)
        body.append(_curve(rail.x(plan, up), TOP + plan.y[up], fan, y, to, colour(int(form.player[up]))))
        body.append(svg.text(fan + FAN, y - 5, move, INK_2) if move else "")
        shift = measure.width_of(move + " ") if move else 0
        body.append(svg.text(fan + FAN + shift, y - 5, p, INK_3, 11) if p else "")
    return body


def _marks(plan: TreeLayout, rail: Rails) -> list[str]:
    """A dotted branch and a count wherever something is left out."""
    body = []
    for v, (count, y) in plan.more.items():
        x = rail.stop[plan.column[v] + 1]
        body.append(
            _curve(rail.x(plan, v), TOP + plan.y[v], rail.fan[plan.column[v]], TOP + y, x - 8, svg.FOG_4, "1 5")
        )
        body.append(svg.text(x, TOP + y + 4, _more(count), INK_3))
    return body


def _curve(x: float, y: float, fan: float, to_y: float, to_x: float, stroke: str, dashes: str = "") -> str:
    at, bend, stub = svg.at, svg.at(fan + FAN / 2), svg.at(fan + FAN - 4)
    turn = f"C{bend} {at(y)} {bend} {at(to_y)} {stub} {at(to_y)}" if abs(y - to_y) > 0.05 else ""
    return svg.path(f"M{at(x)} {at(y)} H{at(fan)} {turn} H{at(to_x)}", stroke, 1.5, dashes=dashes)


def _bands(plan: TreeLayout, rail: Rails) -> list[str]:
    body = []
    for h, nodes in plan.bands.items():
        steps = "M" + " L".join(f"{svg.at(rail.x(plan, v))} {svg.at(TOP + plan.y[v])}" for v in nodes)
        body += [svg.group(band(steps, BAND), more=f' data-band="{h}"')] if len(nodes) > 1 else []
    return body


def _nodes(plan: TreeLayout, rail: Rails, describe: Describe) -> list[str]:
    """Who moves where; under the pointer, what the mover knows."""
    form, body = plan.form, []
    for v in range(plan.shown):
        if form.player[v] == END:
            continue
        mark, h = glyph(int(form.player[v]), rail.x(plan, v), TOP + plan.y[v]), int(form.infoset[v])
        if h >= 0:
            owner = int(form.set_owner[h])
            known = words.knowledge(describe, form.history(owner, int(form.set_memory[h])))
            mark = svg.group([mark], f"{form.players[owner]} knows: {known}", f' data-set="{h}"')
        body.append(mark)
    return body


def _more(count: int) -> str:
    return f"… {count:,} more"


def _size(plan: TreeLayout) -> str:
    sets = len(plan.form.set_owner)
    whole = f"{plan.form.size:,} nodes, {sets:,} information set{'s' if sets != 1 else ''}"
    return whole if plan.shown == plan.form.size else f"the first {plan.shown:,} of {whole}"


def _sentence(plan: TreeLayout) -> str:
    return f"Game tree of {plan.form.spec} with {_size(plan)}."
