"""The belief panel of a player at the terminal: when it is shown, and what it says."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from fogbound.cli.console import say
from fogbound.cli.progress import working
from fogbound.core.errors import FogboundError, SpecError, one_line
from fogbound.core.game import AnyGame
from fogbound.core.numerals import decimal, number
from fogbound.core.policy import Strategy
from fogbound.core.record import NOTHING
from fogbound.driver.clock import Deadline
from fogbound.evaluation.belief_words import entropy_words
from fogbound.forms.decisions import History
from fogbound.forms.words import LONGEST, hidden_texts
from fogbound.inference.fog import (
    OPTIMAL,
    Fog,
    Inferred,
    OpponentFog,
    OwnFog,
    levels_fog,
    ready_fog,
    surprise,
    unsettled,
)
from fogbound.inference.online.opponent_inference import JointPosterior, OpponentBelief, OpponentInference
from fogbound.inference.online.own_belief import ActionValue, best_actions
from fogbound.inference.opponent import Opponent
from fogbound.inference.type_posterior import describe_levels
from fogbound.solvers.level_k.solver import MOST_LEVELS

SOME_LEVEL = "some-level"
ENUMERATING = 5.0  # seconds to enumerate a game before a search is made instead
MOST_STATES, MOST_BELIEFS, MOST_PARTS = 8, 6, 3
RANDOM = "random play"


@dataclass(eq=False)
class BeliefPanel:
    """What a player may infer from what it did and saw, worked out when it is first asked for."""

    made: Callable[[], Fog]
    always: bool = False  # whether it is shown at every move
    used: bool = False

    @cached_property
    def fog(self) -> Fog:
        return self.made()

    def lines(self, history: History, actions: Sequence[Hashable]) -> list[str]:
        """All that follows from what the player did and saw, and what it assumes of the others."""
        if isinstance(self.fog, OwnFog):
            return own_lines(self.fog, history)
        if isinstance(self.fog, OpponentFog):
            return panel_lines(self.fog, history)
        return searched_lines(self.fog.game, self.fog.player, self.fog.inferred(history, actions))

    def lift(self, history: History, actions: Sequence[Hashable]) -> None:
        """Say all that follows from what the player did and saw."""
        try:
            lines = self.lines(history, actions)
        except FogboundError as error:
            say(f"  the fog stays: {error}")
            return
        self.used = True
        for line in lines:
            say("  " + line)


def chosen_levels(game: AnyGame, player: int, texts: Sequence[str], levels: int | None) -> OpponentFog | None:
    """The fog of one who chose levels of reasoning, by an opponent that is drawn from them or by --levels."""
    if levels is not None and len(game.players) == 1:
        raise SpecError("play: --levels, expected none: you play alone")
    if levels is not None and levels > MOST_LEVELS:
        raise SpecError(f"play: --levels {levels:,}, expected 0 to {MOST_LEVELS:,}")
    if levels is None and SOME_LEVEL not in texts:
        return None
    return levels_fog(game, player, texts[0], levels, working)


def known_fog(game: AnyGame, player: int, texts: Mapping[int, str], against: Mapping[int, Strategy]) -> Fog:
    """The fog against the policies that sit there, under the names by which they were asked for.

    Where the game is too large to be enumerated for this, a search gives estimates and says what they assume.
    """
    opponents = {i: Opponent(RANDOM if text == "uniform" else text, against[i]) for i, text in texts.items()}
    return ready_fog(game, player, opponents, Deadline(ENUMERATING), working)


def named(levels: Sequence[int]) -> str:
    """A class of levels: level 2, or level 3, 4 or 7."""
    return describe_levels(levels) if levels else RANDOM


def hidden_lines(game: AnyGame, posterior: JointPosterior) -> list[str]:
    """The states that may be, jointly with the level of the other."""
    heads = ["all", *(named(type_class.levels) for type_class in posterior.type_classes)]
    states = [(state, [float(shares.sum()), *shares.tolist()]) for state, shares in posterior.states()]
    return _state_lines(game, posterior.inference.player, states, heads, entropy_words(posterior.belief_of_states))


def _state_lines(
    game: AnyGame, player: int, states: Sequence[tuple[Any, list[float]]], heads: Sequence[str], entropy: str
) -> list[str]:
    """States with a probability for each head, the likeliest first."""
    texts = hidden_texts(game, [state for state, _ in states], player)
    shown, rest = states[:MOST_STATES], states[MOST_STATES:]
    wide = max(16, *map(len, texts[:MOST_STATES]))
    lines = [f"{'what is hidden':<{wide + 2}}" + "".join(f"  {head:>5}" for head in heads) + f"   {entropy}"]
    for text, (_, shares) in zip(texts, shown):
        lines.append(f"  {text:<{wide}}" + _cells(shares, heads))
    if rest:
        others = [sum(column) for column in zip(*(shares for _, shares in rest))]
        lines.append(f"  {f'{len(rest):,} more':<{wide}}" + _cells(others, heads))
    return lines


def _cells(shares: Iterable[Any], heads: Sequence[str]) -> str:
    return "".join(f"  {share(float(p)):>{max(5, len(head))}}" for p, head in zip(shares, heads))


def share(p: float) -> str:
    """A probability; what is excluded shows as a dot, so that it is not taken for something very unlikely."""
    return decimal(p) if p > 0 else NOTHING


def opponent_belief_lines(game: AnyGame, posterior: JointPosterior) -> list[str]:
    """What the other may believe: of the state, and of you."""
    said: dict[str, float] = {}
    for held in posterior.opponent_beliefs():
        text = _believed(game, posterior.inference, held)
        said[text] = said.get(text, 0.0) + held.probability
    ranked = sorted(said.items(), key=lambda part: -round(part[1], 9))
    lines = [f"what {game.players[posterior.inference.other]} may believe"]
    lines += [f"  {decimal(p):>5}  {text}" for text, p in ranked[:MOST_BELIEFS]]
    rest = ranked[MOST_BELIEFS:]
    if rest:
        lines.append(f"  {decimal(sum(p for _, p in rest)):>5}  {len(rest):,} more")
    return lines


def _believed(game: AnyGame, inference: OpponentInference, held: OpponentBelief) -> str:
    who = RANDOM if held.level is None else f"level {held.level}"
    if held.nested_belief is None:
        idle = not held.level  # level 0, or nobody of any level
        return f"{who}: believes nothing{'' if idle else ' that is known: it plays on without a plan'}"
    states, levels = dict[int, float](), dict[tuple[int, ...], float]()
    for state, own, p in held.nested_belief:
        states[state] = states.get(state, 0.0) + p
        levels[own] = levels.get(own, 0.0) + p
    ranked = sorted(states.items(), key=lambda part: -part[1])
    texts = hidden_texts(game, [inference.hierarchy.table.states[state] for state, _ in ranked], inference.other)
    of_state = _parts(list(zip(texts, (p for _, p in ranked))))
    of_me = _parts([(named(own), p) for own, p in sorted(levels.items(), key=lambda part: -part[1])])
    return f"{who}: {of_state}; you are {of_me}"


def _parts(parts: Sequence[tuple[str, float]]) -> str:
    """The likeliest parts of a belief with their probabilities; the only one without."""
    if len(parts) == 1:
        return parts[0][0]
    said = ", ".join(f"{text} {decimal(p)}" for text, p in parts[:MOST_PARTS])
    return said + (f", {len(parts) - MOST_PARTS} more" if len(parts) > MOST_PARTS else "")


BAR = 24


def panel_lines(fog: OpponentFog, history: History) -> list[str]:
    """Everything, for a player that is to move now and does not know the other's level."""
    game, inference = fog.game, fog.inference
    posterior = inference.after(history, asked=True)
    return [
        *[f"! {note}" for note in (*unsettled(inference), *surprise(posterior))],
        *_type_class_lines(game, posterior),
        *hidden_lines(game, posterior),
        *opponent_belief_lines(game, posterior),
        *_value_lines(game, fog.assumption, lambda: inference.action_values(posterior)),
    ]


def own_lines(fog: OwnFog, history: History) -> list[str]:
    """Everything, for a player that is to move now and knows how the others play."""
    game, inference = fog.game, fog.inference
    belief = inference.after(history)
    states = inference.states(belief)
    entropy = entropy_words(np.array([p for _, p in states]))
    said = f"{entropy}, {fog.assumption}" if fog.assumption else entropy
    hidden = _state_lines(game, fog.player, [(state, [p]) for state, p in states], ["chance"], said)
    return [*hidden, *_value_lines(game, fog.assumption, lambda: inference.action_values(belief))]


def searched_lines(game: AnyGame, player: int, found: Inferred) -> list[str]:
    """Everything that a search from what the player knows estimates; nothing in it is a bound."""
    chances = [state.chance for state in found.states]
    entropy = f"{found.count:,} states tried" if found.bits is None else entropy_words(np.array(chances))
    said = f"{entropy}, {found.assumption}" if found.assumption else entropy
    lines = _state_lines(game, player, [(s.state, [s.chance]) for s in found.states], ["chance"], said)
    lines.append(f"the values of your moves: {found.source}")
    texts = [one_line(game.describe(worth.action), LONGEST) for worth in found.worths]
    figures = [f"{number(worth.lower, 4, sign=True)} ± {number(worth.half_width, 2)}" for worth in found.worths]
    wide, broad = max([16, *map(len, texts)]), max(map(len, figures), default=0)
    for worth, text, figure in zip(found.worths, texts, figures):
        best = "  ● highest estimate" if worth.best else ""
        lines.append(f"  {text:<{wide}}  {figure:>{broad}}  tried {worth.tried:,} times{best}")
    return lines


def _value_lines(game: AnyGame, assumption: str, action_values: Callable[[], Sequence[ActionValue]]) -> list[str]:
    try:
        return action_value_lines(game, action_values(), assumption)
    except FogboundError as error:
        return [f"the values of your moves cannot be said: {error}"]


def _type_class_lines(game: AnyGame, posterior: JointPosterior) -> list[str]:
    """The level of the other, before and now."""
    listed = posterior.type_classes
    wide = max(16, *(len(named(type_class.levels)) for type_class in listed))
    lines = [f"{'who ' + game.players[posterior.inference.other] + ' is':<{wide + 2}}  before    now"]
    for type_class in listed:
        bar = "━" * round(BAR * type_class.now)
        cells = f"{share(type_class.before):>6}  {share(type_class.now):>5}"
        lines.append(f"  {named(type_class.levels):<{wide}}  {cells}  {bar}".rstrip())
    return lines


def action_value_lines(game: AnyGame, action_values: Sequence[ActionValue], assumption: str = "") -> list[str]:
    """Moves with their values as bars from zero, and what these assume of the others; all that are best are marked."""
    top = best_actions(tuple(action_values))
    most = max(max(abs(value.lower), abs(value.upper)) for value in action_values) or 1.0
    losing = any(value.lower < 0 for value in action_values)
    texts = [one_line(game.describe(value.action), LONGEST) for value in action_values]
    said = [valued(value) for value in action_values]
    wide, broad = max(16, *map(len, texts)), max(map(len, said))
    exact = "exact" if all(value.exact for value in action_values) else "guaranteed to at most"
    lines = [", ".join(["the values of your moves", *([assumption] if assumption else []), f"{OPTIMAL} ({exact})"])]
    for value, text, figure in zip(action_values, texts, said):
        best = "  ● best" if value in top else ""
        lines.append(f"  {text:<{wide}}  {figure:>{broad}}  {_signed_bar(value.lower, most, losing)}{best}".rstrip())
    return lines


def _signed_bar(amount: float, most: float, losing: bool) -> str:
    """A bar from zero, to the left for what is lost; without the left side where nothing is."""
    bar = "━" * round((BAR // 2 if losing else BAR) * abs(amount) / most)
    if not losing:
        return bar
    left, right = (bar, "") if amount < 0 else ("", bar)
    return f"{left:>{BAR // 2}}│{right:<{BAR // 2}}"


def valued(value: ActionValue) -> str:
    """A value, or its bounds."""
    low, high = (number(bound, 4, sign=True) for bound in (value.lower, value.upper))
    return low if value.exact or low == high else f"{low} to {high}"
