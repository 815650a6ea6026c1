"""Any game of OpenSpiel's as a game of Fogbound's (Lanctot et al. 2019, OpenSpiel).

Its state is the history of moves, its rewards are differences of OpenSpiel's returns, its actions have OpenSpiel's
names. What a player knows is derived, as in every game: its own moves, and the information states that OpenSpiel tells
it. Where the clock of moves would tell more than that, somebody waits, so that it does not.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from typing import TYPE_CHECKING, Any, ClassVar

from fogbound.core.board import Board
from fogbound.core.dist import Dist
from fogbound.core.errors import FormError, SpecError, brief, many, one_line
from fogbound.core.game import Game, Outcome
from fogbound.core.record import GameRecord
from fogbound.interop.openspiel.library import library, loaded, require_known_chances

if TYPE_CHECKING:  # a list of games needs none of it
    from fogbound.files.gambit.game import ExtensiveGame, Structure
    from fogbound.forms.tree import Tree
    from fogbound.interop.openspiel.histories import Glimpse, HistoryTree
    from fogbound.interop.openspiel.moves import MoveByMove

MOST_HISTORIES = 30_000
CHANCE = ("auto", "folded", "steps")
RECALL = ("auto", "restored")
OF_FILES = ("efg_game", "nfg_game")  # made from a text as well, of which their name then says nothing
_FORGETS = re.compile(r"\b\w+_ir\b")  # how OpenSpiel calls games in which players forget on purpose


@dataclass(frozen=True)
class OpenSpielGame(Game[Any, str]):
    """A game of OpenSpiel's, by OpenSpiel's name for it; needs the extra `fogbound[openspiel]`.

    Parameters
    ----------
    load
        What OpenSpiel's `load_game` takes, such as ``leduc_poker`` or ``"kuhn_poker(players=3)"``.
    chance
        ``folded`` into what follows a move, ``steps`` of its own, or ``auto``: folded, unless the deal at the start has
        more than 20,000 outcomes.
    recall
        ``restored`` for a game in which players forget on purpose: Fogbound's players remember, and the spec says so.
        ``auto`` becomes it there, with a warning.
    limit
        Up to how many histories it is looked whether the clock of moves would tell a player more than OpenSpiel does.
    """

    load: str
    chance: str = "auto"
    recall: str = "auto"
    limit: int = MOST_HISTORIES

    name: ClassVar[str] = "openspiel"
    record: ClassVar[GameRecord] = GameRecord("OpenSpiel's games")

    def __post_init__(self) -> None:
        for value, known, what in ((self.chance, CHANCE, "chance"), (self.recall, RECALL, "recall")):
            if value not in known:
                raise SpecError(f"openspiel: {what} is {brief(value)}, expected one of {', '.join(known)}")
        if self.limit < 0:
            raise SpecError(f"openspiel: limit is {self.limit}, expected a whole number from 0")
        object.__setattr__(self, "players", self.moves.players)
        if self.recall == "auto" and _FORGETS.search(self.load):
            object.__setattr__(self, "recall", "restored")
            warnings.warn(
                f"{self.load}: its players forget on purpose, and Fogbound's remember: this is the game in which they "
                "do (recall=restored)",
                stacklevel=2,
            )

    def __reduce__(self) -> tuple[Callable[..., OpenSpielGame], tuple[Any, ...]]:
        """To another process goes the name: states of OpenSpiel's stay where they are."""
        return OpenSpielGame, (self.load, self.chance, self.recall, self.limit)

    @cached_property
    def source(self) -> Any:
        """OpenSpiel's game."""
        return loaded(self.load)

    @cached_property
    def moves(self) -> MoveByMove:
        """Its rules at the pace of its moves."""
        from fogbound.interop.openspiel.moves import MoveByMove

        return MoveByMove(self.source, self.chance)

    @cached_property
    def found(self) -> HistoryTree | None:
        """All its histories; None where there are too many, or players are told observations and hear every move."""
        from fogbound.interop.openspiel.histories import histories

        return histories(self.moves, self.limit) if self.moves.keeps_recall else None

    @cached_property
    def glimpsed(self) -> Glimpse:
        """What some random games showed, where histories are too many to look at and something is hidden."""
        from fogbound.interop.openspiel.histories import Glimpse, glimpse

        information = library().GameType.Information
        hides = self.source.get_type().information == information.IMPERFECT_INFORMATION
        return glimpse(self.moves) if self.moves.keeps_recall and self.found is None and hides else Glimpse()

    @cached_property
    def padded(self) -> ExtensiveGame | None:
        """The game with waits, where the clock of moves would tell; None where it does not."""
        from fogbound.files.gambit.game import ExtensiveGame
        from fogbound.files.gambit.structure import moments

        if self.found is None or self.found.clock_tells is None:
            return None
        if moments(self.found.file) is None:
            raise FormError(
                f"{self}: its times cannot be aligned, so whoever plays it step by step would learn what OpenSpiel "
                "keeps secret: it can be solved, by game.tree(), not played"
            )
        return ExtensiveGame(self.found.file)

    @cached_property
    def rules(self) -> Game[Any, str]:
        """What is played: the moves, or the moves with waits; what that changes for its players is said aloud."""
        if self.glimpsed.clock_tells is not None:
            warnings.warn(
                f"{self.load}: over {self.limit:,} histories, too many to pad, and the clock of moves tells players "
                f"more than OpenSpiel does, such as at {brief(self.glimpsed.clock_tells)}",
                stacklevel=2,
            )
        if self.recall == "auto" and self.forgets is not None:
            warnings.warn(
                f"{self.load}: OpenSpiel's strings forget what players did or knew, such as {brief(self.forgets)}, and "
                "Fogbound's players remember",
                stacklevel=2,
            )
        return self.padded or self.moves

    @cached_property
    def forgets(self) -> str | None:
        """A string that stands for different own pasts of its reader, in a game that hides something; None for none."""
        if self.found is None:
            return self.glimpsed.forgets
        hides = self.source.get_type().information == library().GameType.Information.IMPERFECT_INFORMATION
        return self.found.forgets if hides else None

    def start(self) -> Dist[Outcome[Any]]:
        return self.rules.start()

    def actors(self, state: Any) -> tuple[int, ...]:
        return self.rules.actors(state)

    def actions(self, state: Any, player: int) -> tuple[str, ...]:
        return tuple(self.rules.actions(state, player))

    def step(self, state: Any, joint: tuple[str, ...]) -> Dist[Outcome[Any]]:
        return self.rules.step(state, joint)

    def board(self, state: Any, player: int | None = None) -> Board | None:
        if self.padded is None:
            return self.moves.board(state, player)
        return Board.of_text(str(self.spiel_state(state))) if player is None else None

    @property
    def title(self) -> str:
        return str(self.source.get_type().long_name)

    def describe_state(self, state: Any) -> str:
        return self.rules.describe_state(state)

    def path(self, state: Any) -> tuple[int, ...]:
        """OpenSpiel's history at a state, flat, as `pyspiel.State.history()` has it."""
        if self.padded is not None and self.found is not None:
            return self.found.path(state[1])
        return self.moves.path(state)

    def spiel_state(self, state: Any, source: Any = None) -> Any:
        """A state of OpenSpiel's with the history of one of ours, of its game or of `source`, the same in turns."""
        at = (source or self.source).new_initial_state()
        path = list(self.path(state))
        while path:
            if at.is_simultaneous_node():
                many_moves = min(len(path), len(self.players))
                if many_moves < len(self.players):
                    break
                at.apply_actions(path[:many_moves])
                del path[:many_moves]
            else:
                at.apply_action(path.pop(0))
        return at

    def tree(self) -> Tree:
        """The tree form straight from OpenSpiel's histories, without a clock: also where the game cannot be played."""
        if self.found is None:
            raise FormError(f"{self}: over {self.limit:,} histories, or no information states: no tree without a clock")
        from fogbound.files.gambit.forms import tree_of

        return tree_of(self.found.file)

    @cached_property
    def structure(self) -> Structure:
        """What `check` says: whether strings keep what players knew, and whether the clock tells more than they do."""
        from fogbound.files.gambit.game import Structure
        from fogbound.files.gambit.structure import moments, padding

        found = self.found
        if not self.moves.keeps_recall:
            return Structure("derived: OpenSpiel tells observations", "every move is seen")
        if found is None:
            over = f"not looked at in full: over {self.limit:,} histories"
            shown = self.glimpsed
            forgets = "restored" if self.recall == "restored" or shown.forgets is not None else over
            tells = shown.clock_tells is not None
            return Structure(forgets, f"{over}; the clock of moves tells more than OpenSpiel does" if tells else over)
        kept = "perfect"
        if found.forgets is not None:
            kept = f"restored: one string stands for different own pasts ({one_line(found.forgets, 60)})"
        if found.clock_tells is None:
            return Structure(kept, "the clock of moves tells nothing")
        when = moments(found.file)
        if when is None:
            return Structure(kept, "cannot be aligned: it can be solved, not played step by step")
        return Structure(kept, f"aligned, padded with {many(padding(found.file, when), 'wait')}")


def from_openspiel(source: Any, chance: str = "auto", limit: int = MOST_HISTORIES) -> OpenSpielGame:
    """A game of OpenSpiel's that is at hand, such as one that `pyspiel.load_efg_game` made.

    Parameters
    ----------
    source
        The `pyspiel.Game`.
    chance, limit
        As in `OpenSpielGame`.

    Returns
    -------
    OpenSpielGame
    """
    from fogbound.interop.openspiel.histories import histories
    from fogbound.interop.openspiel.moves import MoveByMove

    if not isinstance(source, library().Game):
        raise SpecError(f"found {brief(source)}, expected a game of OpenSpiel's")
    require_known_chances(source)
    kind = source.get_type().short_name
    text = str(source)
    if kind not in library().registered_names() or (kind in OF_FILES and not source.get_parameters()):
        found = histories(MoveByMove(source, chance), limit)  # its name says nothing of what it is: its tree does
        text = f"{text} {_digest(found)}" if found else f"{text} at {id(source):x}"
    made = object.__new__(OpenSpielGame)
    vars(made)["source"] = source  # at hand, so it need not be loaded, and perhaps could not be
    made.__init__(text, chance, limit=limit)  # type: ignore[misc]
    return made


def _digest(found: HistoryTree) -> str:
    """A few letters that two different trees do not share."""
    file = found.file
    parts = (file.parent, file.set_of, file.outcome, file.sets, sorted(file.outcomes.items()), file.players)
    return sha256(repr(parts).encode()).hexdigest()[:12]
