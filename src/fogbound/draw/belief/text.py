"""Beliefs in plain lines for a terminal: a history of them, and which action is best where."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from fogbound.draw import words
from fogbound.draw.belief.bars import Labelled, entropy_words
from fogbound.draw.belief.history import IMPOSSIBLE
from fogbound.draw.belief.strip import belief_note
from fogbound.draw.belief.vectors import line_value, two_states, upper_envelope
from fogbound.draw.svg import number
from fogbound.draw.words import Describe
from fogbound.evaluate.tracking import BeliefStep
from fogbound.policies.alpha_vectors import AlphaVectors


def belief_history_text(source: Labelled, tracked: Sequence[BeliefStep], describe: Describe = str) -> str:
    """One line a step: what was done, what was seen, the likeliest states, and how much fog is left."""
    rows = [("step  did", "saw", "believed")]
    for k, step in enumerate(tracked):
        did = words.action(describe, step.action) if step.action is not None else words.START if k == 0 else "waited"
        rows.append((f"{k:>4}  {did}", words.observed(step.seen), _believed(source, step)))
    wide = [max(len(row[c]) for row in rows) for c in (0, 1)]
    return "\n".join(f"{a.ljust(wide[0])}  {b.ljust(wide[1])}  {c}".rstrip() for a, b, c in rows) + "\n"


def _believed(source: Labelled, step: BeliefStep) -> str:
    if step.belief is None:
        return IMPOSSIBLE
    pairs = zip(step.belief.states.tolist(), step.belief.weights.tolist())
    listed = sorted(((source.label(s), p) for s, p in pairs if p > 0), key=lambda pair: -round(pair[1], 9))
    said, fog = belief_note(tuple(listed)), entropy_words(step.belief.weights)
    return said if len(listed) == 1 or fog in said else f"{said}   {fog}"


def vectors_text(policy: AlphaVectors, describe: Describe = str) -> str:
    """The best action by belief, for a model with two states in which play goes on, and what it is worth there."""
    first, second = two_states(policy.pomdp)
    lines = [(float(a), float(b)) for a, b in policy.vectors[:, [first, second]]]
    rows = [["from", "to", "worth", "to", "action"]]
    names = [words.action(describe, policy.pomdp.actions[a]) for a in policy.actions.tolist()]
    for name, run in groupby(upper_envelope(lines), lambda piece: names[piece.line]):
        parts = list(run)
        ends = (parts[0].start, parts[-1].end)
        worth = (line_value(lines[part.line], p) for part, p in zip((parts[0], parts[-1]), ends))
        rows.append([*map(number, ends), *(number(v, 6) for v in worth), name])
    wide = [max(len(row[c]) for row in rows) for c in range(4)]
    told = ["  ".join([*(cell.rjust(w) for cell, w in zip(row, wide)), row[4]]) for row in rows]
    head = f"{len(lines):,} vector{'s' if len(lines) != 1 else ''}; beliefs are the probability of "
    return "\n".join([head + words.label(policy.pomdp.label(second)), *told]) + "\n"
