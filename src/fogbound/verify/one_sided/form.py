"""A one-sided game, read from its arrays and checked in full.

A successor is all that the blind player learns in a step; it tells the partition that follows. Where the transitions of
a (action, reply) sum to less than 1, the rest leaves the game and has value 0; where rounding made them sum to more,
they are divided by their exact sum. The same holds for the start.

Waiting. w(s) bounds the discounted number of steps from a state, whatever both do: w >= 1 + g sum_s' P(s') w(s') for
every action and reply, w >= 1.
  g < 1: w = 1 / (1 - g).
  g = 1: let W >= 0 be the claimed 'steps' and sigma the largest 1 + P W - W. If sigma < 1, w = W / (1 - sigma) has
         this property; so no strategies make play last longer, and it surely ends.
"""

import itertools
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from ..arithmetic import certified_waits, claimed_steps, exact
from ..arrays import Array, Refused, floats, integers, shape, within


@dataclass(frozen=True)
class OneSidedGame:
    """A checked game: states in partitions, the other's replies in a state, one's own actions in a partition."""

    discount: Fraction
    state_start: list[int]  # [P+1] states of a partition
    reply_start: list[int]  # [S+1] replies of a state
    action_start: list[int]  # [P+1]
    successor_start: list[int]  # [J+1] of an action
    target: list[int]  # [B] partition
    transition_start: list[int]  # [B+1] of a successor
    source: list[int]  # [E] reply
    to: list[int]  # [E] state
    prob: list[int]  # [E] over `unit`, before `over`
    unit: int
    over: dict[tuple[int, int], Fraction]  # (action, reply) -> a factor for its transitions where they exceed 1
    reward_start: list[int]  # [J+1] where the rewards of an action begin, one for each reply of its partition
    reward: list[float]
    start: dict[int, Fraction]  # state -> probability, sum at most 1
    paid: Fraction
    wait: list[Fraction]  # [S] w
    leads: list[dict[int, list[int]]]  # [B] reply -> its transitions

    @property
    def least_reward(self) -> float:
        return min(0.0, *self.reward)

    @property
    def most_reward(self) -> float:
        return max(0.0, *self.reward)

    @property
    def parts(self) -> int:
        return len(self.state_start) - 1

    def replies(self, part: int) -> range:
        return range(self.reply_start[self.state_start[part]], self.reply_start[self.state_start[part + 1]])

    def actions(self, part: int) -> range:
        return range(self.action_start[part], self.action_start[part + 1])

    def successors(self, part: int) -> range:
        return range(self.successor_start[self.action_start[part]], self.successor_start[self.action_start[part + 1]])

    def transitions(self, action: int) -> range:
        first, last = self.successor_start[action], self.successor_start[action + 1]
        return range(self.transition_start[first], self.transition_start[last])

    def owners(self) -> list[int]:
        """The state of each reply."""
        return [state for state, (a, b) in enumerate(itertools.pairwise(self.reply_start)) for _ in range(a, b)]

    def later(self, action: int, replies: range, values: list[int]) -> list[Fraction | int]:
        """[replies] what values of states come to after an action, over `unit`."""
        total = [0] * len(replies)
        for e in self.transitions(action):
            total[self.source[e] - replies.start] += self.prob[e] * values[self.to[e]]
        return [one * self.over.get((action, reply), 1) for one, reply in zip(total, replies)]


def read_one_sided(form: Mapping[str, Array], certificate: Mapping[str, Array]) -> OneSidedGame:
    """Check every array and build the game; Refused at the first fault."""
    (discount,), (paid,) = floats(form, "discount", 1), floats(form, "paid", 1)
    if not 0.0 <= discount <= 1.0:
        raise Refused(f"discount {discount!r}, expected 0 to 1")
    state_start = _rising(form, "state_start", strictly=True)
    reply_start, action_start = (_rising(form, name, strictly=True) for name in ("reply_start", "action_start"))
    successor_start, transition_start = _rising(form, "successor_start"), _rising(form, "transition_start")
    reward_start = _rising(form, "reward_start")
    parts, states = len(state_start) - 1, len(reply_start) - 1
    actions, successors = len(successor_start) - 1, len(transition_start) - 1
    sizes = len(action_start) - 1, state_start[-1], action_start[-1], len(reward_start) - 1, successor_start[-1]
    if sizes != (parts, states, actions, actions, successors):
        raise Refused(f"the offsets of states, actions, successors and rewards do not fit each other: {sizes}")
    target = integers(form, "target", successors)
    source, to = integers(form, "source", transition_start[-1]), integers(form, "to", transition_start[-1])
    within(target, 0, parts, "target")
    prob, unit = exact(floats(form, "prob", transition_start[-1]))
    if prob and min(prob) < 0:
        raise Refused("'prob' holds a negative number")
    begun, whole = exact(floats(form, "start", states))
    if min(begun) < 0 or sum(begun) == 0:
        raise Refused("'start' holds a negative number, or nothing")
    start = {state: Fraction(part, max(whole, sum(begun))) for state, part in enumerate(begun) if part}
    reward = floats(form, "reward", reward_start[-1])
    game = OneSidedGame(
        *(Fraction(discount), state_start, reply_start, action_start, successor_start, target),
        *(transition_start, source, to, prob, unit, {}),
        *(reward_start, reward, start, Fraction(paid), [], _leads(transition_start, source)),
    )
    _check_places(game)
    game.over.update(_overfull(game))
    game.wait.extend(_waits(game, certificate))
    return game


def _rising(form: Mapping[str, Array], name: str, strictly: bool = False) -> list[int]:
    """Pointers: from 0, never falling; strictly: every slice has something in it."""
    offsets = integers(form, name, *shape(form, name, 1))
    if len(offsets) < 1 + strictly or offsets[0] != 0 or any(b - a < strictly for a, b in itertools.pairwise(offsets)):
        raise Refused(f"{name!r} must rise from 0{', in every step' if strictly else ''}")
    return offsets


def _leads(transition_start: list[int], source: list[int]) -> list[dict[int, list[int]]]:
    leads: list[dict[int, list[int]]] = []
    for a, b in itertools.pairwise(transition_start):
        leads.append({})
        for e in range(a, b):
            leads[-1].setdefault(source[e], []).append(e)
    return leads


def _check_places(game: OneSidedGame) -> None:
    """Rewards, replies and states belong to the partitions that actions and successors say."""
    for part in range(game.parts):
        replies = game.replies(part)
        wanted = f"one reward for each of the {len(replies)} replies of partition {part}"
        if any(game.reward_start[j + 1] - game.reward_start[j] != len(replies) for j in game.actions(part)):
            raise Refused(f"'reward_start' must leave {wanted}")
        for successor in game.successors(part):
            a, b, after = game.transition_start[successor], game.transition_start[successor + 1], game.target[successor]
            within(game.source[a:b], replies.start, replies.stop, "source")
            within(game.to[a:b], game.state_start[after], game.state_start[after + 1], "to")


def _overfull(game: OneSidedGame) -> dict[tuple[int, int], Fraction]:
    """The (action, reply) whose transitions sum to more than 1, with one over their sum."""
    factors = {}
    for action in range(game.action_start[-1]):
        total: dict[int, int] = {}
        for e in game.transitions(action):
            total[game.source[e]] = total.get(game.source[e], 0) + game.prob[e]
        overfull = {reply: full for reply, full in total.items() if full > game.unit}
        factors.update({(action, reply): Fraction(game.unit, full) for reply, full in overfull.items()})
    return factors


def _waits(game: OneSidedGame, certificate: Mapping[str, Array]) -> list[Fraction]:
    """[S] w."""
    states = len(game.reply_start) - 1
    if game.discount < 1:
        return [1 / (1 - game.discount)] * states
    claimed, beat = claimed_steps(certificate, states)
    steps, sigma = [max(0, one) for one in claimed], Fraction(0)
    owner = game.owners()
    for part in range(game.parts):
        replies = game.replies(part)
        for action in game.actions(part):
            for reply, total in zip(replies, game.later(action, replies, steps)):
                sigma = max(sigma, 1 + Fraction(total, game.unit * beat) - Fraction(steps[owner[reply]], beat))
    return certified_waits(steps, beat, sigma)
