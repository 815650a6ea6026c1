"""What README and docs show is run: Python blocks as they stand, commands with the lines printed below them."""

from __future__ import annotations

import doctest
import importlib
import inspect
import pkgutil
import re
import shlex
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from fogbound.cli.main import main
from fogbound.core.registry import Registry

ROOT = Path(__file__).parent.parent


def needs(*packages, extra):
    """A mark for pages whose code needs an extra: skipped, with the reason, where that is not installed."""
    absent = [package for package in packages if find_spec(package) is None]
    return pytest.mark.skipif(bool(absent), reason=f"needs fogbound[{extra}]")


PAGES = [
    pytest.param("README.md", marks=pytest.mark.slow),  # its commands are run from the wheel as well (make dist)
    "docs/certificates.md",
    "docs/coming_from.md",
    "docs/control_loop.md",
    pytest.param(
        "docs/environments.md",
        marks=[pytest.mark.slow, needs("gymnasium", "pettingzoo", extra="environments")],
    ),
    "docs/equilibria.md",
    pytest.param("docs/evaluate.md", marks=pytest.mark.slow),
    "docs/files.md",
    "docs/gambit.md",
    "docs/guarantees.md",
    pytest.param("docs/levels.md", marks=pytest.mark.slow),
    "docs/lookahead.md",
    pytest.param("docs/markov.md", marks=pytest.mark.slow),
    pytest.param("docs/openspiel.md", marks=[pytest.mark.slow, needs("pyspiel", extra="openspiel")]),
    "docs/planners.md",
    "docs/posg.md",
    "docs/resolving.md",
    "docs/sweeps.md",
    pytest.param("docs/teams.md", marks=pytest.mark.slow),
    "docs/tournaments.md",
    "docs/tutorial.md",
    "docs/which_solver.md",
    "docs/write_your_game.md",
]
BLOCK = re.compile(r"(?:<!-- file: (?P<file>\S+) -->\n)?```(?P<language>\w+)\n(?P<text>.*?)```", re.DOTALL)


@pytest.mark.parametrize("page", PAGES)
def test_page(page, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    ran = 0
    for block in BLOCK.finditer((ROOT / page).read_text()):
        if block["file"]:
            Path(block["file"]).write_text(block["text"])
        if block["language"] == "python":
            exec(compile(block["text"], page, "exec", dont_inherit=True), {"__name__": __name__})
            ran += 1
        if block["language"] == "console":
            ran += run_console(block["text"], capsys)
    assert ran >= 2


def run_console(text, capsys):
    """Each `$ command` must succeed and print the lines shown under it (among others)."""
    commands = re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", text, re.MULTILINE)
    for command, shown in commands:
        program, *words = shlex.split(command)
        if program == "fogbound":
            capsys.readouterr()
            assert main(words) == 0, command
            printed = capsys.readouterr().out
        else:
            done = subprocess.run([sys.executable, *words], capture_output=True, text=True, check=True)
            printed = done.stdout
        lines = [line.strip() for line in printed.replace("−", "-").splitlines()]
        as_piped = shown.replace("−", "-")  # a page shows what a person sees in a terminal
        for line in filter(None, map(str.strip, as_piped.splitlines())):
            assert any(got.startswith(line) for got in lines), f"{command}: {line!r} not in\n{printed}"
    return len(commands)


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


def test_docs_name_every_command_and_layer():
    from fogbound.cli.main import COMMANDS

    readme = (ROOT / "README.md").read_text()
    assert all(f"fogbound {c}" in readme or c in ("solvers", "demo", "check") for c in COMMANDS)
    layers = (ROOT / "docs" / "architecture.md").read_text()
    packages = {p.name for p in (ROOT / "src" / "fogbound").iterdir() if p.is_dir() and not p.name.startswith("_")}
    assert all(f"`{p}`" in layers for p in packages)


PUBLIC = ["core", "evaluate", "files", "forms", "parallel", "policies", "testing", "transforms"]
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
    """As parameters, or, where they are what a call gives back, as attributes. Protocols and errors are not made."""
    wrong = []
    for name, cls in exported(room).items():
        if inspect.isclass(cls) and not getattr(cls, "_is_protocol", False) and not issubclass(cls, BaseException):
            inherited = [part for made in reversed(cls.__mro__) for part in described(made)]  # where it comes from
            if list(inspect.signature(cls).parameters) not in (described(cls), inherited):
                wrong.append(f"{room}.{name}")
    assert not wrong


def described(cls):
    """The names that a class of ours documents as what it is made of."""
    said = sections(cls) if cls.__module__.startswith("fogbound") else {}
    return listed(said.get("Parameters", said.get("Attributes", "")))
