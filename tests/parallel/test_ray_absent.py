"""What can be said of the Ray engine without Ray: what it is called with, and how errors are made to travel."""

from __future__ import annotations

import pytest

from fogbound.cli.main import main
from fogbound.core.errors import FogboundError, SpecError
from fogbound.parallel import ray
from fogbound.parallel.ray_worker import _fit_to_travel


@pytest.mark.parametrize("address", ["", "somewhere", "10.0.0.1", ":6379", "host:", "ray://host:10001", "host:port"])
def test_an_address_that_is_none(address):
    with pytest.raises(SpecError, match="expected local, auto or HOST:PORT"):
        ray(address)


def test_without_the_extra_one_line_names_it(monkeypatch, capsys):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(SpecError, match=r"pip install 'fogbound\[ray\]'"):
        ray("auto")
    for words in (["match", "kuhn", "uniform", "uniform"], ["tournament", "kuhn", "uniform", "uniform"]):
        assert main([*words, "--ray"]) == 2
        assert "pip install 'fogbound[ray]'" in capsys.readouterr().err
    assert main(["sweep", "kuhn", "--with", "cfr", "--ray", "auto"]) == 2
    assert "pip install 'fogbound[ray]'" in capsys.readouterr().err


def test_workers_are_counted():
    with pytest.raises(SpecError, match="workers is -1"):
        ray("auto", -1)


class Awkward(Exception):
    """An error of two arguments: it cannot be made again from its words."""

    def __init__(self, one, two):
        super().__init__(f"{one} and {two}")


def test_an_error_that_cannot_travel_sends_its_words():
    assert _fit_to_travel(fine := SpecError("so")) is fine
    sent = _fit_to_travel(Awkward(1, 2))
    assert type(sent) is FogboundError
    assert "Awkward: 1 and 2" in str(sent)
