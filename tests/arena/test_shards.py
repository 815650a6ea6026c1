"""Ten thousand games of a tournament, whole and in shares: the same bytes. `make bench` plays a hundred thousand."""

from __future__ import annotations

import pytest
from benchmarks.shards import whole_and_shared


@pytest.mark.slow
def test_ten_thousand_games_whole_and_by_shards(tmp_path):
    """By two processes, and by four shares one after the other, the third of which is killed once and goes on."""
    result, same = whole_and_shared(tmp_path, 5_000)
    assert result.deals * len(result.rows) == 10_000
    assert same
