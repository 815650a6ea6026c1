"""A table or a POMDP as the arrays that episodes are played over."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np

from fogbound.core.simulator import Labels
from fogbound.evaluation.episodes.kernels.steps import EpisodeModel
from fogbound.evaluation.sampling import POMDPLabels
from fogbound.forms.arrays import Floats, Ints, Longs
from fogbound.forms.pomdp import POMDP, WAIT
from fogbound.forms.recurrence import still_paid
from fogbound.forms.table import Table
from fogbound.forms.table_simulator import TableSimulator


class Rows(Protocol):
    """What a table and a POMDP share: rows of joint actions, and outcomes."""

    @property
    def row(self) -> Ints: ...
    @property
    def out(self) -> Ints: ...
    @property
    def next(self) -> Ints: ...
    @property
    def prob(self) -> Floats: ...
    @property
    def size(self) -> int: ...


def episode_model(form: Table | POMDP) -> EpisodeModel:
    """The arrays, in which play also ends where nothing can be paid any more and that can be told from the state."""
    return _of_table(form) if isinstance(form, Table) else _of_pomdp(form)


def labels(form: Table | POMDP) -> Labels:
    """The words for the numbers that players see and choose."""
    return TableSimulator(form) if isinstance(form, Table) else POMDPLabels(form)


def sizes(form: Table | POMDP) -> Longs:
    """[3] lists of legal actions, actions + 1, observations of whoever has the most."""
    if isinstance(form, Table):
        return np.array([len(form.legal_size), len(form.actions) + 1, max(map(len, form.observations))], np.int64)
    return np.array([len(form.legal_sets), len(form.actions) + 1, len(form.observations)], np.int64)


def _of_table(form: Table) -> EpisodeModel:
    movers = form.actor_set_players[form.actor_set].astype(np.int64)
    wide, players = movers.shape[1], len(form.players)
    actor, legal = np.full((form.size, players), -1, np.int64), np.full((form.size, players), -1, np.int64)
    actor[:, :wide] = np.where(np.arange(wide) < form.actor_set_size[form.actor_set][:, None], movers, -1)
    legal[:, :wide] = np.where(actor[:, :wide] >= 0, form.legal, -1)
    return _model(
        form, form.seen[form.event], form.reward[form.event], actor, legal, form.legal_actions, form.legal_size
    )


def _of_pomdp(form: POMDP) -> EpisodeModel:
    """One player, who may also wait; a legal list is a row of the state's actions."""
    number = {label: k for k, label in enumerate(form.actions)}
    widest = max(map(len, form.legal_sets), default=1)
    action = np.full((max(len(form.legal_sets), 1), max(widest, 1)), -1, np.int64)
    for k, offered in enumerate(form.legal_sets):
        action[k, : len(offered)] = [number[label] for label in offered]
    by_obs = np.array([legal for _, legal in form.observations], np.int64)
    legal = np.full(form.size, -1, np.int64)
    legal[form.next] = np.maximum(by_obs[form.obs], -1)
    live = np.diff(form.row) > 0
    first = form.action[np.minimum(form.row[:-1], len(form.action) - 1)]
    legal[~live | (first == WAIT)] = -1
    reward = np.repeat(form.reward, np.diff(form.out))[:, None]
    wide = np.array([len(offered) for offered in form.legal_sets], np.int64)
    actor = np.where(live, 0, -1)[:, None]
    return _model(form, form.obs[:, None], reward, actor, legal[:, None], action, wide)


def _model(form: Rows, seen: Any, reward: Any, actor: Any, legal: Any, action: Any, wide: Any) -> EpisodeModel:
    upto = np.cumsum(form.prob)
    before = np.concatenate([[0.0], upto])[form.out[:-1]]
    row, out, after, watched, movers, lists, actions, widths = (
        np.ascontiguousarray(array, np.int64)
        for array in (form.row, form.out, form.next, seen, _ended(form, reward, actor), legal, action, wide)
    )
    prob, paid = np.ascontiguousarray(form.prob, np.float64), np.ascontiguousarray(reward, np.float64)
    upto -= np.repeat(before, np.diff(form.out))
    return EpisodeModel(row, out, after, prob, upto, watched, paid, movers, lists, actions, widths)


def _ended(form: Rows, reward: Any, actor: Any) -> Any:
    """[S, n] nobody moves where nothing can be paid any more: formats without ends write them so."""
    owner = np.concatenate([[-1], np.repeat(np.arange(form.size), np.diff(form.row))])
    source = np.repeat(owner, np.diff(form.out))
    inner = source >= 0
    paying = np.zeros(form.size, bool)
    paying[source[inner & (reward != 0).any(axis=1)]] = True
    if not inner.any():
        return actor
    lasting = still_paid(paying, source[inner].astype(np.int64), form.next[inner].astype(np.int64))
    return np.where(lasting[:, None], actor, -1)
