"""Controllers whose nodes follow what is seen together with what may be done then."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from typing import TypeVar

from fogbound.core.dist import Dist
from fogbound.core.game import Observation
from fogbound.forms.pomdp import NOT_ASKED
from fogbound.policies.controller import Controller
from fogbound.policies.vocabulary import Vocabulary

NONE = -1  # in place of a node where the observation cannot come
K = TypeVar("K", bound=Hashable)


def growing_keys(numbers: Mapping[K, int]) -> Iterator[K]:
    """The keys of a dictionary that grows meanwhile, in the order of their coming."""
    done = 0
    while done < len(numbers):
        fresh = list(numbers)[done:]
        done += len(fresh)
        yield from fresh


def paired_controller(
    observations: Sequence[tuple[Observation, int]],
    begin: Mapping[int, int],
    follow: Callable[[int], Iterable[tuple[Hashable | None, Mapping[int, int]]]],
    choice: Callable[[int], Dist[Hashable] | None],
    note: Callable[[int], str] | None,
    vocabulary: Vocabulary,
    at_random: bool = False,
) -> Controller:
    """The controller that plays as numbered nodes do which tell apart whether the player is asked to move.

    Being asked is news that comes with the question, so the two nodes that can follow what is seen become one: an own
    action goes on from the first, waiting from the second.

    Parameters
    ----------
    observations
        What is seen, and the legal actions then.
    begin
        By observation, the first node.
    follow
        Of a node, the nodes after each observation, by own action; None: it waits.
    choice, note
        What a node plays, and a word about it.
    vocabulary, at_random
        Those of the controller.
    """
    nodes: dict[tuple[int, int], int] = {}  # (node if asked, node if not)

    def paired(after: Mapping[int, int]) -> dict[Observation, int]:
        pairs: dict[Observation, list[int]] = {}
        for number, node in after.items():
            seen, legal = observations[number]
            pairs.setdefault(seen, [NONE, NONE])[int(legal == NOT_ASKED)] = node
        return {seen: nodes.setdefault((asked, idle), len(nodes)) for seen, (asked, idle) in pairs.items()}

    first, arrows = paired(begin), dict[tuple[int, Hashable | None, Observation], int]()
    for here, pair in enumerate(growing_keys(nodes)):
        for node in pair:
            for action, after in follow(node) if node != NONE else ():
                arrows |= {(here, action, seen): to for seen, to in paired(after).items()}
    choices = tuple(choice(asked) if asked != NONE else None for asked, _ in nodes)
    notes = tuple(note(idle if asked == NONE else asked) for asked, idle in nodes) if note else ()
    return Controller(first, arrows, choices, notes, vocabulary, at_random)
