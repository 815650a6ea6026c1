"""What README and docs show is run: Python blocks as they stand, commands with the lines printed below them."""

from __future__ import annotations

import doctest
import importlib
import inspect
import pkgutil
import re
from enum import Enum
from importlib.util import find_spec
from pathlib import Path

import pytest

from fogbound.core.registry import Registry
from tests.docs_outputs import BLOCK, Output, outputs

ROOT = Path(__file__).parent.parent


def needs(*packages, extra):
    """A mark for pages whose code needs an extra: skipped, with the reason, where that is not installed."""
    absent = [package for package in packages if find_spec(package) is None]
    return pytest.mark.skipif(bool(absent), reason=f"needs fogbound[{extra}]")


PAGES = [
    pytest.param("README.md", marks=pytest.mark.slow),  # its commands are run from the wheel as well (make dist)
    "docs/arrays.md",
    "docs/certificates.md",
    "docs/coming_from.md",
    "docs/control_loop.md",
    pytest.param(
        "docs/environments.md",
        marks=[pytest.mark.slow, needs("gymnasium", "pettingzoo", extra="environments")],
    ),
    "docs/equilibria.md",
    pytest.param("docs/evaluate.md", marks=pytest.mark.slow),
    "docs/figures.md",
    "docs/files.md",
    "docs/gambit.md",
    "docs/guarantees.md",
    pytest.param("docs/levels.md", marks=pytest.mark.slow),
    "docs/locks.md",
    "docs/lookahead.md",
    pytest.param("docs/markov.md", marks=pytest.mark.slow),
    pytest.param("docs/openspiel.md", marks=[pytest.mark.slow, needs("pyspiel", extra="openspiel")]),
    "docs/planners.md",
    pytest.param("docs/pomcp.md", marks=pytest.mark.slow),
    "docs/posg.md",
    "docs/regret.md",
    "docs/resolving.md",
    "docs/simulators.md",
    "docs/sweeps.md",
    pytest.param("docs/teams.md", marks=pytest.mark.slow),
    "docs/tournaments.md",
    "docs/tutorial.md",
    "docs/which_solver.md",
    "docs/write_your_game.md",
    "docs/write_your_solver.md",
]


def name_of(page):
    return page if isinstance(page, str) else page.values[0]


def test_every_page_with_code_is_run():
    """Its Python, its commands, and the outputs that it shows."""
    pages = {"README.md", *(f"docs/{path.name}" for path in (ROOT / "docs").glob("*.md"))}
    coded = {page for page in pages if re.search(r"^```(python|console)$", (ROOT / page).read_text(), re.MULTILINE)}
    assert coded == set(map(name_of, PAGES))


@pytest.mark.parametrize("page", PAGES)
def test_page(page, tmp_path, monkeypatch, capsys):
    """`python -m tests.docs_outputs --write` writes outputs anew that are no longer true."""
    monkeypatch.chdir(tmp_path)
    found, ran = outputs(ROOT / page)
    assert ran >= 2
    assert not [fault for output in found for fault in output.faults()]


SHOWN_OUTPUT = """\
value    −0.0625 for opener
stopped  gap after … steps, 1.2 s
"""


@pytest.mark.parametrize(
    ("printed", "whole", "right"),
    [
        ("title\nvalue    -0.0625 for opener\nstopped  gap after 7 steps, 1.2 s of 3\n", False, True),
        ("value    -0.0625 for opener\nstopped  gap after 7 steps, 1.2 s\n", True, True),
        ("value    -0.0635 for opener\nstopped  gap after 7 steps, 1.2 s\n", False, False),
        ("stopped  gap after 7 steps, 1.2 s\nvalue    -0.0625 for opener\n", False, False),
        ("title\nvalue    -0.0625 for opener\nstopped  gap after 7 steps, 1.2 s\n", True, False),
        ("", False, False),
    ],
)
def test_an_output_that_is_not_true_is_found_and_written_anew(printed, whole, right):
    output = Output("command", 0, SHOWN_OUTPUT, printed, whole)
    assert (not output.faults()) == right
    if printed and "title" not in printed and not printed.startswith("stopped"):
        assert not Output("command", 0, output.rewritten(), printed, whole).faults()


@pytest.mark.parametrize("name", ["coursework", "control_loop", "study"])
def test_examples_run_and_are_short(name, tmp_path, monkeypatch):
    path = ROOT / "examples" / f"{name}.py"
    monkeypatch.chdir(tmp_path)
    assert len([line for line in path.read_text().splitlines() if line.strip()]) <= 26
    exec(compile(path.read_text(), str(path), "exec", dont_inherit=True), {"__name__": "__main__"})


def test_the_readmes_game_is_the_example():
    text = (ROOT / "README.md").read_text()
    block = next(b for b in BLOCK.finditer(text) if b["file"] == "hide.py")
    assert block["text"] == (ROOT / "examples" / "hide.py").read_text()
    assert len(block["text"].splitlines()) <= 32


def test_the_solver_of_the_page_is_the_example():
    text = (ROOT / "docs" / "write_your_solver.md").read_text()
    block = next(b for b in BLOCK.finditer(text) if b["file"] == "hedge.py")
    assert block["text"] == (ROOT / "examples" / "hedge.py").read_text()
    assert len([line for line in block["text"].splitlines() if line.strip()]) <= 32


def test_headings_that_count_rows_count_right():
    """`## Seven questions` stands above seven rows."""
    words = dict(zip(["two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"], range(2, 11)))
    for path in [ROOT / "README.md", *(ROOT / "docs").glob("*.md")]:
        for heading, table in re.findall(r"^## (\w+) \w+\n\n((?:\|.*\n)+)", path.read_text(), re.MULTILINE):
            if heading.lower() in words:
                assert table.count("\n") - 2 == words[heading.lower()], f"{path.name}: {heading}"


def test_pages_that_measure_the_same_planners_agree():
    """Exploitability with a budget of 10⁵: planners.md has a row for each planner, resolving.md one for each game."""
    planners, resolving = ((ROOT / "docs" / f"{name}.md").read_text() for name in ("planners", "resolving"))
    compared = 0
    for planner, row in (("`resolve`", "`resolve`"), ("OOS", "`oos`")):
        cells = re.search(rf"^\| {planner} \|(.*)\|$", planners, re.MULTILINE)[1].split("|")
        for game, cell in zip(("Kuhn", "Leduc", "liar's dice (3 sides)"), cells):
            there = re.search(rf"^\| {re.escape(game)}, {row}[^|]*\|[^|]*\| (\S+) \|", resolving, re.MULTILINE)
            if there and there[1] != "|":
                assert float(cell.split("/")[1]) == pytest.approx(float(there[1]), rel=0.05), (planner, game)
                compared += 1
    assert compared >= 4


def test_docs_name_every_command_and_layer():
    from fogbound.cli.main import COMMANDS

    readme = (ROOT / "README.md").read_text()
    assert all(f"fogbound {c}" in readme or c in ("solvers", "demo", "check") for c in COMMANDS)
    layers = (ROOT / "docs" / "architecture.md").read_text()
    packages = {p.name for p in (ROOT / "src" / "fogbound").iterdir() if p.is_dir() and not p.name.startswith("_")}
    assert all(f"`{p}`" in layers for p in packages)


PUBLIC = ["core", "evaluation", "files", "forms", "parallel", "policies", "testing", "transforms"]
SHOWN = [
    "fogbound",
    *(f"fogbound.{room}" for room in [*PUBLIC, "api", "arena", "draw", "inference", "interop", "solvers"]),
]


def modules_of(room):
    """The modules of a room, itself first."""
    home = importlib.import_module(f"fogbound.{room}")
    inside = pkgutil.walk_packages(getattr(home, "__path__", ()), f"{home.__name__}.")
    return [home, *(importlib.import_module(module.name) for module in inside)]


def test_docstring_examples():
    import fogbound

    assert doctest.testmod(fogbound).failed == 0


@pytest.mark.parametrize("room", [*PUBLIC, "api", "arena", "inference", "solvers"])
def test_docstring_examples_of(room, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # some write files
    results = [doctest.testmod(module) for module in modules_of(room)]
    assert not sum(result.failed for result in results)
    assert sum(result.attempted for result in results) >= 2


def sections(documented):
    """The sections of a docstring of its own (not of what it inherits from), by their titles."""
    text = inspect.cleandoc(documented.__doc__ or "")
    return dict(re.findall(r"^(\w+)\n-+\n(.*?)(?=^\w+\n-+\n|\Z)", text, re.MULTILINE | re.DOTALL))


def listed(section):
    """The names that a section describes, in their order."""
    lines = re.findall(r"^(\*{0,2}\w[\w, ]*?)(?: : .*)?$", section, re.MULTILINE)
    return [word.lstrip("*") for line in lines for word in line.split(", ")]


def exported(room):
    """What a room shows to the world, by name: what it exports, and what its catalogue can make."""
    home = importlib.import_module(room)
    shown = {name: getattr(home, name) for name in home.__all__}
    catalogues = [thing for thing in vars(home).values() if isinstance(thing, Registry)]
    made = {name: catalogue.load(name) for catalogue in catalogues for name in catalogue}
    return {**shown, **made}


@pytest.mark.parametrize("room", SHOWN)
def test_public_functions_document_their_parameters(room):
    for name, function in exported(room).items():
        if inspect.isfunction(function):
            said, takes = sections(function), inspect.signature(function)
            assert listed(said.get("Parameters", "")) == list(takes.parameters), f"{room}.{name}"
            assert ">>>" in said.get("Examples", ""), f"{room}.{name} has no example"
            assert takes.return_annotation == "None" or "Returns" in said, f"{room}.{name} does not say what it returns"


@pytest.mark.parametrize("room", SHOWN)
def test_public_classes_document_what_they_are_made_of(room):
    """As parameters, or as attributes where a call returns them. Protocols, errors and enumerations are not made."""
    wrong = []
    for name, cls in exported(room).items():
        if (
            inspect.isclass(cls)
            and not getattr(cls, "_is_protocol", False)
            and not issubclass(cls, BaseException | Enum)
        ):
            inherited = [part for made in reversed(cls.__mro__) for part in described(made)]  # where it comes from
            if list(inspect.signature(cls).parameters) not in (described(cls), inherited):
                wrong.append(f"{room}.{name}")
    assert not wrong


def described(cls):
    """The names that a class of ours documents as what it is made of."""
    said = sections(cls) if cls.__module__.startswith("fogbound") else {}
    return listed(said.get("Parameters", said.get("Attributes", "")))
