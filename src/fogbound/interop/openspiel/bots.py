"""OpenSpiel's bots by name, for whoever names policies: `openspiel-bot(mcts)` in a seat of one of its games.

A bot of OpenSpiel's goes on drawing random numbers from game to game, so that what it does would depend on who played
which games before. Here it is made anew for each decision, with a seed of what its player knows there: then it is a
policy, whose answer depends on that alone, and a match is the same in one process and in many.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any, ClassVar

from fogbound.core.errors import FormError, PolicyError, SpecError, brief, one_line
from fogbound.core.game import AnyGame
from fogbound.core.registry import build, suggestion
from fogbound.core.spec import parse
from fogbound.interop.openspiel.game import OpenSpielGame
from fogbound.interop.openspiel.imported import OpenSpielPlayer, ask_player, require_imported
from fogbound.interop.openspiel.library import library

OPEN, HIDDEN = "mcts", "ismcts"  # those that search, which OpenSpiel does not know by name
MEGABYTES = 1_000  # that a search may take


@dataclass(frozen=True)
class SearchBudget:
    """How OpenSpiel's MCTS and ISMCTS search.

    Parameters
    ----------
    simulations
        How many a decision.
    exploration
        The constant of UCT.
    rollouts
        Random games that value a new position.
    """

    simulations: int = 1_000
    exploration: float = 1.4
    rollouts: int = 1

    def __post_init__(self) -> None:
        for name in ("simulations", "rollouts"):
            if getattr(self, name) < 1:
                raise SpecError(f"{name} is {getattr(self, name)}, expected at least 1")
        if not self.exploration > 0:
            raise SpecError(f"exploration is {self.exploration}, expected more than 0")


@dataclass(frozen=True)
class OpenSpielBot:
    """A bot of OpenSpiel's, by name; needs the extra `fogbound[openspiel]`, and sits at OpenSpiel's own games.

    Parameters
    ----------
    load
        ``mcts`` (where nothing is hidden) or ``ismcts`` (where something is), each with `simulations`, `exploration`
        and `rollouts`, such as ``mcts(simulations=200)``; or what OpenSpiel's `load_bot` takes: ``uniform_random``.
    """

    load: str

    name: ClassVar[str] = "openspiel-bot"

    def __post_init__(self) -> None:
        known = [OPEN, HIDDEN, *library().registered_bots()]
        if self.called not in known:
            near = suggestion(self.called, known)
            raise SpecError(f"OpenSpiel has no bot {brief(self.called)}{near}; it has: {', '.join(known)}")
        if self.called in (OPEN, HIDDEN):
            self.budget()

    @property
    def called(self) -> str:
        """Its name, without what stands in brackets."""
        return self.load.partition("(")[0].strip()

    def budget(self) -> SearchBudget:
        """How it searches, as its brackets say."""
        return build(SearchBudget, parse(self.load), str)

    def policy(self, game: AnyGame, player: int, seed: int) -> OpenSpielPlayer:
        """The bot in a seat.

        Parameters
        ----------
        game
            A game that came from OpenSpiel.
        player
            The seat, by index.
        seed
            Same seed, same decisions.

        Raises
        ------
        FormError
            The game is not one of OpenSpiel's, or not of the kind that the bot is for.
        """
        require_imported(game)
        assert isinstance(game, OpenSpielGame)
        made = BotAnew(self, game, player, seed)
        made.bot("")  # whoever cannot sit here says so now
        return OpenSpielPlayer(game, player, made)


@dataclass(frozen=True)
class BotAnew:
    """A bot that is made for every decision: to other processes goes its name."""

    named: OpenSpielBot
    game: OpenSpielGame = field(repr=False)
    player: int
    seed: int

    def bot(self, known: str) -> Any:
        """OpenSpiel's bot, with a seed of what is known."""
        pyspiel, source, called = library(), self.game.source, self.named.called
        if called not in (OPEN, HIDDEN):
            return _loaded(self.named.load, source, self.player)
        require_kind(self.game, called)
        text = f"{self.seed} {self.player} {known}"
        seed = int.from_bytes(sha256(text.encode()).digest()[:4], "big") >> 1
        how = self.named.budget()
        evaluator = pyspiel.RandomRolloutEvaluator(how.rollouts, seed)
        if called == OPEN:
            return pyspiel.MCTSBot(source, evaluator, how.exploration, how.simulations, MEGABYTES, True, seed, False)
        return pyspiel.ISMCTSBot(seed, evaluator, how.exploration, how.simulations)

    def action_probabilities(self, at: Any, player: int) -> dict[int, float]:
        """What it does at a state."""
        try:
            return ask_player(self.bot(_known(at, player)), at, player)
        except RuntimeError as error:  # which all of OpenSpiel's own errors are
            said = one_line(str(error).strip(), 200)
            raise PolicyError(f"OpenSpiel's {self.named.load} fails in {self.game.load}: {said}") from error


def _known(at: Any, player: int) -> str:
    """What OpenSpiel tells a player at a state, or how it came about where nothing is hidden."""
    if at.get_game().get_type().provides_information_state_string:
        return str(at.information_state_string(player))
    return str(at.history())


def _loaded(text: str, source: Any, player: int) -> Any:
    try:
        return library().load_bot(text, source, player)
    except Exception as error:
        said = one_line(str(error).strip(), 200)
        raise SpecError(f"OpenSpiel refuses the bot {brief(text)}: {said}") from error


def require_kind(game: OpenSpielGame, called: str) -> None:
    """Refuse what a search is not for: simultaneous moves; something hidden, where it would be told the truth."""
    kinds, kind = library().GameType, game.source.get_type()
    if kind.dynamics != kinds.Dynamics.SEQUENTIAL:
        raise FormError(f"{game.load}: OpenSpiel's {called} takes turns, and here players move at once")
    if called == OPEN and kind.information != kinds.Information.PERFECT_INFORMATION:
        raise FormError(f"{game.load}: OpenSpiel's {OPEN} would see what is hidden here: take {HIDDEN}")
