"""What the tests of this folder share: OpenSpiel, where it is installed."""

from __future__ import annotations

import pytest

from tests.files.test_gambit import CROSSED

CLOCK = """EFG 2 R "clock" { "A" "B" }
""
c "" 1 "" { "heads" 1/2 "tails" 1/2 } 0
p "" 1 1 "heads" { "go" } 0
p "" 2 1 "guess" { "H" "T" } 0
t "" 1 "" { -1, 1 }
t "" 2 "" { 1, -1 }
p "" 1 2 "tails" { "go" } 0
p "" 1 3 "tails again" { "go" } 0
p "" 2 1 "guess" { "H" "T" } 0
t "" 2 "" { 1, -1 }
t "" 1 "" { -1, 1 }
"""


@pytest.fixture(scope="session")
def pyspiel():
    return pytest.importorskip("pyspiel", reason="needs the extra fogbound[openspiel], which make test-slow installs")


@pytest.fixture(scope="session")
def clock(pyspiel):
    """Heads takes one move, tails two, and whoever guesses cannot tell: worth 0."""
    return pyspiel.load_efg_game(CLOCK)


@pytest.fixture(scope="session")
def twisted(pyspiel):
    """Who is asked first is drawn, and neither can tell: no times fit. Worth 0."""
    return pyspiel.load_efg_game(CROSSED)
