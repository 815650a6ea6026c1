"""Labels as the words of an `.osposg` file: no blanks, no two alike."""

from __future__ import annotations

import re
from collections.abc import Hashable, Sequence

from fogbound.core.errors import one_line
from fogbound.core.game import Seen

MOST_LETTERS = 200
_BLANK = re.compile(r"\s+")


def words(labels: Sequence[Hashable]) -> list[str]:
    """A word for each label, all different; a string that is one word already keeps it, where no two are alike."""
    plain = [_word(label) for label in labels]
    kept = {word for word, label in zip(plain, labels) if word == label}
    used, found, turn = set[str](), list[str](), dict[str, int]()
    for word, label in zip(plain, labels):
        name = word
        while name in used or (name in kept and name != label):
            turn[word] = turn.get(word, 1) + 1
            name = f"{word}_{turn[word]}"
        used.add(name)
        found.append(name)
    return found


def _word(label: Hashable) -> str:
    if isinstance(label, Seen):
        parts = [part for part in label if part is not None]
        label = parts[0] if len(parts) == 1 else tuple(parts) if parts else "nothing"
    text = label if isinstance(label, str) else repr(label)
    return one_line(_BLANK.sub("_", text.strip()), MOST_LETTERS) or "_"
