"""Teams: honest evidence closes, wrong evidence only widens, garbage stays true."""

from __future__ import annotations

import random
from functools import cache
from typing import Any

import numpy as np
import pytest

from fogbound import forms
from fogbound.certificates.certificate import plain
from fogbound.core.errors import LimitError
from fogbound.driver.protocol import Until
from fogbound.games import make
from fogbound.solvers.teams.team_search import TeamSearch
from fogbound.transforms.horizon import Horizon
from fogbound.verify import Refused
from fogbound.verify.team.bounds import read_table, upper
from fogbound.verify.team.model import MOST_JOINT, MOST_PLANS, Team
from tests.run import solve
from tests.solvers.teams.paid_alike import PaidAlike

GAMES = {
    "tiger": lambda: Horizon(make("multi-tiger"), 4),
    "channel": lambda: Horizon(make("broadcast-channel"), 3),
    "robots": lambda: Horizon(make("recycling-robots"), 3),
    "three": lambda: Horizon(make("random-posg(seed=2, seats=3, rewards=shared)"), 2),
    "turns": lambda: PaidAlike(make("random(seed=7, seats=2, depth=3)")),
    "alone": lambda: Horizon(make("random-posg(seed=2, seats=1, states=3)"), 3),
}


@cache
def solved(name: str) -> tuple[Any, Any, dict[str, np.ndarray]]:
    """(the solution, the table as the checker has it, the evidence) of a small game."""
    found = solve(TeamSearch(), forms.posg(GAMES[name]()), Until(gap=0.0), check_seconds=0.0)
    assert found.certificate.kind.name == "team"
    evidence = {key: array for key, array in found.certificate.evidence.items() if not _of_policies(key)}
    return found, read_table(plain(found.certificate.form)), evidence


def _of_policies(name: str) -> bool:
    return name in ("point", "value", "steps") or name.startswith(("begin_", "arrow_", "choice_"))


def nothing(evidence: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """A certificate that lists no claims."""
    empty = {key: array[:0] for key, array in evidence.items()}
    starts = ("claim_joint", "claim_moved", "claim_tree", "claim_revealed", "joint_start", "reference_start")
    empty.update({key: np.zeros(1, np.int64) for key in starts})
    return {**empty, "proof_horizon": evidence["proof_horizon"]}


@pytest.mark.parametrize("name", GAMES)
def test_honest_evidence_closes(name):
    found, table, evidence = solved(name)
    proven = upper(table, plain(evidence))
    assert proven >= found.value - 1e-9
    assert float(proven) == pytest.approx(found.value, abs=1e-9)


@pytest.mark.parametrize("seed", range(25))
def test_the_proof_is_tight_in_games_with_turns_and_ends(seed):
    """Whoever is asked by surprise, waits or has other actions: the checker follows the search all the same."""
    game = PaidAlike(make(f"random(seed={seed}, seats={2 + seed % 2}, depth={3 - seed % 2})"))
    found = solve(TeamSearch(), forms.posg(game), Until(gap=0.0))
    assert found.certified == "both"
    assert found.gap <= 1e-7
    try:
        best = float(forms.normal(game, limit=4_000_000).payoff[..., 0].max())
    except LimitError:
        return
    assert found.lower - 1e-9 <= best <= found.upper + 1e-9


def test_without_claims_the_state_is_seen():
    _, table, evidence = solved("channel")
    best = max(Team(table, 0).best[0].values())
    assert float(upper(table, plain(nothing(evidence)))) <= best / 2 ** Team(table, 0).bits + 1e-9


@pytest.mark.one_in(6)
@pytest.mark.parametrize("seed", range(6))
def test_what_is_cut_off_is_paid_for(seed):
    """With a discount and no end the bound holds whatever the horizon, and falls with it."""
    game = make(f"random-posg(seed={seed}, rewards=shared, discount=0.5)")
    runs = [solve(TeamSearch(horizon=steps), forms.posg(game), Until(gap=0.0)) for steps in (2, 4)]
    assert all(run.certified == "both" for run in runs)
    for one in runs:
        for other in runs:
            assert one.lower <= other.upper
    assert runs[1].gap <= runs[0].gap


def test_the_checker_lists_as_many_plans_as_the_search():
    from fogbound.solvers.teams import stages

    assert (MOST_PLANS, MOST_JOINT) == (stages.MOST_PLANS, stages.MOST_JOINT)


def test_players_who_are_paid_differently_are_no_team():
    _, _, evidence = solved("channel")
    table = read_table(plain(forms.table(Horizon(make("adversarial-tiger"), 2)).arrays()))
    with pytest.raises(Refused, match="no team"):
        upper(table, plain(nothing(evidence)))


def test_play_that_goes_on_must_be_cut():
    _, _, evidence = solved("channel")
    table = read_table(plain(forms.table(make("multi-tiger")).arrays()))
    for horizon in (0, 3, -1):
        with pytest.raises(Refused):
            upper(table, plain({**nothing(evidence), "proof_horizon": np.array([horizon])}))


def garbage(rng: random.Random, evidence: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Some arrays changed: entries drawn anew, swapped, scaled, or lists left out."""
    changed = {key: array.copy() for key, array in evidence.items()}
    for _ in range(rng.randint(1, 4)):
        name = rng.choice([key for key, array in changed.items() if array.size and key != "proof_horizon"])
        array, numbers = changed[name], np.random.default_rng(rng.randrange(2**32))
        flat = array.reshape(-1)
        at = numbers.integers(0, len(flat), size=rng.choice([1, 1, 2, len(flat)]))
        how = rng.randrange(4)
        if how == 0 and array.dtype.kind == "f":
            flat[at] = numbers.normal(size=len(at)) * 10.0 ** rng.randint(-3, 3)
        elif how == 0:
            flat[at] = numbers.integers(flat.min() - 1, flat.max() + 2, size=len(at))
        elif how == 1:
            flat[at] = flat[numbers.permutation(len(flat))[: len(at)]] if len(at) <= len(flat) else flat[at]
        elif how == 2:
            flat[at] = 0
        elif array.dtype.kind == "f":
            flat[:] = flat * rng.choice([-1.0, 0.5, 2.0, 1e3])
        else:
            flat[:] = flat[::-1].copy()
    return changed


def stays_true(name: str, seeds: range) -> int:
    """How many of the garbled certificates could be judged; none of them gives a false bound."""
    found, table, evidence = solved(name)
    judged = 0
    for seed in seeds:
        try:
            proven = upper(table, plain(garbage(random.Random(seed), evidence)))
        except Refused:
            continue
        assert proven >= found.value - 1e-12 * max(1.0, abs(found.value)), seed
        judged += 1
    return judged


@pytest.mark.one_in(6)
@pytest.mark.parametrize("name", GAMES)
def test_garbage_stays_true(name):
    assert stays_true(name, range(40)) > 5


@pytest.mark.slow
@pytest.mark.parametrize("name", GAMES)
def test_much_garbage_stays_true(name):
    count = 200 if name == "channel" else 1000  # a fifth of a second each
    assert stays_true(name, range(1000, 1000 + count)) > count / 5
