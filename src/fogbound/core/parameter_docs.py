"""The section Parameters of a class's docstring: read, and completed by what its bases say of the same fields."""

from __future__ import annotations

import re
from inspect import cleandoc, get_annotations
from typing import Any

SECTION = re.compile(r"^(Parameters\n-+\n)(.*?)(?=\n\n|\Z)", re.DOTALL | re.MULTILINE)
ITEM = re.compile(r"^(\w[^\n]*)\n((?:[ ]+[^\n]*\n?)+)", re.MULTILINE)


def described_parameters(docstring: str | None) -> dict[tuple[str, ...], str]:
    """What a section says, as it is written, by the names that share an entry."""
    section = SECTION.search(cleandoc(docstring or ""))
    items = ITEM.findall(section[2] if section else "")
    return {
        tuple(name.strip() for name in said.partition(":")[0].split(",")): f"{said}\n{text}" for said, text in items
    }


def completed_docstring(cls: type[Any]) -> str | None:
    """A class's docstring, with what its bases say of the fields that it declares and does not describe itself.

    Parameters stand in the order of the fields. A docstring without such a gap stays as it is.
    """
    written: str | None = cls.__dict__.get("__doc__")
    inherited = dict[str, str]()
    for base in reversed(cls.__mro__[1:]):
        for names, said in described_parameters(base.__dict__.get("__doc__")).items():
            inherited |= dict.fromkeys(names, said)
    if not written or not inherited:
        return written
    own = described_parameters(written)
    known = {name for names in own for name in names}
    declared = [name for name, kind in get_annotations(cls).items() if "ClassVar" not in str(kind).partition("[")[0]]
    if all(name in known or name not in inherited for name in declared):
        return written
    entries = inherited | {name: said for names, said in own.items() for name in names}
    order = dict.fromkeys([*(name for name in declared if name in entries), *(name for names in own for name in names)])
    listed = dict.fromkeys(entries[name].rstrip("\n") for name in order)
    section = "Parameters\n----------\n" + "\n".join(listed)
    text = cleandoc(written)
    found = SECTION.search(text)
    return f"{text}\n\n{section}" if found is None else text[: found.start()] + section + text[found.end() :]
