"""A game as one player sees it who holds the others for something: given policies, or players who move at random.

What is enumerated becomes a POMDP, and with it comes a value for every leaf of a search: the fast informed bound. A
game that has a twin of its own needs no form, and brings along what it knows of worths.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar

from fogbound.compiled.rules import CompiledRules
from fogbound.compiled.rules import worths as no_worths
from fogbound.core.errors import FormError, LimitError, many
from fogbound.core.game import AnyGame
from fogbound.core.policy import Strategy
from fogbound.forms.arrays import Floats
from fogbound.forms.compiled_rules import pomdp_rules
from fogbound.forms.pomdp import POMDP
from fogbound.forms.protocol import MAYBE, Question, derive
from fogbound.policies.uniform import Uniform
from fogbound.solvers.pomdp.initial_bounds import model_of, qmdp_bound
from fogbound.solvers.search.sampled import SampledGame
from fogbound.solvers.search.simulator import CompiledSimulator

WORK = 200_000_000  # multiplications that the fast informed bound may take: any sweep leaves a bound
SMALL = 5_000  # states up to which an offline solver is the better choice
INFORMED, ROLLOUT = "informed", "rollout"


@dataclass(frozen=True, eq=False, repr=False)
class ModelledGame(SampledGame):
    """The game itself, the player whose value is asked for, and how the others play; at random where nobody says.

    Parameters
    ----------
    game
        The game, which is enumerated only where that is affordable.
    player
        Whose value is asked for.
    others
        The policies or mixtures of the others, by player; empty: they move at random.
    """

    kind: ClassVar[str] = "modelled"
    against: ClassVar[str] = MAYBE

    others: Mapping[int, Strategy] = field(default_factory=dict)

    def describe(self) -> str:
        return "the game itself, sampled, with the others modelled"

    @classmethod
    def derive(cls, source: AnyGame, question: Question) -> ModelledGame:
        return cls(source, question.player, dict(question.others))


@dataclass(frozen=True, eq=False)
class Model(CompiledSimulator):
    """Compiled rules, which of their players plans, what leaves are valued by, and the POMDP that they were made of.

    Parameters
    ----------
    twin
        The rules.
    me
        Who plans.
    leaf
        What a new node is valued by: informed or rollout.
    form
        The POMDP, where the rules are made of one.
    """

    form: POMDP | None = field(default=None, repr=False)


def model(game: AnyGame, player: int, others: Mapping[int, Strategy], leaf: str = "auto") -> Model:
    """A game as `player` faces it, for the compiled search.

    Parameters
    ----------
    game
        The game.
    player
        Who searches.
    others
        How the others play; empty: at random.
    leaf
        informed: what a new node is worth to one who sees more from then on; rollout: what random play brings; auto:
        informed where there is such a bound.

    Returns
    -------
    Model

    Raises
    ------
    LimitError
        There are too many states and memories of the others, and no twin that knows them.
    FormError
        An informed leaf was asked for, and there is none.
    """
    own: CompiledRules | None = None if others else game.compiled_rules()
    if own is not None:
        known = own.worths is not no_worths
        if leaf == INFORMED and not known:
            raise FormError(f"pomcp: nothing bounds what {game} is worth from a state on; use leaf=rollout")
        used = known and leaf != ROLLOUT
        return Model(own if used else own.without_worths(), player, INFORMED if used else ROLLOUT)
    rest = [other for other in range(len(game.players)) if other != player]
    form = derive(game, POMDP, Question(player, others or dict.fromkeys(rest, Uniform())))
    worths = None if leaf == ROLLOUT else _informed(form, leaf == INFORMED)
    return Model(pomdp_rules(form, worths), 0, ROLLOUT if worths is None else INFORMED, form)


def _informed(form: POMDP, demanded: bool) -> Floats | None:
    """[R] the fast informed bound by rows; None where play need not end and nothing is discounted."""
    try:
        steps = model_of(form, "pomcp")
    except FormError:
        if demanded:
            raise
        return None
    sweeps = max(1, WORK // max(1, steps.sweep_work()))
    bound, _ = steps.fast_informed_bound(qmdp_bound(steps), sweeps=sweeps)
    return steps.by_rows(bound)


def offline(found: Model, game: AnyGame, player: int) -> str:
    """A sentence where solving the whole POMDP is the better choice; empty where it is not."""
    form = found.form
    if form is None and len(game.players) == 1:
        try:
            form = derive(game, POMDP, Question(player, {}, SMALL))
        except LimitError:
            return ""
    if form is None or form.size > SMALL or not (form.discount < 1 or form.ends):
        return ""
    return f"a POMDP of {many(form.size, 'state')}: some seconds of sarsop are better than this, and bounded"
