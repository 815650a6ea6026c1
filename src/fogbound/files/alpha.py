"""Value functions in the format of Cassandra's pomdp-solve, `.alpha`: an action's number, then a vector.

Each vector takes two lines, the number of its action and one value for each state, and a blank line follows;
lines are told apart by what is in them only, so a vector may be broken over several.
"""

from __future__ import annotations

import os
from collections.abc import Iterator

import numpy as np

from fogbound import archive
from fogbound.core.bounded import read_bytes
from fogbound.core.cancel import check
from fogbound.files.reading import count, fault_at, number
from fogbound.forms.pomdp import POMDP
from fogbound.policies.alpha_vectors import AlphaVectors

MOST_BYTES = 1 << 28


def read_alpha(path: str | os.PathLike[str], form: POMDP) -> AlphaVectors:
    """The policy at `path`, for the model that it was made for."""
    actions: list[int] = []
    values: list[list[float]] = []
    line, needed = 0, 0
    for line, word in _words(path):
        if not needed:
            check()
            actions.append(_action(path, line, word, form))
            values.append([])
            needed = form.size
            continue
        value = number(word)
        if value is None:
            raise fault_at(path, line, repr(word), "a finite number")
        values[-1].append(value)
        needed -= 1
    if needed:
        raise fault_at(path, line, f"{form.size - needed:,} values in the last vector", _length(form))
    if not values:
        raise fault_at(path, 1, "no vector", "at least one")
    return AlphaVectors(form, np.array(values, np.float64), np.array(actions, np.int32))


def _length(form: POMDP) -> str:
    return f"{form.size:,}, one for each state of {form.spec}"


def _action(path: str | os.PathLike[str], line: int, word: str, form: POMDP) -> int:
    action = count(word)
    if action is None or action >= len(form.actions):
        after = f"{word!r} where a vector of {form.size:,} values is over"
        raise fault_at(path, line, after, f"the number of an action, 0 to {len(form.actions) - 1}")
    return action


def _words(path: str | os.PathLike[str]) -> Iterator[tuple[int, str]]:
    """Every word with the line it stands in."""
    for line, text in enumerate(read_bytes(path, MOST_BYTES).decode("ascii", "backslashreplace").split("\n"), 1):
        for word in text.split():
            yield line, word


def write_alpha(policy: AlphaVectors, path: str | os.PathLike[str]) -> None:
    """Write the vectors, whole or not at all; in states that one is not meant for, the least that play earns there."""
    lines = []
    for action, vector in zip(policy.actions.tolist(), policy.everywhere().vectors.tolist()):
        lines += [str(action), " ".join(map(repr, vector)), ""]
    archive.write(path, ("\n".join(lines) + "\n").encode())
