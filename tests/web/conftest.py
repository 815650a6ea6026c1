"""Answers to look at, solved once for all tests of the web app."""

from __future__ import annotations

import pytest

import fogbound as fb

SOLVED = {  # one answer of each kind
    "poker": ("card-poker(ranks=3)", "sequence-lp", {}),
    "tiger": ("tiger", "sarsop", {"gap": 0.1}),
    "nim": ("po-nim(n=2)", "level-k(levels=2)", {"player": 1}),
    "rps": ("rock-paper-scissors", "matrix-lp", {}),
}


@pytest.fixture(scope="session")
def solved_folder(tmp_path_factory):
    """A folder as runs leave it: runs/NAME/solution.npz."""
    folder = tmp_path_factory.mktemp("home")
    for name, (game, solver, given) in SOLVED.items():
        place = folder / "runs" / name
        place.mkdir(parents=True)
        fb.solve(game, solver, **given).save(place / "solution.npz")
    return folder
