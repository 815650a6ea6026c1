"""The hash that ties a level to what it was made from, so that none can be shown above another hierarchy."""

from collections.abc import Iterable, Mapping

from ..arrays import SIZES, Array, Refused, every_line, floats
from ..npz import digest
from .form import automaton_names, begin_name, read_kinds


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


def link(certificate: Mapping[str, Array], level: int, player: int) -> bytes:
    """One link (`Links.of`)."""
    return Links(certificate).of(level, player)


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
