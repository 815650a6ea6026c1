"""A small game with chance, pay on the way and a discount, unlike King Up in everything, and its compiled rules."""

from __future__ import annotations

from dataclasses import dataclass

from fogbound.compiled.rules import CompiledRules, rule
from fogbound.core import Dist, Game, Observation, Outcome

GOAL = 4


@dataclass(frozen=True)
class Counter(Game):
    """Two count up by turns or at once: `scale` or twice that; chance may add one more. Who counts pays for it."""

    scale: int = 1
    players = ("odd", "even")
    discount = 0.5

    def start(self):
        return Dist(((Outcome((0, 0)), 0.25), (Outcome((1, self.scale)), 0.75)))

    def actors(self, state):
        step, total = state
        return () if total >= GOAL * self.scale else ((0,), (0, 1), (1,))[step % 3]

    def actions(self, state, player):
        return (1, 2)

    def step(self, state, joint):
        step, total = state
        rewards = [0.0, 0.0]
        for player, by in zip(self.actors(state), joint):
            rewards[player] = -float(by)
        after = [(step + 1, total + (sum(joint) + more) * self.scale) for more in (0, 1)]
        pairs = [(Outcome(to, tuple(rewards), sum(joint) + k), p) for k, (to, p) in enumerate(zip(after, (0.25, 0.75)))]
        return Dist(tuple(pairs))


class CounterWords:
    def action(self, code):
        return code

    def action_code(self, action):
        return action

    def observation_code(self, _player, seen):
        return 0 if seen == Observation(None, None) else seen.public

    def state(self, row):
        return int(row[0]), int(row[1])

    def state_row(self, state):
        return list(state)


def counter_rules(game):
    sizes = {"width": 2, "beginnings": 2, "most_actions": 2, "most_outcomes": 2}
    return CompiledRules.of(game, globals(), CounterWords(), **sizes, integers=[game.scale], numbers=[0.25])


@rule
def begin(rules, k, state, seen):
    state[0], state[1] = k, k * rules.integers[0]
    seen[0] = seen[1] = 0
    return 0.25 + 0.5 * k


@rule
def actors(rules, state, out):
    if state[1] >= GOAL * rules.integers[0]:
        return 0
    out[0], out[1] = 0 if state[0] % 3 < 2 else 1, 1
    return 2 if state[0] % 3 == 1 else 1


@rule
def legal(rules, state, player, out):
    out[0], out[1] = 1, 2
    return 2


@rule
def chances(rules, state, joint, places, weights):
    weights[0], weights[1] = rules.numbers[0], 0.75
    return 2


@rule
def follow(rules, state, joint, places, k, rewards, seen):
    turn, total = state[0] % 3, joint[0] + k
    rewards[0] = rewards[1] = -0.0  # which is 0
    if turn == 2:
        rewards[1] = -float(joint[0])
    else:
        rewards[0] = -float(joint[0])
    if turn == 1:
        rewards[1] = -float(joint[1])
        total += joint[1]
    state[0] += 1
    state[1] += total * rules.integers[0]
    seen[0] = seen[1] = total
    return 0
