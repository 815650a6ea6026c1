"""Kills, interrupts and repeats: a few of each. `make attack` has many."""

from __future__ import annotations

import pytest

from tests.attack.families import FAMILIES, differing, solved
from tests.attack.interrupts import LONG, interrupted
from tests.attack.kills import NOTHING, OVER, SAME, killed
from tests.attack.repeats import different

QUICK = ("sarsop", "cfr-plus", "level-k", "pg-hsvi")


@pytest.mark.slow
@pytest.mark.parametrize("name", QUICK)
def test_a_run_that_goes_on_ends_with_the_same_bytes(name, tmp_path, monkeypatch):
    """From the checkpoint in the middle of the run, which a kill would have left."""
    from fogbound.driver import checkpoint

    whole, kept, save = solved(name), tmp_path / "kept.npz", checkpoint.save

    def keep(path, provenance, context, trace):
        if len(trace) == (len(whole.trace) + 1) // 2:
            save(kept, provenance, context, trace)

    monkeypatch.setattr(checkpoint, "save", keep)
    solved(name, checkpoint=tmp_path / "c.npz", every=0.0)
    monkeypatch.setattr(checkpoint, "save", save)
    assert differing(whole, solved(name, resume=kept)) == []


@pytest.mark.slow
@pytest.mark.parametrize("name", FAMILIES)
def test_a_killed_run_goes_on_to_the_same_bytes(name):
    found = killed(name, 4)
    assert set(found) <= {SAME, OVER, NOTHING}, found


@pytest.mark.slow
@pytest.mark.parametrize("number", range(len(LONG)))
def test_an_interrupt_leaves_an_answer_or_a_reason(number):
    found = interrupted(number)
    assert not found.fault or found.fault.startswith("took"), found  # how long it took is for `make attack` to say


@pytest.mark.slow
def test_hash_seeds_and_workers_leave_no_trace():
    assert set(different(settings=[("0", 1), ("1", 2)]).values()) == {1}
