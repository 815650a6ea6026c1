"""A spec longer than any file's name is still a spec."""

import pytest

import fogbound as fb
from fogbound.core.errors import SpecError


@pytest.mark.parametrize("size", [3, 12])
def test_a_spec_longer_than_a_file_name_is_no_file(size):
    table = [[[i + 0.125, j + 0.875] for j in range(size)] for i in range(size)]
    spec = f"matrix-game(payoffs={table})".replace(" ", "")
    if len(spec) > 1000:
        with pytest.raises(SpecError, match=r"a spec of [\d,]+ characters, expected at most"):
            fb.game(spec)
    else:
        assert fb.forms.normal(fb.game(spec)).payoff[2, 1].tolist() == [2.125, 1.875]


def test_a_long_spec_with_a_dot_is_read():
    table = [[[i + 0.125, j + 0.875] for j in range(5)] for i in range(6)]
    spec = f"matrix-game(payoffs={table})".replace(" ", "")
    assert 255 < len(spec) < 1000
    assert fb.forms.normal(fb.game(spec)).payoff.shape == (6, 5, 2)
