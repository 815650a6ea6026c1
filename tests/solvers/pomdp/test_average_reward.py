"""Average rewards against brute force: every policy of small decision processes, every small controller of POMDPs."""

from itertools import product

import numpy as np
import pytest

import fogbound as fb
from fogbound import forms
from fogbound.cli.main import main
from fogbound.core.errors import FormError, SpecError
from fogbound.driver.report import possible_values
from fogbound.solvers.pomdp.average_reward.form import AverageReward

LIMITS = {"iterations": 8, "certify": True}


def random_model(seed: int, states: int, actions: int, observations: int, seen: bool = False):
    """T [A, S, S], O [A, S, Z], R [A, S] of a process in which every state follows every other."""
    rng = np.random.default_rng(seed)
    T = rng.dirichlet(np.full(states, 0.7), (actions, states)) * 0.98 + 0.02 / states
    Z = np.tile(np.eye(states), (actions, 1, 1)) if seen else rng.dirichlet(np.ones(observations), (actions, states))
    return T, Z, rng.uniform(-1, 1, (actions, states))


def text(T, Z, R) -> str:
    """The model as `.pomdp` text, with a discount that must not matter."""
    actions, states, _ = T.shape
    lines = ["discount: 0.5", "values: reward", f"states: {states}", f"actions: {actions}"]
    lines += [f"observations: {Z.shape[2]}", f"start: {' '.join(['1.0'] + ['0.0'] * (states - 1))}"]
    for a in range(actions):
        for name, matrix in (("T", T[a]), ("O", Z[a])):
            lines += [f"{name}: {a}", *(" ".join(map(repr, row)) for row in matrix.tolist())]
        lines += [f"R: {a} : {s} : * : * {r!r}" for s, r in enumerate(R[a].tolist())]
    return "\n".join(lines) + "\n"


def average(P, r) -> float:
    """The average reward of a chain with one recurrent class."""
    size = len(r)
    system = np.vstack([(np.eye(size) - P).T, np.ones(size)])
    return float(np.linalg.lstsq(system, np.append(np.zeros(size), 1.0), rcond=None)[0] @ r)


def best_controller(T, Z, R, nodes: int) -> float:
    """The best average of all deterministic controllers with so many nodes."""
    actions, states, _ = T.shape
    seen, best = Z.shape[2], -np.inf
    for taken in product(range(actions), repeat=nodes):
        for after in product(range(nodes), repeat=nodes * seen):
            P, r = np.zeros((nodes * states, nodes * states)), np.zeros(nodes * states)
            for n, a in enumerate(taken):
                r[n * states : (n + 1) * states] = R[a]
                for z in range(seen):
                    m = after[n * seen + z]
                    P[n * states : (n + 1) * states, m * states : (m + 1) * states] += T[a] * Z[a][:, z]
            best = max(best, average(P, r))
    return best


@pytest.fixture
def solved(tmp_path):
    def solve(*model):
        path = tmp_path / "model.pomdp"
        path.write_text(text(*model))
        return fb.solve(str(path), "average-reward", **LIMITS)

    return solve


@pytest.mark.parametrize("seed", range(4))
def test_where_the_state_is_seen_it_is_the_best_stationary_policy(solved, seed):
    T, Z, R = random_model(seed, states=3, actions=2, observations=3, seen=True)
    choices = (np.array(c) for c in product(range(2), repeat=3))
    best = max(average(T[c, np.arange(3)], R[c, np.arange(3)]) for c in choices)
    found = solved(T, Z, R)
    assert found.certificate.checked
    assert found.lower <= best + 1e-9
    assert found.upper >= best - 1e-9
    assert found.gap < 1e-5


@pytest.mark.one_in(4)
@pytest.mark.parametrize("seed", range(4))
def test_no_small_controller_lies_above_and_none_beats_what_was_found_by_much(solved, seed):
    model = random_model(seed, states=3, actions=2, observations=2)
    found, brute = solved(*model), best_controller(*model, nodes=2)
    assert found.certificate.checked
    assert found.upper >= brute - 1e-9
    assert found.lower >= brute - 0.01
    assert found.gap < 0.1


def test_the_discount_of_the_model_plays_no_part(solved, tmp_path):
    model = random_model(7, states=3, actions=2, observations=2)
    found = solved(*model)
    path = tmp_path / "other.pomdp"
    path.write_text(text(*model).replace("discount: 0.5", "discount: 0.9"))
    other = fb.solve(str(path), "average-reward", **LIMITS)
    assert (found.lower, found.upper) == (other.lower, other.upper)


def test_models_in_which_play_ends_are_refused_by_name():
    with pytest.raises(FormError, match="play can end"):
        fb.solve("kuhn", "average-reward", against="uniform")


def test_where_the_average_depends_on_the_chain_the_bounds_hold_and_stay_apart(solved):
    T = np.zeros((2, 3, 3))
    T[:, 0, 1] = T[:, 0, 2] = 0.5  # once, and for ever after either 1 or 2
    T[:, 1, 1] = T[:, 2, 2] = 1.0
    R = np.array([[0.0, 1.0, 0.0], [0.0, 0.5, 0.0]])
    found = solved(T, np.ones((2, 3, 1)), R)
    assert found.lower <= 0.5 <= found.upper
    assert found.upper == pytest.approx(1.0, abs=1e-5)


ASKED = [(None, "average"), ("average-reward", None)]


def test_a_criterion_chooses_the_solver():
    asked, named = (fb.solve("tiger", solver, criterion=how, iterations=2) for solver, how in ASKED)
    assert (asked.lower, asked.upper) == (named.lower, named.upper)
    assert "average reward" in asked.provenance["chosen"]
    assert fb.solve("tiger", criterion="discounted", iterations=2).provenance["solver"].startswith("sarsop")


def test_the_form_by_itself_asks_for_its_criterion():
    form = forms.derive(fb.game("tiger"), AverageReward)
    assert fb.solve(form, iterations=2).provenance["solver"] == "average-reward"


@pytest.mark.parametrize(
    ("solver", "criterion", "why"),
    [
        ("sarsop", "average", "sarsop goes by the discounted reward, .* solvers that do: average-reward$"),
        ("cfr", "average", "solvers that do: average-reward$"),
        ("average-reward", "discounted", "average-reward goes by the average reward, .*: name no solver"),
        (None, "mean", "criterion is 'mean', expected discounted or average$"),
    ],
)
def test_a_solver_that_goes_by_another_criterion_is_refused(solver, criterion, why):
    with pytest.raises(SpecError, match=why):
        fb.solve("tiger", solver, criterion=criterion)


def test_the_command_takes_a_criterion(capsys):
    assert main(["solve", "tiger", "--criterion", "average", "--iterations", "4"]) == 0
    out = capsys.readouterr()
    assert "by average reward" in out.out
    assert "value    at least 1.083" in out.out
    assert "using average-reward" in out.err


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["tiger", "--with", "hsvi"], "solvers that do: average-reward"),
        (["kuhn"], "give --against POLICY"),
        (["kuhn", "--against", "uniform"], "play can end"),
        (["tiger(resets=false)"], "play can end"),
        (["light-dark"], "no solver of the average reward takes samples"),
        (["rock-paper-scissors"], "give --against POLICY"),
    ],
)
def test_where_an_average_means_nothing_the_command_says_so_in_one_line(capsys, words, why):
    assert main(["solve", *words, "--criterion", "average"]) == 2
    refused = [line for line in capsys.readouterr().err.splitlines() if "reading" not in line and "using" not in line]
    assert len(refused) == 1
    assert refused[0].startswith("fogbound: ")
    assert why in refused[0]


def test_what_is_possible_is_a_reward_a_step():
    pomdp = forms.pomdp(fb.game("tiger"))
    assert possible_values(pomdp, 0) == pytest.approx((-2000.0, 200.0))
    assert possible_values(AverageReward(pomdp), 0) == (-100.0, 10.0)
    assert fb.solve(AverageReward(pomdp), Unbounded()).possible == (-100.0, 10.0)


class Unbounded(fb.Solver[AverageReward]):
    """An answer without bounds."""

    form = AverageReward
    finds = "uniform play"
    criterion = "average"

    def run(self, form, context):
        yield fb.Progress(np.nan, -np.inf, np.inf, lambda: {0: fb.policies.Uniform()})
