"""Three and more players, support by support: the equilibria that the literature counts."""

from __future__ import annotations

import numpy as np
import pytest

import fogbound as fb
from fogbound.games.matrix_game import MatrixGame
from fogbound.solvers.matrix.many_supports import support_profiles, worth

# "Three person 3x3x3 game with five equilibria (two pure)", Gambit's collection, 3x3x3.nfg; the first player's strategy
# changes fastest
FIVE = """
1.131 1.21 2.426  1.358 2.234 2.238  1.655 1.347 2.747  1.576 5.634 5.675  1.478 2.544 1.973  1.436 4.864 5.267
1.735 4.043 7.247  3.83 1.335 1.734  1.428 1.521 4.248  2.429 2.326 2.422  5.255 5.334 2.643  2.243 3.518 3.062
2.455 6.523 4.225  7.486 4.483 5.764  7.566 4.655 7.076  4.943 7.362 4.382  4.434 4.271 4.12  4.533 5.231 5.458
3.222 3.024 1.223  2.873 4.452 4.549  4.564 4.326 1.762  5.277 4.837 5.645  4.995 5.754 4.383  4.423 1.759 2.705
4.642 1.897 4.042  4.976 7.324 7.723  4.486 4.882 2.537
"""


def three_by_three():
    table = np.array(FIVE.split(), float).reshape(3, 3, 3, 3).transpose(2, 1, 0, 3)
    return MatrixGame(payoffs=tuple(tuple(tuple(tuple(c) for c in b) for b in a) for a in table.tolist()))


def listed(game, solver="support-enumeration"):
    return fb.solve(game, solver).details


def regrets_by_hand(game, found):
    """By the matrix itself, without the sequence form."""
    payoff = fb.forms.normal(game).payoff
    for one in found["list"]:
        mixed = []
        for i, strategies in enumerate(one["strategies"]):
            weights = np.zeros(payoff.shape[i])
            for name, p in strategies.items():
                weights[int(name) - 1] = p
            mixed.append(weights)
        for i, own in enumerate(mixed):
            value = worth(payoff, mixed, i)
            yield float(value.max() - own @ value)


def test_nine_equilibria_two_of_them_totally_mixed():
    """McKelvey and McLennan 1997."""
    game = fb.game("matrix-game(matrix=mckelvey-mclennan)")
    found = listed(game)
    assert found["equilibria"] == 9
    assert sum(all(len(part) == 2 for part in one["strategies"]) for one in found["list"]) == 2
    assert sum(all(len(part) == 1 for part in one["strategies"]) for one in found["list"]) == 4
    assert max(one["regret"] for one in found["list"]) < 1e-12
    assert max(regrets_by_hand(game, found)) < 1e-12
    assert (found["complete"], found["degenerate"]) == (False, [])


@pytest.mark.slow
def test_five_equilibria_of_three_strategies_each():
    game = three_by_three()
    found = listed(game, "support-enumeration(starts=5)")
    assert found["equilibria"] == 5
    assert sum(all(len(part) == 1 for part in one["strategies"]) for one in found["list"]) == 2
    assert max(one["regret"] for one in found["list"]) < 1e-12
    assert max(regrets_by_hand(game, found)) < 1e-12


def test_degenerate_supports_are_named():
    """Selten 1975: (down, across with at least 1/3, left) and (across, across, left with at most 1/4)."""
    found = listed("selten-horse")
    assert found["degenerate"] == [
        [["across"], ["across"], ["left", "right"]],
        [["down"], ["across", "down"], ["left"]],
    ]
    values = sorted({tuple(one["payoffs"]) for one in found["list"]})
    assert values == [(1.0, 1.0, 1.0), (3.0, 3.0, 2.0)]
    for one in found["list"]:
        first, second, third = one["strategies"]
        assert third.get("left", 0.0) <= 0.25 + 1e-9 if "across" in first else second["across"] >= 1 / 3 - 1e-9


def test_two_players_are_found_by_either_way():
    """A third player who has nothing to choose: the same equilibria as in the exact search for two."""
    two = fb.game("matrix-game(matrix=battle-of-the-sexes)")
    three = fb.game("matrix-game(payoffs=[[[[2, 1, 0]], [[0, 0, 0]]], [[[0, 0, 0]], [[1, 2, 0]]]])")
    exact = sorted(tuple(one["payoffs"]) for one in listed(two)["list"])
    assert np.allclose(sorted(one["payoffs"][:2] for one in listed(three)["list"]), exact)


def test_small_supports_come_first():
    sizes = [sum(map(len, one)) for one in support_profiles((2, 2, 2))]
    assert sizes == sorted(sizes)
    assert len(sizes) == 27


def test_too_many_supports_are_refused():
    with pytest.raises(fb.FogboundError, match="combinations of supports"):
        fb.solve(MatrixGame(payoffs=_large()), "support-enumeration")


def _large():
    rng = np.random.default_rng(0)
    return tuple(tuple(tuple(tuple(rng.normal(size=3).tolist()) for _ in range(6)) for _ in range(6)) for _ in range(6))
