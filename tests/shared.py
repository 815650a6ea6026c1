"""Other people's model files, which lie beside a developer's checkout and never in it: tests that read them skip
without them.
"""

from pathlib import Path

import pytest

MODELS = Path(__file__).resolve().parents[2] / "shared" / "models"
LONG = {"holdout.efg"}  # files of Gambit's that take seconds


def cases(files: list[Path]) -> list[object]:
    """Files as cases of a test, one that says so where there are none; those that take long are slow."""
    return [pytest.param(path, marks=pytest.mark.slow) if path.name in LONG else path for path in files] or [None]
