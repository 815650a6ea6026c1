"""Every module of the source tree, parsed once."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

SOURCE = Path(__file__).parents[2] / "src"


@cache
def files() -> tuple[Path, ...]:
    """Every module under `src`, in order."""
    return tuple(sorted(SOURCE.rglob("*.py")))


@cache
def parsed(path: Path) -> ast.Module:
    """The syntax tree of a module."""
    return ast.parse(path.read_text(encoding="utf-8"))


def package(path: Path) -> str:
    """The package that a module belongs to, two levels deep: `fogbound.forms`, `fogbound_papers`."""
    folders = path.relative_to(SOURCE).parts[:-1]
    return ".".join(folders[:2])


def where(path: Path, line: int) -> str:
    """A place in the source, for lists."""
    return f"{path.relative_to(SOURCE)}:{line}"
