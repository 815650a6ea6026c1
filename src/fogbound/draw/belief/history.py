"""A game as it was believed: what was done and seen, and under each step how the belief shifted."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from fogbound.core import measure, svg
from fogbound.core.drawing import Drawing
from fogbound.core.errors import many, one_line
from fogbound.core.numerals import number
from fogbound.core.svg import INK_2, INK_3, MARGIN, PALETTE
from fogbound.draw.belief.bars import OTHERS, Labelled
from fogbound.draw.key import Key, key, square
from fogbound.draw.stacked import BarPart, stacked_bar
from fogbound.evaluation.belief_words import BeliefStep, belief_note, entropy_words
from fogbound.forms import words
from fogbound.forms.words import Describe, Told

MOST, MOST_STEPS = 7, 60
TOP, ROW, BAR, HIGH = 82, 34, 360, 20
DID, SAW, NAMES = 190, 190, 200  # the most room for words
IMPOSSIBLE = "impossible in the model: nothing is believed"


def belief_history(
    tracked: Sequence[BeliefStep],
    *,
    model: Labelled,
    describe: Describe = str,
    seen: Describe = words.observed,
    told: Told = words.labels,
    title: str = "",
    most: int = MOST,
    most_steps: int = MOST_STEPS,
) -> Drawing:
    """Draw a game as it was believed: what was done and seen, and how the belief shifted.

    One bar a step, split among the states that were likeliest at any time; all others share the last part. The text
    has a line for each step: the likeliest states, and how much fog is left.

    Parameters
    ----------
    tracked : sequence of BeliefStep
        As `evaluation.track` makes it.
    model : Labelled
        What says which state a number stands for: the POMDP, or a particle filter.
    describe : callable
        An action in words, such as `game.describe`.
    seen : callable
        An observation in words; its label unless given.
    told : callable
        A list of states in words, such as `forms.words.told_by(game, player)`; their labels unless given.
    title : str
        The first line of the picture.
    most : int
        How many states get a colour of their own.
    most_steps : int
        How many steps the picture has: the last ones, and it says how many are missing.

    Returns
    -------
    Drawing

    Examples
    --------
    >>> from fogbound import evaluation, forms, games
    >>> from fogbound.core import Observation
    >>> tiger = forms.pomdp(games.make("tiger"))
    >>> growl = ("listen", Observation("growl-left", None))
    >>> picture = belief_history(evaluation.track(tiger, (Observation(None, None), growl)), model=tiger)
    >>> print(picture.text, end="")
    step  did           saw         believed
       0  at the start  ·           0.50 left; 0.50 right   1.00 bits of fog
       1  listen        growl-left  0.85 left; 0.15 right   0.61 bits of fog
    """
    steps = list(enumerate(tracked))[-max(1, most_steps) :]
    states = _likeliest([step for _, step in steps], min(most, len(PALETTE)))
    did = [words.did(describe, step.action, k) for k, step in steps]
    saw = [seen(step.seen) for _, step in steps]
    names = told([model.label(s) for s in states])
    saw_x = MARGIN + 30 + _room(did, "did", DID) + 18
    x = saw_x + _room(saw, "saw", SAW) + 18
    right = x + BAR + 14 + max(measure.width_of(_fog(step)) for _, step in steps) if steps else x + BAR
    heading, wide = svg.heading(one_line(title) or "What was believed", _summary(tracked, len(steps)))
    legend = _key(names, x, max(right, x + BAR), any(_rest(step, states) > 0 for _, step in steps))
    y = legend.y + 18
    body = [heading, legend.body, svg.text(MARGIN + 30, y - 18, "did", INK_3), svg.text(saw_x, y - 18, "saw", INK_3)]
    for (k, step), does, sees in zip(steps, did, saw):
        parts = [
            svg.text(MARGIN + 18, y + 14, str(k), INK_3, anchor="end"),
            svg.text(MARGIN + 30, y + 14, measure.clip(does, DID)),
            svg.text(saw_x, y + 14, measure.clip(sees, SAW), INK_2),
            _bar(names, step, states, x, y),
            svg.text(x + BAR + 14, y + 14, _fog(step), INK_3),
        ]
        body.append(svg.group(parts, f"{does}, {sees}", f' data-step="{k}"'))
        y += ROW
    said, terminal = f"{_summary(tracked, len(steps))}.", _text(model, tracked, describe, seen, told)
    return svg.document(max(wide, right + MARGIN), y + MARGIN - 12, body, said, terminal)


def _text(model: Labelled, tracked: Sequence[BeliefStep], describe: Describe, seen: Describe, told: Told) -> str:
    """One line a step: what was done, what was seen, the likeliest states, and how much fog is left."""
    rows = [("step  did", "saw", "believed")]
    for k, step in enumerate(tracked):
        did = words.did(describe, step.action, k)
        rows.append((f"{k:>4}  {did}", seen(step.seen), _believed(model, step, told)))
    return "\n".join(words.aligned(rows, "<")) + "\n"


def _believed(model: Labelled, step: BeliefStep, told: Told) -> str:
    if step.belief is None:
        return IMPOSSIBLE
    pairs = zip(step.belief.states.tolist(), step.belief.weights.tolist())
    listed = sorted(((model.label(s), p) for s, p in pairs if p > 0), key=lambda pair: -round(pair[1], 9))
    said, fog = belief_note(tuple(listed), told=told), entropy_words(step.belief.weights)
    return said if len(listed) == 1 or fog in said else f"{said}   {fog}"


def _summary(tracked: Sequence[BeliefStep], shown: int) -> str:
    said = f"the belief over {many(max(0, len(tracked) - 1), 'step')}"
    return f"{said}, the last {shown} shown" if shown < len(tracked) else said


def _likeliest(steps: Sequence[BeliefStep], most: int) -> list[int]:
    """The states that had the largest share at any time, in the order of their numbers."""
    best: dict[int, float] = {}
    for step in steps:
        if step.belief is not None:
            for s, p in zip(step.belief.states.tolist(), step.belief.weights.tolist()):
                best[s] = max(p, best.get(s, 0.0))
    return sorted(sorted(best, key=lambda s: (-best[s], s))[:most])


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


def _key(names: Sequence[str], x: float, right: float, others: bool) -> Key:
    """A square for each state above the bars."""
    tones = [*zip(names, PALETTE), *([(OTHERS, svg.FOG_2)] if others else [])]
    return key([square(measure.clip(name, NAMES), tone) for name, tone in tones], x, TOP, right)


def _bar(names: Sequence[str], step: BeliefStep, states: list[int], x: float, y: float) -> str:
    """The states beside each other, each as wide as it is likely, with the number where there is room."""
    if step.belief is None:
        return svg.hatch(x, y, BAR, HIGH, 8)
    shares = [*_shares(step, states), _rest(step, states)]
    tones = [*PALETTE[: len(states)], svg.FOG_2]
    parts = [BarPart(p, tone, f"{name}: {number(p, 6)}") for p, tone, name in zip(shares, tones, [*names, OTHERS])]
    return stacked_bar(parts, x, y, BAR, HIGH, numbers=True)
