"""What both pictures of a strategy share: title, sentence, colours and their key."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from fogbound.core import measure
from fogbound.core.errors import many
from fogbound.core.svg import PALETTE
from fogbound.draw.key import KeyEntry, hatched, square
from fogbound.forms import words
from fogbound.forms.words import Describe
from fogbound.policies.tabular import Tabular

NOT_REACHED = "not reached"


def titles(policy: Tabular, title: str = "") -> tuple[str, str]:
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
