"""A control loop around a POMDP: solve a model file once, then act on what the sensors say."""

import tempfile
from pathlib import Path

import numpy as np

import fogbound as fb

model = Path(tempfile.mkdtemp()) / "tiger.pomdp"
print(fb.convert("tiger", model))  # stands for the model file of your robot

answer = fb.solve(model, "sarsop", gap=1e-3, seconds=30)
print(answer)
assert answer.certified == "both"

form, policy = fb.forms.derive(fb.game(model), fb.forms.POMDP), answer.policy()
rng, memory, earned = np.random.default_rng(1), None, 0.0
world = fb.game(model)  # stands for the robot and its sensors
outcome = world.start().sample(rng)
memory = policy.begin(outcome.seen(0))
for step in range(50):
    action = policy.act(memory, world.actions(outcome.state, 0)).sample(rng)
    outcome = world.step(outcome.state, (action,)).sample(rng)
    earned += world.discount**step * outcome.rewards[0]
    memory = policy.update(memory, action, outcome.seen(0))
print(f"one run of 50 steps earned {earned:.2f}; {answer.value:.2f} is expected")

many = fb.evaluate.simulate(form, policy, games=2_000, rng=rng)
assert many.interval[0] < answer.value < many.interval[1]
