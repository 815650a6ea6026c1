"""A game as it was believed: what was done and seen, and under each step how the belief shifted."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from fogbound.core.errors import one_line
from fogbound.draw import measure, svg, words
from fogbound.draw.belief.bars import Labelled, colour_squares, entropy_words, ink_on
from fogbound.draw.svg import INK_2, INK_3, MARGIN, PALETTE, decimal
from fogbound.draw.words import Describe
from fogbound.evaluate.tracking import BeliefStep

MOST_STATES, MOST_STEPS = 7, 60
TOP, ROW, BAR, HIGH = 82, 34, 360, 20
DID, SAW, KEY = 190, 190, 200  # the most room for words
IMPOSSIBLE = "impossible in the model: nothing is believed"


def belief_history(
    source: Labelled,
    tracked: Sequence[BeliefStep],
    describe: Describe = str,
    title: str = "",
    most_states: int = MOST_STATES,
    most_steps: int = MOST_STEPS,
) -> str:
    """One bar a step, split among the states that were likeliest at any time; all others share the last part.

    Over `most_steps` the last are drawn, and the picture says how many are missing.
    """
    steps = list(enumerate(tracked))[-max(1, most_steps) :]
    states = _likeliest([step for _, step in steps], min(most_states, len(PALETTE)))
    did = [_did(step, k, describe) for k, step in steps]
    saw = [words.observed(step.seen) for _, step in steps]
    saw_x = MARGIN + 30 + _room(did, "did", DID) + 18
    x = saw_x + _room(saw, "saw", SAW) + 18
    right = x + BAR + 14 + max(measure.width_of(_fog(step)) for _, step in steps) if steps else x + BAR
    heading, wide = svg.heading(one_line(title) or "What was believed", _summary(tracked, len(steps)))
    key, y = _key(source, states, x, max(right, x + BAR), any(_rest(step, states) > 0 for _, step in steps))
    body = [heading, *key, svg.text(MARGIN + 30, y - 18, "did", INK_3), svg.text(saw_x, y - 18, "saw", INK_3)]
    for (k, step), does, sees in zip(steps, did, saw):
        parts = [
            svg.text(MARGIN + 18, y + 14, str(k), INK_3, anchor="end"),
            svg.text(MARGIN + 30, y + 14, measure.clip(does, DID)),
            svg.text(saw_x, y + 14, measure.clip(sees, SAW), INK_2),
            _bar(source, step, states, x, y),
            svg.text(x + BAR + 14, y + 14, _fog(step), INK_3),
        ]
        body.append(svg.group(parts, f"{does}, {sees}", f' data-step="{k}"'))
        y += ROW
    return svg.document(max(wide, right + MARGIN), y + MARGIN - 12, body, f"{_summary(tracked, len(steps))}.")


def _summary(tracked: Sequence[BeliefStep], shown: int) -> str:
    count = max(0, len(tracked) - 1)
    said = f"the belief over {count:,} step{'s' if count != 1 else ''}"
    return f"{said}, the last {shown} shown" if shown < len(tracked) else said


def _likeliest(steps: Sequence[BeliefStep], most: int) -> list[int]:
    """The states that had the largest share at any time, in the order of their numbers."""
    best: dict[int, float] = {}
    for step in steps:
        if step.belief is not None:
            for s, p in zip(step.belief.states.tolist(), step.belief.weights.tolist()):
                best[s] = max(p, best.get(s, 0.0))
    return sorted(sorted(best, key=lambda s: (-best[s], s))[:most])


def _did(step: BeliefStep, number: int, describe: Describe) -> str:
    if step.action is None:
        return words.START if number == 0 else "waited"
    return words.action(describe, step.action)


def _fog(step: BeliefStep) -> str:
    return IMPOSSIBLE if step.belief is None else entropy_words(step.belief.weights)


def _room(said: Sequence[str], head: str, most: float) -> float:
    return min(most, max(map(measure.width_of, [*said, head])))


def _shares(step: BeliefStep, states: list[int]) -> list[float]:
    assert step.belief is not None
    weight = dict(zip(step.belief.states.tolist(), step.belief.weights.tolist()))
    return [weight.get(s, 0.0) for s in states]


def _rest(step: BeliefStep, states: list[int]) -> float:
    """What is left for the states without a colour of their own."""
    if step.belief is None:
        return 0.0
    return float(step.belief.weights[~np.isin(step.belief.states, states)].sum())


def _key(source: Labelled, states: list[int], x: float, right: float, others: bool) -> tuple[list[str], float]:
    """A square for each state above the bars, in as many lines as it takes, and where the bars may begin."""
    names = [(words.label(source.label(s)), PALETTE[k]) for k, s in enumerate(states)]
    if others:
        names.append(("all others", svg.FOG_2))
    body, y = colour_squares(names, x, float(TOP), right, KEY)
    return body, y + 18


def _bar(source: Labelled, step: BeliefStep, states: list[int], x: float, y: float) -> str:
    """The states beside each other, each as wide as it is likely, with the number where there is room."""
    if step.belief is None:
        return svg.hatch(x, y, BAR, HIGH, 8)
    parts, at = [], x
    tones = [*PALETTE[: len(states)], svg.FOG_2]
    for k, (p, tone) in enumerate(zip([*_shares(step, states), _rest(step, states)], tones)):
        wide = p * BAR
        if wide >= 0.5:
            name = words.label(source.label(states[k])) if k < len(states) else "all others"
            inside = [svg.box(at, y, max(0.5, wide - 1), HIGH, tone, round_by=3)]
            if wide >= measure.width_of(decimal(p), 12) + 10:
                inside.append(svg.text(at + wide / 2, y + 14, decimal(p), ink_on(tone), 12, "middle"))
            parts.append(svg.group(inside, f"{name}: {svg.number(p, 6)}"))
        at += wide
    return "".join(parts)
