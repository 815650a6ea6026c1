"""What both pictures of a strategy share: title, sentence, colours and their key, columns of text."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from fogbound.draw import measure, svg, words
from fogbound.draw.svg import INK_2, MARGIN, PALETTE
from fogbound.draw.words import Describe
from fogbound.policies.tabular import Tabular

NOT_REACHED = "not reached"


def titles(policy: Tabular) -> tuple[str, str]:
    """The two lines at the top."""
    name = words.label(policy.tree.players[policy.player])
    return f"{policy.tree.spec}: how {name} plays", _sets(policy)


def sentence(policy: Tabular) -> str:
    """What is read aloud."""
    name = words.label(policy.tree.players[policy.player])
    return f"Strategy of {name} in {policy.tree.spec}: the chance of each move in {_sets(policy)}."


def _sets(policy: Tabular) -> str:
    count = len(policy.tree.sets_of(policy.player))
    return f"{count:,} information set{'s' if count != 1 else ''}"


def move_colours(legal_sets: Sequence[tuple[Hashable, ...]]) -> dict[Hashable, str]:
    """A colour for each move: never the same for two moves of one menu, and no more colours than needed."""
    rivals: dict[Hashable, set[Hashable]] = {}
    for legal in dict.fromkeys(legal_sets):
        for move in legal:
            rivals.setdefault(move, set()).update(legal)
    number: dict[Hashable, int] = {}
    for move, others in rivals.items():
        taken = {number[other] for other in others if other in number}
        number[move] = next(k for k in range(len(rivals) + 1) if k not in taken)
    return {move: PALETTE[k % len(PALETTE)] for move, k in number.items()}


def move_key(tones: dict[Hashable, str], describe: Describe, y: float, room: float) -> tuple[str, float]:
    """A square for each colour with the moves that wear it, and the width taken."""
    wearers: dict[str, list[str]] = {}
    for move, tone in tones.items():
        wearers.setdefault(tone, []).append(words.action(describe, move))
    body, x = [], float(MARGIN)
    for tone, moves in wearers.items():
        said = measure.clip(", ".join(dict.fromkeys(moves)), max(40.0, room / len(wearers) - 36))
        body += [svg.box(x, y - 10, 12, 12, tone, round_by=3), svg.text(x + 18, y, said, INK_2)]
        x += 18 + measure.width_of(said) + 18
    return "".join(body), x


def hatching_key(x: float, y: float) -> tuple[str, float]:
    """The key of the hatching, and the width it takes."""
    said = f"{NOT_REACHED} by its own play"
    return svg.hatch(x, y - 11, 22, 14, 6) + svg.text(x + 30, y, said, INK_2), 30 + measure.width_of(said) + 18


def aligned_columns(rows: Sequence[Sequence[str]]) -> list[str]:
    """Rows of text in columns: the first two to the left, the rest to the right."""
    widths = [max(len(row[c]) for row in rows if c < len(row)) for c in range(max(map(len, rows)))]
    lines = (
        "  ".join(cell.ljust(widths[c]) if c < 2 else cell.rjust(widths[c]) for c, cell in enumerate(row))
        for row in rows
    )
    return [line.rstrip() for line in lines]
