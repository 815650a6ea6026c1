"""Packages that import what they offer when it is first asked for, so that a command loads what it uses and no more.

Such a package lists its imports below `if TYPE_CHECKING:`, as for a type checker, and ends with `lazy(__name__)`. What
it imports there is what it offers, its `__all__` unless it has a list of its own: the imports are read from its source.
"""

from __future__ import annotations

import importlib
import re
import sys
from types import ModuleType
from typing import Any

_IMPORT = re.compile(r"^ +from (fogbound[\w.]*) import (?:\(([^)]*)\)|([^\n#]*))", re.MULTILINE)


def lazy(package: str) -> None:
    """Make a package lazy.

    Parameters
    ----------
    package
        Its `__name__`; it is being imported now.
    """
    sys.modules[package].__class__ = LazyPackage


class LazyPackage(ModuleType):
    """A package whose names are imported from their homes when they are used.

    A name may be that of a module as well, as `fogbound.forms.table` is: then the name means what `__all__` offers.
    """

    def __getattr__(self, name: str) -> Any:
        if name == "__all__":
            return sorted(self._homes())
        if name not in self.__all__:
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")
        home, there = self._homes()[name]
        found = getattr(importlib.import_module(home), there)
        if isinstance(found, type):
            self.__dict__[name] = found  # rules name classes millions of times
        return found

    def __setattr__(self, name: str, value: object) -> None:
        if not (isinstance(value, ModuleType) and name in self.__all__):
            super().__setattr__(name, value)

    def __dir__(self) -> list[str]:
        return sorted(self.__all__)

    def __reduce__(self) -> tuple[Any, ...]:
        """By name, so that what refers to the package travels to other machines."""
        return importlib.import_module, (self.__name__,)

    def _homes(self) -> dict[str, tuple[str, str]]:
        """By name, the module that has it and what it is called there."""
        found: dict[str, tuple[str, str]] | None = self.__dict__.get("_found")
        if found is None:
            with open(self.__file__ or "", encoding="utf-8") as file:
                imports = _IMPORT.findall(file.read())
            parts = [(home, part.split()) for home, several, one in imports for part in (several or one).split(",")]
            found = self.__dict__["_found"] = {words[-1]: (home, words[0]) for home, words in parts if words}
        return found
