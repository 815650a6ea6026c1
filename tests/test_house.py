"""The house, held from outside: who may import what, no circles, one meaning a name, kernels where they belong.

import-linter holds the layers; here stands what it cannot say. All is read from the sources, so that imports inside
functions count as well, and every list allows: a new package is guarded before anybody thinks of it.
"""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from collections import defaultdict
from functools import cache
from pathlib import Path

import pytest

from fogbound.solvers import SOLVERS
from tests.house import static
from tests.house.sources import parsed

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src"
OWN = ("fogbound", "fogbound_papers")
VERIFY = "fogbound.verify"
ALLOWED = {  # where a package from outside may be imported: in these modules, and in what lies in them
    "numpy": [
        "fogbound.api",
        "fogbound.archive",
        "fogbound.arena",
        "fogbound.certificates",
        "fogbound.cli",
        "fogbound.compiled",
        "fogbound.draw",
        "fogbound.driver",
        "fogbound.evaluation",
        "fogbound.experiments",
        "fogbound.files",
        "fogbound.forms",
        "fogbound.games.laser_tag",
        "fogbound.games.light_dark",
        "fogbound.games.phantom_tic_tac_toe",
        "fogbound.games.pocman",
        "fogbound.games.rock_sample",
        "fogbound.inference",
        "fogbound.interop",
        "fogbound.naming",
        "fogbound.parallel",
        "fogbound.policies",
        "fogbound.simulators",
        "fogbound.solvers",
        "fogbound.testing",
        "fogbound_papers",
    ],
    "scipy": [
        "fogbound.arena",
        "fogbound.evaluation",
        "fogbound.experiments",
        "fogbound.files.pomdpx",
        "fogbound.forms",
        "fogbound.inference",
        "fogbound.naming.array_parts",
        "fogbound.solvers",
    ],
    "numba": ["fogbound.compiled"],
    "llvmlite": ["fogbound.compiled"],
    "highspy": ["fogbound.solvers.linear_programs.highs"],
    "ray": ["fogbound.parallel.ray_cluster", "fogbound.parallel.ray_driver", "fogbound.parallel.ray_worker"],
    "rich": ["fogbound.cli"],
    "fastapi": ["fogbound.web"],
    "jinja2": ["fogbound.web.pages"],
    "markupsafe": ["fogbound.web"],
    "starlette": ["fogbound.web"],
    "uvicorn": ["fogbound.cli.serve"],
    "reportlab": ["fogbound.core.printing"],
    "resvg_py": ["fogbound.core.printing"],
    "svglib": ["fogbound.core.printing"],
    "gymnasium": ["fogbound.interop"],
    "pettingzoo": ["fogbound.interop.pettingzoo"],
    "PIL": ["fogbound.interop.rendering"],
    "hypothesis": ["fogbound.testing"],
    "shtab": ["fogbound.cli.completion"],
    "pyspiel": ["fogbound.interop.openspiel"],
    "open_spiel": ["fogbound.interop.openspiel"],
}
SHIPPED_WITH = {
    "llvmlite": "numba",
    "PIL": "pillow",
    "resvg_py": "resvg-py",
    "markupsafe": "jinja2",
    "starlette": "fastapi",
    "pyspiel": "open_spiel",
}  # imported by its own name, declared by the other's


@cache
def modules() -> dict[str, Path]:
    """Every module of the sources by its name; a package is its `__init__`."""
    found = {}
    for path in sorted(SOURCE.rglob("*.py")):
        parts = path.relative_to(SOURCE).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def tree(module: str) -> ast.Module:
    return parsed(modules()[module])


def having(*words: str) -> list[str]:
    """The modules whose text has one of these words: only there can be what is spelled with it."""
    return [module for module, path in modules().items() if any(word in path.read_text() for word in words)]


@cache
def imports(module: str) -> frozenset[str]:
    """Everything a module imports, wherever in it: modules of ours in full, those of others as they are named."""
    package = module if modules()[module].name == "__init__.py" else module.rpartition(".")[0]
    found = set[str]()
    for node in ast.walk(tree(module)):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            above = package.split(".")[: len(package.split(".")) - node.level + 1] if node.level else []
            base = ".".join([*above, *([node.module] if node.module else [])])
            inside = {f"{base}.{alias.name}" for alias in node.names} & modules().keys()
            found |= inside
            if len(inside) < len(node.names):
                found.add(base)
    return frozenset(found)


def within(module: str, rooms: list[str]) -> bool:
    return any(module == room or module.startswith(f"{room}.") for room in rooms)


def outside() -> list[tuple[str, str]]:
    """(package from outside, module of ours that imports it)."""
    pairs = [(name.partition(".")[0], module) for module in modules() for name in imports(module)]
    return [(name, module) for name, module in pairs if name not in OWN and name not in sys.stdlib_module_names]


def test_packages_from_outside_are_imported_only_where_they_may_be():
    strange = {f"{module} imports {name}" for name, module in outside() if not within(module, ALLOWED.get(name, []))}
    assert not strange, sorted(strange)


def test_every_permission_is_used():
    """A list that allows more than is needed guards less than it seems to."""
    used = outside()
    idle = {
        f"{name} in {room}"
        for name, rooms in ALLOWED.items()
        for room in rooms
        if not any(other == name and within(module, [room]) for other, module in used)
    }
    assert not idle, sorted(idle)


def test_the_checker_stands_apart():
    ours = {
        f"{module} imports {name}"
        for module in modules()
        if within(module, [VERIFY])
        for name in imports(module)
        if name.partition(".")[0] in OWN and not within(name, [VERIFY])
    }
    assert not ours, sorted(ours)


def test_no_circles():
    """Also none through an import inside a function: whoever reads a module has read what it stands on."""
    below = {module: imports(module) & modules().keys() - {module} for module in modules()}
    while ready := [module for module, wanted in below.items() if not wanted & below.keys()]:
        for module in ready:
            del below[module]
    inside = {module: sorted(wanted & below.keys()) for module, wanted in below.items()}
    assert not inside, f"in circles, or above one: {inside}"


def test_a_public_class_has_its_name_alone():
    """The checker apart, which must not know the library and may use its words."""
    homes = defaultdict[str, list[str]](list)
    for module in modules():
        if not within(module, [VERIFY]):
            for node in tree(module).body:
                if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                    homes[node.name].append(module)
    twice = {name: where for name, where in homes.items() if len(where) > 1}
    assert not twice


@pytest.mark.parametrize("top", OWN)
def test_every_module_says_what_it_is(top):
    silent = [module for module in modules() if within(module, [top]) and not ast.get_docstring(tree(module))]
    assert not silent


def test_the_rules_of_a_game_are_stepped_in_few_places():
    """Games step games, the table enumerates them, the contract asks twice; who plays or samples asks a simulator."""
    may = [
        f"fogbound.{room}"
        for room in (
            "core.simulator",
            "games",
            "transforms",
            "forms.enumeration",
            "forms.replay",
            "arena.contract",
            "testing",
        )
    ]

    def asks(node: ast.AST) -> bool:
        if not isinstance(node, ast.Attribute) or node.attr != "step":
            return False
        return "game" in (getattr(node.value, "id", ""), getattr(node.value, "attr", ""))

    asking = {module for module in having(".step") if any(map(asks, ast.walk(tree(module))))}
    assert "fogbound.core.simulator" in asking, "rules are no longer recognised"
    assert not [module for module in asking if not within(module, may)]


def test_kernels_are_called_kernels():
    """What is compiled is seen from its place: `kernels.py`, or a module in `kernels/`."""

    def compiled(node: ast.AST) -> bool:
        called = [d.func if isinstance(d, ast.Call) else d for d in getattr(node, "decorator_list", [])]
        return any(
            isinstance(name, ast.Name) and name.id in ("kernel", "njit", "jit", "inline", "inlined") for name in called
        )

    found = {m for m in having("kernel", "jit", "inline") if any(map(compiled, ast.walk(tree(m))))}
    assert len(found) > 20, "kernels are no longer recognised"
    astray = [m for m in found if "kernels" not in m.split(".") and not within(m, ["fogbound.compiled"])]
    assert not astray


def test_every_declared_dependency_is_used():
    """What users must install is imported somewhere in the library, and what the library imports is declared."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    for_users = set(extras) - {"all", "bench", "browser", "dev", "docs"}
    listed = [*project["dependencies"], *(name for extra in for_users for name in extras[extra])]
    declared = {re.match(r"[A-Za-z0-9_-]+", line)[0] for line in listed}
    used = {SHIPPED_WITH.get(name, name) for name, _ in outside()} | {"python-multipart"}  # FastAPI's, for forms
    assert declared == used


@pytest.mark.parametrize("top", OWN)
def test_no_error_is_passed_over_in_silence(top):
    """What is expected to fail is suppressed by name, or answered; a bare `pass` says neither."""
    silent = [
        f"{path.relative_to(SOURCE)}:{handler.lineno}"
        for path in sorted((SOURCE / top).rglob("*.py"))
        if "pass" in path.read_text()
        for handler in ast.walk(parsed(path))
        if isinstance(handler, ast.ExceptHandler) and all(isinstance(line, ast.Pass) for line in handler.body)
    ]
    assert silent == []


def test_capabilities_are_declared_and_not_looked_for():
    """What solvers, forms, games and policies can do is a declared field or method, or a protocol."""
    found = static.discoveries()
    assert not [place for role in ("solvers", "forms", "games", "policies") for place in found[role]]


@pytest.mark.parametrize("room", ["core", "forms", "policies", "evaluate", "driver"])
def test_what_lies_below_solvers_names_none(room):
    """Neither in an import nor in a message: a list of solvers is read from their fields, by whoever knows them."""
    kinds = {"belief-mdp", "average-reward", "level-k"}  # words for forms and for a certificate
    solvers = "|".join(name for name in SOLVERS if name not in kinds and ("-" in name or name in ("sarsop", "dcfr")))
    for place, text in static.messages(f"fogbound.{room}"):
        assert not re.search(rf"(?<![\w-])(?:{solvers})(?![\w-])", text), f"{place} {text}"


def test_a_file_holds_one_idea():
    """A heading between blank lines is the docstring of a module that was glued in."""
    assert static.banners() == []


SHARED = {  # names of functions that several modules have, and why
    **dict.fromkeys(
        ("actors", "begin", "chances", "follow", "knows", "legal", "play_out", "worths"),
        "what compiled rules answer (`compiled.rules.CompiledRules`), each for its game",
    ),
    "compiled_rules": "makes a game's compiled rules; the game imports it when it is asked for them",
    "check": "what a user asks of a game, and what a loop asks of its deadline",
    "claims": "of each part of a document, to be judged",
    "draw_all": "the figures of a document",
    "main": "of each command",
    "make": "a game, or a solver, from its spec",
    **dict.fromkeys(("pomdp", "posg", "tree"), "a form of a game, and a game from arrays at the front door"),
    "results": "of a document, for its report",
    "reward": "of a game's state and actions",
    "view": "of each kind of answer, on the page that explores it",
}


def test_a_public_function_has_its_name_alone():
    """One name, one meaning; modules that answer the same question for different things share its name."""
    found = static.repeated_names()
    assert found.keys() == SHARED.keys(), sorted(found.keys() ^ SHARED.keys())
    assert len(SHARED) <= 20
