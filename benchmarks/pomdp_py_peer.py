"""pomdp-py's POUCT on the tiger problem and RockSample with exactly Fogbound's rules, for an interpreter that has it.

`PYTHON benchmarks/pomdp_py_peer.py '{"problem": "tiger", "seconds": 0.1, "games": 2, …}'` prints one JSON object.
Nothing of Fogbound is imported. The belief is exact, followed outside the planner, which is handed 1,000 particles
drawn from it before every decision; every decision has a new tree; rollouts are random. Only planning counts as time.
"""

from __future__ import annotations

import json
import math
import random
import sys
from typing import Any

import pomdp_py  # type: ignore[import-not-found]

PARTICLES = 1000
OVER = "over"


class Named:
    """A value that can be compared."""

    def __init__(self, name: Any) -> None:
        self.name = name

    def __hash__(self) -> int:
        return hash(self.name)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Named) and bool(self.name == other.name)

    def __repr__(self) -> str:
        return str(self.name)


class State(Named, pomdp_py.State):  # type: ignore[misc]
    """A state."""


class Action(Named, pomdp_py.Action):  # type: ignore[misc]
    """An action."""


class Seen(Named, pomdp_py.Observation):  # type: ignore[misc]
    """An observation."""


class Tiger:
    """Listen, or open a door; then the tiger is placed anew, and what is heard is noise."""

    def __init__(self, given: dict[str, Any]) -> None:
        self.accuracy = given["accuracy"]
        self.actions = ["listen", "open-left", "open-right"]

    def start(self) -> list[Any]:
        return ["left", "right"]

    def step(self, state: Any, action: str) -> tuple[Any, Any, float]:
        if action != "listen":
            reward = -100.0 if action == f"open-{state}" else 10.0
            return random.choice(["left", "right"]), random.choice(["left", "right"]), reward
        other = "right" if state == "left" else "left"
        return state, state if random.random() < self.accuracy else other, -1.0

    def chance(self, action: str, state: Any, seen: Any) -> float:
        return 0.5 if action != "listen" else self.accuracy if seen == state else 1 - self.accuracy

    def moved(self, state: Any, action: str) -> list[tuple[Any, float]]:
        return [(state, 1.0)] if action == "listen" else [("left", 0.5), ("right", 0.5)]


class RockSample:
    """Fogbound's RockSample: over another edge, or sampling where no rock is, ends the game at -100."""

    def __init__(self, given: dict[str, Any]) -> None:
        self.size, self.half = given["size"], given["half"]
        self.rocks = [tuple(cell) for cell in given["rocks"]]
        checks = [f"check-{rock}" for rock in range(len(self.rocks))]
        self.actions = ["north", "east", "south", "west", *checks, "sample"]
        self.way = {"north": (0, 1), "east": (1, 0), "south": (0, -1), "west": (-1, 0)}

    def start(self) -> list[Any]:
        place = 0, self.size // 2
        return [
            (*place, tuple((k >> rock) & 1 for rock in range(len(self.rocks)))) for k in range(1 << len(self.rocks))
        ]

    def truth(self, state: Any, rock: int) -> float:
        return float(1 + 2 ** (-math.dist(state[:2], self.rocks[rock]) / self.half)) / 2

    def step(self, state: Any, action: str) -> tuple[Any, Any, float]:
        following, reward = self._follow(state, action)
        if action.startswith("check"):
            rock = int(action[6:])
            right = random.random() < self.truth(state, rock)
            return state, "good" if bool(state[2][rock]) == right else "bad", 0.0
        return following, None, reward

    def _follow(self, state: Any, action: str) -> tuple[Any, float]:
        if state == OVER or action.startswith("check"):
            return state, 0.0
        x, y, rocks = state
        if action == "sample":
            if (x, y) not in self.rocks:
                return OVER, -100.0
            rock = self.rocks.index((x, y))
            return (x, y, (*rocks[:rock], 0, *rocks[rock + 1 :])), 10.0 if rocks[rock] else -10.0
        x, y = x + self.way[action][0], y + self.way[action][1]
        if x == self.size:
            return OVER, 10.0
        return (OVER, -100.0) if x < 0 or not 0 <= y < self.size else ((x, y, rocks), 0.0)

    def chance(self, action: str, state: Any, seen: Any) -> float:
        if state == OVER:
            return 0.0
        if not action.startswith("check"):
            return 1.0
        rock = int(action[6:])
        return self.truth(state, rock) if bool(state[2][rock]) == (seen == "good") else 1 - self.truth(state, rock)

    def moved(self, state: Any, action: str) -> list[tuple[Any, float]]:
        return [(self._follow(state, action)[0], 1.0)]


class Transition(pomdp_py.TransitionModel):  # type: ignore[misc]
    """Draws the whole step, and keeps the rest of it for the models that are asked next."""

    def __init__(self, problem: Any) -> None:
        self.problem, self.last = problem, (None, 0.0)

    def sample(self, state: Any, action: Any) -> Any:
        if state.name == OVER:
            self.last = None, 0.0
            return state
        following, seen, reward = self.problem.step(state.name, action.name)
        self.last = seen, reward
        return State(following)


class Observing(pomdp_py.ObservationModel):  # type: ignore[misc]
    def __init__(self, transition: Transition) -> None:
        self.transition = transition

    def sample(self, next_state: Any, action: Any) -> Any:  # noqa: ARG002
        return Seen(self.transition.last[0])


class Paying(pomdp_py.RewardModel):  # type: ignore[misc]
    def __init__(self, transition: Transition) -> None:
        self.transition = transition

    def sample(self, state: Any, action: Any, next_state: Any) -> float:  # noqa: ARG002
        return self.transition.last[1]


class Uniform(pomdp_py.RolloutPolicy):  # type: ignore[misc]
    def __init__(self, actions: list[str]) -> None:
        self.actions = [Action(name) for name in actions]

    def get_all_actions(self, state: Any = None, history: Any = None) -> list[Any]:  # noqa: ARG002
        return self.actions

    def rollout(self, state: Any, history: Any = None) -> Any:  # noqa: ARG002
        return random.choice(self.actions)


def play(problem: Any, given: dict[str, Any]) -> dict[str, Any]:
    """One game: its discounted return, and what the planner did."""
    belief = dict.fromkeys(problem.start(), 1.0)
    state = random.choice(list(belief))
    total, scale, simulations, seconds, moves = 0.0, 1.0, 0, 0.0, 0
    transition = Transition(problem)
    for _ in range(given["moves"]):
        states, weights = list(belief), list(belief.values())
        drawn = [State(name) for name in random.choices(states, weights, k=PARTICLES)]
        agent = pomdp_py.Agent(
            pomdp_py.Particles(drawn), Uniform(problem.actions), transition, Observing(transition), Paying(transition)
        )
        planner = pomdp_py.POUCT(
            max_depth=given["depth"],
            discount_factor=given["discount"],
            planning_time=given["seconds"],
            exploration_const=given["exploration"],
            rollout_policy=agent.policy_model,
        )
        action = planner.plan(agent).name
        simulations, seconds, moves = (
            simulations + planner.last_num_sims,
            seconds + planner.last_planning_time,
            moves + 1,
        )
        state, seen, reward = problem.step(state, action)
        total, scale = total + scale * reward, scale * given["discount"]
        if state == OVER:
            break
        after: dict[Any, float] = {}
        for one, weight in belief.items():
            for following, p in problem.moved(one, action):
                likely = weight * p * problem.chance(action, following, seen)
                if likely > 0:
                    after[following] = after.get(following, 0.0) + likely
        norm = sum(after.values())
        belief = {one: weight / norm for one, weight in after.items()}
    return {"return": total, "simulations": simulations, "seconds": seconds, "decisions": moves}


def main() -> None:
    given = json.loads(sys.argv[1])
    random.seed(given["seed"])
    problem = {"tiger": Tiger, "rock-sample": RockSample}[given["problem"]](given)
    print(json.dumps([play(problem, given) for _ in range(given["games"])]))


if __name__ == "__main__":
    main()
