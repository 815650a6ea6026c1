"""A level-k hierarchy, read from its arrays: who is on which level, and what each level believes of the other player.

All controllers of a player are one automaton (a{player}_arrow, a{player}_choice_key, a{player}_choice_weight), as
they often agree from some point on: a kind of controller is where it begins (b{player}_{kind}), and may share any
node with others. Level 0 of a player is its kind 0. Level k of a player believes that the other player plays one of
its levels 0 to k - 1, drawn before the first step by weights. Equal levels share a kind, and their weights add up. The
prior says what the certificate is about, so unlike evidence it is never repaired: it is right, or Refused.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from ..arithmetic import shares
from ..arrays import SIZES, Array, Refused, every_line, floats, within
from ..chain.controller import Controller, begun, read_automaton
from ..chain.table import Line, Table
from ..npz import digest

MOST_KINDS = 10_000


@dataclass(frozen=True)
class Hierarchy:
    """Levels 1 to `height` of two players."""

    height: int
    kind: dict[tuple[int, int], int]  # (level, player), level 0 too
    prior: list[list[int]]  # [level - 1] exact proportions of the levels below
    automata: list[Controller]  # [player] what its kinds share
    controllers: dict[tuple[int, int], Controller]  # (player, kind)

    def believed(self, level: int, player: int) -> dict[int, int]:
        """The kinds of the other player that this level believes in, with their weights."""
        weights: dict[int, int] = {}
        for below, part in enumerate(self.prior[level - 1]):
            if part:
                kind = self.kind[below, 1 - player]
                weights[kind] = weights.get(kind, 0) + part
        return weights


def read_hierarchy(certificate: Mapping[str, Array]) -> Hierarchy:
    """Check 'levels' and 'prior', and read both automata and where each kind that is on the hierarchy begins."""
    kind = read_kinds(certificate)
    height = max(level for level, _ in kind)
    flat = floats(certificate, "prior", height, height)
    prior = [_proportions(flat[k * height : (k + 1) * height], k + 1) for k in range(height)]
    automata = [read_automaton(certificate, player, automaton_names(player)) for player in (0, 1)]
    used = sorted({(player, number) for (_, player), number in kind.items()})
    controllers = {
        (player, number): begun(certificate, begin_name(player, number), automata[player]) for player, number in used
    }
    return Hierarchy(height, kind, prior, automata, controllers)


def read_kinds(certificate: Mapping[str, Array]) -> dict[tuple[int, int], int]:
    """The kind of each (level, player), from level 0, which is of kind 0, upward."""
    rows = every_line(certificate, "levels", 3)
    expected = [(level, player) for level in range(1, len(rows) // 2 + 1) for player in (0, 1)]
    if not rows or [row[:2] for row in rows] != expected:
        raise Refused("'levels' must list (1, 0), (1, 1), (2, 0), (2, 1) and so on: each level of both players, once")
    within([row[2] for row in rows], 0, MOST_KINDS, "levels")
    return {(0, 0): 0, (0, 1): 0} | {(level, player): number for level, player, number in rows}


def _proportions(row: list[float], level: int) -> list[int]:
    """What a level believes: weights of the levels below it, and of no others."""
    if min(row) < 0 or max(row[:level]) <= 0 or any(row[level:]):
        raise Refused(f"'prior' of level {level} must weigh levels 0 to {level - 1}, none below 0, and no others")
    return shares(row[:level])[0]


def automaton_names(player: int) -> tuple[str, str, str]:
    """The arrays of a player's automaton."""
    return f"a{player}_arrow", f"a{player}_choice_key", f"a{player}_choice_weight"


def begin_name(player: int, kind: int) -> str:
    """The array that says where a kind begins."""
    return f"b{player}_{kind}"


# The hash that ties a level to what it was made from, so that none can be shown above another hierarchy.


def link(certificate: Mapping[str, Array], level: int, player: int) -> bytes:
    """The 32 bytes of SHA-256 that belong into 'u{level}_{player}_link'.

    It is the `digest` of these arrays, under these names, where `other` is the other player:
      b{other}_{kind}, whole, for each kind that is that of one of its levels 0 to level - 1 (level 0: kind 0);
      a{other}_arrow, a{other}_choice_key and a{other}_choice_weight, each cut to the lines, in their order, that
        are about a node that arrows lead to from a node where one of these kinds begins (or that is one);
      levels, cut to the 2 (level - 1) lines of the levels below;
      prior, the first `level` entries of line level - 1.
    What else is there does not matter, so a hierarchy that grows by new lines for new nodes keeps its links.
    """
    kinds = read_kinds(certificate)
    height = max(kinds)[0]
    if not 1 <= level <= height or player not in (0, 1):
        raise Refused(f"level {level} of player {player}, expected level 1 to {height} of player 0 or 1")
    floats(certificate, "prior", height, height)  # the shape that the cuts rely on
    other = 1 - player
    begins = sorted({begin_name(other, kinds[lower, other]) for lower in range(level)})
    first = [node for name in begins for _, node in every_line(certificate, name, 2)]
    made_from = {name: certificate[name] for name in begins} | _automaton(certificate, other, first)
    made_from["levels"] = _cut(certificate["levels"], range(2 * (level - 1)))
    row = certificate["prior"].data[(level - 1) * height * SIZES["<f8"] :]
    made_from["prior"] = Array("<f8", (level,), row[: level * SIZES["<f8"]])
    return bytes.fromhex(digest(made_from))


def _automaton(certificate: Mapping[str, Array], player: int, first: list[int]) -> dict[str, Array]:
    """The automaton of a player, cut to what can be reached from some nodes."""
    arrow, key, weight = automaton_names(player)
    arrows, keys = every_line(certificate, arrow, 4), every_line(certificate, key, 3)
    floats(certificate, weight, len(keys))  # one for each key
    leads: dict[int, list[int]] = {}
    for node, _, _, after in arrows:
        leads.setdefault(node, []).append(after)
    reached, fresh = set(first), list(first)
    while fresh:
        new = set(leads.get(fresh.pop(), ())) - reached
        reached |= new
        fresh += new
    led = [number for number, cut in enumerate(arrows) if cut[0] in reached]
    chosen = [number for number, cut in enumerate(keys) if cut[0] in reached]
    return {name: _cut(certificate[name], kept) for name, kept in ((arrow, led), (key, chosen), (weight, chosen))}


def _cut(whole: Array, kept: Iterable[int]) -> Array:
    """Some lines of an array, in this order."""
    numbers = list(kept)
    size = len(whole.data) // max(whole.shape[0], 1)
    data = b"".join(whole.data[number * size : (number + 1) * size] for number in numbers)
    return Array(whole.dtype, (len(numbers), *whole.shape[1:]), data)


# What a player observes of an outcome in a level-k hierarchy: what the game shows it, and what is asked of it next.
#
# A bare observation need not say whether the player is asked next. In the game it knows in time: when asked it is shown
# its legal actions, and when it is not, the next observation comes without a question before. So a controller that is
# informed of this is a policy of the game, and no policy of the game needs more.


NOT_ASKED, OVER = -1, -2


def with_legal_actions(table: Table, legal_sets: int) -> Table:
    """The table in which each player observes seen * (legal_sets + 2) + legal + 2; legal may be NOT_ASKED or OVER.

    `legal_sets` is how many the whole table has, so no two pairs of what is seen and what is legal share a number.
    """
    offers = [_offers(table, state) for state in range(len(table.actors))]
    observation = [
        tuple(seen * (legal_sets + 2) + legal + 2 for seen, legal in zip(shown, offers[state]))
        for shown, state in zip(table.observation, table.next)
    ]
    return replace(table, observation=observation)


def _offers(table: Table, state: int) -> Line:
    """The legal actions of each player in a state, by number."""
    offered = dict(zip(table.actors[state], table.offered[state]))
    return tuple(offered.get(player, NOT_ASKED if offered else OVER) for player in range(table.players))
