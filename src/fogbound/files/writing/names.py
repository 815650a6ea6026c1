"""Labels as the names that every model file can hold: a letter, then letters, digits, - and _."""

from __future__ import annotations

import re
from collections.abc import Hashable, Sequence, Set

from fogbound.core.errors import brief

MOST_LETTERS = 60
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]*")
_OTHER = re.compile(r"[^A-Za-z0-9-]+")


def identifiers(labels: Sequence[Hashable], prefix: str, reserved: Set[str] = frozenset()) -> list[str]:
    """A name for each label, all different, none of them `reserved`; a label that is a name already keeps it.

    `prefix` begins those that would begin with no letter.
    """
    taken = {label for label in labels if _holds(label, reserved)}
    found: list[str] = []
    used, next_free = set[str](), dict[str, int]()
    for label in labels:
        name = str(label)
        if not _holds(label, reserved) or name in used:
            plain = _OTHER.sub("_", name if isinstance(label, str) else brief(label, MOST_LETTERS)).strip("_-")
            stem = (plain if _NAME.fullmatch(plain) else f"{prefix}{plain}")[:MOST_LETTERS]
            name, k = stem, next_free.get(stem, 1)
            while name in taken or name in used or name in reserved:
                k += 1
                name = f"{stem}_{k}"
            next_free[stem] = k
        used.add(name)
        found.append(name)
    return found


def _holds(label: Hashable, reserved: Set[str]) -> bool:
    return isinstance(label, str) and bool(_NAME.fullmatch(label)) and len(label) <= 199 and label not in reserved
