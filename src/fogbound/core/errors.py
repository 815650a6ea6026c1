"""What can go wrong, as values a program can tell apart and a person can read.

An error message is interface: it says what was found, why that cannot be, and what to do instead, in one
line. The command line prints it and leaves with code 2; nothing below the command line prints at all.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

HASHABLE = {"list": "a tuple", "set": "a frozenset", "dict": "a tuple of pairs", "ndarray": "a tuple"}


class FogboundError(Exception):
    """The root of everything Fogbound raises on purpose."""


class SpecError(FogboundError):
    """A spec string, name or parameter that means nothing."""


class GameError(FogboundError):
    """A game that breaks the contract of `Game`: found at a state, named with it."""


class LimitError(FogboundError):
    """A form that exists but is larger than its `limit=`: the size met, and what to use instead."""


class SampledOnlyError(LimitError):
    """A simulator where outcomes are to be listed: it has no form that is enumerated, whatever the limit."""


class FormError(FogboundError):
    """A form that does not exist for this game, or does not suit this solver: why, and what does."""


class PolicyError(FogboundError):
    """A policy that cannot answer: an illegal action, or a question outside what it was made for."""


class FileError(FogboundError):
    """A file that is damaged, too new, or not what it says it is."""


class Stopped(FogboundError):
    """Work that was told to stop before it had an answer. `reason` is a word: seconds, cancelled, interrupted, …"""

    def __init__(self, reason: str, message: str = "") -> None:
        super().__init__(reason, message)  # both are kept by a pickle, so that it may come from another process
        self.reason = reason

    def __str__(self) -> str:
        return self.args[1] or f"stopped ({self.reason})"


@contextmanager
def no_exit() -> Iterator[None]:
    """Inside the block, where a game's own code runs, nothing ends the program: `SystemExit` is a `GameError`."""
    try:
        yield
    except SystemExit as left:
        raise GameError(
            f"a game's own code left the program with {brief(left)}; rules return, or raise errors"
        ) from left


def raised(error: BaseException) -> str:
    """What somebody's own code raised and where: its innermost line, not that of a library that it called.

    Where only libraries are at fault, no place is named.
    """
    import sysconfig
    import traceback

    paths = sysconfig.get_paths()
    fogbound = os.path.dirname(os.path.dirname(__file__))
    libraries = (fogbound, *(paths[kind] for kind in ("stdlib", "platstdlib", "purelib", "platlib")), "<")
    own = [frame for frame in traceback.extract_tb(error.__traceback__) if not frame.filename.startswith(libraries)]
    said = f"{type(error).__name__}: {error}{_hashable(error)}" if str(error) else type(error).__name__
    return f"{said} ({_near(own[-1].filename)}:{own[-1].lineno})" if own else said


def _hashable(error: BaseException) -> str:
    """What to write instead of a value that cannot be a state, an action or an observation."""
    found = re.fullmatch(r"unhashable type: '(\w+)'", str(error)) if isinstance(error, TypeError) else None
    if found is None:
        return ""
    instead = HASHABLE.get(found[1], "a tuple or a frozen dataclass")
    return f" (states, actions and observations must be hashable: use {instead})"


def _near(filename: str) -> str:
    """A file as seen from where we are, if it lies below."""
    from pathlib import Path

    path, here = Path(os.path.abspath(filename)), Path.cwd()
    return str(path.relative_to(here) if path.is_relative_to(here) else path)


def one_line(text: str, most: int = 500) -> str:
    """Any text as one printable line: control characters escaped, overlong middles cut."""
    flat = "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text)
    return flat if len(flat) <= most else flat[: most - 1] + "…"


def many(count: int | str, thing: str) -> str:
    """So many of a thing, such as `1 step`, `2,000 steps`, `3 policies` and, of a count in words, `2 x 3 actions`."""
    several = thing[:-1] + "ies" if thing.endswith("y") and thing[-2] not in "aeiou" else thing + "s"
    counted = count if isinstance(count, str) else f"{count:,}"
    return f"{counted} {thing if counted == '1' else several}"


def one_of(choices: Iterable[object]) -> str:
    """What was expected: one of several, or the only one that there is.

    Examples
    --------
    >>> one_of(["0 (first)", "1 (second)"]), one_of(["0 (you)"]), one_of([])
    ('one of 0 (first), 1 (second)', '0 (you), the only one', 'nothing, since there is none')
    """
    listed = [str(choice) for choice in choices]
    if len(listed) == 1:
        return f"{listed[0]}, the only one"
    return f"one of {', '.join(listed)}" if listed else "nothing, since there is none"


def cut_short(spec: str) -> str:
    """The game cut off after a few steps, for advice: a spec that `fb.game` and the command line take as it stands.

    Examples
    --------
    >>> cut_short("tiger(accuracy=0.9)")
    'horizon(tiger(accuracy=0.9), 4)'
    """
    return f"horizon({spec}, 4)"


def brief(value: object, most: int = 80) -> str:
    """The repr of a state or label, short enough to stand inside an error message."""
    return one_line(repr(value), most)
