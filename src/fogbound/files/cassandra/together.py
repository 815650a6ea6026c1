"""Entries of a `.pomdp` file read column by column: the quick way, for lots in which nothing is wrong.

Files repeat themselves, so every different spelling of a number or a row is read once for a lot.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from fogbound.files.cassandra.batch import Batch
from fogbound.files.cassandra.scan import Lot, Words
from fogbound.files.cassandra.shape import Shape
from fogbound.files.cassandra.vector import joined_signs, value
from fogbound.files.ranges import Indices
from fogbound.forms.table import Floats

MOST_FIELDS = 4


def together(lot: Lot, shape: Shape) -> list[Batch]:
    """The entries of a lot; an empty list when any of them is wrong, or when it is to be read alone."""
    batches: list[Batch] = []
    for named, numbers, words in _by_fields(lot.words):
        if not shape.least <= named <= len(shape.fields):
            return []
        columns = list(zip(*words))
        try:
            found = [[numbering[word] for word in column] for numbering, column in zip(shape.fields, columns[:named])]
        except KeyError:
            return []
        alike = _by_tails(columns[-1], named, shape)
        if not alike:
            return []
        fields = np.array(found, np.int32)
        batches += [Batch(lot.number + numbers[group], fields[:, group], tails) for group, tails in alike]
    return batches


def _by_fields(words: list[Words]) -> Iterator[tuple[int, Indices, list[Words]]]:
    """Entries that name equally many fields: how many, which entries, and their words."""
    names = np.array([MOST_FIELDS - word.count(None) for word in words], np.int64)
    for named in np.unique(names).tolist():
        group = np.flatnonzero(names == named)
        yield named, group, words if len(group) == len(words) else [words[k] for k in group.tolist()]


def _by_tails(texts: tuple[str, ...], named: int, shape: Shape) -> list[tuple[Indices, Floats | list[str]]]:
    """What follows the fields, where it is alike: which entries, and what they say; nothing when any is wrong."""
    different = {text: k for k, text in enumerate(dict.fromkeys(texts))}
    read = [_tail(text, named, shape) for text in different]
    if None in read:
        return []
    sizes = np.array([0 if isinstance(tail, str) else len(tail) for tail in read if tail is not None])
    which = np.array([different[text] for text in texts], np.int64)
    found: list[tuple[Indices, Floats | list[str]]] = []
    for size in np.unique(sizes).tolist():
        group = np.flatnonzero(sizes[which] == size)
        if size == 0:
            found.append((group, [str(read[k]) for k in which[group].tolist()]))
            continue
        values = np.array([tail for tail, long in zip(read, sizes) if long == size], np.float64)
        values = values[(np.cumsum(sizes == size) - 1)[which[group]]]
        found.append((group, values[:, 0] if shape.single(named, size) else values))
    return found


def _tail(text: str, named: int, shape: Shape) -> list[float] | str | None:
    """What follows the fields: a word that may stand there, or as many numbers as must; none for anything else."""
    words = text.split()
    wanted, size, _ = shape.tails(named)
    if len(words) == 1 and words[0] in wanted:
        return words[0]
    if "-" in text or "+" in text:
        words = joined_signs(text).split()
    if len(words) != (1 if shape.single(named, len(words)) else size):
        return None
    spelt = {word: value(word, shape.probable) for word in set(words)}
    found = [number for word in words if (number := spelt[word]) is not None]
    return found if len(found) == len(words) else None
