"""What a batch of games is made of: compiled rules, a view for each player, and arrays that encode for all of them."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Any

import numpy as np

from fogbound.compiled.asking import beginnings
from fogbound.compiled.rules import CompiledRules
from fogbound.core.errors import FogboundError, FormError, SpecError, brief
from fogbound.core.game import AnyGame, Observation
from fogbound.core.policy import Mediated
from fogbound.evaluation.exploitability import behaviour
from fogbound.forms.arrays import Longs, offsets
from fogbound.forms.compiled_rules import table_rules
from fogbound.forms.decisions import Decisions
from fogbound.forms.protocol import derive
from fogbound.forms.sequence import SequenceForm
from fogbound.forms.table import Table
from fogbound.interop.encoders import FullHistory, InformationSetNumber, LastObservation
from fogbound.interop.extra import environments_extra
from fogbound.interop.kernels.plays import CODES, COLUMNS, HISTORY, INFORMATION_SETS, Encoding, Plays
from fogbound.interop.learner_view import LearnerView
from fogbound.interop.views import enumerate_game, may_end_unasked, view_of
from fogbound.policies.uniform import Uniform

WAYS = ("observation", "history", "information-set")  # what compiled loops can show
KINDS = {"observation": COLUMNS, "history": HISTORY, "information-set": INFORMATION_SETS}
LARGEST_CODE = 1_000_000  # of an action: codes are looked up in an array


@dataclass(frozen=True, eq=False)
class ObservationCode:
    """The code that compiled rules have for the last observation, in a game that is not enumerated. Memory is the code.

    Parameters
    ----------
    compiled
        The rules.
    player
        By index.
    """

    compiled: CompiledRules = field(repr=False)
    player: int

    def begin(self, observation: Observation) -> int:
        return self.compiled.observation_code(self.player, observation)

    def update(self, memory: int, action: Hashable | None, observation: Observation) -> int:  # noqa: ARG002
        return self.compiled.observation_code(self.player, observation)

    def encode(self, memory: int, asked: bool) -> Longs:  # noqa: ARG002
        return np.array([memory], np.int64)

    def space(self) -> Any:
        with environments_extra():
            from gymnasium.spaces import Box
        return Box(0, np.iinfo(np.int64).max, (1,), np.int64)


@dataclass(frozen=True, eq=False)
class BatchModel:
    """A game as a batch plays it.

    Parameters
    ----------
    game
        The rules.
    compiled
        The same, compiled: the game's own, or those of its table.
    form
        The table, where the game was enumerated.
    views
        What each player is shown, and its actions by number.
    kind
        Which kind of observation the kernels write.
    encoding
        The arrays with which they do.
    """

    game: AnyGame
    compiled: CompiledRules
    form: Table | None
    views: list[LearnerView]
    kind: Any
    encoding: Encoding

    @property
    def functions(self) -> tuple[Any, ...]:
        """The rules in the order in which kernels take them."""
        compiled = self.compiled
        return compiled.begin, compiled.actors, compiled.legal, compiled.chances, compiled.follow

    @property
    def scalar(self) -> bool:
        """Whether an observation is one number."""
        return bool(self.kind == INFORMATION_SETS)

    def numbers(self, players: Sequence[int]) -> int:
        """How many numbers an observation of any of these players has."""
        return max(_numbers(self.views[player]) for player in players)

    def require_listed(self, plays: Plays) -> None:
        """Refuse a batch in which an action is legal that `actions=` does not list."""
        code, player = plays.unlisted.tolist()
        if code >= 0:
            action, name = brief(self.compiled.action(code)), self.game.players[player]
            raise SpecError(f"{self.game}: actions= has no {action}, which {name} may do now; expected all actions")

    def plays(self, count: int) -> Plays:
        """Room for so many games."""
        compiled, players = self.compiled, len(self.compiled.players)
        slots = int((self.encoding.slot >= 0).sum())
        longest = self.numbers(range(players)) if slots else 0
        words = {name: np.zeros((count, players), np.int64) for name in ("actors", "joint", "places", "did", "seen")}
        return Plays(
            state=np.zeros((count, compiled.width), np.int64),
            random=np.zeros((count, 1), np.int64),
            time=np.zeros(count, np.int64),
            movers=np.zeros(count, np.int64),
            turn=np.zeros(count, np.int64),
            rewards=np.zeros((count, players)),
            memory=np.zeros((count, players), np.int64),
            history=np.zeros((count * slots, longest), np.int64),
            weights=np.zeros(compiled.most_outcomes),
            options=np.zeros(compiled.most_actions, np.int64),
            unlisted=np.full(2, -1, np.int64),
            **words,
        )


def batch_model(
    game: AnyGame,
    observing: str,
    actions: Sequence[Hashable] | None,
    most_steps: int,
    limit: int,
    seat: int | None = None,
    others: Mapping[int, Any] | None = None,
) -> BatchModel:
    """Compiled rules and encoding of a game, for all players or for one seat against given policies."""
    if observing not in WAYS:
        raise SpecError(
            f"observing is {brief(observing)}, expected {', '.join(WAYS)}: a batch encodes in compiled code; SeatEnv, "
            "one game at a time, shows anything"
        )
    form = None if actions is not None else enumerate_game(game, observing, None, limit)
    compiled = table_rules(form) if form is not None else _own_rules(game, observing)
    given = others or {}
    told = observing == "information-set" or any(not isinstance(policy, Uniform) for policy in given.values())
    sequences = _sequences(game, form, observing) if told else None
    views = _views(game, compiled, form, sequences, observing, actions, most_steps, seat)
    seats = range(len(views)) if seat is None else [seat]
    encoding = _encoding(compiled, form, views, seats, sequences, given)
    return BatchModel(game, compiled, form, views, CODES if form is None else KINDS[observing], encoding)


def _own_rules(game: AnyGame, observing: str) -> CompiledRules:
    """The compiled rules that a game brings: it is not enumerated."""
    found = game.compiled_rules()
    if found is None:
        raise SpecError(f"{game}: actions= is for games with compiled rules of their own, which this one has not")
    if observing != "observation":
        raise SpecError(
            f"{game}: with actions= nothing is enumerated, so observing={observing!r} cannot be: observation"
        )
    own: CompiledRules = found
    return own


def _sequences(game: AnyGame, form: Table | None, observing: str) -> SequenceForm:
    """Memories and information sets, where something needs them."""
    try:
        if form is None:
            raise FormError("the game is not enumerated")
        return derive(form, SequenceForm)
    except FogboundError as error:
        if observing == "information-set":
            raise
        raise FormError(
            f"{game}: a batch plays others than 'uniform' by their information sets ({error}). "
            "gymnasium.vector.SyncVectorEnv of SeatEnv plays any policy"
        ) from error


def _views(
    game: AnyGame,
    compiled: CompiledRules,
    form: Table | None,
    sequences: SequenceForm | None,
    observing: str,
    actions: Sequence[Hashable] | None,
    most_steps: int,
    seat: int | None,
) -> list[LearnerView]:
    made = []
    for player in range(len(game.players)):
        waits = seat == player and may_end_unasked(form, player)
        if form is None:
            own: Any = lambda player: ObservationCode(compiled, player)  # noqa: E731
        elif observing == "information-set":
            assert sequences is not None
            decisions = sequences.decisions
            own = lambda player, decisions=decisions: InformationSetNumber(decisions, player)  # noqa: E731
        else:
            own = observing if seat in (None, player) else "observation"
        made.append(view_of(game, form, player, own, {}, actions, waits, most_steps))
    return made


def _numbers(view: LearnerView) -> int:
    """How many numbers an observation has."""
    encoder = view.encoder
    if isinstance(encoder, LastObservation):
        return len(encoder.columns.sizes)
    return len(encoder.sizes) * (encoder.steps + 1) if isinstance(encoder, FullHistory) else 1


def _encoding(
    compiled: CompiledRules,
    form: Table | None,
    views: list[LearnerView],
    seats: Sequence[int],
    sequences: SequenceForm | None,
    others: Mapping[int, Any],
) -> Encoding:
    starts = beginnings(compiled)
    opening = np.zeros((compiled.beginnings, len(views)))
    if form is not None:
        opening[:] = form.reward[form.event[: compiled.beginnings]]
    return Encoding(
        shares=np.array(list(accumulate(starts.weights.tolist()))),
        opening=opening,
        **_actions(compiled, views),
        **_observations(views, seats),
        **_memories(None if sequences is None else sequences.decisions, views),
        **_strategies(sequences, views, others),
    )


def _actions(compiled: CompiledRules, views: list[LearnerView]) -> dict[str, Any]:
    """Numbers of actions by code, and back."""
    codes = [[compiled.action_code(action) for action in view.actions] for view in views]
    largest = max((code for own in codes for code in own), default=0)
    if largest > LARGEST_CODE:
        raise SpecError(f"{compiled.spec}: the code of an action is {largest:,}, expected at most {LARGEST_CODE:,}")
    number = np.full((len(views), largest + 1), -1, np.int64)
    code = np.full((len(views), max(view.size for view in views)), -1, np.int64)
    for player, own in enumerate(codes):
        number[player, own] = range(len(own))
        code[player, : len(own)] = own
    return {"number": number, "code": code}


def _observations(views: list[LearnerView], seats: Sequence[int]) -> dict[str, Any]:
    """Observations by column, and whose history is recorded."""
    rows: list[Longs] = []
    slot = np.full(len(views), -1, np.int64)
    for player, view in enumerate(views):
        encoder = view.encoder
        if isinstance(encoder, FullHistory):
            slot[player] = len([place for place in slot if place >= 0]) if player in seats else -1
            encoder = encoder.seen
        rows.append(encoder.columns.rows if isinstance(encoder, LastObservation) else np.zeros((0, 0), np.int64))
    parts = np.zeros((sum(map(len, rows)), max(own.shape[1] for own in rows)), np.int64)
    first = offsets(np.array(list(map(len, rows)))).astype(np.int64)
    for own, begins in zip(rows, first.tolist()):
        parts[begins : begins + len(own), : own.shape[1]] = own
    width = np.array([own.shape[1] for own in rows], np.int64)
    return {"parts": parts, "first_part": first[:-1].copy(), "width": width, "slot": slot}


def _memories(decisions: Decisions | None, views: list[LearnerView]) -> dict[str, Any]:
    """The trie of memories, children in order below each."""
    none = np.zeros(0, np.int64)
    if decisions is None:
        empty = dict.fromkeys(("child_first", "child_code", "child", "shown", "infoset", "set_first"), none)
        return {**empty, "observations": np.zeros(len(views), np.int64)}
    up, code, roots = decisions.memory_up.astype(np.int64), decisions.memory_code, len(decisions.players)
    order = np.lexsort((code[roots:], up[roots:])) + roots
    below = np.bincount(up[roots:], minlength=len(up))
    encoders = [view.encoder for view in views if isinstance(view.encoder, InformationSetNumber)]
    shown = sum((np.array(encoder.numbers) for encoder in encoders), np.zeros(len(up), np.int64))
    return {
        "child_first": offsets(below).astype(np.int64),
        "child_code": code[order].astype(np.int64),
        "child": order.astype(np.int64),
        "observations": np.array([len(seen) for seen in decisions.observations], np.int64),
        "shown": shown,
        "infoset": decisions.memory_infoset.astype(np.int64),
        "set_first": decisions.set_first.astype(np.int64),
    }


def _strategies(sequences: SequenceForm | None, views: list[LearnerView], others: Mapping[int, Any]) -> dict[str, Any]:
    """How given players choose: probabilities by sequence, or uniformly."""
    strategy, parts = np.full(len(views), -1, np.int64), [np.zeros(0)]
    if len(others) > 1 and any(isinstance(policy, Mediated) for policy in others.values()):
        raise SpecError("a mediator tells several players at once, which a batch does not: use SeatEnv")
    for player, policy in others.items():
        if not isinstance(policy, Uniform):
            assert sequences is not None
            strategy[player] = sum(map(len, parts))
            parts.append(behaviour(sequences, player, policy))
    return {"strategy": strategy, "behaviour": np.concatenate(parts).astype(np.float64)}
