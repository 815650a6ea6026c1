"""A hundred thousand games of a tournament, whole and in shares: the same bytes."""

from __future__ import annotations

import pytest

import fogbound as fb

DEALS = 50_000  # each of them under two seatings


@pytest.mark.slow
def test_a_hundred_thousand_games_whole_and_by_shards(tmp_path):
    """By two processes, and by four shares one after the other, the third of which is killed once and goes on."""
    run = {"exact": False, "seed": 11, "workers": 2}
    players = ("rock-paper-scissors", "uniform", "uniform")
    whole, parts = tmp_path / "whole.jsonl", [tmp_path / f"{k}.jsonl" for k in (1, 2, 3, 4)]
    result = fb.tournament(*players, games=DEALS, resume=whole, **run)
    assert result.deals * len(result.rows) == 100_000
    fb.tournament(*players, games=DEALS // 3, resume=parts[2], shard="3/4", **run)
    parts[2].write_bytes(parts[2].read_bytes()[:-17])  # killed in the middle of a line
    for k, part in enumerate(parts, 1):
        fb.tournament(*players, games=DEALS, resume=part, shard=f"{k}/4", **run)
    fb.merge(*reversed(parts), into=tmp_path / "merged.jsonl")
    assert (tmp_path / "merged.jsonl").read_bytes() == whole.read_bytes()
    assert fb.tournament(*players, games=DEALS, resume=tmp_path / "merged.jsonl", **run) == result
