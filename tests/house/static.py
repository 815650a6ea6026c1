"""Figures read from the source text: code lines, discovered capabilities, repeated names, banner comments."""

from __future__ import annotations

import ast
import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path

from tests.house.sources import files, package, parsed, where

ROLES = {  # variable names by which the code calls each kind of object
    "solvers": {"solver", "named", "SOLVERS"},
    "forms": {"form", "wanted", "described", "table", "held"},
    "games": {"game", "played", "source", "cut"},
    "policies": {"policy", "plays", "strategy"},
}


def code_lines() -> Counter[str]:
    """Lines of code by package: without docstrings, comments and blank lines."""
    lines = Counter[str]()
    for path in files():
        documented = set[int]()
        for node in ast.walk(parsed(path)):
            if (
                isinstance(node, ast.Expr)
                and isinstance(node.value, ast.Constant)
                and isinstance(node.value.value, str)
            ):
                documented |= set(range(node.lineno, (node.end_lineno or node.lineno) + 1))
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            lines[package(path)] += (
                bool(line.strip()) and not line.lstrip().startswith("#") and number not in documented
            )
    return lines


def _probes() -> Iterator[tuple[Path, ast.Call]]:
    """Every call of `getattr` and `hasattr`."""
    for path in files():
        if "attr(" not in path.read_text(encoding="utf-8"):
            continue
        for node in ast.walk(parsed(path)):
            if (
                isinstance(node, ast.Call)
                and isinstance(node.func, ast.Name)
                and node.func.id in ("getattr", "hasattr")
            ):
                yield path, node


def probes() -> int:
    """How often `getattr` or `hasattr` is called at all."""
    return sum(1 for _ in _probes())


def discoveries() -> dict[str, list[str]]:
    """Capabilities that are looked for instead of declared, by the kind of object that is asked.

    A discovery is `hasattr(x, "name")` or `getattr(x, "name", default)`; reading a field whose name is computed is not.
    """
    found: dict[str, list[str]] = {role: [] for role in (*ROLES, "others")}
    for path, call in _probes():
        named = len(call.args) > 1 and isinstance(call.args[1], ast.Constant)
        if not named or (call.func.id == "getattr" and len(call.args) < 3):  # type: ignore[attr-defined]
            continue
        words = set(re.findall(r"\w+", ast.unparse(call.args[0])))
        role = next((role for role, names in ROLES.items() if names & words), "others")
        found[role].append(f"{where(path, call.lineno)} {ast.unparse(call)}")
    return found


def repeated_names() -> dict[str, list[str]]:
    """Public functions of modules that share a name with one in another module; those of the checker do not count."""
    homes = defaultdict[str, list[str]](list)
    for path in files():
        if "verify" in path.parts:
            continue
        for node in parsed(path).body:
            if isinstance(node, ast.FunctionDef) and not node.name.startswith("_"):
                homes[node.name].append(where(path, node.lineno))
    return {name: places for name, places in sorted(homes.items()) if len(places) > 1}


def banners() -> list[str]:
    """Comments that stand alone between blank lines at the left margin: headings of modules inside a module."""
    found = []
    for path in files():
        lines = ["", *path.read_text(encoding="utf-8").splitlines(), ""]
        for number, line in enumerate(lines):
            if line.startswith("# ") and not lines[number - 1]:
                after = next(i for i in range(number, len(lines)) if not lines[i].startswith("#"))
                if not lines[after]:
                    found.append(where(path, number))
    return found


def messages(folder: str) -> Iterator[tuple[str, str]]:
    """Every string of a package that is no docstring, and where it stands."""
    for path in files():
        if package(path) != folder:
            continue
        nodes = list(ast.walk(parsed(path)))
        documented = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
        for node in nodes:
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in documented:
                yield where(path, node.lineno), node.value


def kind_lists() -> list[str]:
    """Lists of kinds of certificates outside the checker: the registry, and what spells at least three of its names."""
    from fogbound.certificates.kinds import KINDS

    found = ["fogbound/certificates/kinds.py KINDS"]
    for path in files():
        said = path.read_text(encoding="utf-8")
        if "verify" in path.parts or sum(kind in said for kind in KINDS) < 3:
            continue
        for node in parsed(path).body:
            if isinstance(node, ast.Assign | ast.AnnAssign) and len(_spelled(node.value) & KINDS.keys()) >= 3:
                found.append(where(path, node.lineno))
    return found


def _spelled(value: ast.expr | None) -> set[object]:
    """The strings that a collection, written out, has as its elements or keys."""
    if isinstance(value, ast.Dict):
        listed = [key for key in value.keys if key is not None]
    else:
        listed = value.elts if isinstance(value, ast.Tuple | ast.Set | ast.List) else []
    return {one.value for one in listed if isinstance(one, ast.Constant)}


def any_in_signatures(folder: str) -> list[str]:
    """Public functions and methods of a package whose signature says `Any`."""
    found = []
    for path in files():
        if package(path) != folder:
            continue
        for node in ast.walk(parsed(path)):
            if isinstance(node, ast.FunctionDef) and not node.name.startswith("_"):
                given = [argument.annotation for argument in ast.walk(node.args) if isinstance(argument, ast.arg)]
                if any(
                    part is not None and re.search(r"\bAny\b", ast.unparse(part)) for part in (*given, node.returns)
                ):
                    found.append(f"{where(path, node.lineno)} {node.name}")
    return found
