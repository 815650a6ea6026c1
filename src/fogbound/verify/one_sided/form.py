"""A one-sided game, read from its arrays and checked in full.

A branch is all that the blind player learns in a step; it tells the partition that follows. Where the entries of a
(slot, row) sum to less than 1, the rest leaves the game and is worth 0; where rounding made them sum to more, they
are divided by their exact sum. The same holds for the start.

Waiting. w(s) bounds the discounted number of steps from a state, whatever both do: w >= 1 + g sum_s' P(s') w(s') for
every slot and row, w >= 1.
  g < 1: w = 1 / (1 - g).
  g = 1: let W >= 0 be the claimed 'steps' and sigma the largest 1 + P W - W. If sigma < 1, w = W / (1 - sigma) has
         this property; so no strategies make play last longer, and it surely ends.
"""

import itertools
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from ..arithmetic import exact
from ..arrays import Array, Refused, floats, integers, shape, within


@dataclass(frozen=True)
class OneSidedGame:
    """A checked game: states in partitions, rows of a state (the other's actions), slots of a partition (one's own)."""

    discount: Fraction
    first: list[int]  # [P+1] states of a partition
    row: list[int]  # [S+1] rows of a state
    slot: list[int]  # [P+1]
    branch: list[int]  # [J+1] of a slot
    target: list[int]  # [B] partition
    entry: list[int]  # [B+1] of a branch
    source: list[int]  # [E] row
    to: list[int]  # [E] state
    prob: list[int]  # [E] over `unit`, before `over`
    unit: int
    over: dict[tuple[int, int], Fraction]  # (slot, row) -> what its entries are multiplied with, where they exceed 1
    reward_start: list[int]  # [J+1] where the rewards of a slot begin, one for each row of its partition
    reward: list[float]
    start: dict[int, Fraction]  # state -> probability, sum at most 1
    paid: Fraction
    wait: list[Fraction]  # [S] w
    leads: list[dict[int, list[int]]]  # [B] row -> its entries

    @property
    def least_reward(self) -> float:
        return min(0.0, *self.reward)

    @property
    def most_reward(self) -> float:
        return max(0.0, *self.reward)

    @property
    def parts(self) -> int:
        return len(self.first) - 1

    def rows(self, part: int) -> range:
        return range(self.row[self.first[part]], self.row[self.first[part + 1]])

    def slots(self, part: int) -> range:
        return range(self.slot[part], self.slot[part + 1])

    def branches(self, part: int) -> range:
        return range(self.branch[self.slot[part]], self.branch[self.slot[part + 1]])


def read_one_sided(form: Mapping[str, Array], certificate: Mapping[str, Array]) -> OneSidedGame:
    """Check every array and build the Fog; Refused at the first fault."""
    (discount,), (paid,) = floats(form, "discount", 1), floats(form, "paid", 1)
    if not 0.0 <= discount <= 1.0:
        raise Refused(f"discount {discount!r}, expected 0 to 1")
    first = _rising(form, "first", strictly=True)
    row, slot = _rising(form, "row", strictly=True), _rising(form, "slot", strictly=True)
    branch, entry, reward_start = _rising(form, "branch"), _rising(form, "entry"), _rising(form, "pay")
    parts, states, slots, branches = len(first) - 1, len(row) - 1, len(branch) - 1, len(entry) - 1
    found = len(slot) - 1, first[-1], slot[-1], len(reward_start) - 1, branch[-1]
    if found != (parts, states, slots, slots, branches):
        raise Refused(f"'first', 'row', 'slot', 'branch', 'pay' and 'entry' do not fit each other: {found}")
    target = integers(form, "target", branches)
    source, to = integers(form, "source", entry[-1]), integers(form, "to", entry[-1])
    within(target, 0, parts, "target")
    prob, unit = exact(floats(form, "prob", entry[-1]))
    if prob and min(prob) < 0:
        raise Refused("'prob' holds a negative number")
    begun, whole = exact(floats(form, "start", states))
    if min(begun) < 0 or sum(begun) == 0:
        raise Refused("'start' holds a negative number, or nothing")
    start = {state: Fraction(part, max(whole, sum(begun))) for state, part in enumerate(begun) if part}
    reward = floats(form, "reward", reward_start[-1])
    rate = Fraction(discount)
    game = OneSidedGame(
        *(rate, first, row, slot, branch, target, entry, source, to, prob, unit, {}, reward_start, reward, start),
        *(Fraction(paid), [], _leads(entry, source)),
    )
    _check_places(game)
    game.over.update(_overfull(game))
    game.wait.extend(_waits(game, certificate))
    return game


def _rising(form: Mapping[str, Array], name: str, strictly: bool = False) -> list[int]:
    """Pointers: from 0, never falling; strictly: every slice has something in it."""
    found = integers(form, name, *shape(form, name, 1))
    if len(found) < 1 + strictly or found[0] != 0 or any(b - a < strictly for a, b in itertools.pairwise(found)):
        raise Refused(f"{name!r} must rise from 0{', in every step' if strictly else ''}")
    return found


def _leads(entry: list[int], source: list[int]) -> list[dict[int, list[int]]]:
    found: list[dict[int, list[int]]] = []
    for a, b in itertools.pairwise(entry):
        found.append({})
        for e in range(a, b):
            found[-1].setdefault(source[e], []).append(e)
    return found


def _check_places(game: OneSidedGame) -> None:
    """Rewards, rows and states belong to the partitions that slots and branches say."""
    for part in range(game.parts):
        rows = game.rows(part)
        if any(game.reward_start[slot + 1] - game.reward_start[slot] != len(rows) for slot in game.slots(part)):
            raise Refused(f"'pay' must have one reward for each of the {len(rows)} rows of partition {part}")
        for branch in game.branches(part):
            a, b, after = game.entry[branch], game.entry[branch + 1], game.target[branch]
            within(game.source[a:b], rows.start, rows.stop, "source")
            within(game.to[a:b], game.first[after], game.first[after + 1], "to")


def _overfull(game: OneSidedGame) -> dict[tuple[int, int], Fraction]:
    """The (slot, row) whose entries sum to more than 1, with one over their sum."""
    found = {}
    for slot in range(game.slot[-1]):
        total: dict[int, int] = {}
        for e in range(game.entry[game.branch[slot]], game.entry[game.branch[slot + 1]]):
            total[game.source[e]] = total.get(game.source[e], 0) + game.prob[e]
        found.update({(slot, row): Fraction(game.unit, full) for row, full in total.items() if full > game.unit})
    return found


def _waits(game: OneSidedGame, certificate: Mapping[str, Array]) -> list[Fraction]:
    """[S] w."""
    states = len(game.row) - 1
    if game.discount < 1:
        return [1 / (1 - game.discount)] * states
    if "steps" not in certificate:
        raise Refused("array 'steps' is missing: without discount, nothing is known before play is known to end")
    claimed, beat = exact(floats(certificate, "steps", states))
    steps, sigma = [max(0, one) for one in claimed], Fraction(0)
    owner = [state for state in range(states) for _ in range(game.row[state], game.row[state + 1])]
    for part in range(game.parts):
        for slot in game.slots(part):
            later = dict.fromkeys(game.rows(part), 0)
            for e in range(game.entry[game.branch[slot]], game.entry[game.branch[slot + 1]]):
                later[game.source[e]] += game.prob[e] * steps[game.to[e]]
            for row, total in later.items():
                after = Fraction(total, game.unit * beat) * game.over.get((slot, row), 1)
                sigma = max(sigma, 1 + after - Fraction(steps[owner[row]], beat))
    if sigma >= 1:
        raise Refused("play is not certified to end whatever is done")
    return [Fraction(one, beat) / (1 - sigma) for one in steps]
