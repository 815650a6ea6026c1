"""A level-k hierarchy, read from its arrays: who is on which level, and what each level believes of the other players.

All controllers of a player are one automaton (a{player}_arrow, a{player}_choice_key, a{player}_choice_weight), as
they often agree from some point on: a kind of controller is where it begins (b{player}_{kind}), and may share any
node with others. Level 0 of a player is its kind 0. Level k of a player believes that each other player plays one of
its levels 0 to k - 1, drawn before the first step by weights, for each of them anew. Equal levels share a kind, and
their weights add up. The prior says what the certificate is about, so unlike evidence it is never repaired: it is
right, or Refused.

A player observes what the game shows it, and what is asked of it next. A bare observation need not say whether the
player is asked next. In the game it knows in time: when asked it is shown its legal actions, and when it is not, the
next observation comes without a question before. So a controller that is informed of this is a policy of the game, and
no policy of the game needs more.

A hash ties each level to what it was made from (`Links`), so that none can be shown above another hierarchy.
"""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from ..arithmetic import shares
from ..arrays import SIZES, Array, Refused, every_line, floats, within
from ..chain import Controller, Line, Table, begun, read_automaton
from ..npz import digest

MOST_KINDS = 10_000
Mixtures = dict[int, dict[int, int]]  # of each other player: the weight of each of its kinds


@dataclass(frozen=True)
class Hierarchy:
    """Levels 1 to `height` of all players."""

    players: int
    height: int
    kind: dict[tuple[int, int], int]  # (level, player), level 0 too
    prior: list[list[int]]  # [level - 1] exact proportions of the levels below
    automata: list[Controller]  # [player] what its kinds share
    controllers: dict[tuple[int, int], Controller]  # (player, kind)

    def believed(self, level: int, player: int) -> Mixtures:
        """The kinds of every other player that this level of a player believes in, in the shortest weights."""
        return {other: self._kinds(level, other) for other in range(self.players) if other != player}

    def _kinds(self, level: int, player: int) -> dict[int, int]:
        weights: dict[int, int] = {}
        for below, part in enumerate(self.prior[level - 1]):
            if part:
                kind = self.kind[below, player]
                weights[kind] = weights.get(kind, 0) + part
        shared = math.gcd(*weights.values())
        return {kind: weight // shared for kind, weight in sorted(weights.items())}


def read_hierarchy(certificate: Mapping[str, Array]) -> Hierarchy:
    """Check 'levels' and 'prior', and read the automata and where each kind that is on the hierarchy begins."""
    kind = read_kinds(certificate)
    height, last = max(kind)
    flat = floats(certificate, "prior", height, height)
    prior = [_proportions(flat[k * height : (k + 1) * height], k + 1) for k in range(height)]
    automata = [read_automaton(certificate, player, automaton_names(player)) for player in range(last + 1)]
    used = sorted({(player, number) for (_, player), number in kind.items()})
    controllers = {
        (player, number): begun(certificate, begin_name(player, number), automata[player]) for player, number in used
    }
    return Hierarchy(last + 1, height, kind, prior, automata, controllers)


def read_kinds(certificate: Mapping[str, Array]) -> dict[tuple[int, int], int]:
    """The kind of each (level, player), from level 0, which is of kind 0, upward."""
    rows = every_line(certificate, "levels", 3)
    players = sum(level == 1 for level, _, _ in rows)
    expected = [(level, player) for level in range(1, len(rows) // max(players, 1) + 1) for player in range(players)]
    if players < 2 or [row[:2] for row in rows] != expected:
        raise Refused("'levels' must list (1, 0), (1, 1) and so on, then (2, 0): each level of all players, once")
    within([row[2] for row in rows], 0, MOST_KINDS, "levels")
    return {(0, player): 0 for player in range(players)} | {(level, player): kind for level, player, kind in rows}


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


class Links:
    """The links of a certificate's levels; what several of them read is read once."""

    def __init__(self, certificate: Mapping[str, Array]) -> None:
        self.certificate, self.kinds = certificate, read_kinds(certificate)
        self.height, self.last = max(self.kinds)
        floats(certificate, "prior", self.height, self.height)  # the shape that the cuts rely on
        self._automata: dict[int, _Automaton] = {}

    def of(self, level: int, player: int) -> bytes:
        """The 32 bytes of SHA-256 that belong into 'u{level}_{player}_link'.

        It is the `digest` of these arrays, under these names, where `other` is every other player in turn:
          b{other}_{kind}, whole, for each kind that is that of one of its levels 0 to level - 1 (level 0: kind 0);
          a{other}_arrow, a{other}_choice_key and a{other}_choice_weight, each cut to the lines, in their order, that
            are about a node that arrows lead to from a node where one of these kinds begins (or that is one);
          levels, cut to the lines of the levels below;
          prior, the first `level` entries of line level - 1.
        What else is there does not matter, so a hierarchy that grows by new lines for new nodes keeps its links.
        """
        players, certificate = range(self.last + 1), self.certificate
        if not 1 <= level <= self.height or player not in players:
            raise Refused(
                f"level {level} of player {player}, expected level 1 to {self.height} of player 0 to {self.last}"
            )
        made_from: dict[str, Array] = {}
        for other in players:
            if other != player:
                begins = sorted({begin_name(other, self.kinds[lower, other]) for lower in range(level)})
                first = [node for name in begins for _, node in every_line(certificate, name, 2)]
                made_from |= {name: certificate[name] for name in begins} | self._automaton(other).reached(first)
        made_from["levels"] = _cut(certificate["levels"], range(len(players) * (level - 1)))
        row = certificate["prior"].data[(level - 1) * self.height * SIZES["<f8"] :]
        made_from["prior"] = Array("<f8", (level,), row[: level * SIZES["<f8"]])
        return bytes.fromhex(digest(made_from))

    def _automaton(self, player: int) -> "_Automaton":
        if player not in self._automata:
            self._automata[player] = _Automaton(self.certificate, player)
        return self._automata[player]


class _Automaton:
    """The automaton of a player, to be cut to what can be reached from some nodes."""

    def __init__(self, certificate: Mapping[str, Array], player: int) -> None:
        names = automaton_names(player)
        self.arrows, self.keys = every_line(certificate, names[0], 4), every_line(certificate, names[1], 3)
        floats(certificate, names[2], len(self.keys))  # one for each key
        self.parts = {name: certificate[name] for name in names}
        self.leads: dict[int, list[int]] = {}
        for node, _, _, after in self.arrows:
            self.leads.setdefault(node, []).append(after)

    def reached(self, first: list[int]) -> dict[str, Array]:
        """The three arrays, cut."""
        reached, fresh = set(first), list(first)
        while fresh:
            new = set(self.leads.get(fresh.pop(), ())) - reached
            reached |= new
            fresh += new
        led = [number for number, line in enumerate(self.arrows) if line[0] in reached]
        chosen = [number for number, line in enumerate(self.keys) if line[0] in reached]
        return {name: _cut(whole, kept) for (name, whole), kept in zip(self.parts.items(), (led, chosen, chosen))}


def _cut(whole: Array, kept: Iterable[int]) -> Array:
    """Some lines of an array, in this order."""
    numbers = list(kept)
    size = len(whole.data) // max(whole.shape[0], 1)
    data = b"".join(whole.data[number * size : (number + 1) * size] for number in numbers)
    return Array(whole.dtype, (len(numbers), *whole.shape[1:]), data)
