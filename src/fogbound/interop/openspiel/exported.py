"""Games of ours as games of OpenSpiel's: as the text of a game tree, which its own C++ reads and solves.

A game in Python answers every question in Python, and CFR asks at every history: the same tree, read once, is hundreds
of times as fast. So a game goes there as its tree where it has one, and as a game in Python where it is too large.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

from fogbound.core.errors import FormError, LimitError, SpecError, one_line
from fogbound.core.game import AnyGame, Game
from fogbound.files.gambit.efg import ExtensiveFile, efg_text
from fogbound.files.gambit.forms import extensive_of
from fogbound.files.gambit.rewording import moves_apart
from fogbound.forms import words
from fogbound.forms.protocol import Form, derive
from fogbound.forms.table import enumerate_table
from fogbound.forms.tree import Tree, tree
from fogbound.interop.openspiel.information_sets import Counterpart, Passage
from fogbound.interop.openspiel.library import library
from fogbound.naming.games import GameLike, problem

MOST_NODES = 300_000  # of a tree that goes there as a text


def to_openspiel(game: GameLike, limit: int = MOST_NODES) -> Any:
    """A game of OpenSpiel's that is this game of ours.

    Parameters
    ----------
    game
        Whatever `fogbound.game` takes.
    limit
        How many nodes a tree may have; a larger game goes there as a game in Python.

    Returns
    -------
    pyspiel.Game
        `passage_to` leads policies there and back where it is a tree; one in Python, `FogboundGame`, does it itself.
    """
    library()
    held = problem(game)
    try:
        return passage_to(held, limit).source
    except (LimitError, FormError) as error:
        if not isinstance(held, Game):
            raise
        from fogbound.interop.openspiel.in_python import python_game

        return python_game(held, why=one_line(str(error)))


def passage_to(game: GameLike, limit: int = MOST_NODES) -> Passage:
    """Our tree of a game beside the game that OpenSpiel makes of it.

    Parameters
    ----------
    game
        Whatever `fogbound.game` takes, with a tree.
    limit
        How many nodes it may have.

    Returns
    -------
    Passage
        Its `source` is OpenSpiel's game.
    """
    pyspiel, held = library(), problem(game)
    form = tree(enumerate_table(held, limit), limit) if isinstance(held, Game) else derive(held, Tree)
    file = _file(form, held)
    try:
        source = pyspiel.load_efg_game(efg_text(file, _spelled))
    except RuntimeError as error:
        raise SpecError(
            f"{form.spec}: OpenSpiel does not read this tree: {one_line(str(error).strip(), 200)}"
        ) from error
    return Passage(form, source, _Counterparts(form, file, source).counterpart)


def _file(form: Tree, held: AnyGame | Form) -> ExtensiveFile:
    """The tree as a file says it, with labels that OpenSpiel's reader takes: all different, no quotation marks."""
    told = held.describe if isinstance(held, Game) else str
    known = [form.history(int(form.set_owner[h]), int(m)) for h, m in enumerate(form.set_memory)]
    file = extensive_of(form, lambda h: _plain(words.history_text(told, known[h])), lambda move: _plain(told(move)))
    return moves_apart(replace(file, title=_plain(file.title), players=tuple(map(_plain, file.players))))


def _plain(text: str) -> str:
    return one_line(text, 200).replace('"', "'").replace("\\", "/")


def _spelled(value: Fraction) -> str:
    """A fraction of numbers that OpenSpiel's reader can hold, else the float that it is."""
    return str(value) if max(abs(value.numerator), value.denominator) < 2**31 else repr(float(value))


class _Counterparts:
    """From an information set to a state of OpenSpiel's: along the labels of the way to one of its nodes."""

    def __init__(self, form: Tree, file: ExtensiveFile, source: Any) -> None:
        self.form, self.file, self.source = form, file, source

    def counterpart(self, infoset: int, node: int) -> Counterpart:
        way, form = [], self.form
        while form.parent[node] >= 0:
            up = int(form.parent[node])
            way.append((up, node - int(form.child[up])))
            node = up
        at = self.source.new_initial_state()
        for up, place in reversed(way):
            if form.infoset[up] < 0:
                at.apply_action(self._drawn(at, str(place + 1)))
            else:
                at.apply_action(self._numbers(at, int(form.infoset[up]))[place])
        return Counterpart(at, self._numbers(at, infoset))

    def _numbers(self, at: Any, infoset: int) -> tuple[int, ...]:
        """OpenSpiel's numbers of the moves at an information set, in our order."""
        numbers = {at.action_to_string(at.current_player(), number): number for number in at.legal_actions()}
        return tuple(numbers[label] for label in self.file.sets[infoset].moves)

    def _drawn(self, at: Any, label: str) -> int:
        return int(next(n for n, _ in at.chance_outcomes() if at.action_to_string(at.current_player(), n) == label))
