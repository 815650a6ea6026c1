"""One player who follows alpha vectors: its vectors in tiles, and the beliefs that it has met."""

from __future__ import annotations

import numpy as np

from fogbound.core.errors import PolicyError
from fogbound.evaluation.episodes.kernels.best_vector import DEEPEST, LANES, NOTHING, SearchRoom, VectorTiles
from fogbound.evaluation.episodes.kernels.steps import (
    ARROWS,
    CELLS,
    CHOICE,
    EMPTY,
    NODES,
    EpisodeModel,
    EpisodeStates,
    KnownBeliefs,
    ObservedOutcomes,
    follow_beliefs,
    insert_keys,
    reenter_beliefs,
)
from fogbound.forms.arrays import Floats, Longs, offsets
from fogbound.forms.pomdp import POMDP
from fogbound.policies.alpha_vectors import AlphaVectors

FEW, MOST = 1 << 12, 1 << 20  # beliefs that there is room for, at first and at most
CELLS_FEW, CELLS_MOST = 1 << 16, 1 << 24  # and states in them, of all players together


class VectorPlayer:
    """Plays games by vectors; what it learns of beliefs in one lot of games serves the next.

    Parameters
    ----------
    form, model
        The POMDP, and its arrays for kernels.
    tiles, seen
        The vectors and the outcomes, which several players may share.
    cells
        How many states of beliefs it may know, at most.
    """

    def __init__(
        self, form: POMDP, model: EpisodeModel, tiles: VectorTiles, seen: ObservedOutcomes, cells: int = CELLS_MOST
    ) -> None:
        self.form, self.model, self.tiles, self.seen, self.cells = form, model, tiles, seen, cells
        self.room, self.mass = search_room(form.size), np.zeros(form.size)
        self.known = known_beliefs(form.size, FEW, min(CELLS_FEW, cells))

    def play(self, games: EpisodeStates, most_steps: int) -> None:
        """Every game to its end; PolicyError where no vector starts with a legal action."""
        known = self.known = _grown(self.known, self.form.size, self.cells)
        ways = self.model, self.seen, self.tiles, known, self.room, self.mass, games
        follow_beliefs(*ways, self.form.discount, most_steps)
        if (games.status == CHOICE).any():
            raise PolicyError(f"{self.form.spec}: no vector starts with an action that is legal")


def vector_players(form: POMDP, policy: AlphaVectors, model: EpisodeModel, many: int) -> list[VectorPlayer]:
    """So many players by the same vectors, each with beliefs of its own, so that they can play at the same time."""
    shared = form, model, vector_tiles(form, policy), observed_outcomes(form, model)
    return [VectorPlayer(*shared, CELLS_MOST // many) for _ in range(many)]


def vector_tiles(form: POMDP, policy: AlphaVectors) -> VectorTiles:
    """The vectors of a policy, those that resemble each other in one tile, under the ceilings of tiles."""
    groups = policy.entries.groups
    meant = np.zeros((len(groups), policy.entries.size), bool)
    for k, group in enumerate(groups):
        meant[k, group.states] = True
    column = np.where(meant, np.cumsum(meant, axis=1) - 1, -1)
    begin, below, value, top = list[int](), list[Longs](), list[Floats](), list[int]()
    for group in groups:
        order = resembling(group.values, np.arange(len(group.members)))
        rows, names = group.values[order], ~group.members[order]
        while True:
            tiles = -(-len(rows) // LANES)
            spare = ((0, tiles * LANES - len(rows)), (0, 0))
            rows = np.pad(rows, spare, constant_values=-np.inf).reshape(tiles, LANES, -1)
            first, size = sum(map(len, value)), rows[0].size
            names = np.pad(names, spare[0], constant_values=NOTHING).reshape(tiles, LANES)
            named = len(begin) + np.arange(tiles)
            begin += range(first, first + tiles * size, size) if size else [first] * tiles
            below.append(names)
            value.append(rows.transpose(0, 2, 1).ravel())
            if tiles == 1:
                break
            rows, names = rows.max(axis=1), named
        top.append(len(begin) - 1)
    offered = np.zeros((max(len(form.legal_sets), 1), len(form.actions)), np.int64)
    for k, legal in enumerate(form.legal_sets):
        offered[k, [form.actions.index(action) for action in legal]] = 1
    return VectorTiles(
        first=offsets(meant.sum(axis=0)),
        sets=np.ascontiguousarray(np.nonzero(meant.T)[1], np.int64),
        column=np.ascontiguousarray(column, np.int64),
        top=np.array(top, np.int64),
        begin=np.array(begin, np.int64),
        below=np.concatenate(below) if below else np.zeros((0, LANES), np.int64),
        value=np.concatenate(value) if value else np.zeros(0),
        starts=policy.actions.astype(np.int64),
        offered=offered,
    )


def resembling(vectors: Floats, lanes: Longs) -> Longs:
    """Vectors in an order in which neighbours resemble each other: halved where they differ most, again and again."""
    if len(lanes) <= LANES:
        return lanes
    apart = vectors[lanes] - vectors[lanes].mean(axis=0)
    along = apart.T @ apart[:, np.ptp(apart, axis=0).argmax()]  # about the way in which they differ most
    unit = LANES
    while unit * LANES < len(lanes):
        unit *= LANES
    half = unit * max(1, round(len(lanes) / (2 * unit)))  # whole tiles, so that ceilings are of what is alike
    order = lanes[np.argsort(apart @ along, kind="stable")]
    return np.concatenate([resembling(vectors, order[:half]), resembling(vectors, order[half:])])


def observed_outcomes(form: POMDP, model: EpisodeModel) -> ObservedOutcomes:
    """The outcomes of each row sorted by what they look like, those that look alike in their old order."""
    looks = {seen: k for k, seen in enumerate(dict.fromkeys(seen for seen, _ in form.observations))}
    group = np.array([looks[seen] for seen, _ in form.observations], np.int64)
    look = group[model.seen[:, 0]]
    order = np.lexsort((look, np.repeat(np.arange(len(model.out) - 1), np.diff(model.out))))
    sizes = np.array([max(map(len, form.legal_sets), default=1) or 1, len(looks), len(form.legal_sets) + 1], np.int64)
    return ObservedOutcomes(group, look[order], model.next[order], model.prob[order], sizes)


def search_room(states: int) -> SearchRoom:
    """Room for a search in beliefs over so many states."""
    waiting = DEEPEST * LANES
    return SearchRoom(
        weight=np.zeros(states),
        column=np.zeros(states, np.int64),
        worth=np.zeros(LANES),
        tile=np.zeros(waiting, np.int64),
        bound=np.zeros(waiting),
        found=np.zeros(1, np.int64),
        most=np.zeros(1),
    )


def known_beliefs(states: int, nodes: int, cells: int) -> KnownBeliefs:
    """No beliefs yet, and room for so many nodes and cells; at least for one belief."""
    cells = max(cells, states)
    begin, weights = np.zeros(nodes + 2, np.int64), np.zeros(cells + 2 * states)
    begin[-2:] = cells, cells + states
    return KnownBeliefs(
        used=np.zeros(3, np.int64),
        begin=begin,
        many=np.zeros(nodes + 2, np.int64),
        legal=np.zeros(nodes + 2, np.int64),
        place=np.zeros(nodes + 2, np.int64),
        states=np.zeros(cells + 2 * states, np.int64),
        weights=weights,
        bits=weights.view(np.int64),
        same=np.full(2 * nodes, EMPTY, np.int64),
        arrow_key=np.full(8 * nodes, EMPTY, np.int64),
        arrow_to=np.zeros(8 * nodes, np.int64),
    )


def _grown(known: KnownBeliefs, states: int, most: int) -> KnownBeliefs:
    """The same beliefs with more room, where half of it is taken and there may be more."""
    nodes, cells = len(known.begin) - 2, int(known.begin[-2])
    more = 2 * int(known.used[NODES]) > nodes or 4 * int(known.used[ARROWS]) > len(known.arrow_key)
    longer = 2 * int(known.used[CELLS]) > cells
    if not (more and nodes < MOST) and not (longer and cells < most):
        return known
    nodes, cells = 4 * nodes if more and nodes < MOST else nodes, min(4 * cells, max(cells, most)) if longer else cells
    grown = known_beliefs(states, nodes, cells)
    used, of = int(known.used[NODES]), int(known.used[CELLS])
    grown.used[:] = known.used
    for name in ("begin", "many", "legal", "place"):
        getattr(grown, name)[:used] = getattr(known, name)[:used]
    for name in ("states", "weights"):
        getattr(grown, name)[:of] = getattr(known, name)[:of]
    there = known.arrow_key != EMPTY
    insert_keys(grown.arrow_key, grown.arrow_to, known.arrow_key[there], known.arrow_to[there])
    reenter_beliefs(grown)
    return grown
