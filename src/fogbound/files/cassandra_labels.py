"""Labels as the names that a `.pomdp` file can hold: a letter, then letters, digits, - and _."""

from __future__ import annotations

import re
from collections.abc import Hashable, Sequence
from dataclasses import dataclass

from fogbound.core.errors import brief
from fogbound.files.cassandra_text import SECTIONS

KEYWORDS = {*SECTIONS, "include", "exclude", "reward", "cost", "uniform", "identity", "reset"}
MOST_LETTERS = 60
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]*")
_OTHER = re.compile(r"[^A-Za-z0-9-]+")


@dataclass(frozen=True)
class Names:
    """What entries call things, and the comments that say what was meant where that is not the same."""

    words: list[str]
    counted: bool  # the names are 0, 1, 2, …
    comments: list[str]


def names(labels: Sequence[Hashable], prefix: str) -> Names:
    """Names for labels; `prefix` begins those that would begin with no letter."""
    if _numbered(labels):
        return Names([str(label) for label in labels], True, [])
    words = identifiers(labels, prefix)
    return Names(words, False, [f"#   {word}: {brief(label)}" for word, label in zip(words, labels) if word != label])


def _numbered(labels: Sequence[Hashable]) -> bool:
    """Whether the labels are 0, 1, 2, …, so that a file may give their number only."""
    return all(type(label) is int and label == k for k, label in enumerate(labels))


def identifiers(labels: Sequence[Hashable], prefix: str) -> list[str]:
    """A name for each label, all different; a label that is a name already keeps it."""
    taken = {label for label in labels if _holds(label)}
    found: list[str] = []
    used, next_free = set[str](), dict[str, int]()
    for label in labels:
        name = str(label)
        if not _holds(label) or name in used:
            plain = _OTHER.sub("_", name if isinstance(label, str) else brief(label, MOST_LETTERS)).strip("_-")
            stem = (plain if _NAME.fullmatch(plain) else f"{prefix}{plain}")[:MOST_LETTERS]
            name, k = stem, next_free.get(stem, 1)
            while name in taken or name in used or name in KEYWORDS:
                k += 1
                name = f"{stem}_{k}"
            next_free[stem] = k
        used.add(name)
        found.append(name)
    return found


def _holds(label: Hashable) -> bool:
    return isinstance(label, str) and bool(_NAME.fullmatch(label)) and len(label) <= 199 and label not in KEYWORDS
