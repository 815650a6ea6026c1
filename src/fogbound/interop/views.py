"""Views of games: from what people name to what learners are shown. A game is enumerated once for all its players."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np

from fogbound.arena.episode import MOST_STEPS
from fogbound.core.errors import FormError, LimitError, SpecError, brief, many
from fogbound.core.game import AnyGame
from fogbound.forms.pomdp import POMDP
from fogbound.forms.protocol import Question, derive
from fogbound.forms.recurrence import topological_order
from fogbound.forms.sequence import SequenceForm
from fogbound.forms.table import Table, enumerate_table
from fogbound.interop.encoders import BeliefVector, Encoder, FullHistory, InformationSetNumber, LastObservation
from fogbound.interop.learner_view import LearnerView
from fogbound.naming.games import GameLike, game, player_index
from fogbound.naming.policies import PolicyLike, policy

WAYS = ("observation", "history", "information-set", "belief")
MOST_STATES = 100_000  # of a game that is enumerated for this
MOST_NUMBERS = 20_000  # that an observation may hold
Observing: TypeAlias = "str | Callable[[int], Encoder]"
Others: TypeAlias = "PolicyLike | Mapping[int | str, PolicyLike]"


def view_for_learner(
    source: GameLike,
    player: int | str = 0,
    *,
    observing: Observing = "history",
    others: Others | None = None,
    actions: Sequence[Hashable] | None = None,
    waits: bool = False,
    most_steps: int = MOST_STEPS,
    limit: int = MOST_STATES,
) -> LearnerView:
    """One player's side of a game as learners see it, without an environment around it.

    Parameters
    ----------
    source
        Whatever `fogbound.game` takes.
    player
        By index or name.
    observing
        What is shown: the last ``"observation"``, the whole ``"history"`` of what it did and saw, the number of the
        ``"information-set"``, or its ``"belief"``; or a function from the player's index to an `Encoder` of one's own.
    others
        For a belief: how the others are said to play, a policy for all of them or a dict by player.
    actions
        All that may ever be done, in a game too large to be enumerated (with an encoder of one's own).
    waits
        Whether there is an action for turns in which the player is not asked.
    most_steps
        For a history: after how many steps a game is cut off that has no end of its own.
    limit
        How many states the game may have.

    Returns
    -------
    LearnerView

    Raises
    ------
    SpecError
        `observing` names no way, or it is not said how the others play.
    FormError
        There is no such thing: information sets of a game that has no end, for example.
    LimitError
        The game, or what would be shown, is too large.

    Examples
    --------
    >>> from fogbound import interop
    >>> dealer = interop.view("card-poker(ranks=3)", "dealer", observing="information-set")
    >>> dealer.actions
    ('check', 'bet', 'fold', 'call')
    >>> dealer.encoder.history(1)
    (Observation(public=None, private=2), (None, Observation(public='check', private=None)))
    """
    played = game(source)
    me = player_index(player, played)
    form = enumerate_game(played, observing, actions, limit)
    believed = believed_strategies(played, observing, others, me)
    return view_of(played, form, me, observing, believed, actions, waits, most_steps)


def enumerate_game(
    played: AnyGame, observing: Observing, actions: Sequence[Hashable] | None, limit: int
) -> Table | None:
    """The game as arrays; None where nothing needs them: encoder and actions are given."""
    if not callable(observing) and observing not in WAYS:
        raise SpecError(f"observing is {brief(observing)}, expected {', '.join(WAYS)} or a function to an encoder")
    if callable(observing) and actions is not None:
        return None
    try:
        return enumerate_table(played, limit)
    except LimitError as error:
        raise LimitError(
            f"{str(error).split('. ')[0]}. Raise limit=, make the game smaller, or give an encoder of your own and all "
            "actions there are: observing=, actions="
        ) from error


def strategies_of(played: AnyGame, others: Others | None, players: Sequence[int]) -> dict[int, Any]:
    """How everybody else plays, by player."""
    missing = [i for i in range(len(played.players)) if i not in players]
    if not missing:
        if others is not None:
            raise SpecError(f"{played} has no other players, so that nothing follows from how they play: leave it out")
        return {}
    if others is None:
        raise SpecError(f"{played}: it must be said how {played.players[missing[0]]} plays, such as 'uniform'")
    if isinstance(others, Mapping) and set(others) & {*played.players, *range(len(played.players))}:
        given: dict[int, Any] = {player_index(key, played): one for key, one in others.items()}
        for i in given:
            if i not in missing:
                raise SpecError(f"{played}: {played.players[i]} learns here, so it cannot be said how it plays")
    else:
        given = dict.fromkeys(missing, others)
    for i in missing:
        if i not in given:
            raise SpecError(f"{played}: it must be said how {played.players[i]} plays, such as 'uniform'")
    return {i: policy(given[i], played, i) for i in missing}


def believed_strategies(played: AnyGame, observing: Observing, others: Others | None, player: int) -> dict[int, Any]:
    """How a player believes that the others play, where it is shown a belief."""
    if observing == "belief":
        return strategies_of(played, others, [player])
    if others is not None:
        raise SpecError(f"others= is for observing='belief', found observing={brief(observing)}: leave others= out")
    return {}


def view_of(
    played: AnyGame,
    form: Table | None,
    player: int,
    observing: Observing,
    others: Mapping[int, Any],
    actions: Sequence[Hashable] | None,
    waits: bool,
    most_steps: int,
) -> LearnerView:
    """A view of a game that was enumerated, or that needs not be."""
    if actions is not None:
        own = tuple(actions)
    else:
        assert form is not None
        own = _own_actions(form, player)
    waits = waits or not own  # a space of actions has at least one, though the player never moves
    if callable(observing):
        return LearnerView(played, player, observing(player), own, waits, form)
    assert form is not None
    return LearnerView(played, player, _encoder(form, player, observing, others, own, most_steps), own, waits, form)


def _own_actions(form: Table, player: int) -> tuple[Hashable, ...]:
    """All that a player may do in some state, in the table's order."""
    asked = form.actor_set_players[form.actor_set] == player  # [S, W]
    lists = np.unique(form.legal[asked])
    numbers = np.unique(form.legal_actions[lists])
    return tuple(form.actions[a] for a in numbers[numbers >= 0].tolist())


def _encoder(
    form: Table, player: int, observing: str, others: Mapping[int, Any], own: tuple[Hashable, ...], most_steps: int
) -> Encoder:
    seen = form.observations[player]
    if observing == "observation":
        return LastObservation(seen)
    if observing == "information-set":
        return InformationSetNumber(derive(form, SequenceForm, Question(player)).decisions, player)
    if observing == "belief":
        return BeliefVector(derive(form, POMDP, Question(player, others)))
    history = FullHistory(seen, own, min(longest(form), most_steps))
    if (history.steps + 1) * len(history.sizes) > MOST_NUMBERS:
        raise LimitError(
            f"{form.spec}: a history of {many(history.steps, 'step')} is more than {MOST_NUMBERS:,} numbers. Cut it "
            "off (most_steps=), or observe something else: observation, belief"
        )
    return history


def longest(form: Table) -> int:
    """How many steps the longest play has; more than can be counted where states can recur."""
    order, recurring = topological_order(form)
    if recurring >= 0:
        return int(np.iinfo(np.int64).max)
    steps = np.zeros(form.size, np.int64)
    for state in order.tolist():
        first, last = form.out[form.row[state]], form.out[form.row[state + 1]]
        if last > first:
            steps[state] = 1 + steps[form.next[first:last]].max()
    return int(steps.max(initial=0))


def may_end_unasked(form: Table | None, player: int) -> bool:
    """Whether a play may be over before a player is asked; not ruled out where the game was not enumerated."""
    if form is None:
        return True
    asked = (form.actor_set_players[form.actor_set] == player).any(axis=1)  # [S]
    frontier = np.unique(form.next[form.out[0] : form.out[1]]).tolist()
    met = set(frontier)
    while frontier:
        state = frontier.pop()
        if form.actor_set[state] == 0:
            return True
        if not asked[state]:
            follows = set(form.next[form.out[form.row[state]] : form.out[form.row[state + 1]]].tolist()) - met
            met |= follows
            frontier.extend(follows)
    return False


def is_ever_idle(form: Table | None, player: int) -> bool:
    """Whether there is a state in which others move and this player does not."""
    if form is None:
        return True
    asked = (form.actor_set_players[form.actor_set] == player).any(axis=1)
    return bool((~asked & (form.actor_set != 0)).any())


def require_start(form: Table | None) -> None:
    """Refuse a game that may be over before anybody moves: an environment begins with a decision."""
    if form is not None and (form.actor_set[form.next[form.out[0] : form.out[1]]] == 0).any():
        raise over_at_start(form.spec)


def over_at_start(spec: str) -> FormError:
    """The error for a game, perhaps one that was not enumerated, that is over before anybody moves."""
    return FormError(f"{spec} may be over at its start, before anybody moves: there is nothing to step")
