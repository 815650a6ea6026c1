"""Without the extra everything else works, and what needs it says so in one line; what docstrings show is true."""

from __future__ import annotations

import doctest
import importlib
import sys

import pytest

import fogbound as fb
from fogbound.core.errors import SpecError

LINE = r"environments need .*, which is not installed: pip install 'fogbound\[environments\]'"


@pytest.fixture
def without_the_extra(monkeypatch):
    for name in ("gymnasium", "gymnasium.spaces", "pettingzoo"):
        monkeypatch.setitem(sys.modules, name, None)
    for name in ("gymnasium", "pettingzoo"):
        monkeypatch.delitem(sys.modules, f"fogbound.interop.{name}", raising=False)


@pytest.mark.parametrize("name", ["gymnasium", "pettingzoo"])
def test_the_line_names_the_extra(name, without_the_extra):
    with pytest.raises(SpecError, match=LINE):
        importlib.import_module(f"fogbound.interop.{name}")


def test_views_and_agents_need_it_for_spaces_alone(without_the_extra):
    view = fb.interop.view("kuhn", 0)
    agent = fb.interop.agent(lambda shown: shown["action_mask"].argmax(), view)
    assert fb.evaluate("kuhn", agent, "uniform").values[0] == -0.5
    with pytest.raises(SpecError, match=LINE):
        view.space  # noqa: B018


@pytest.mark.parametrize("name", ["agents", "encoders", "gymnasium", "pettingzoo", "views"])
def test_examples_in_docstrings(name):
    pytest.importorskip(name, reason="needs fogbound[environments]") if name in ("gymnasium", "pettingzoo") else None
    found = doctest.testmod(importlib.import_module(f"fogbound.interop.{name}"))
    assert found.attempted
    assert not found.failed
