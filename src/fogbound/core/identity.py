"""Identity of inputs: every file that a run depends on, by its content, and the versions that computed it.

Everything that resumes, merges or replays compares inputs by this one rule and names the input that changed. A Python
file counts together with the modules that it imports from its own folder, each under its own name.
"""

from __future__ import annotations

import ast
import hashlib
import inspect
import platform
import re
import sys
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.metadata import version
from pathlib import Path
from types import CodeType
from typing import Any, Protocol, runtime_checkable

from fogbound._version import __version__
from fogbound.core.errors import FileError, brief

Files = dict[str, str]  # by name, the SHA-256 of the content
Inputs = dict[str, Files]  # by what was named: a game, an opponent, a solver
VERSIONS, GAME = "versions", "the game"  # roles of packages and of a game's files among inputs
PACKAGES = ("numpy", "scipy", "numba", "highspy")
PACKAGE = "fogbound"
_WORD = re.compile(r"[^\s(),=\[\]\"']+")
_CLASS = re.compile(r"(?P<file>.+\.py):[A-Za-z_]\w*")  # my_game.py:MyGame


@runtime_checkable
class ReadFile(Protocol):
    """A file as it was read: what it is called, and what it says, without names that mean nothing to play."""

    @property
    def path(self) -> str: ...

    def content(self) -> Any:
        """Plain values: two files with the same content are the same game."""


def packages() -> Files:
    """The versions of what computes: Fogbound, Python and the packages beneath. Machines may differ."""
    return {PACKAGE: __version__, "python": platform.python_version(), **{name: _version(name) for name in PACKAGES}}


@cache
def _version(name: str) -> str:
    """A package's version; reading its metadata is slow."""
    return version(name)


def named_files(text: str) -> Files:
    """The files that a spec or a path names, anywhere inside it.

    Parameters
    ----------
    text
        A policy's, a solver's or a game's spec, or a path: ``"oos(solution=x.npz)"``, ``"bot.py:Bot(depth=2)"``.

    Returns
    -------
    dict
        By name, the SHA-256 of the content; of a Python file also those of the modules from its folder.

    Examples
    --------
    >>> named_files("level-k(level=2)")
    {}
    """
    found: Files = {}
    for word in dict.fromkeys([text.strip(), *_WORD.findall(text)]):
        own = _CLASS.match(word)
        for path in (word, own["file"] if own else ""):
            if path and _is_file(path):
                found |= source_files(Path(path)) if path.endswith(".py") else {path: _digest(Path(path))}
    return found


def _is_file(text: str) -> bool:
    try:
        return Path(text).is_file()
    except (OSError, ValueError):  # too long for a name, or with NUL
        return False


def read_file_digest(file: ReadFile) -> str:
    """A hash of what a file says."""
    return hashlib.sha256(repr(file.content()).encode()).hexdigest()


def source_files(path: Path) -> Files:
    """A Python file and the modules that it imports from its own folder or package, directly or not.

    Parameters
    ----------
    path
        The file.

    Returns
    -------
    dict
        By name relative to the folder of `path`, the SHA-256 of the content.
    """
    main = path.resolve()
    roots = (main.parent, _root(main.parent))
    found, waiting = dict[Path, str](), [main]
    while waiting:
        file = waiting.pop()
        if file not in found:
            found[file] = _digest(file)
            waiting += _imported(file, roots)
    named = {_relative(file, main.parent): digest for file, digest in found.items()}
    return dict(sorted(named.items()))


def _digest(path: Path) -> str:
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError as error:
        raise FileError(f"{path}: cannot be read: {error.strerror or error}") from error


def _root(folder: Path) -> Path:
    """Where the imports of a package begin: the first folder above it that is no package."""
    while (folder / "__init__.py").is_file() and folder != folder.parent:
        folder = folder.parent
    return folder


def _relative(file: Path, folder: Path) -> str:
    return file.relative_to(folder).as_posix() if file.is_relative_to(folder) else file.name


def _imported(file: Path, roots: tuple[Path, ...]) -> Iterator[Path]:
    """The files of the modules that a file imports from these folders."""
    try:
        parsed = ast.parse(file.read_bytes())
    except (SyntaxError, ValueError):
        return  # importing it tells what is wrong
    for node in ast.walk(parsed):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield from _modules(alias.name, roots)
        elif isinstance(node, ast.ImportFrom):
            inside = (file.parents[node.level - 1],) if node.level else roots
            names = [node.module or "", *(f"{node.module}.{a.name}" if node.module else a.name for a in node.names)]
            for name in names:
                yield from _modules(name, inside, local=bool(node.level))


def _modules(name: str, roots: tuple[Path, ...], local: bool = False) -> Iterator[Path]:
    """The files of a module and of the packages around it, where they lie in one of these folders."""
    parts = [part for part in name.split(".") if part and part != "*"]
    if not parts or (not local and parts[0] in sys.stdlib_module_names):
        return
    for root in dict.fromkeys(roots):
        for k in range(1, len(parts) + 1):
            at = root.joinpath(*parts[:k])
            yield from (one for one in (at.with_name(f"{at.name}.py"), at / "__init__.py") if one.is_file())


def class_files(cls: type[Any]) -> Files:
    """The files in which a class and its bases are written, unless they are Fogbound's or Python's own.

    A class without a file, of a notebook or an interpreter, counts by its compiled code.
    """
    found: Files = {}
    for base in cls.__mro__:
        top = base.__module__.partition(".")[0]
        if top == PACKAGE or top in sys.stdlib_module_names - {"__main__"}:
            continue
        file = _written_in(base)
        if _is_file(file):
            found |= source_files(Path(file))
        else:
            found[base.__qualname__] = hashlib.sha256(repr(list(_codes(base))).encode()).hexdigest()
    return found


def _written_in(cls: type[Any]) -> str:
    """The file of a class: that of its methods, since two files may have modules of one name beside them."""
    for member in vars(cls).values():
        function = inspect.unwrap(getattr(member, "__func__", getattr(member, "fget", member)))
        code = getattr(function, "__code__", None)
        own = getattr(function, "__qualname__", "").startswith(f"{cls.__qualname__}.")
        if own and isinstance(code, CodeType) and _is_file(code.co_filename):
            return code.co_filename
    return getattr(sys.modules.get(cls.__module__), "__file__", None) or ""


def _codes(cls: type[Any]) -> Iterator[tuple[Any, ...]]:
    """The code of a class's functions, without the lines on which it stands."""
    for name, member in sorted(vars(cls).items()):
        function = inspect.unwrap(getattr(member, "__func__", getattr(member, "fget", member)))
        code = getattr(function, "__code__", None)
        if isinstance(code, CodeType):
            yield name, *_code(code)
        elif not name.startswith("__") and isinstance(member, int | float | str | tuple | bool):
            yield name, repr(member)


def _code(code: CodeType) -> tuple[Any, ...]:
    inner = [_code(one) if isinstance(one, CodeType) else _constant(one) for one in code.co_consts]
    return code.co_code.hex(), code.co_names, code.co_varnames, tuple(inner)


def _constant(value: Any) -> str:
    """A constant as text; the order within a set differs between processes."""
    return repr(sorted(map(repr, value))) if isinstance(value, frozenset) else repr(value)


def read_inputs(found: Any) -> Inputs:
    """Inputs as a file holds them; ValueError where it holds none."""
    if not isinstance(found, dict) or VERSIONS not in found:
        raise ValueError(f"inputs is {brief(found)}, expected files and versions by what was named")
    for role, files in found.items():
        if not isinstance(files, dict) or not all(isinstance(digest, str) for digest in files.values()):
            raise ValueError(f"inputs of {brief(role)} is {brief(files)}, expected texts by name")
    return found


def difference(found: Mapping[str, Mapping[str, str]], wanted: Mapping[str, Mapping[str, str]]) -> str:
    """What changed between the inputs of an earlier run and those of this one, in words; empty where nothing did.

    Parameters
    ----------
    found
        The inputs of the earlier run.
    wanted
        Those of now.

    Returns
    -------
    str

    Examples
    --------
    >>> difference({"the game": {"hide.py": "0a"}}, {"the game": {"hide.py": "1b"}})
    'hide.py, an input of the game, has changed'
    >>> difference({"versions": {"numpy": "2.0"}}, {"versions": {"numpy": "2.1"}})
    'it was computed with numpy 2.0, this is numpy 2.1'
    """
    for role in {**wanted, **found}:
        then, now = found.get(role, {}), wanted.get(role, {})
        for name in {**now, **then}:
            if then.get(name) != now.get(name):
                return _change(role, name, then.get(name), now.get(name))
    return ""


def _change(role: str, name: str, then: str | None, now: str | None) -> str:
    if role == VERSIONS:
        return f"it was computed with {name} {brief(then)[1:-1]}, this is {name} {now}"
    said = "has changed" if None not in (then, now) else "is new" if then is None else "is no longer used"
    return f"{name}, an input of {role}, {said}"
