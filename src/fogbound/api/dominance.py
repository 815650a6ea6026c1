"""`dominance`: iterated elimination of dominated strategies, each step with its evidence, checked exactly."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction

from fogbound.core.errors import LimitError, SampledOnlyError, many
from fogbound.evaluation.dominance import Elimination, iterated_dominance, strategy_names
from fogbound.forms.normal import NormalForm
from fogbound.forms.protocol import Question, derive
from fogbound.forms.table import Table
from fogbound.naming.games import GameLike, as_game
from fogbound.solvers.matrix.dominance import Confirmed, confirm_steps, mixed_dominance

MOST_LISTED = 40  # strategies that are left, of a player
MOST_STATES = 20_000  # of a game whose strategies may still be listed: they grow faster than its states
LARGEST_DENOMINATOR = 10_000  # of a margin that is written as a fraction


@dataclass(frozen=True)
class Dominance:
    """Which strategies are dominated, in which round and by what; and which are left.

    Attributes
    ----------
    game
        The spec of the game.
    players
        The names of its players.
    strategies
        Of each player, its pure strategies in words.
    elimination
        The rounds, and what is left, by number.
    steps
        Every removed strategy with its dominating mixture, and by how much that does better, as fractions.
    """

    game: str
    players: tuple[str, ...]
    strategies: tuple[tuple[str, ...], ...] = field(repr=False)
    elimination: Elimination = field(repr=False)
    steps: tuple[Confirmed, ...] = field(repr=False)

    @property
    def left(self) -> tuple[tuple[str, ...], ...]:
        """Of each player, the strategies that nothing dominates."""
        return tuple(tuple(self.strategies[i][k] for k in kept) for i, kept in enumerate(self.elimination.kept))

    @property
    def confirmed(self) -> int:
        """How many steps hold in exact arithmetic."""
        return sum(step.holds(self.elimination.strict) for step in self.steps)

    def by(self, step: Confirmed) -> dict[str, Fraction]:
        """The dominating mixture of a step, in words."""
        return {self.strategies[step.removed.player][k]: p for k, p in step.mixture}

    def __str__(self) -> str:
        size = " x ".join(str(len(names)) for names in self.strategies)
        kind = "strictly" if self.elimination.strict else "weakly"
        lines = [f"{self.game}: {many(size, 'strategy')}, {kind} dominated ones taken away"]
        for number in range(1, 1 + len(self.elimination.rounds)):
            lines.append(f"round {number}")
            lines += [f"  {self._told(step)}" for step in self.steps if step.round == number]
        for player, names in zip(self.players, self.left):
            listed = ", ".join(names[:MOST_LISTED]) + (", …" if len(names) > MOST_LISTED else "")
            lines.append(f"left for {player}: {listed}")
        return "\n".join([*lines, f"confirmed exactly: {self.confirmed} of {many(len(self.steps), 'step')}"])

    def _told(self, step: Confirmed) -> str:
        strict, gone = self.elimination.strict, step.removed
        by = " + ".join(name if p == 1 else f"{p} {name}" for name, p in self.by(step).items())
        margin = f"at least {_short(step.least)}" if strict else f"{_short(step.least)} to {_short(step.most)}"
        mark = "" if step.holds(strict) else ", not confirmed"
        removed = self.strategies[gone.player][gone.strategy]
        return f"{self.players[gone.player]}: {removed} by {by}, better by {margin}{mark}"


def dominance(game: GameLike, *, strict: bool = True, pure: bool = False, limit: int = MOST_STATES) -> Dominance:
    """Take away strategies that another one, pure or mixed, does better than, until none is left.

    Parameters
    ----------
    game
        Whatever `fogbound.game` takes.
    strict
        Whether a strategy must do worse whatever the others do; otherwise never better and sometimes worse suffices,
        which can lose equilibria (never all).
    pure
        Only look for dominating strategies that are pure.
    limit
        How many states the game may have.

    Returns
    -------
    Dominance
        Its text is what ``fogbound dominance`` prints.

    Raises
    ------
    LimitError
        The game is too large for its strategies to be listed.

    Examples
    --------
    >>> import fogbound as fb
    >>> found = fb.dominance("king-ace", strict=False)
    >>> [len(names) for names in found.left], found.confirmed == len(found.steps)
    ([1, 1], True)
    """
    played = as_game(game)
    try:
        counted = derive(played, Table, Question(limit=limit))
    except SampledOnlyError:
        raise
    except LimitError as error:
        raise LimitError(
            f"{played}: over {limit:,} states, so its strategies are too many to be listed. Raise limit=, cut the game "
            "(horizon), or solve it: fogbound check says with what"
        ) from error
    form = derive(counted, NormalForm)
    found = (iterated_dominance if pure else mixed_dominance)(form, strict=strict)
    names = strategy_names(form, played.describe).strategies
    return Dominance(str(played), form.players, names, found, tuple(confirm_steps(form, found)))


def _short(value: Fraction) -> str:
    return str(value) if value.denominator <= LARGEST_DENOMINATOR else f"{float(value):.6g}"
