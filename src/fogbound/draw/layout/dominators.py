"""Which node of a graph every way to another must pass: dominators (Cooper, Harvey and Kennedy 2001)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence


def dominators(root: int, after: Mapping[int, Sequence[int]]) -> dict[int, int]:
    """For each node that the root leads to, the last node before it that no way there avoids; the root's is itself."""
    order = _finished_last_first(root, after)
    rank = {node: k for k, node in enumerate(order)}
    before: dict[int, list[int]] = {node: [] for node in order}
    for node in order:
        for target in after.get(node, ()):
            before[target].append(node)
    found, settled = {root: root}, False
    while not settled:
        settled = True
        for node in order[1:]:
            known = [other for other in before[node] if other in found]
            meet = known[0]
            for other in known[1:]:
                meet = _meet(found, rank, meet, other)
            if found.get(node) != meet:
                found[node], settled = meet, False
    return found


def _meet(found: dict[int, int], rank: dict[int, int], one: int, other: int) -> int:
    """The nearest node that dominates both."""
    while one != other:
        while rank[one] > rank[other]:
            one = found[one]
        while rank[other] > rank[one]:
            other = found[other]
    return one


def _finished_last_first(root: int, after: Mapping[int, Sequence[int]]) -> list[int]:
    """Reverse postorder of a walk in depth, without recursion."""
    seen, done, stack = {root}, list[int](), [(root, iter(after.get(root, ())))]
    while stack:
        fresh = next((target for target in stack[-1][1] if target not in seen), None)
        if fresh is None:
            done.append(stack.pop()[0])
        else:
            seen.add(fresh)
            stack.append((fresh, iter(after.get(fresh, ()))))
    return done[::-1]
