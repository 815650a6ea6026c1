"""A control loop around a POMDP: solve a model file once, then act on what the sensors say."""

import tempfile
from pathlib import Path

import numpy as np

import fogbound as fb

model = Path(tempfile.mkdtemp()) / "tiger.pomdp"
print(fb.convert("tiger", model))  # stands for the model file of your robot

answer = fb.solve(model, "sarsop", gap=1e-3, seconds=30)
agent = answer.agent()
print(answer)
assert answer.certified == "both"

world, rng = fb.game(model), np.random.default_rng(1)  # the world stands for the robot and its sensors
outcome, earned = world.start().sample(rng), 0.0
for step in range(50):
    action = agent.act(outcome.observation(0))
    outcome = world.step(outcome.state, (action,)).sample(rng)
    earned += world.discount**step * outcome.rewards[0]
print(f"one run of 50 steps earned {earned:.2f}; {answer.value:.2f} is expected; now it believes {agent.belief}")

many = fb.evaluation.simulate(fb.forms.derive(world, fb.forms.POMDP), answer.policy(), games=2_000, rng=rng)
assert many.interval[0] < answer.value < many.interval[1]
