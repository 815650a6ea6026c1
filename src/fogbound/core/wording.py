"""Values of a game in plain words, for games that have no sentences of their own, and lists such as `a, b and c`."""

from __future__ import annotations

from collections.abc import Iterable

NOTHING = "·"


def plain_words(value: object) -> str:
    """A value as text; the parts of a tuple stand beside each other, without None.

    Examples
    --------
    >>> plain_words(("raise", (1, None))), plain_words(())
    ('raise 1', '·')
    """
    if isinstance(value, tuple):
        return " ".join(plain_words(part) for part in value if part is not None) or NOTHING
    return str(value)


def listed(parts: Iterable[object], none: str = "none") -> str:
    """Parts of a sentence with commas and a last `and`.

    Parameters
    ----------
    parts
        What is listed.
    none
        The word for an empty list.

    Examples
    --------
    >>> listed([3, 4, 5]), listed(["ace"]), listed([])
    ('3, 4 and 5', 'ace', 'none')
    """
    *most, last = [str(part) for part in parts] or [none]
    return f"{', '.join(most)} and {last}" if most else last
