"""A mediator: joint pure strategies of which one is drawn before the game, each player being told its own part."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fogbound.core.dist import Dist
from fogbound.core.errors import PolicyError
from fogbound.core.game import AnyGame
from fogbound.core.policy import AnyPolicy, Mediated, Strategy
from fogbound.forms.arrays import Floats, Longs
from fogbound.forms.protocol import Form, derive
from fogbound.forms.sequence import SequenceForm
from fogbound.policies.tabular import Tabular

RULED_OUT = "·"


@dataclass(frozen=True, eq=False)
class Recommendations:
    """K joint pure strategies and how likely each is drawn.

    Parameters
    ----------
    form
        The sequence form whose information sets they speak of.
    plan : [K, H]
        The move at every information set, by its place among the set's moves; 0 where it does not matter.
    weight : [K]
        Probabilities.

    Examples
    --------
    >>> import fogbound as fb
    >>> chicken = fb.game("matrix-game(matrix=aumann)")
    >>> mediator = fb.policies.recommendations(fb.solve(chicken, "correlated"), game=chicken)
    >>> [(words, round(p, 6)) for words, p in mediator.rows()][0]
    (('swerve', 'swerve'), 0.5)
    >>> fb.play_out(chicken, mediator.profile(0)).returns
    (6.0, 6.0)
    """

    form: SequenceForm = field(repr=False)
    plan: Longs  # [K, H]
    weight: Floats  # [K]

    def behaviours(self, draw: int) -> list[Floats]:
        """What everybody does after a draw, by sequence."""
        played = []
        for plex in self.form.plexes:
            behaviour = np.zeros(plex.sequences)
            behaviour[0] = 1.0
            behaviour[plex.first + self.plan[draw, plex.sets]] = 1.0
            played.append(behaviour)
        return played

    def realised(self, player: int) -> Floats:
        """[K, sequences] which of its own sequences a player follows after each draw, as 0 and 1."""
        plex = self.form.plexes[player]
        return np.array([plex.weights(self.behaviours(draw)[player]) for draw in range(len(self.plan))])

    def part(self, player: int) -> Floats:
        """A player's own part, as behaviour: what somebody sees who watches this player alone."""
        return self.form.plexes[player].behaviour(self.weight @ self.realised(player))

    def profile(self, draw: int) -> dict[int, Strategy]:
        """The policies of one draw."""
        return {i: Tabular(self.form.decisions, i, b) for i, b in enumerate(self.behaviours(draw))}

    def drawn(self, rng: np.random.Generator) -> dict[int, Strategy]:
        """The policies of a draw at random: play them for one game, then draw again."""
        return self.profile(int(rng.choice(len(self.weight), p=self.weight / self.weight.sum())))

    def draws(self) -> Dist[int]:
        """The numbers of the draws, as likely as they are."""
        return Dist.of({k: float(w) for k, w in enumerate(self.weight) if w > 0})

    def told(self, draw: int, player: int) -> Tabular:
        """What a player is told to do after a draw."""
        return Tabular(self.form.decisions, player, self.behaviours(draw)[player])

    def parts(self) -> list[Recommended]:
        """A mixed strategy for each player: whoever plays several of them draws once for all."""
        return [Recommended(self, i) for i in range(len(self.form.plexes))]

    def rows(self) -> list[tuple[tuple[str, ...], float]]:
        """(every player's strategy in words, how likely) of each draw, the likeliest first."""
        order = np.argsort(-self.weight, kind="stable").tolist()
        return [(self._words(k), float(self.weight[k])) for k in order]

    def _words(self, draw: int) -> tuple[str, ...]:
        """A move for each information set with a choice; a dot where the player's own moves rule it out."""
        words, decisions = [], self.form.decisions
        for plex, behaviour in zip(self.form.plexes, self.behaviours(draw)):
            followed = plex.weights(behaviour)
            moves = [
                str(decisions.moves(int(h))[self.plan[draw, h]]) if followed[up] > 0 else RULED_OUT
                for h, up, size in zip(plex.sets.tolist(), plex.parent.tolist(), plex.size.tolist())
                if size > 1
            ]
            words.append(" ".join(moves) or "–")
        return tuple(words)


@dataclass(frozen=True, eq=False)
class Recommended(Mediated):
    """A player's part of what a mediator draws: on its own one of its plans, with the other parts that of one draw.

    Parameters
    ----------
    mediator
        Who draws.
    player
        Who is told.
    """

    mediator: Recommendations
    player: int

    def kinds(self) -> Dist[AnyPolicy]:
        return Dist(tuple((self.mediator.told(k, self.player), p) for k, p in self.mediator.draws()))


def recommendations(solution: Any, *, game: AnyGame | Form) -> Recommendations:
    """The mediator of a correlated equilibrium, from an answer of `correlated` or its file.

    Parameters
    ----------
    solution
        An answer of `correlated`.
    game
        The game that it is of.

    Returns
    -------
    Recommendations

    Raises
    ------
    PolicyError
        The answer has no recommendations, or they are of another game.

    Examples
    --------
    >>> import fogbound as fb
    >>> game = fb.game("matrix-game(matrix=battle-of-the-sexes)")
    >>> len(fb.policies.recommendations(fb.solve(game, "correlated"), game=game).weight) > 0
    True
    """
    proof = getattr(solution, "certificate", None)
    shown: dict[str, NDArray[Any]] = {} if proof is None else proof.evidence
    if "plan" not in shown or "weight" not in shown:
        raise PolicyError(
            "the answer has no recommendations of a mediator: solve with correlated, a game of general sum"
        )
    form = derive(game, SequenceForm)
    plan, weight = shown["plan"], shown["weight"]
    sizes = form.decisions.set_size
    if plan.shape != (len(weight), len(sizes)) or (plan < 0).any() or (plan >= sizes).any():
        raise PolicyError(f"the recommendations are not of {form.spec}: they speak of other information sets")
    return Recommendations(form, plan.astype(np.int64), np.maximum(weight, 0.0))
