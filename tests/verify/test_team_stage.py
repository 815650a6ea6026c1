"""The stage games of a team's proof beside sums written out: what choices bring at most, payoffs that are moved."""

import itertools
import random

import pytest

from fogbound.verify.team.bounds import StageGame


def drawn(seed):
    """(joint memories, counts, payoffs, moves) of two or three members; moves are eighths."""
    rng = random.Random(seed)
    members = 2 + seed % 2
    counts = [rng.choice([2, 3]) for _ in range(members)]
    every = list(itertools.product(range(2), repeat=members))
    memory = sorted(rng.sample(every, rng.randint(2, len(every))))
    payoff = [[rng.randint(-50, 50) for _ in itertools.product(*map(range, counts))] for _ in memory]
    moves = {(j, i, a): rng.randint(-16, 16) / 8 for j in memory for i in range(members - 1) for a in range(counts[i])}
    return memory, counts, dict(zip(memory, payoff)), moves


def made(memory, counts, payoff, scale=1):
    return StageGame([tuple((m,) for m in j) for j in memory], counts, [list(payoff[j]) for j in memory], scale)


def most(memory, counts, payoff, chosen):
    """For each memory of the last member its best choice, where the others choose anew at every joint memory."""
    joint = {x: k for k, x in enumerate(itertools.product(*map(range, counts)))}

    def brings(j, b):
        agree = [x for x in joint if x[-1] == b and all(chosen.get((i, j[i]), x[i]) == x[i] for i in range(len(j) - 1))]
        return max(payoff[j][joint[x]] for x in agree)

    return sum(
        max(
            sum(brings(j, b) for j in memory if j[-1] == m)
            for b in range(counts[-1])
            if chosen.get((len(counts) - 1, m), b) == b
        )
        for m in {j[-1] for j in memory}
    )


@pytest.mark.parametrize("seed", range(12))
def test_the_best_choice_of_the_last_as_far_as_others_have_chosen(seed):
    memory, counts, payoff, _ = drawn(seed)
    game, rng = made(memory, counts, payoff), random.Random(seed)
    places = sorted({(i, m) for j in memory for i, m in enumerate(j)})
    for size in range(len(places) + 1):
        chosen = {place: rng.randrange(counts[place[0]]) for place in rng.sample(places, size)}
        assert game.bound(chosen) == most(memory, counts, payoff, chosen)


@pytest.mark.parametrize("seed", range(12))
def test_what_is_moved_sums_to_nothing_for_every_memory(seed):
    """The first joint memory of each memory gives what the others of that memory get."""
    memory, counts, payoff, moves = drawn(seed)
    members = len(counts)
    game = made(memory, counts, payoff, scale=8)
    game.move([moves[j, i, a] for j in memory for i in range(members - 1) for a in range(counts[i])])
    gets = {}
    for i in range(members - 1):
        for m in {j[i] for j in memory}:
            first, *rest = [j for j in memory if j[i] == m]
            for a in range(counts[i]):
                gets |= {(j, i, a): int(8 * moves[j, i, a]) for j in rest}
                gets[first, i, a] = -sum(gets[j, i, a] for j in rest)
    expected = {
        j: [
            before + sum(gets[j, i, x[i]] for i in range(members - 1))
            for x, before in zip(itertools.product(*map(range, counts)), payoff[j])
        ]
        for j in memory
    }
    assert game.payoff == [expected[j] for j in memory]
    assert game.bound({}) == most(memory, counts, expected, {})


@pytest.mark.parametrize("moved", [[], [1.0], [1.0] * 5])
def test_moves_of_another_shape_move_nothing(moved):
    memory, counts, payoff, _ = drawn(0)
    game = made(memory, counts, payoff)
    game.move(moved)
    assert game.payoff == [payoff[j] for j in memory]
