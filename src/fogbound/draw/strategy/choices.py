"""A tabular strategy made ready to be shown: what is known, which moves there are, how likely each is.

Where a strategy has the shape of poker (one private observation at first, then public ones alone) it becomes a
`Grid`: rows are what all have seen, columns what the player alone holds. Otherwise it stays a list.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain
from typing import Any

from fogbound.core.game import Observation
from fogbound.forms import words
from fogbound.forms.decisions import History
from fogbound.policies.tabular import Tabular

MOST_COLUMNS, MOST_MOVES, LONGEST_HOLDING = 26, 4, 8
UNREACHED = 1e-12


@dataclass(frozen=True)
class InformationSetChoice:
    """One information set: what its owner knows, its moves, and their probabilities."""

    policy: Tabular = field(repr=False)
    infoset: int
    moves: tuple[Hashable, ...]
    chances: tuple[float, ...]
    reached: bool  # by the strategy's own play

    @cached_property
    def history(self) -> History:
        """What is known here: worked out only for what is shown."""
        tree = self.policy.decisions
        return tree.history(self.policy.player, int(tree.set_memory[self.infoset]))


@dataclass(frozen=True)
class GridRow:
    """The choices after one public story, by what is held."""

    story: tuple[Any, ...]
    moves: tuple[Hashable, ...]
    cells: dict[Hashable, InformationSetChoice]


@dataclass(frozen=True)
class StrategyGrid:
    columns: tuple[Hashable, ...]
    rows: tuple[GridRow, ...]


def choices(policy: Tabular) -> list[InformationSetChoice]:
    """Every information set of the policy's player, parents first, those that it never reaches last."""
    tree, behaviour = policy.decisions, policy.behaviour.tolist()
    weight, listed = [1.0] + [0.0] * (len(behaviour) - 1), []
    for h in tree.sets_of(policy.player).tolist():
        memory, first, size = int(tree.set_memory[h]), int(tree.set_first[h]), int(tree.set_size[h])
        before = weight[int(tree.memory_sequence[memory])]
        chances = behaviour[first : first + size]
        weight[first : first + size] = [before * p for p in chances]
        listed.append(InformationSetChoice(policy, h, tree.moves(h), tuple(chances), before > UNREACHED))
    return sorted(listed, key=lambda choice: not choice.reached)


def as_grid(policy: Tabular, listed: list[InformationSetChoice]) -> StrategyGrid | None:
    """The strategy as private observation × public story, or None where it has no such shape."""
    rows: dict[tuple[Any, ...], GridRow] = {}
    held: dict[Hashable, None] = {}
    for c in listed:
        if not c.history or len(c.moves) > MOST_MOVES or not _holding(c.history[0].private):
            return None
        if any(seen.private is not None for _, seen in c.history[1:]):
            return None
        story = (Observation(c.history[0].public, None), *c.history[1:])
        row = rows.setdefault(story, GridRow(story, c.moves, {}))
        if row.moves != c.moves:
            return None
        row.cells[c.history[0].private] = c
        held[c.history[0].private] = None
    if not 2 <= len(held) <= MOST_COLUMNS or 2 * len(listed) < len(held) * len(rows):
        return None
    return StrategyGrid(_sorted(policy, held), tuple(rows.values()))


def _holding(private: Hashable) -> bool:
    """Whether a private observation is short enough to head a column."""
    return private is not None and len(words.label(private)) <= LONGEST_HOLDING


def _sorted(policy: Tabular, held: dict[Hashable, None]) -> tuple[Hashable, ...]:
    """Numbers by size, other labels as the game brings them up (the first player's order, for all players)."""
    if all(isinstance(value, int | float) for value in held):
        return tuple(sorted(held, key=lambda value: float(value)))  # type: ignore[arg-type]
    met = dict.fromkeys(seen.private for seen in chain(*policy.decisions.observations))
    return tuple(value for value in met if value in held)
