"""A game tree as a picture and as text: branches are moves, bands of fog join what a player cannot tell apart."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from fogbound.core import measure, svg
from fogbound.core.drawing import Drawing
from fogbound.core.errors import many, one_line
from fogbound.core.game import AnyGame
from fogbound.core.numerals import EXACT, chance, decimal, number
from fogbound.core.profile import Profile
from fogbound.core.record import NOTHING
from fogbound.core.svg import EMBER, EMBER_FILL, FOG_5, INK_2, INK_3, LAMP, LAMP_FILL, MARGIN, SEA, SEA_FILL, Link
from fogbound.draw.key import Key, KeyEntry, glyph, key
from fogbound.draw.layout.tree import TreeLayout, subtree, tree_layout
from fogbound.draw.rendering import polyline
from fogbound.evaluation.exploitability import behaviours
from fogbound.forms import words
from fogbound.forms.protocol import Form, derive
from fogbound.forms.sequence import SequenceForm
from fogbound.forms.tree import CHANCE, END, Tree
from fogbound.forms.words import Describe

COLOURS = (SEA_FILL, EMBER_FILL, LAMP_FILL, FOG_5)  # of players
INKS = (SEA, EMBER, LAMP, INK_2)  # of what they are paid


def mover_mark(player: int, x: float, y: float) -> str:
    """A player's mark: colour and shape both tell who moves."""
    at, fill = svg.at, colour(player)
    if player == CHANCE:
        return svg.path(f"M{at(x)} {at(y - 6)} l6 6 l-6 6 l-6 -6 Z", INK_3, 1.5, svg.SURFACE)
    if player == 1:
        return svg.path(f"M{at(x - 5.5)} {at(y - 5.5)} h11 v11 h-11 Z", svg.SURFACE, 1.5, fill)
    if player == 2:
        return svg.path(f"M{at(x)} {at(y - 7)} l7 12 h-14 Z", svg.SURFACE, 1.5, fill)
    return svg.dot(x, y, 6.5, fill)


def colour(player: int) -> str:
    return svg.FOG_4 if player == CHANCE else COLOURS[min(player, len(COLOURS) - 1)]


def band(steps: str, width: float) -> list[str]:
    """Fog along a path, and the line that the eye can follow through it."""
    return [svg.path(steps, svg.FOG_2, width), svg.path(steps, FOG_5, 1.2, dashes="3 4")]


def end_payoffs(form: Tree, v: int) -> list[str]:
    """The payoffs of an end: of all players, or the first's alone, signed, where the second loses exactly that."""
    paid = _paid(form)
    return [number(float(p), sign=len(paid) == 1) for p in form.payoff[v, : len(paid)]]


def payoff_text(paid: list[str], x: float, y: float) -> str:
    """Payoffs as in "3, 1", each in its player's colour; a single one in the colour of its sign."""
    body, x = [], x + 6
    for i, payoff in enumerate(paid):
        signed = SEA if payoff.startswith("+") else EMBER if payoff.startswith("−") else INK_2
        tone = signed if len(paid) == 1 else INKS[min(i, len(INKS) - 1)]
        said = payoff if i == len(paid) - 1 else f"{payoff},"
        body.append(svg.text(x, y + 4, said, tone, weight=600))
        x += measure.width_of(said + " ", bold=True)
    return "".join(body)


def _paid(form: Tree) -> tuple[str, ...]:
    """Whose payoffs stand at the ends: the first player's alone where the second loses exactly that."""
    return form.players if len(form.players) != 2 or form.constant_sum != 0 else form.players[:1]


def legend(form: Tree) -> Key:
    """Who moves by which mark, what fog joins, and what the numbers at the ends are."""
    entries = []
    for player in (p for p in (CHANCE, *range(len(form.players))) if (form.mover == p).any()):
        name = "chance" if player == CHANCE else words.label(form.players[player])
        entries.append(glyph(name, 6, partial(mover_mark, player)))
    entries.append(KeyEntry("cannot be told apart", lambda x, y: _fog_mark(x, y - 4), 38))
    ends = _paid(form)
    paid = f"ends: {'payoff' if len(ends) == 1 else 'payoffs'} to {', '.join(map(words.label, ends))}"
    return key([*entries, KeyEntry(paid, lambda _x, _y: "", 0)], MARGIN, 80)


def _fog_mark(x: float, y: float) -> str:
    return "".join(band(f"M{svg.at(x + 8)} {svg.at(y)} h14", 16))


TOP, FAN, LANE, BAND = 104, 36, 30, 24
LABEL = 150  # the most room that a branch's label takes
MOST = 200
LEAST_WIDTH = 320.0


def draw_tree(
    form: AnyGame | Form,
    *,
    profile: Profile | None = None,
    describe: Describe = str,
    title: str = "",
    most: int = MOST,
    root: int = 0,
    link: Link | None = None,
) -> Drawing:
    """Draw a game tree: branches are moves, bands of fog join what a player cannot tell apart.

    Parameters
    ----------
    form : Game or Form
        The tree, or what it can be derived from.
    profile : Solution or profile, optional
        How all play: each move says how likely it is, and likelier branches are heavier.
    describe : callable
        An action in words, such as `game.describe`.
    title : str
        The first line of the picture.
    most : int
        How many nodes are drawn: over that the first levels, and every cut says its size.
    root : int
        The node to begin at: nodes are numbered breadth first, the first is 0.
    link : callable, optional
        The address of a node by its number: then every node that somebody moves at, and every cut, is a link.

    Returns
    -------
    Drawing

    Raises
    ------
    LimitError
        Where a game is too large for a tree.
    SpecError
        Where there is no node `root`.

    Examples
    --------
    >>> from fogbound import games
    >>> draw_tree(games.make("king-ace"), title="A King or an Ace")
    <Drawing 560 × 473: Game tree of king-ace with 21 nodes, 4 information sets.>
    """
    whole = derive(form, Tree)
    form, old = subtree(whole, root)
    placement = tree_layout(form, most)
    likely = _move_chances(whole, placement, profile) if profile is not None else None
    labels = {v: branch_words(form, v, describe, likely) for v in range(1, placement.shown)}
    address = (lambda v: link(int(old[v]))) if link else None
    ends = {v: end_payoffs(form, v) for v in range(placement.shown) if form.mover[v] == END}
    rail, tokens = _rails(placement, labels, ends), legend(form)
    width = max(rail.width, tokens.right, LEAST_WIDTH)
    titled = one_line(title) or f"{form.spec}: game tree"
    head = svg.wrapped_heading(titled, _size(placement), width)
    body = [head.body, tokens.body, *_bands(placement, rail), *_branches(placement, rail, labels, likely)]
    body += _marks(placement, rail, address)
    body += [payoff_text(ends[v], rail.stop[placement.column[v]], TOP + placement.y[v]) for v in ends]
    body += _nodes(placement, rail, describe, address)
    drawn = svg.document(width, TOP + placement.height + MARGIN, body, _sentence(placement), above=head.above)
    paid = f"ends: what {', '.join(map(words.label, _paid(form)))} gets"
    return replace(drawn, text=_outline(placement, labels, ends, (titled, f"{_size(placement)}; {paid}")))


@dataclass(frozen=True)
class Rails:
    """Where each column's parts lie: branches fan out, run along under their labels, then meet lanes or ends."""

    fan: list[float]  # [column] where the branches into the next column begin to part
    stop: list[float]  # [column] where branches into it arrive: ends stand here
    first: list[float]  # [column] its first lane
    width: float

    def x(self, placement: TreeLayout, node: int) -> float:
        return self.first[placement.column[node]] + LANE * max(0, placement.lane[node])


def _rails(placement: TreeLayout, labels: dict[int, tuple[str, str]], ends: dict[int, list[str]]) -> Rails:
    columns = max(placement.column) + 2  # marks of cut branches may need one more
    room, ending, lanes = [0.0] * columns, [0.0] * columns, [0] * columns
    for v, (move, p) in labels.items():
        room[placement.column[placement.form.parent[v]] + 1] = max(
            room[placement.column[placement.form.parent[v]] + 1], measure.width_of(f"{move} {p}") + 16
        )
    for v, (count, _) in placement.more.items():
        ending[placement.column[v] + 1] = max(ending[placement.column[v] + 1], measure.width_of(_more(count)) + 14)
    for v in range(placement.shown):
        c = placement.column[v]
        lanes[c] = max(lanes[c], placement.lane[v] + 1)
        if v in ends:
            ending[c] = max(ending[c], measure.width_of(", ".join(ends[v]), bold=True) + 14)
    fan, stop, first, x = [], [], [], float(MARGIN)
    for c in range(columns):
        stop.append(x + (FAN + room[c] if c else 0))
        first.append(stop[-1] + ending[c] + LANE / 2)
        x = first[-1] + LANE * lanes[c] - LANE / 2 if lanes[c] else stop[-1] + ending[c]
        fan.append(x)
    used = [stop[c] + ending[c] if not lanes[c] else fan[c] for c in range(columns) if lanes[c] or ending[c]]
    return Rails(fan, stop, first, max(used) + MARGIN)


def _move_chances(whole: Tree, placement: TreeLayout, profile: Profile) -> list[float]:
    """[node shown] how likely the move into it is, where a player moves; 1 elsewhere."""
    form, played = placement.form, behaviours(derive(whole, SequenceForm), profile)
    chances = [1.0] * placement.shown
    for v in range(1, placement.shown):
        up = int(form.parent[v])
        h = int(form.infoset[up])
        if h >= 0:
            place = int(form.set_first[h]) + v - int(form.child[up])
            chances[v] = float(played[int(form.set_owner[h])][place])
    return chances


def branch_words(form: Tree, v: int, describe: Describe, likely: list[float] | None = None) -> tuple[str, str]:
    """The move that leads to a node; where chance moves, what is dealt and how likely that is.

    Outcomes that look the same to all are told apart by what they hide: a reader of the picture sees everything.
    """
    up = int(form.parent[v])
    if form.mover[up] != CHANCE:
        said = decimal(likely[v]) if likely else ""
        return measure.clip(words.move_into(describe, form, v), LABEL), said
    said, hidden = _dealt(form, v), ""
    siblings = range(int(form.child[up]), int(form.child[up + 1]))
    if sum(_dealt(form, w) == said for w in siblings) > 1:
        hidden = _told_apart_by(form, v, siblings)
    return measure.clip(" · ".join(filter(None, (said, hidden))), LABEL), chance(float(form.prob[v]))


def _told_apart_by(form: Tree, v: int, siblings: range) -> str:
    """What nobody sees of a chance outcome: its state, or those parts of it in which its siblings differ."""
    states = [form.states[int(form.state[w])] for w in siblings if form.state[w] >= 0]
    if len(states) < len(siblings):
        return ""
    own, tuples = states[v - siblings.start], [state for state in states if isinstance(state, tuple)]
    if isinstance(own, tuple) and [len(other) for other in tuples] == [len(own)] * len(states):
        return words.label(tuple(part for k, part in enumerate(own) if {part} != {other[k] for other in tuples}))
    return words.label(own)


def _dealt(form: Tree, v: int) -> str:
    """What is seen of a chance outcome: by all, or by each player."""
    up = int(form.parent[v])
    dealt = [
        words.observed(form.word(i, int(form.memory[v, i]))[1])
        for i in range(len(form.players))
        if form.memory[v, i] != form.memory[up, i] and form.memory[v, i] >= len(form.players)
    ]
    said = " | ".join(dict.fromkeys(dealt) if len(set(dealt)) == 1 and _public(form, v) else dealt)
    return "" if set(dealt) == {NOTHING} else said


def _public(form: Tree, v: int) -> bool:
    """Whether nobody sees more of the step into a node than all do."""
    return all(form.word(i, int(form.memory[v, i]))[1].private is None for i in range(len(form.players)))


def _branches(
    placement: TreeLayout, rail: Rails, labels: dict[int, tuple[str, str]], likely: list[float] | None
) -> list[str]:
    form, body = placement.form, []
    for v, (move, p) in labels.items():
        up = int(form.parent[v])
        fan, y = rail.fan[placement.column[up]], TOP + placement.y[v]
        to = rail.stop[placement.column[v]] if form.mover[v] == END else rail.x(placement, v)
        tone, heavy = colour(int(form.mover[up])), 1.5
        if likely and form.mover[up] != CHANCE:
            heavy = 1.0 + 2.5 * likely[v]
            tone = tone if likely[v] > EXACT else svg.FOG_3
        body.append(_curve(rail.x(placement, up), TOP + placement.y[up], fan, y, to, tone, width=heavy))
        body.append(svg.text(fan + FAN, y - 5, move, INK_2) if move else "")
        shift = measure.width_of(move + " ") if move else 0
        body.append(svg.text(fan + FAN + shift, y - 5, p, INK_3, 11) if p else "")
    return body


def _marks(placement: TreeLayout, rail: Rails, link: Link | None) -> list[str]:
    """A dotted branch and a count wherever something is left out."""
    body = []
    for v, (count, y) in placement.more.items():
        x = rail.stop[placement.column[v] + 1]
        body.append(
            _curve(
                rail.x(placement, v),
                TOP + placement.y[v],
                rail.fan[placement.column[v]],
                TOP + y,
                x - 8,
                svg.FOG_4,
                "1 5",
            )
        )
        said = svg.text(x, TOP + y + 4, _more(count), INK_2 if link else INK_3)
        body.append(svg.group([said], f"{count:,} more nodes below this one", href=link(v)) if link else said)
    return body


def _curve(
    x: float, y: float, fan: float, to_y: float, to_x: float, stroke: str, dashes: str = "", width: float = 1.5
) -> str:
    at = svg.at
    turn = svg.bend(y, fan + FAN / 2, fan + FAN - 4, to_y) if abs(y - to_y) > 0.05 else ""
    return svg.path(f"M{at(x)} {at(y)} H{at(fan)} {turn} H{at(to_x)}", stroke, width, dashes=dashes)


def _bands(placement: TreeLayout, rail: Rails) -> list[str]:
    body = []
    for h, nodes in placement.bands.items():
        steps = polyline((rail.x(placement, v), TOP + placement.y[v]) for v in nodes)
        body += [svg.group(band(steps, BAND), more=f' data-band="{h}"')] if len(nodes) > 1 else []
    return body


def _nodes(placement: TreeLayout, rail: Rails, describe: Describe, link: Link | None) -> list[str]:
    """Who moves where; under the pointer, what the mover knows."""
    form, body = placement.form, []
    for v in range(placement.shown):
        if form.mover[v] == END:
            continue
        mark, h = mover_mark(int(form.mover[v]), rail.x(placement, v), TOP + placement.y[v]), int(form.infoset[v])
        if h >= 0:
            owner = int(form.set_owner[h])
            known = words.history_text(describe, form.history(owner, int(form.set_memory[h])))
            hint, more = f"{form.players[owner]} knows: {known}", f' data-set="{h}"'
            mark = svg.group([mark], hint, more, link(v) if link else "")
        body.append(mark)
    return body


def _more(count: int) -> str:
    return f"… {count:,} more"


def _size(placement: TreeLayout) -> str:
    sets = many(len(set(placement.form.infoset.tolist()) - {-1}), "information set")
    whole = f"{many(placement.form.size, 'node')}, {sets}"
    return whole if placement.shown == placement.form.size else f"the first {placement.shown:,} of {whole}"


def _sentence(placement: TreeLayout) -> str:
    return f"Game tree of {placement.form.spec} with {_size(placement)}."


APART = "nodes with the same #number cannot be told apart by the player who moves there"


def _outline(
    placement: TreeLayout, labels: Mapping[int, tuple[str, str]], ends: Mapping[int, Sequence[str]], head: Sequence[str]
) -> str:
    """The nodes that are shown, each with the move into it, and who moves there or what is paid.

    Parameters
    ----------
    placement
        The tree, and how much of it is shown.
    labels
        By node, the move into it and how likely that is.
    ends
        By end, what is paid.
    head
        The lines above.
    """
    form, lines = placement.form, [*head, ""]
    number = {h: k + 1 for k, h in enumerate(placement.bands)}
    waiting = [(0, 0)]
    while waiting:
        node, depth = waiting.pop()
        into = " ".join(filter(None, labels.get(node, ())))
        if form.mover[node] == END:
            here = ", ".join(ends[node])
        elif form.mover[node] == CHANCE:
            here = "chance"
        else:
            here = f"{words.label(form.players[int(form.mover[node])])} #{number[int(form.infoset[node])]}"
        lines.append("  " * depth + (f"{into}: {here}" if into else here))
        if node in placement.more:
            lines.append("  " * (depth + 1) + f"… {placement.more[node][0]:,} more")
        waiting += [(child, depth + 1) for child in reversed(placement.children(node))]
    hidden = any(len(nodes) > 1 for nodes in placement.bands.values())
    return "\n".join([*lines, *(["", APART] if hidden else [])]) + "\n"
