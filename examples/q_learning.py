"""Tabular Q-learning in a game of Fogbound, and what it learned measured against the best that can be done.

Needs the extra `fogbound[environments]`.
"""

import numpy as np

import fogbound as fb
from fogbound.interop.gymnasium import SeatEnv


def q_learning(env: SeatEnv, episodes: int, seed: int = 0) -> np.ndarray:
    """The value of each action in each information set, as learned by playing."""
    rng = np.random.default_rng(seed)
    values = np.zeros((env.observation_space["observation"].n, env.action_space.n))
    visits = np.zeros_like(values)
    for episode in range(episodes):
        shown, _ = env.reset(seed=seed if episode == 0 else None)
        over = False
        while not over:
            here, legal = shown["observation"], np.flatnonzero(shown["action_mask"])
            explores = rng.random() < 0.3
            action = rng.choice(legal) if explores else legal[values[here, legal].argmax()]
            shown, reward, ended, cut, info = env.step(action)
            over = ended or cut
            ahead = 0.0 if over else values[shown["observation"], np.flatnonzero(shown["action_mask"])].max()
            visits[here, action] += 1
            error = reward + info["discount"] * ahead - values[here, action]  # the factor is the environment's
            values[here, action] += error / visits[here, action] ** 0.7
    return values


def greedy(values: np.ndarray):
    """The agent that plays what looks best."""

    def choose(shown: dict) -> int:
        legal = np.flatnonzero(shown["action_mask"])
        return int(legal[values[shown["observation"], legal].argmax()])

    return choose


if __name__ == "__main__":
    game = "card-poker(ranks=8)"
    env = SeatEnv(game, "gambler", against="uniform", observing="information-set")
    gambler = fb.interop.agent(greedy(q_learning(env, 20_000)), env)
    best = fb.solve(game, player="gambler", against="uniform")
    earns = fb.evaluate(game, gambler, "uniform").values[0]
    print(f"learned {earns:.3f}, exactly; the best reply earns {best.value:.3f}, certified")
