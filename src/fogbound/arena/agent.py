"""An agent: a policy in a control loop, which hands over what its sensors say and is told what to do.

A `Policy` keeps nothing, so that one object can play many games at once; a robot is one player of one game, and wants
somebody who remembers for it. The agent also knows which actions are legal, what it believes, and what cannot be.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Protocol

import numpy as np

from fogbound.core.errors import FormError, LimitError, PolicyError, brief
from fogbound.core.game import AnyGame, Observation
from fogbound.core.policy import AnyPolicy, HoldsBelief, Strategy, ValuesActions, kinds
from fogbound.core.q_value import QValue
from fogbound.core.simulator import legal_for
from fogbound.evaluation.plan_values import PlanValues
from fogbound.forms.bayes_filter import BayesFilter, Belief
from fogbound.forms.induced import moves
from fogbound.forms.pomdp import POMDP
from fogbound.forms.protocol import Form, Question, derive, title
from fogbound.forms.table import Table
from fogbound.policies.alpha_vectors import AlphaVectors, StoredVectors
from fogbound.policies.perfect_information import StatePolicy
from fogbound.policies.vocabulary import Vocabulary

MOST_STATES = 200_000  # of a game of several players whose legal actions an agent knows by itself: some seconds


class Sight(Protocol):
    """What can be true after what a player did and saw, as far as the rules alone tell."""

    words: Vocabulary

    def begin(self, seen: Observation) -> Any: ...  # None: never shown
    def update(self, known: Any, action: Hashable | None, seen: Observation) -> Any: ...
    def legal(self, known: Any) -> tuple[Hashable, ...]: ...  # () where the player is not asked


class ModelSight:
    """One player against chance: what can be true is what is believed."""

    def __init__(self, form: POMDP) -> None:
        self.form, self.bayes, self.words = form, BayesFilter(form), Vocabulary.of(form, form.player)

    def begin(self, seen: Observation) -> Belief | None:
        return self.bayes.begin(seen)[0]

    def update(self, known: Belief, action: Hashable | None, seen: Observation) -> Belief | None:
        return self.bayes.update(known, action, seen)[0]

    def legal(self, known: Belief) -> tuple[Hashable, ...]:
        asked, form = self.bayes.asked(known)[0], self.form
        if asked is None:
            return ()
        first = int(asked.states[0])
        return tuple(form.actions[a] for a in form.action[form.row[first] : form.row[first + 1]].tolist())


class TableSight:
    """One of several players: the states that are possible whatever the others do."""

    def __init__(self, table: Table, player: int) -> None:
        self.player, self.words = player, Vocabulary.of(table, player)
        self.follower = StatePolicy(table, player, lambda _, __: None)  # type: ignore[arg-type, return-value]

    def begin(self, seen: Observation) -> tuple[int, ...] | None:
        return self.follower.begin(seen) or None

    def update(self, known: tuple[int, ...], action: Hashable | None, seen: Observation) -> tuple[int, ...] | None:
        return self.follower.update(known, action, seen) or None

    def legal(self, known: tuple[int, ...]) -> tuple[Hashable, ...]:
        simulator = self.follower.simulator
        lists = (legal_for(simulator, state, self.player) for state in known)
        asked = next((legal for legal in lists if legal is not None), None)
        return () if asked is None else simulator.legal_labels(asked)


@dataclass(eq=False)
class Agent:
    """One player in a control loop: told what it sees, it says what to do, and remembers.

    Make one with `solution.agent(player)` or `fogbound.agent`.

    Parameters
    ----------
    game
        The game, or the form of it, that is played.
    player
        By index.
    strategy
        How it plays; of a mixture one policy is drawn at every reset.
    others
        How the others are thought to play, for what is believed.
    seed
        For policies that draw; every reset goes on drawing.
    vectors
        The alpha vectors that came with the policy, for what actions are worth.

    Examples
    --------
    >>> import fogbound as fb
    >>> agent = fb.solve("tiger", "sarsop").agent()
    >>> agent.act()  # nothing is seen before the first step
    'listen'
    >>> agent.act("growl-left")
    'listen'
    >>> {state: round(p, 2) for state, p in agent.belief.items()}
    {'left': 0.85, 'right': 0.15}
    """

    game: AnyGame | Form = field(repr=False)
    player: int
    strategy: Strategy = field(repr=False)
    others: Mapping[int, Strategy] = field(default_factory=dict, repr=False)
    seed: int = 0
    vectors: AlphaVectors | StoredVectors | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        self._rng = np.random.default_rng(self.seed)
        self._plans: dict[int, PlanValues] = {}
        self.reset()

    def reset(self) -> None:
        """Forget everything: the next observation is the first of a new game."""
        self._policy: AnyPolicy = kinds(self.strategy).sample(self._rng)
        self._memory: Any = None
        self._known: Any = None
        self._belief: Belief | None = None
        self._begun = False
        self._did: Hashable | None = None
        self._offered: tuple[Hashable, ...] = ()

    def act(
        self, observation: Any = None, actions: Sequence[Hashable] | None = None, did: Hashable | None = None
    ) -> Hashable:
        """What to do after an observation.

        Parameters
        ----------
        observation
            What is seen now, plainly where that can mean one thing only (``"growl-left"``), else an `Observation`;
            None where nothing is, as before the first step of most models.
        actions
            The legal ones, where the agent cannot know them: in a game that is too large to be enumerated.
        did
            What was done since the last observation, where that is not what the agent said.

        Returns
        -------
        action
            One of the legal ones; drawn, where the policy draws.

        Raises
        ------
        PolicyError
            This can never be seen, or not after what was done and seen before; or no move is asked for. The agent is as
            it was, and may be told something else.
        """
        held = self._after(observation, did)
        sight, known = self._sight, held[1]
        legal = tuple(actions) if actions is not None else sight.legal(known) if sight is not None else ()
        if not legal:
            raise PolicyError(self._unasked())
        chosen = moves(self._policy, held[0], legal)
        places, chances = zip(*chosen)
        place = places[0] if len(places) == 1 else int(self._rng.choice(places, p=np.array(chances) / sum(chances)))
        self._memory, self._known, self._belief = held
        self._begun, self._did, self._offered = True, legal[place], legal
        return legal[place]

    def observe(self, observation: Any = None, did: Hashable | None = None) -> None:
        """See a step in which the agent is not asked to move: a turn of the others, or the end of the game.

        Parameters
        ----------
        observation, did
            As in `act`.

        Raises
        ------
        PolicyError
            As in `act`.
        """
        self._memory, self._known, self._belief = self._after(observation, did)
        self._begun, self._did, self._offered = True, None, ()

    @property
    def actions(self) -> tuple[Hashable, ...]:
        """The legal actions at the last observation that asked for one."""
        return self._offered

    @property
    def belief(self) -> dict[Any, float]:
        """The states of the game with their probabilities, given all that was done and seen.

        Against others it rests on how these are thought to play, and is empty once they did what they never do. Where
        that is not known, or the game is too large, it is what a policy that searches believes at a decision.

        Raises
        ------
        PolicyError
            Nothing was seen yet, or it is not known how the others play.
        """
        if self._offered and not self._follows and isinstance(self._policy, HoldsBelief):
            return dict(self._policy.believed(self._memory, self._offered))
        belief, form = self._believed(), self._form
        found: dict[Any, float] = {}
        for state, p in zip(belief.states.tolist(), belief.weights.tolist()) if belief is not None else ():
            label = (
                form.label(state) if form.product is None else form.product.table.states[form.product.point[state, 0]]
            )
            found[label] = found.get(label, 0.0) + p
        return found

    @property
    def values(self) -> dict[Hashable, QValue]:
        """By legal action, what it earns from here on.

        Of a policy that searches at every move, what its search found: means with half of their 95% interval and
        visits (POMCP and its kin), or lower bounds; actions never tried are left out. Of any other, what is earned at
        least if the best of the answer's alpha vectors, or of the policy's own plans, is followed after it.

        Raises
        ------
        PolicyError
            No move is asked for now, nothing is believed any more, or it is not known how the others play.
        LimitError
            The policy has too many plans.
        """
        if self._offered and self.vectors is None and isinstance(self._policy, ValuesActions):
            found = dict(self._policy.action_values(self._memory, self._offered))
            if not found:
                raise PolicyError(
                    f"{self._spec}: nothing that is possible fits what was seen, so no action has a value"
                )
            return found
        belief = self._believed()
        asked = None if belief is None else BayesFilter(self._form).asked(belief)[0]
        if asked is None or not self._offered:
            raise PolicyError(f"{self._spec}: no move is asked for now, so no action has a value")
        plans = self._plans.get(id(self._policy))
        if plans is None:
            plans = self._plans[id(self._policy)] = PlanValues.of(self._form, self._valued)
        return {action: QValue(value) for action, value in plans.at(asked).items()}

    @property
    def _valued(self) -> AnyPolicy:
        """The policy whose plans say what actions are worth: the vectors that came with it, or itself."""
        held = self.vectors
        return self._policy if held is None else held.on(self._form) if isinstance(held, StoredVectors) else held

    @property
    def _spec(self) -> str:
        return title(self.game)

    @cached_property
    def _form(self) -> POMDP:
        """What the player faces: beliefs are over its states."""
        try:
            return derive(self.game, POMDP, Question(self.player, dict(self.others)))
        except FormError as error:
            raise PolicyError(f"what is believed rests on how the others play: {error}") from error

    @cached_property
    def _sight(self) -> Sight | None:
        """What the rules say can be; None where the game is too large for that."""
        try:
            if len(self.game.players) == 1:
                return ModelSight(self._form)
            return TableSight(derive(self.game, Table, Question(limit=MOST_STATES)), self.player)
        except LimitError:
            return None

    def _after(self, observation: Any, did: Hashable | None) -> tuple[Any, Any, Belief | None]:
        """Memory, what can be true, and what is believed after an observation; the agent itself stays as it is."""
        sight, action = self._sight, self._did if did is None else did
        seen = observation if sight is None else sight.words.observation(observation)
        if did is not None and not self._begun:
            raise PolicyError(f"{self._spec}: {brief(did)} cannot have been done before the first observation")
        known = self._known
        if sight is not None:
            action = sight.words.action(action)
            known = sight.update(known, action, seen) if self._begun else sight.begin(seen)
            if known is None:
                after = f"after {brief(action)}" if self._begun else "at first"
                raise PolicyError(f"{self._spec}: {brief(observation)} can never be seen {after}, in this situation")
        memory = self._policy.update(self._memory, action, seen) if self._begun else self._policy.begin(seen)
        if isinstance(known, Belief):
            return memory, known, known
        return memory, known, self._tracked(action, seen)

    def _tracked(self, action: Hashable | None, seen: Observation) -> Belief | None:
        """What is believed against others whose ways are known; None from what they never do on.

        None as well where the game is too large to say: it can be played all the same, and `belief` says why.
        """
        if not self._follows:
            return None
        bayes = self._bayes
        if not self._begun:
            return bayes.begin(seen)[0]
        return None if self._belief is None else bayes.update(self._belief, action, seen)[0]

    @property
    def _follows(self) -> bool:
        """Whether beliefs are followed exactly: the game is not too large, and the others' ways are known."""
        return self._sight is not None and set(self.others) == set(range(len(self.game.players))) - {self.player}

    @cached_property
    def _bayes(self) -> BayesFilter:
        return BayesFilter(self._form)

    def _believed(self) -> Belief | None:
        if not self._begun:
            raise PolicyError(f"{self._spec}: nothing was seen yet: act or observe first")
        self._form  # noqa: B018  says why where there is none
        return self._belief

    def _unasked(self) -> str:
        if self._sight is None:
            return f"{self._spec} is too large to know the legal actions of: act(observation, actions)"
        return f"{self._spec}: the agent is not asked to move then: tell it with observe(observation)"
