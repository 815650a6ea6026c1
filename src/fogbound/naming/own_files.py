"""Classes that people wrote in files of their own, such as `my_game.py:MyGame(n=3)`: games and bots."""

from __future__ import annotations

import hashlib
import importlib.util
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any

from fogbound.core.errors import FogboundError, SpecError, no_exit, raised
from fogbound.core.identity import Files, source_files
from fogbound.core.registry import OWN_FILE, suggestion
from fogbound.core.spec import Spec, parse

OWN_CLASS = re.compile(r"(?P<file>.+\.py):(?P<cls>[A-Za-z_]\w*)(?P<rest>\(.*\)|:.*)?", re.DOTALL)
_read = dict[Path, Files]()  # by file, what it and its neighbours held when it was last imported
_neighbours = dict[Path, dict[str, ModuleType]]()  # by folder, the modules that its files imported from it
_AROUND = re.compile(r"[A-Za-z_][\w-]+[(:]")  # another game's name, before that of one's own


def named_in_own_file(text: str) -> tuple[Path, Spec] | None:
    """A class in a person's own file and its parameters; None where the text names something else.

    The file of `horizon(game=hide.py:Hide(n=2), steps=3)` is not `horizon(game=hide.py`, unless there is such a file.
    """
    if text.strip().endswith(".py") and not _AROUND.match(text.strip()):
        return Path(text.strip()), Spec("")  # the class is missing: who makes it lists those that there are
    found = OWN_CLASS.fullmatch(text.strip())
    if not found or (_AROUND.match(found["file"]) and not Path(found["file"]).is_file()):
        return None
    return Path(found["file"]), parse(found["cls"] + (found["rest"] or ""))


def own_class(path: Path, name: str, what: str, fits: Callable[[type], bool]) -> Any:
    """A class in a person's own file, which is imported: it must be what is asked for."""
    from fogbound.core.bounded import require_regular

    require_regular(path)
    if not path.is_file():
        raise SpecError(f"{path}: there is no such file")
    name_of_module = f"{OWN_FILE}{hashlib.sha256(str(path.resolve()).encode()).hexdigest()[:12]}"
    module_spec = importlib.util.spec_from_file_location(name_of_module, path)
    if module_spec is None or module_spec.loader is None:
        raise SpecError(f"{path}: cannot be imported")
    module = importlib.util.module_from_spec(module_spec)
    _forget_changed(path)
    sys.modules[name_of_module] = module  # dataclasses look their module up; a file called random.py does no harm
    try:
        with no_exit(), _own_neighbours(path):
            module_spec.loader.exec_module(module)
    except FogboundError:
        raise
    except SyntaxError as error:
        raise SpecError(f"{path}:{error.lineno}: {error.msg}") from error
    except Exception as error:
        raise SpecError(f"{path}: importing it raised {raised(error)}") from error
    cls = getattr(module, name, None)
    if not (isinstance(cls, type) and fits(cls)):
        listed = [
            k for k, v in vars(module).items() if isinstance(v, type) and v.__module__ == name_of_module and fits(v)
        ]
        if not name and listed:
            raise SpecError(f"{path}: which {what}? Name its class: {', '.join(f'{path}:{one}' for one in listed)}")
        if not name:
            raise SpecError(f"{path}: has no {what} class")
        raise SpecError(
            f"{path}: has no {what} class {name!r}{suggestion(name, listed)}; it has: {', '.join(listed) or 'none'}"
        )
    return cls


@contextmanager
def _own_neighbours(path: Path) -> Iterator[None]:
    """While a file is imported, modules beside it are its own: not those of the same name beside another file.

    Installed packages come before neighbours. A module imported later, inside a function, is that of the last file.
    """
    folder = path.parent.resolve()
    for name, module in [pair for others in _neighbours.values() for pair in others.items()]:
        if sys.modules.get(name) is module:
            del sys.modules[name]
    own = _neighbours.setdefault(folder, {})
    sys.modules.update(own)
    before, places = set(sys.modules), [str(place) for place in _neighbours if place != folder]
    elsewhere = [place for place in sys.path if place not in (*places, str(folder))]
    sys.path[:] = [*elsewhere, str(folder), *(place for place in places if place in sys.path)]
    try:
        yield
    finally:
        files = {str(folder / name) for name in source_files(path)}
        fresh = {name: module for name, module in sys.modules.items() if name not in before}
        own.update({name: module for name, module in fresh.items() if getattr(module, "__file__", None) in files})


def _forget_changed(path: Path) -> None:
    """Drop the modules that a file imports from its folder, where one was edited since: what runs is what is on disk.

    Unchanged modules stay, so that a game and a bot that share one share its classes.
    """
    found, folder = source_files(path), path.parent.resolve()
    if _read.setdefault(path.resolve(), found) != found:
        neighbours = {str(folder / name) for name in found}
        for name, module in list(sys.modules.items()):
            if getattr(module, "__file__", None) in neighbours:
                del sys.modules[name]
        own = _neighbours.get(folder, {})
        _neighbours[folder] = {name: module for name, module in own.items() if module.__file__ not in neighbours}
        _read[path.resolve()] = found
