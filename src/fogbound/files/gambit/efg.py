"""The file `.efg`: a game tree with information sets, nodes from the root on, each before what is below it.

Reading and writing do not recurse, so that a tree may be as deep as its file is long. One pattern reads a whole node:
files of a million nodes are common enough.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, NamedTuple, NoReturn

from fogbound.core.atomic import write
from fogbound.core.cancel import check
from fogbound.core.errors import LimitError, one_line
from fogbound.files.gambit.text import MOST_BYTES, NUMBER, STRING, Text, exact_number, quoted_label, unquoted

END, CHANCE = -2, -1

Payoffs = tuple[Fraction, ...]


class MoveSet(NamedTuple):
    """An information set, or a lottery: nodes at which the same moves are possible.

    Parameters
    ----------
    player
        Whose it is, from 0; CHANCE for a lottery.
    number
        Its number in the file, among those of its player.
    label
        What the file calls it.
    moves
        The labels of its moves.
    chances
        Of a lottery: how likely each of them is.
    """

    player: int
    number: int
    label: str
    moves: tuple[str, ...]
    chances: tuple[Fraction, ...] = ()


@dataclass
class ExtensiveFile:
    """A game tree with information sets.

    Parameters
    ----------
    path
        The file, as it is called in messages and specs.
    title, comment
        What it says of itself.
    players
        The names of the players.
    sets
        Information sets and lotteries.
    outcomes
        By number in the file: its name and what it pays; inner nodes may have one, and those of a path add up.
    set_of : [N]
        The index of each node's set; -1 at an end.
    outcome : [N]
        The outcome at each node; 0 for none.
    parent : [N]
        The node above; -1 at the root.
    labels
        By node, the names of those that have one.
    """

    path: str
    title: str
    players: tuple[str, ...]
    comment: str = ""
    sets: list[MoveSet] = field(default_factory=list)
    outcomes: dict[int, tuple[str, Payoffs]] = field(default_factory=dict)
    set_of: list[int] = field(default_factory=list)
    outcome: list[int] = field(default_factory=list)
    parent: list[int] = field(default_factory=list)
    labels: dict[int, str] = field(default_factory=dict)

    def content(self) -> tuple[Any, ...]:
        """What it says, its titles and comments apart."""
        return self.players, self.sets, sorted(self.outcomes.items()), self.set_of, self.outcome, self.parent

    @property
    def size(self) -> int:
        """How many nodes there are."""
        return len(self.set_of)

    def mover(self, node: int) -> int:
        """Who moves at a node: a player, CHANCE or END."""
        return self.sets[self.set_of[node]].player if self.set_of[node] >= 0 else END

    def children(self) -> list[list[int]]:
        """The nodes below each node, in the order of its moves."""
        below: list[list[int]] = [[] for _ in range(self.size)]
        for node, up in enumerate(self.parent):
            if up >= 0:
                below[up].append(node)
        return below


MOST_NODES = 5_000_000

_WHOLE = r"[0-9]{1,18}+(?![0-9])"  # a player, a set or an outcome by number
_MOVES = rf"(?:\s*+{STRING}(?:\s*+{NUMBER},?)?)*+"
_NODE = re.compile(
    rf"""\s*+(?:
      (?P<kind>[pc])\s*+"(?P<name>[^"\\]*+(?:\\.[^"\\]*+)*+)"\s*+
        (?P<first>{_WHOLE})(?:\s++(?P<second>{_WHOLE}))?
        (?:\s*+"(?P<label>[^"\\]*+(?:\\.[^"\\]*+)*+)")?(?:\s*+\{{(?P<moves>{_MOVES})\s*+\}})?
        \s*+(?P<outcome>{_WHOLE})
    | (?P<end>t)\s*+"(?P<endname>[^"\\]*+(?:\\.[^"\\]*+)*+)"\s*+(?P<paid>{_WHOLE})
    )(?:\s*+"(?P<called>[^"\\]*+(?:\\.[^"\\]*+)*+)"(?:\s*+\{{(?P<pays>[^{{}}"]*+)\}})?)?""",
    re.VERBOSE,
)
_MOVE = re.compile(rf"\s*+{STRING}\s*+({NUMBER})?,?")
_LOOKS = 100_000  # nodes between two looks at the clock


def read_efg(path: str | os.PathLike[str], limit: int = MOST_NODES, largest: int = MOST_BYTES) -> ExtensiveFile:
    """The game tree in an `.efg` file.

    Parameters
    ----------
    path
        The file.
    limit
        How many nodes there may be.
    largest
        How many bytes are read at all.

    Returns
    -------
    ExtensiveFile

    Raises
    ------
    FileError
        What is wrong, with file and line.
    LimitError
        There are more than `limit` nodes.
    """
    return _Reader(Text.of_file(path, largest), limit).read()


class _Reader:
    """One file being read: the tree so far, and the nodes of which moves are still to come."""

    def __init__(self, text: Text, limit: int) -> None:
        self.text, self.limit = text, limit
        title, players = text.prologue("EFG", "2")
        self.file = ExtensiveFile(one_line(str(text.path), 500), title, players)
        if text.peek().startswith('"'):
            self.file.comment = text.string("a comment")
        self.known: dict[tuple[int, int], int] = {}  # (player, number) -> index of its set
        self.menus: dict[
            tuple[str, bool], tuple[tuple[str, ...], tuple[Fraction, ...]]
        ] = {}  # by what stands in braces
        self.amounts: dict[str, Payoffs] = {}  # likewise
        self.open: list[list[int]] = []  # [node, moves that are still to come], the deepest last

    def read(self) -> ExtensiveFile:
        file, text = self.file, self.text
        match, whole, parents, waiting = _NODE.match, text.text, file.parent, self.open
        while True:
            found = match(whole, text.at)
            if not found:
                self._explain()
            node = len(parents)
            if node >= self.limit:
                raise LimitError(f"{file.path}: more than {self.limit:,} nodes; raise limit=")
            if node % _LOOKS == 0:
                check()
            parents.append(waiting[-1][0] if waiting else -1)
            below = self._node(node, found)
            text.at = found.end()
            if below:
                waiting.append([node, below])
            while waiting and waiting[-1][1] == 0:
                waiting.pop()
            if not waiting:
                break
            waiting[-1][1] -= 1
        if text.peek():
            text.fail("the end of the file: every move has been followed")
        for number in set(file.outcome) - {0}:
            if number not in file.outcomes:
                text.fail(f"what outcome {number} pays, which is nowhere said")
        return file

    def _node(self, node: int, found: re.Match[str]) -> int:
        """Take one node in: its set and its outcome; how many nodes come below it."""
        file = self.file
        name, end, endname, paid, outcome = found.group("name", "end", "endname", "paid", "outcome")
        if end is not None:
            file.set_of.append(-1)
            self._outcome(int(paid), found)
            name, below = endname, 0
        else:
            index = self._set(found)
            file.set_of.append(index)
            self._outcome(int(outcome), found)
            below = len(file.sets[index].moves)
        if name:
            file.labels[node] = unquoted(name)
        return below

    def _set(self, found: re.Match[str]) -> int:
        """The information set or lottery at a node; named by number alone where it was described before."""
        text = self.text
        kind, first, second, label, listed = found.group("kind", "first", "second", "label", "moves")
        if kind == "c":
            player, number = CHANCE, int(first)
            if second is not None:
                text.fail("a name or { after the number of a lottery", found.start("second"))
        else:
            if second is None:
                text.fail("the number of a player and that of an information set", found.start("first"))
            player, number = int(first) - 1, int(second)
            if not 0 <= player < len(self.file.players):
                text.fail(f"a player from 1 to {len(self.file.players)}", found.start("first"))
        index = self.known.get((player, number))
        if listed is None:
            if index is None:
                text.fail("the moves of this set in { }: it was not described before", found.end("first"))
            return index
        menu = self.menus.get((listed, player == CHANCE))
        if menu is None:
            menu = self.menus[listed, player == CHANCE] = self._moves(found, player == CHANCE)
        moves, chances = menu
        if index is None:
            index = self.known[player, number] = len(self.file.sets)
            self.file.sets.append(MoveSet(player, number, unquoted(label or ""), moves, chances))
            return index
        known = self.file.sets[index]
        if known.moves != moves or known.chances != chances:
            text.fail(f"the moves that this set has elsewhere: {', '.join(known.moves)}", found.start("moves"))
        return index

    def _moves(self, found: re.Match[str], chance: bool) -> tuple[tuple[str, ...], tuple[Fraction, ...]]:
        """The moves in braces, with their probabilities where chance moves."""
        text, at = self.text, found.start("moves")
        parts = _MOVE.findall(text.text, at, found.end("moves"))
        if not parts:
            text.fail("at least one move", at)
        moves = tuple(unquoted(label) for label, _ in parts)
        if not chance:
            if any(p for _, p in parts):
                text.fail("moves without probabilities, since a player chooses among them", at)
            return moves, ()
        chances = tuple(exact_number(p) for _, p in parts)
        if None in chances or any(p is not None and p < 0 for p in chances):
            text.fail("a probability of at least 0 behind each move of a lottery", at)
        known = tuple(p for p in chances if p is not None)
        total = sum(known, Fraction(0))
        if abs(total - 1) > Fraction(1, 10**4):
            text.fail(f"probabilities that sum to 1; these sum to {float(total):.6g}", at)
        return moves, known

    def _outcome(self, number: int, found: re.Match[str]) -> None:
        """Note which outcome a node has, and what it pays where that is said here."""
        file, text = self.file, self.text
        file.outcome.append(number)
        called, pays = found.group("called", "pays")
        if pays is None:
            if number and called is not None and number not in file.outcomes:
                text.fail(f"what outcome {number} pays, in {{ }}", found.end())
            return
        if number == 0:
            text.fail("an outcome's number before what it pays; 0 means that there is none", found.start("pays"))
        paid = self.amounts.get(pays)
        if paid is None:
            paid = self.amounts[pays] = self._amounts(pays, found.start("pays"))
        if file.outcomes.setdefault(number, (unquoted(called), paid))[1] != paid:
            text.fail(f"what outcome {number} pays elsewhere", found.start("pays"))

    def _amounts(self, pays: str, at: int) -> Payoffs:
        """What stands in braces behind an outcome's name."""
        numbers = [exact_number(word) for word in pays.replace(",", " ").split()]
        known = tuple(value for value in numbers if value is not None)
        if len(known) != len(self.file.players) or len(numbers) != len(known):
            self.text.fail(f"{len(self.file.players)} numbers, one for each player", at)
        return known

    def _explain(self) -> NoReturn:
        """Why no node stands where one is expected."""
        text = self.text
        word = text.peek()
        if not word:
            text.fail("another node: not every move has been followed")
        if word not in ("p", "c", "t"):
            text.fail("a node, which begins with p (a player), c (chance) or t (an end)")
        at = text.at
        text.take("a node")
        if not text.peek().startswith('"') or len(text.peek()) < 2:
            text.fail("the node's name in quotation marks")
        text.take("a name")
        shape = {
            "p": "player, information set, its name, { moves }, outcome",
            "c": "lottery, its name, { moves with probabilities }, outcome",
            "t": "an outcome's number, its name, { payoffs }",
        }[word]
        text.fail(f"{shape} after the name of a node that begins with {word}", at if text.peek() == "" else None)


def write_efg(file: ExtensiveFile, path: str | os.PathLike[str]) -> None:
    """Write a game tree; whole or not at all.

    Parameters
    ----------
    file
        The tree.
    path
        Where to.
    """
    write(path, efg_text(file).encode())


def efg_text(file: ExtensiveFile, spell: Callable[[Fraction], str] = str) -> str:
    """What stands in such a file.

    Parameters
    ----------
    file
        The tree.
    spell
        How a number is written; exactly unless told, which other readers need not take.
    """
    players = " ".join(map(quoted_label, file.players))
    lines = [f"EFG 2 R {quoted_label(file.title)} {{ {players} }}", quoted_label(file.comment), ""]
    sets = [_set(one, spell) for one in file.sets]
    outcomes = {
        number: f"{number} {quoted_label(name)} {{ {', '.join(map(spell, pays))} }}"
        for number, (name, pays) in file.outcomes.items()
    }
    for node, (index, outcome) in enumerate(zip(file.set_of, file.outcome)):
        name, ends = quoted_label(file.labels.get(node, "")), outcomes.get(outcome, "0")
        kind = "t" if index < 0 else "c" if file.sets[index].player == CHANCE else "p"
        lines.append(f"{kind} {name} {ends}" if index < 0 else f"{kind} {name} {sets[index]} {ends}")
    return "\n".join(lines) + "\n"


def _set(one: MoveSet, spell: Callable[[Fraction], str]) -> str:
    if one.player == CHANCE:
        moves = " ".join(f"{quoted_label(move)} {spell(p)}" for move, p in zip(one.moves, one.chances))
        return f"{one.number} {quoted_label(one.label)} {{ {moves} }}"
    return f"{one.player + 1} {one.number} {quoted_label(one.label)} {{ {' '.join(map(quoted_label, one.moves))} }}"
