"""Value functions of other programs: `.alpha` of Cassandra's pomdp-solve, `.policy` of APPL.

An `.alpha` file is an action's number and one value for each state, vector after vector; lines are told apart by what
is in them only, so a vector may be broken over several. A `.policy` file is XML. There the state is (observed, hidden),
and a vector holds for one value of what is fully observed: it lists the hidden states of that block only. Elsewhere it
is -inf, which never meets a belief with a chance there.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterator
from itertools import pairwise
from xml.sax.saxutils import quoteattr

import numpy as np

from fogbound import archive
from fogbound.core.bounded import read_bytes
from fogbound.core.cancel import check
from fogbound.core.errors import LimitError, one_line
from fogbound.files.reading import MOST_COUNT, count, fault_at, finite_number
from fogbound.files.xml_reader import Element, parse_xml
from fogbound.forms.arrays import Floats
from fogbound.forms.pomdp import POMDP
from fogbound.policies.alpha_entries import AlphaEntries
from fogbound.policies.alpha_vectors import AlphaVectors

MOST_BYTES = 1 << 28
MOST_NUMBERS = 5_000_000  # that are written: under MOST_BYTES


def read_alpha(path: str | os.PathLike[str], form: POMDP) -> AlphaVectors:
    """The policy at `path`, for the model that it was made for."""
    text = read_bytes(path, MOST_BYTES)
    return _parsed_at_once(text, form) or _parsed_by_word(path, text, form)


def _parsed_at_once(text: bytes, form: POMDP) -> AlphaVectors | None:
    """The policy of a file of numbers alone, as large ones are; None where something about it must be reported."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", DeprecationWarning)  # how numpy says that a word is no number
            numbers = np.fromstring(text.decode("ascii"), np.float64, sep=" ")
    except (UnicodeDecodeError, DeprecationWarning, ValueError):
        return None
    if not numbers.size or numbers.size % (form.size + 1) or not np.isfinite(numbers).all():
        return None
    rows = numbers.reshape(-1, form.size + 1)
    actions = rows[:, 0].astype(np.int32)
    if (actions != rows[:, 0]).any() or (actions < 0).any() or (actions >= len(form.actions)).any():
        return None
    return AlphaVectors(form, np.ascontiguousarray(rows[:, 1:]), actions)


def _parsed_by_word(path: str | os.PathLike[str], text: bytes, form: POMDP) -> AlphaVectors:
    """The policy, or a FileError that names the line."""
    actions: list[int] = []
    values: list[list[float]] = []
    line, needed = 0, 0
    for line, word in _words(text):
        if not needed:
            check()
            actions.append(_action(path, line, word, form))
            values.append([])
            needed = form.size
            continue
        value = finite_number(word)
        if value is None:
            raise fault_at(path, line, repr(word), "a finite number")
        values[-1].append(value)
        needed -= 1
    if needed:
        expected = f"{form.size:,}, one for each state of {form.spec}"
        raise fault_at(path, line, f"{form.size - needed:,} values in the last vector", expected)
    if not values:
        raise fault_at(path, 1, "no vector", "at least one")
    return AlphaVectors(form, np.array(values, np.float64), np.array(actions, np.int32))


def _action(path: str | os.PathLike[str], line: int, word: str, form: POMDP) -> int:
    action = count(word)
    if action is None or action >= len(form.actions):
        after = f"{word!r} where a vector of {form.size:,} values is over"
        raise fault_at(path, line, after, f"the number of an action, 0 to {len(form.actions) - 1}")
    return action


def _words(text: bytes) -> Iterator[tuple[int, str]]:
    """Every word with the line it stands in."""
    for line, words in enumerate(text.decode("ascii", "backslashreplace").split("\n"), 1):
        for word in words.split():
            yield line, word


def write_alpha(policy: AlphaVectors, path: str | os.PathLike[str]) -> None:
    """Write the vectors, whole or not at all; in states that one is not meant for, the least that play earns there.

    LimitError where even merged vectors are more numbers than `read_alpha` reads.
    """
    policy = _within_limit(policy, path)
    lines = []
    for action, vector in zip(policy.actions.tolist(), _rows(policy)):
        lines += [str(action), " ".join(map(repr, vector.tolist())), ""]
    archive.write(path, ("\n".join(lines) + "\n").encode())


def _within_limit(policy: AlphaVectors, path: str | os.PathLike[str]) -> AlphaVectors:
    """The policy as it is, or with vectors of other states merged, so that a value for each state is not too much."""
    if len(policy.entries) * policy.pomdp.size <= MOST_NUMBERS:
        return policy
    fewer = AlphaVectors(policy.pomdp, *policy.entries.merged(policy.actions))
    numbers = len(fewer.entries) * policy.pomdp.size
    if numbers > MOST_NUMBERS:
        raise LimitError(
            f"{path}: {len(fewer.entries):,} vectors with a value for each of {policy.pomdp.size:,} states are "
            f"{numbers:,} numbers, expected at most {MOST_NUMBERS:,}; a saved solution (.npz) holds them sparsely"
        )
    return fewer


def _rows(policy: AlphaVectors) -> Iterator[Floats]:
    """[S] vector after vector, with the least that play earns in states that one is not meant for."""
    sparse, size = policy.entries, policy.pomdp.size
    least = np.zeros(size) if sparse.defined_everywhere else policy.least()
    for begin, end in pairwise(sparse.first.tolist()):
        check()
        row = least.copy()
        row[sparse.states[begin:end]] = sparse.values[begin:end]
        yield row


TAGS = ("AlphaVector", "Vector", "SparseVector", "Entry")
MOST_CELLS = 50_000_000


def read_policyx(path: str | os.PathLike[str], form: POMDP) -> AlphaVectors:
    """The policy at `path`, for the model that it was made for."""
    root = parse_xml(path, "Policy", TAGS)
    kind = root.attributes.get("type", "value")
    if kind != "value":
        raise root.wrong(f"type={kind!r}", "value")
    table = root.one("AlphaVector")
    blocks, high = _size(table, "numObsValue"), _size(table, "vectorLength")
    if blocks * high != form.size:
        found = f"{blocks:,} values seen x vectors of {high:,} = {blocks * high:,} states"
        raise table.wrong(found, f"{form.size:,}, those of {form.spec}")
    if not _tells_blocks(form, high):
        raise table.wrong(
            f"{blocks:,} values fully observed", f"observations of {form.spec} that always tell them apart"
        )
    listed, declared = table.all("Vector", "SparseVector"), _size(table, "numVectors")
    if len(listed) != declared or not listed:
        raise table.wrong(f"{len(listed):,} vectors", f"{max(declared, 1):,}, as numVectors says")
    if len(listed) * high > MOST_CELLS:
        raise table.wrong(f"{len(listed):,} vectors of {high:,} values", f"at most {MOST_CELLS:,} numbers")
    values, actions = np.zeros((len(listed), high)), np.zeros(len(listed), np.int32)
    states = np.zeros((len(listed), high), np.int32)
    seen = np.zeros(blocks, bool)
    for k, element in enumerate(listed):
        actions[k] = _index(element, "action", len(form.actions))
        block = _index(element, "obsValue", blocks) if blocks > 1 or "obsValue" in element.attributes else 0
        values[k] = _values(element, high)
        states[k] = np.arange(block * high, (block + 1) * high)
        seen[block] = True
    if not seen.all():
        lost = f"no vector for {int((~seen).sum()):,} of {blocks:,} values seen, as for obsValue {int(seen.argmin())}"
        warnings.warn(f"{one_line(root.path, 200)}:{table.line}: {lost}; any action is taken there", stacklevel=2)
    first = high * np.arange(len(listed) + 1)
    return AlphaVectors(form, AlphaEntries(form.size, first, states.ravel(), values.ravel()), actions)


def _size(element: Element, name: str) -> int:
    size = count(element.attribute(name))
    if size is None:
        raise element.wrong(f"{name}={element.attribute(name)!r}", f"a count up to {MOST_COUNT:,}")
    return size


def _index(element: Element, name: str, size: int) -> int:
    index = count(element.attribute(name))
    if index is None or index >= size:
        raise element.wrong(f"{name}={element.attribute(name)!r}", f"0 to {size - 1}")
    return index


def _values(element: Element, high: int) -> Floats:
    """The values of one vector; a sparse one names the hidden state of each, and the others are zero."""
    if element.tag == "Vector":
        values = element.numbers()
        if len(values) != high:
            raise element.wrong(f"{len(values):,} values", f"{high:,}, as vectorLength says")
        return values
    values = np.zeros(high)
    for entry in element.all("Entry"):
        words = entry.words()
        index = count(words[0]) if len(words) == 2 else None
        if index is None or index >= high:
            raise entry.wrong(f"{' '.join(words)!r}", f"a state from 0 to {high - 1} and its value")
        values[index] = entry.number(words[1])
    return values


def _tells_blocks(form: POMDP, high: int) -> bool:
    """Whether whatever is seen tells in which block of `high` states one is."""
    block = form.next // high
    least = np.full(len(form.observations), form.size)
    most = np.full(len(form.observations), -1)
    np.minimum.at(least, form.obs, block)
    np.maximum.at(most, form.obs, block)
    return bool((most <= least).all())


def write_policyx(policy: AlphaVectors, path: str | os.PathLike[str]) -> None:
    """Write the vectors, whole or not at all: each once for each value of what is fully observed that it is meant for.

    Where it is meant for some of the states that look alike there, the others get the least that play earns in them.
    """
    form = policy.pomdp
    blocks = _blocks(form)
    high = form.size // blocks
    if blocks == 1:
        policy = _within_limit(policy, path)
    lines = []
    for k, block, values in _by_block(policy, high):
        numbers = " ".join(map(repr, values.tolist()))
        lines.append(f'<Vector action="{policy.actions[k]}" obsValue="{block}">{numbers}</Vector>')
    model = quoteattr(one_line(form.spec))
    head = f'<AlphaVector vectorLength="{high}" numObsValue="{blocks}" numVectors="{len(lines)}">'
    text = [f'<?xml version="1.0" encoding="UTF-8"?>\n<Policy version="0.1" type="value" model={model}>', head]
    archive.write(path, "\n".join([*text, *lines, "</AlphaVector>\n</Policy>\n"]).encode())


def _by_block(policy: AlphaVectors, high: int) -> Iterator[tuple[int, int, Floats]]:
    """(vector, block, [high] its values there) for each block that a vector is meant for, block after block."""
    sparse, least = policy.entries, None
    vector = np.repeat(np.arange(len(sparse)), np.diff(sparse.first))
    block, place = np.divmod(sparse.states.astype(np.int64), high)
    pairs, first, count = np.unique(block * len(sparse) + vector, return_index=True, return_counts=True)
    for pair, begin, many in zip(pairs.tolist(), first.tolist(), count.tolist()):
        b, k = divmod(pair, len(sparse))
        values = np.zeros(high)
        if many < high:
            least = policy.least() if least is None else least
            values[:] = least[b * high : (b + 1) * high]
        values[place[begin : begin + many]] = sparse.values[begin : begin + many]
        yield k, b, values


def _blocks(form: POMDP) -> int:
    """How many values the fully observed variables have: those that open a game of a factored model; else 1."""
    begun = slice(0, int(form.out[1]))
    labels = {form.observations[z][0] for z in form.obs[begun].tolist()}
    if not form.names or any(seen.private is None for seen in labels):
        return 1
    width = max(len(seen.private) if isinstance(seen.private, tuple) else 1 for seen in labels)
    prefix = [_prefix(name, width) for name in form.names]
    for s, z in zip(form.next[begun].tolist(), form.obs[begun].tolist()):
        if prefix[s] != form.observations[z][0].private:
            return 1
    blocks = len(set(prefix))
    high = form.size // blocks
    whole = form.size % blocks == 0 and all(prefix[s] == prefix[s // high * high] for s in range(form.size))
    return blocks if whole and _tells_blocks(form, high) else 1


def _prefix(name: object, width: int) -> object:
    if not isinstance(name, tuple):
        return name
    return name[0] if width == 1 else name[:width]
