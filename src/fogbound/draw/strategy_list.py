"""A strategy as a list: what is known at the left, a bar over the moves at the right."""

from __future__ import annotations

from collections.abc import Hashable

from fogbound.draw import measure, svg, words
from fogbound.draw.moves import Choice
from fogbound.draw.strategy_parts import NOT_REACHED, aligned, colours, hatched, key, sentence, titles
from fogbound.draw.svg import INK_2, INK_3, MARGIN, decimal
from fogbound.draw.words import Describe
from fogbound.policies.tabular import Tabular

TOP, ROW, BAR, HIGH = 98, 28, 240, 16
KNOWN, SAID = 380, 330  # the most room for words left and right of the bar


def draw_list(policy: Tabular, found: list[Choice], describe: Describe, most: int) -> str:
    """One row for each information set; past `most` rows a line says how many are missing."""
    shown, tones = found[:most], colours([c.moves for c in found])
    known = [words.knowledge(describe, c.history) for c in shown]
    said = [measure.clip(_said(c, describe), SAID) for c in shown]
    x = MARGIN + min(KNOWN, max(map(measure.width_of, known), default=0)) + 16
    right = x + BAR + 14 + max(map(measure.width_of, said), default=0)
    (title, wide), (tone_key, key_width) = svg.heading(*titles(policy)), key(tones, describe, 76, max(right, 500))
    body, y = [title, tone_key], float(TOP)
    if not all(c.reached for c in shown):
        mark, mark_width = hatched(key_width, 76)
        body, key_width = [*body, mark], key_width + mark_width
    for c, knows, does in zip(shown, known, said):
        words_left = svg.text(MARGIN, y + 13, measure.clip(knows, KNOWN))
        words_right = svg.text(x + BAR + 14, y + 13, does, INK_2 if c.reached else INK_3)
        body.append(svg.group([words_left, _bar(x, y, c, tones), words_right], knows, f' data-set="{c.infoset}"'))
        y += ROW
    if len(shown) < len(found):
        body.append(svg.text(MARGIN, y + 13, f"… {len(found) - len(shown):,} more", INK_3))
        y += ROW
    return svg.document(max(right + MARGIN, wide, key_width), y + MARGIN - 8, body, sentence(policy))


def _bar(x: float, y: float, c: Choice, tones: dict[Hashable, str]) -> str:
    """One move beside the other, each as wide as it is likely."""
    if not c.reached:
        return svg.hatch(x, y, BAR, HIGH, 8)
    parts, at = [], x
    for move, p in zip(c.moves, c.chances):
        if p * BAR >= 0.5:
            parts.append(svg.box(at, y, max(0.5, p * BAR - 1), HIGH, tones[move], round_by=3))
        at += p * BAR
    return "".join(parts)


def _said(c: Choice, describe: Describe) -> str:
    """The moves that are played, likeliest first."""
    if not c.reached:
        return NOT_REACHED
    likely = sorted((-p, k) for k, p in enumerate(c.chances) if p > svg.EXACT)
    return ", ".join(f"{words.action(describe, c.moves[k])} {decimal(-p)}" for p, k in likely)


def text_list(policy: Tabular, found: list[Choice], describe: Describe, most: int) -> str:
    """The list in plain text."""
    rows = [(words.knowledge(describe, c.history), _said(c, describe)) for c in found[:most]]
    lines = [": ".join((titles(policy)[0], titles(policy)[1])), "", *aligned([("knows", "does"), *rows])]
    missing = len(found) - len(rows)
    return "\n".join(lines + ([f"… {missing:,} more"] if missing else [])) + "\n"
