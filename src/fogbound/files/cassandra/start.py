"""The belief at the start that a `.pomdp` file gives, in any of the format's spellings."""

from __future__ import annotations

import numpy as np

from fogbound.files.cassandra.names import ANY, Numbering
from fogbound.files.cassandra.text import Source
from fogbound.files.cassandra.vector import vector
from fogbound.files.numbers import count
from fogbound.forms.table import Floats


def starting(source: Source, states: Numbering, keyword: str, begin: int, end: int) -> Floats:
    """[S] the distribution, as it stands: whether it sums to 1 is not looked at here."""
    if keyword != "start":
        return _listed(source, states, keyword.split()[1] == "include", begin, end)
    words = source.words(begin, end)
    first, second = next(words, None), next(words, None)
    if first is None:
        found, at = source.next_word(end)
        raise source.fault(at, found, f"{states.size:,} probabilities, a state, or uniform")
    if first[0] == "uniform":
        named = np.full(states.size, 1.0 / states.size)
    elif first[0][0].isalpha() or first[0][0] == "_" or (second is None and _is_number(first[0], states)):
        named = _sure(states, states.find(source, *first))
    else:
        return vector(source, begin, end, states.size, "probabilities", probable=True)
    if second:
        raise source.fault(second[1], repr(second[0]), f"nothing after {first[0]!r}")
    return named


def _is_number(word: str, states: Numbering) -> bool:
    """Whether a lone number means a state: with a single state, 1 is its probability."""
    return count(word) is not None and (states.size > 1 or word == "0")


def _sure(states: Numbering, state: int) -> Floats:
    belief = np.zeros(states.size)
    belief[state] = 1.0
    return belief


def _listed(source: Source, states: Numbering, include: bool, begin: int, end: int) -> Floats:
    """Equal chances for the states named, or for all but those."""
    named = np.zeros(states.size, bool)
    words = {*source.text[begin:end].replace(":", " : ").split()}
    strange = {word for word in words if states.number(word) in (None, ANY)}
    for word, at in source.words(begin, end) if strange else ():
        if word in strange and states.find(source, word, at) == ANY:
            raise source.fault(at, "'*'", "the states themselves")
    named[[states[word] for word in words]] = True
    if not named.any():
        found, at = source.next_word(end)
        raise source.fault(at, found, "at least one state")
    chosen = named if include else ~named
    if not chosen.any():
        raise source.fault(source.last(begin, end), "every state excluded", "at least one state to start in")
    return chosen / float(chosen.sum())
