"""What is installed says the same everywhere: one version, one list of extras, types for others."""

from __future__ import annotations

import tomllib
from datetime import date
from pathlib import Path

import pytest

import fogbound

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
FOR_US = {"all", "bench", "browser", "dev", "docs"}  # tests, docs and measurements of Fogbound's own


def test_the_version_stands_in_one_place():
    assert PROJECT["dynamic"] == ["version"]
    assert (ROOT / "src" / "fogbound" / "_version.py").read_text().count(fogbound.__version__) == 1
    assert f"version: {fogbound.__version__}" not in (ROOT / "pyproject.toml").read_text()


def test_the_citation_is_of_this_version():
    """A citation needs a version and a date; a release changes both files."""
    said = dict(line.split(": ", 1) for line in (ROOT / "CITATION.cff").read_text().splitlines() if ": " in line)
    assert said["version"] == fogbound.__version__
    assert date.fromisoformat(said["date-released"])


def test_all_is_every_extra_that_a_user_may_want():
    (line,) = PROJECT["optional-dependencies"]["all"]
    listed = set(line.removeprefix("fogbound[").removesuffix("]").split(","))
    assert listed == set(PROJECT["optional-dependencies"]) - FOR_US


@pytest.mark.parametrize("package", ["fogbound", "fogbound_papers"])
def test_types_are_for_everybody(package):
    assert (ROOT / "src" / package / "py.typed").exists()
