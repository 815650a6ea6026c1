"""Games from arrays: the answers of rules and files, whatever the shape, the order of axes and the labels."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from scipy.sparse import csr_matrix

import fogbound as fb
from fogbound import forms
from fogbound.core.errors import FormError, GameError, SpecError
from fogbound.transforms.horizon import Horizon
from tests import shared

LISTEN, RESET, HEAR = np.eye(2), np.full((2, 2), 0.5), np.array([[0.85, 0.15], [0.15, 0.85]])
T = np.stack([LISTEN, RESET, RESET], axis=1)
O = np.stack([HEAR, RESET, RESET])  # noqa: E741
R = np.array([[-1.0, -100.0, 10.0], [-1.0, 10.0, -100.0]])
SCHUR = np.array([[[1.0, 0.0], [0.1, 0.9]], [[0.0, 1.0], [0.0, 1.0]]])


def drawn(seed, size=3, wide=2, shown=2):
    """A random POMDP."""
    rng = np.random.default_rng(seed)
    moves = rng.dirichlet(np.ones(size), (size, wide))
    seen = rng.dirichlet(np.ones(shown), (wide, size))
    return moves, seen, rng.normal(size=(size, wide, size, shown))


def naive(moves, seen, pay, over, discount, belief, steps):
    """The best value of a belief over some steps, by trying everything."""
    live = [s for s in range(len(belief)) if belief[s] > 0 and s not in over]
    if not steps or not live:
        return 0.0
    values = []
    for a in range(moves.shape[1]):
        value = 0.0
        for z in range(seen.shape[2]):
            after = np.zeros(len(belief))
            for s in live:
                weight = belief[s] * moves[s, a] * seen[a, :, z]
                value += float(weight @ pay[s, a, :, z])
                after += weight
            value += discount * naive(moves, seen, pay, over, discount, after, steps - 1)
        values.append(value)
    return max(values)


@pytest.mark.parametrize("seed", range(8))
def test_a_pomdp_is_worth_what_trying_everything_finds(seed):
    moves, seen, pay = drawn(seed)
    over = {2} if seed % 2 else set()
    game = fb.pomdp(moves, seen, pay, 0.9, start=[0.5, 0.5, 0.0], terminal=over)
    found = fb.solve(Horizon(game, 3), "belief-mdp")
    wanted = naive(moves, seen, pay, over, 0.9, np.array([0.5, 0.5, 0.0]), 3)
    assert found.value == pytest.approx(wanted, abs=1e-9)


@pytest.mark.parametrize("seed", range(8))
def test_an_mdp_with_legal_actions_is_worth_what_sweeps_find(seed):
    moves, _, pay = drawn(seed, wide=3)
    rng = np.random.default_rng(seed)
    legal = rng.random((3, 3)) < 0.5
    legal[np.arange(3), rng.integers(3, size=3)] = True
    over = {2} if seed % 2 else set()
    value = np.zeros(3)
    for _ in range(400):
        ahead = np.where(legal, (moves * (pay[..., 0] + 0.9 * value)).sum(axis=2), -np.inf).max(axis=1)
        value = np.array([0.0 if s in over else ahead[s] for s in range(3)])
    found = fb.solve(fb.mdp(moves, pay[..., 0], 0.9, start=0, terminal=over, legal=legal))
    assert found.value == pytest.approx(value[0], abs=1e-9)


def test_legal_actions_must_follow_from_what_is_known():
    game = fb.pomdp(T, O, R, 0.9, legal=[[True, True, False], [True, False, True]])
    with pytest.raises(GameError, match="cannot tell"):
        fb.solve(game, "sarsop")


HALLWAY = shared.MODELS / "pomdp" / "Hallway.pomdp"


@pytest.mark.parametrize(
    ("source", "gap"),
    [
        ("tiger", 0.001),
        ("rock-sample(size=4, rocks=4)", 0.5),
        pytest.param(
            HALLWAY, 0.3, marks=[pytest.mark.slow, pytest.mark.skipif(not HALLWAY.exists(), reason=f"no {HALLWAY}")]
        ),
    ],
)
def test_one_model_by_rules_by_file_and_by_arrays_has_the_same_bounds(source, gap, tmp_path):
    rules = fb.game(source)
    form = forms.pomdp(rules)
    *arrays, over, legal = arrays_of(form)
    game = fb.pomdp(*arrays, terminal=over, legal=legal)
    fb.convert(game, tmp_path / "model.pomdp")
    found = [fb.solve(given, "sarsop", gap=gap) for given in (rules, game, tmp_path / "model.pomdp")]
    for one in found:
        assert one.certified == "both"
        assert max(one.lower, found[0].lower) <= min(one.upper, found[0].upper)
        assert one.lower == pytest.approx(found[0].lower, abs=1e-9)


def arrays_of(form):
    """T, O, R, discount, start, and which actions are legal, of a POMDP whose observations depend on the next state."""
    size, wide, seen = form.size, len(form.actions), list(dict.fromkeys(label for label, _ in form.observations))
    joint, reward, start = np.zeros((size, wide, size, len(seen))), np.zeros((size, wide)), np.zeros(size)
    legal = np.zeros((size, wide), bool)
    for outcome in range(form.out[1]):
        start[form.next[outcome]] += form.prob[outcome]
    for state in range(size):
        for row in range(form.row[state], form.row[state + 1]):
            action = form.action[row]
            legal[state, action], reward[state, action] = True, form.reward[row]
            for outcome in range(form.out[row], form.out[row + 1]):
                label, _ = form.observations[form.obs[outcome]]
                joint[state, action, form.next[outcome], seen.index(label)] += form.prob[outcome]
    shown = joint.sum(axis=0)
    total = shown.sum(axis=2, keepdims=True)
    shown = np.divide(shown, total, out=np.zeros_like(shown), where=total > 0)
    assert np.allclose(joint.sum(axis=3)[..., None] * shown, joint)
    over = np.flatnonzero(~legal.any(axis=1)).tolist()
    return joint.sum(axis=3), shown, reward, form.discount, start, over, legal


@pytest.mark.parametrize(
    "given",
    [
        {"R": np.broadcast_to(R[:, :, None], (2, 3, 2)).copy()},
        {"R": np.broadcast_to(R[:, :, None, None], (2, 3, 2, 2)).copy()},
        {"T": [csr_matrix(T[:, a]) for a in range(3)], "O": [csr_matrix(O[a]) for a in range(3)]},
        {"T": T.transpose(1, 0, 2), "O": O.transpose(1, 2, 0), "R": R.T, "axes": {"T": "asn", "O": "noa", "R": "as"}},
        {"T": T.tolist(), "O": O.tolist(), "R": R.tolist()},
        {"start": [0.5, 0.5], "states": ("left", "right"), "observations": ("l", "r")},
    ],
)
def test_one_model_in_every_shape(given):
    named = {"T": T, "O": O, "R": R, "discount": 0.95, **given}
    assert fb.solve(fb.pomdp(**named), "sarsop", gap=0.01).value == pytest.approx(19.3714, abs=1e-3)


def test_observations_that_do_not_depend_on_the_action_have_two_axes():
    one, two = (fb.pomdp(T, seen, R, 0.95) for seen in (HEAR, np.stack([HEAR] * 3)))
    assert fb.solve(one, "sarsop", gap=1e-3).value == fb.solve(two, "sarsop", gap=1e-3).value


def test_a_markov_game_of_sparse_matrices_in_nested_lists():
    rng = np.random.default_rng(3)
    moves, pay = rng.dirichlet(np.ones(4), (4, 2, 3)), rng.normal(size=(4, 2, 3))
    nested = [[csr_matrix(moves[:, a, b]) for b in range(3)] for a in range(2)]
    one, two = (forms.markov(fb.markov_game(given, pay, 0.9)).arrays() for given in (moves, nested))
    assert all(np.array_equal(array, two[name]) for name, array in one.items())
    for wrong, said in (
        ([[csr_matrix(np.eye(4))] * 2, [csr_matrix(np.eye(4))]], "different shapes"),
        ([[csr_matrix(np.eye(4)), np.eye(4)]], "different shapes"),
        ([[csr_matrix(np.diag([1.0, 1.0, np.nan, 1.0]))]], r"T\[2, 0, 0, 2\] is nan, expected a probability"),
    ):
        with pytest.raises(FormError, match=said):
            fb.markov_game(wrong, pay, 0.9)


def test_rewards_of_states_alone():
    game = fb.mdp(SCHUR, [1.0, 2.0], 0.9, start=1)
    assert fb.solve(game).value == pytest.approx(20.0)


@pytest.mark.parametrize("start", [0, "low", [1.0, 0.0]])
def test_an_mdp_is_solved_as_one(start):
    game = fb.mdp(SCHUR, [[1, 0], [2, 2]], 0.9, start=start, states=("low", "high"), actions=("stay", "go"))
    found = fb.solve(game)
    assert found.value == pytest.approx(0.9 * 0.9 * 20 / (1 - 0.9 * 0.1))
    assert found.certified == "both"
    assert found.provenance["solver"].startswith("policy-iteration")


@pytest.mark.parametrize("seed", range(5))
def test_a_markov_game_is_worth_what_shapley_finds(seed):
    rng = np.random.default_rng(seed)
    moves, pay = rng.dirichlet(np.ones(3), (3, 2, 2)), rng.normal(size=(3, 2, 2))
    found = fb.solve(fb.markov_game(moves, pay, 0.8, start=0, players=("max", "min")), gap=1e-9)
    value = np.zeros(3)
    for _ in range(200):
        value = np.array([_matrix_value(pay[s] + 0.8 * moves[s] @ value) for s in range(3)])
    assert found.value == pytest.approx(value[0], abs=1e-7)


def _matrix_value(matrix):
    """The value of a 2×2 matrix game, by its formula."""
    low, high = matrix.min(axis=1).max(), matrix.max(axis=0).min()
    if low >= high:
        return low
    (a, b), (c, d) = matrix
    return (a * d - b * c) / (a + d - b - c)


def test_players_without_a_legal_action_do_not_move():
    """Two states in which one player chooses alone: a game in turns."""
    moves = np.zeros((3, 2, 2, 3))
    moves[0, :, :, 1], moves[1, :, :, 2] = 1.0, 1.0
    pay = np.zeros((3, 2, 2))
    pay[0] = [[1, 0], [3, 0]]
    pay[1] = [[5, 2], [0, 0]]
    first, second = np.array([[1, 1], [0, 0], [0, 0]]), np.array([[0, 0], [1, 1], [0, 0]])
    game = fb.markov_game(moves, pay, 1.0, start=0, terminal=[2], legal=[first, second])
    assert game.actors(0) == (0,)
    assert game.actors(1) == (1,)
    assert fb.solve(game).value == pytest.approx(3 + 2)


def test_a_team_by_arrays_is_the_team_by_rules():
    """Two listeners at a tiger's doors, read off their rules; their observations are independent, or one array."""
    rules = fb.game("multi-tiger")
    table = fb.forms.table(rules)
    size, labels = len(table.states), [table.actions[a] for a in table.legal_actions[0]]
    wide, shown = len(labels), len(table.observations[0])
    moves, seen, pay = (
        np.zeros((size, wide, wide, size)),
        np.zeros((wide, wide, size, shown, shown)),
        np.zeros((size, wide, wide, size)),
    )
    for state in range(size):
        for joint in range(wide * wide):
            row = int(table.row[state]) + joint
            one, two = divmod(joint, wide)
            for k in range(table.out[row], table.out[row + 1]):
                after, event = int(table.next[k]), table.event[k]
                moves[state, one, two, after] += table.prob[k]
                seen[one, two, after][tuple(table.seen[event])] += table.prob[k]
                pay[state, one, two, after] = table.reward[event, 0]
    seen = seen / np.maximum(seen.sum(axis=(3, 4), keepdims=True), 1e-12)
    alone = [seen.sum(axis=4), seen.sum(axis=3)]
    for own in alone:  # what is never arrived at may show anything
        own[own.sum(axis=-1) == 0, 0] = 1.0
    together = np.where(seen.sum(axis=(3, 4), keepdims=True) > 0, seen, 1.0 / shown**2)
    begun = np.zeros(size)
    begun[table.next[: table.out[1]]] = table.prob[: table.out[1]]
    value = fb.solve(Horizon(rules, 2), "team-search").value
    for given in (alone, together):
        game = fb.posg(moves, given, [pay, pay], rules.discount, start=begun, actions=[labels, labels])
        assert fb.solve(Horizon(game, 2), "team-search").value == pytest.approx(value, abs=1e-9)


def test_matrices_of_every_kind():
    a, b = np.array([[3, 0], [0, 2]]), np.array([[2, 0], [0, 3]])
    assert fb.solve(a).value == pytest.approx(6 / 5)
    assert fb.solve((a, -a)).value == pytest.approx(6 / 5)
    for source in ((a, b), [a, b], np.stack([a, b]), fb.matrix_game(a, b), fb.matrix_game(np.stack([a, b]))):
        assert fb.solve(source).certified == "both"
    three = np.random.default_rng(0).integers(0, 5, (3, 2, 3, 2))
    game = fb.matrix_game(three, players=("x", "y", "z"), actions=("ab", "cde", "fg"))
    assert game.players == ("x", "y", "z")
    assert fb.evaluate(game, *["uniform"] * 3).values == pytest.approx(three.mean(axis=(1, 2, 3)))
    for k in np.ndindex(2, 3, 2):
        joint = ("ab"[k[0]], "cde"[k[1]], "fg"[k[2]])
        ((outcome, _),) = game.step((), joint).pairs
        assert outcome.rewards == tuple(three[(slice(None), *k)])


def test_decimal_payoffs_stay_what_they_are_written_as(tmp_path):
    fb.convert(fb.matrix_game([[0.1, Fraction(1, 3)], [2, -1]]), tmp_path / "x.nfg")
    text = (tmp_path / "x.nfg").read_text()
    assert "1/10" in text
    assert "1/3" in text


def kuhn():
    """Kuhn's poker as nested lists."""

    def pays(mine, theirs, pot):
        return [pot, -pot] if mine > theirs else [-pot, pot]

    def deal(mine, theirs):
        call = {"fold": [-1, 1], "call": pays(mine, theirs, 2)}
        bet = ["two", f"{theirs} after bet", {"fold": [1, -1], "call": pays(mine, theirs, 2)}]
        return [
            "one",
            f"{mine}",
            {
                "bet": bet,
                "check": [
                    "two",
                    f"{theirs} after check",
                    {"bet": ["one", f"{mine} bet at", call], "check": pays(mine, theirs, 1)},
                ],
            },
        ]

    pairs = [(a, b) for a in range(3) for b in range(3) if a != b]
    return ["chance", {f"{a}{b}": (Fraction(1, 6), deal(a, b)) for a, b in pairs}]


def test_a_tree_as_nested_lists(tmp_path):
    game = fb.tree(kuhn(), players=("one", "two"))
    found = fb.solve(game)
    assert found.value == pytest.approx(-1 / 18)
    assert found.certified == "both"
    found.save(tmp_path / "kuhn.npz")
    assert fb.verify(tmp_path / "kuhn.npz", game)
    fb.convert(game, tmp_path / "kuhn.efg")
    assert fb.solve(tmp_path / "kuhn.efg").value == pytest.approx(-1 / 18)


def test_a_game_from_arrays_is_played_and_verified_as_any_other(tmp_path):
    game = fb.pomdp(T, O, R, 0.95)
    found = fb.solve(game, "sarsop", gap=0.01)
    found.save(tmp_path / "x.npz")
    assert fb.verify(tmp_path / "x.npz", game)
    with pytest.raises(SpecError, match="hand it over"):
        fb.verify(tmp_path / "x.npz")
    assert fb.match(Horizon(game, 5), found.profile[0], games=3).players[0].score <= 50
    assert fb.check(game)


A = np.array([[1.0, 2.0], [3.0, 4.0]])
WRONG = [
    (lambda: fb.pomdp(T[:, :, :1], O, R, 0.9), r"T has shape \(2, 3, 1\), expected as many next states as states"),
    (lambda: fb.pomdp(T[0], O, R, 0.9), r"T has shape \(3, 2\), expected \[state, action…, next\]"),
    (lambda: fb.pomdp(T * 0.9, O, R, 0.9), r"T\[0, 0\] sums to 0.9, expected 1"),
    (lambda: fb.pomdp(T - 0.1, O, R, 0.9), r"T\[0, 0, 1\] is -0.1, expected a probability"),
    (lambda: fb.pomdp(T, O[:2], R, 0.9), r"O has shape \(2, 2, 2\), expected \(2, 'observations'\) or \(3, 2, 'obs"),
    (lambda: fb.pomdp(T, O * 0.5, R, 0.9), r"O sums to 0.5 for action 0 and next state 0, expected 1"),
    (lambda: fb.pomdp(T, -HEAR, R, 0.9), r"O\[0, 0\] is -0.85, expected a probability"),
    (lambda: fb.pomdp(T, O, R.T, 0.9), r"R has shape \(3, 2\), expected one of \(2,\), \(2, 3\), \(2, 3, 2\)"),
    (lambda: fb.pomdp(T, O, R * np.inf, 0.9), r"R\[0, 0\] is -inf, expected a finite number"),
    (lambda: fb.pomdp(T, O, R, 0.9, start=[0.5, 0.4]), "start sums to 0.9, expected 1"),
    (lambda: fb.pomdp(T, O, R, 0.9, start=[1.5, -0.5]), r"start\[1\] is -0.5, expected a probability"),
    (lambda: fb.pomdp(T, O, R, 0.9, start=7), "start names the state 7, expected a label or a number below 2"),
    (lambda: fb.pomdp(T, O, R, 0.9, states=("x", "x")), "expected 2 different labels"),
    (lambda: fb.pomdp(T, O, R, 0.9, terminal=["z"]), "terminal names the state 'z'"),
    (lambda: fb.pomdp(T, O, R, 0.9, legal=np.ones((3, 2))), r"legal has shape \(3, 2\), expected \(2, 3\)"),
    (lambda: fb.pomdp(T, O, R, 0.9, axes={"T": "xyz"}), "axes of T are 'xyz'"),
    (lambda: fb.pomdp("T", O, R, 0.9), "T is 'T', expected an array of numbers"),
    (lambda: fb.markov_game(np.ones((1, 2, 2, 1)), np.ones((2, 2)), 0.9), "R has shape"),
    (lambda: fb.markov_game(np.ones((1, 2, 2, 1)), np.ones((1, 2, 2)), 0.9, players=("a",)), "expected 2 different"),
    (lambda: fb.posg(np.ones((1, 2, 2, 1)), [np.ones((1, 1))], np.ones((1, 2, 2)), 0.9), "found O of 1 player"),
    (lambda: fb.matrix_game(), "expected matrices of numbers"),
    (lambda: fb.matrix_game([[1, 2], [3]]), "expected matrices of numbers"),
    (lambda: fb.matrix_game(A, A[:1]), r"payoffs\[1\] has shape \(1, 2\), expected one axis for each of 2 players"),
    (lambda: fb.matrix_game(A * np.nan), r"payoffs\[0\]\[0, 0\] is nan, expected a finite number"),
    (lambda: fb.tree(["one", "x", {"a": [1]}], ("one", "two")), r"root.a is \[1\], expected 2 payoffs"),
    (lambda: fb.tree(["three", "x", {"a": [1, 1]}], ("one", "two")), "a decision of 'three', expected one of one, two"),
    (lambda: fb.tree(["chance", {"a": (0.4, [1, 1])}], ("one", "two")), "probabilities at root sum to 0.4, expected 1"),
    (lambda: fb.tree(["chance", {"a": [1, 1, 1]}], ("one", "two")), r"root.a is \[1, 1, 1\], expected \(prob"),
]  # fmt: skip


@pytest.mark.parametrize(("wrong", "told"), WRONG)
def test_what_does_not_fit_is_told_by_array_index_and_number(wrong, told):
    with pytest.raises(FormError, match=told) as error:
        wrong()
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("discount", [-0.5, 0.0, 1.5, float("nan"), float("inf"), None, "x"])
def test_what_is_no_discount_is_refused_everywhere(discount):
    one, two = np.ones((1, 1, 1)), np.ones((1, 1, 1, 1))
    for make in (
        lambda: fb.pomdp(one, np.ones((1, 1)), [1.0], discount),
        lambda: fb.mdp(one, [1.0], discount),
        lambda: fb.markov_game(two, np.ones((1, 1, 1)), discount),
        lambda: fb.posg(two, [np.ones((1, 1))] * 2, np.ones((1, 1, 1)), discount),
    ):
        with pytest.raises(FormError, match="discount is"):
            make()


def test_a_stored_answer_says_that_its_game_must_be_given(tmp_path):
    game = fb.mdp(SCHUR, [[1, 0], [2, 2]], 0.9, name="chain")
    fb.solve(game).save(tmp_path / "chain.npz")
    stored = fb.load(tmp_path / "chain.npz")
    assert fb.verify(stored, game)
    with pytest.raises(SpecError, match="solves 'chain', which is no game by name: one made in Python"):
        fb.verify(stored)
