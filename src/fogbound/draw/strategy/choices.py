"""A tabular strategy made ready to be shown: what is known, which moves there are, how likely each is.

Where a strategy has the shape of poker (one private observation at first, then public ones alone) it becomes a
`Grid`: rows are what all have seen, columns what the player alone holds. Otherwise it stays a list.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain
from typing import Any

from fogbound.core import measure
from fogbound.core.errors import many
from fogbound.core.game import Observation
from fogbound.core.svg import PALETTE
from fogbound.draw.key import KeyEntry, hatched, square
from fogbound.forms import words
from fogbound.forms.decisions import History
from fogbound.forms.words import Describe
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


def information_set_choices(policy: Tabular) -> list[InformationSetChoice]:
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


NOT_REACHED = "not reached"


def strategy_titles(policy: Tabular, title: str = "") -> tuple[str, str]:
    """The two lines at the top."""
    name = words.label(policy.decisions.players[policy.player])
    return title or f"{policy.decisions.spec}: how {name} plays", _sets(policy)


def sentence(policy: Tabular) -> str:
    """What is read aloud."""
    name = words.label(policy.decisions.players[policy.player])
    return f"Strategy of {name} in {policy.decisions.spec}: the chance of each move in {_sets(policy)}."


def _sets(policy: Tabular) -> str:
    return many(len(policy.decisions.sets_of(policy.player)), "information set")


def move_colours(legal_sets: Sequence[tuple[Hashable, ...]]) -> dict[Hashable, str]:
    """A colour for each move: never the same for two that are legal at once, and no more colours than needed."""
    rivals: dict[Hashable, set[Hashable]] = {}
    for legal in dict.fromkeys(legal_sets):
        for move in legal:
            rivals.setdefault(move, set()).update(legal)
    number: dict[Hashable, int] = {}
    for move, others in rivals.items():
        taken = {number[other] for other in others if other in number}
        number[move] = next(k for k in range(len(rivals) + 1) if k not in taken)
    return {move: PALETTE[k % len(PALETTE)] for move, k in number.items()}


def move_entries(tones: dict[Hashable, str], describe: Describe, room: float) -> list[KeyEntry]:
    """The key of the colours: a square for each, with the moves that wear it."""
    wearers: dict[str, list[str]] = {}
    for move, tone in tones.items():
        wearers.setdefault(tone, []).append(words.action(describe, move))
    each = max(40.0, room / max(1, len(wearers)) - 36)
    return [square(measure.clip(", ".join(dict.fromkeys(moves)), each), tone) for tone, moves in wearers.items()]


def unreached_entry() -> KeyEntry:
    """The key of the hatching."""
    return hatched(f"{NOT_REACHED} by its own play")
