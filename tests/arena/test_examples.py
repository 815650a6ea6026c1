"""The examples in the docstrings of the arena and of inference run as they stand."""

import doctest
import importlib

import pytest

MODULES = (
    "fogbound.arena.episode",
    "fogbound.arena.log",
    "fogbound.arena.match",
    "fogbound.arena.outcome",
    "fogbound.arena.tournament",
    "fogbound.inference.behaviour",
    "fogbound.inference.exploit",
)


@pytest.mark.parametrize("name", MODULES)
def test_examples_run(name):
    result = doctest.testmod(importlib.import_module(name))
    assert result.attempted
    assert not result.failed
