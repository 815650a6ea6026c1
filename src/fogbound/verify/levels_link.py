"""The hash that ties a rung to what it was made from, so that none can be shown above another ladder."""

from collections.abc import Iterable, Mapping

from .array import SIZES, Array
from .digest import digest
from .fields import every_line, floats
from .levels_form import automaton_names, begin_name, read_kinds
from .refused import Refused


def link(certificate: Mapping[str, Array], level: int, seat: int) -> bytes:
    """The 32 bytes of SHA-256 that belong into 'u{level}_{seat}_link'.

    It is the `digest` of these arrays, under these names, where `other` is the other seat:
      b{other}_{kind}, whole, for each kind that is that of one of its levels 0 to level - 1 (level 0: kind 0);
      a{other}_arrow, a{other}_choice_key and a{other}_choice_weight, each cut to the lines, in their order, that
        are about a node that arrows lead to from a node where one of these kinds begins (or that is one);
      levels, cut to the 2 (level - 1) lines of the levels below;
      prior, the first `level` entries of line level - 1.
    What else is there does not matter, so a ladder that grows by new lines for new nodes keeps its links.
    """
    kinds = read_kinds(certificate)
    height = max(kinds)[0]
    if not 1 <= level <= height or seat not in (0, 1):
        raise Refused(f"level {level} of seat {seat}, expected level 1 to {height} of seat 0 or 1")
    floats(certificate, "prior", height, height)  # the shape that the cuts rely on
    other = 1 - seat
    begins = sorted({begin_name(other, kinds[lower, other]) for lower in range(level)})
    first = [node for name in begins for _, node in every_line(certificate, name, 2)]
    made_from = {name: certificate[name] for name in begins} | _automaton(certificate, other, first)
    made_from["levels"] = _cut(certificate["levels"], range(2 * (level - 1)))
    row = certificate["prior"].data[(level - 1) * height * SIZES["<f8"] :]
    made_from["prior"] = Array("<f8", (level,), row[: level * SIZES["<f8"]])
    return bytes.fromhex(digest(made_from))


def _automaton(certificate: Mapping[str, Array], seat: int, first: list[int]) -> dict[str, Array]:
    """The automaton of a seat, cut to what can be reached from some nodes."""
    arrow, key, weight = automaton_names(seat)
    arrows, keys = every_line(certificate, arrow, 4), every_line(certificate, key, 3)
    floats(certificate, weight, len(keys))  # one for each key
    leads: dict[int, list[int]] = {}
    for node, _, _, after in arrows:
        leads.setdefault(node, []).append(after)
    reached, fresh = set(first), list(first)
    while fresh:
        found = set(leads.get(fresh.pop(), ())) - reached
        reached |= found
        fresh += found
    led = [number for number, cut in enumerate(arrows) if cut[0] in reached]
    chosen = [number for number, cut in enumerate(keys) if cut[0] in reached]
    return {name: _cut(certificate[name], kept) for name, kept in ((arrow, led), (key, chosen), (weight, chosen))}


def _cut(whole: Array, kept: Iterable[int]) -> Array:
    """Some lines of an array, in this order."""
    numbers = list(kept)
    size = len(whole.data) // max(whole.shape[0], 1)
    data = b"".join(whole.data[number * size : (number + 1) * size] for number in numbers)
    return Array(whole.dtype, (len(numbers), *whole.shape[1:]), data)
