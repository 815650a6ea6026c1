"""Controller: what a policy remembers, node by node; a game is followed through it by clicking on what is seen."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from itertools import pairwise

from fogbound.api.looking import Look
from fogbound.core.errors import FogboundError, many
from fogbound.core.game import AnyGame, Observation
from fogbound.core.numerals import EXACT, decimal, number
from fogbound.core.record import NOTHING
from fogbound.evaluation.visitation import Likely, Visitation
from fogbound.forms import words
from fogbound.forms.decisions import History
from fogbound.forms.words import hidden_texts
from fogbound.policies.controller import Controller
from fogbound.web.explore.address import Address
from fogbound.web.explore.views.shown import MOST, Bar, NextStep, Selected, View, belief_bars, which_equilibrium
from fogbound.web.refusal import Refusal

MOST_STEPS = 40


def view(look: Look, player: int, asked: Address) -> View:
    """The controller of a player."""
    policy, chosen, seed = look.automaton(player), asked.number("node"), asked.number("seed")
    if chosen is not None and chosen >= policy.size:
        raise Refusal(404, f"the controller has no node {chosen}: it has {many(policy.size, 'node')}")
    try:
        held, why = look.visitation(player), ""
    except FogboundError as error:
        held, why = None, f" Shown without beliefs: {error}."
    trail = _trail(policy, asked.trail, chosen)
    follow = look.followed(player, seed) if seed is not None else _as_history(policy, trail)
    name = look.game.players[player]
    picture = look.controller(player, follow=follow, link=lambda node: asked.to(node=node, seed=seed), chosen=chosen)
    selected = _Node(look, player, policy, held, asked, trail).said(chosen)
    links = [("Follow a game", asked.to(seed=0 if seed is None else seed + 1))]
    if trail or seed is not None:
        links.append(("From the start", asked.to()))
    crumbs = [(f"node {node}", asked.to(node=node, path=_path(trail[:k]))) for k, node in enumerate(trail)]
    return View(picture, which_equilibrium(look) + why, selected, crumbs, links, python=f"controller({name!r})")


def _path(nodes: Sequence[int]) -> str:
    return "-".join(map(str, nodes))


def _trail(policy: Controller, asked: tuple[int, ...], chosen: int | None) -> tuple[int, ...]:
    """The nodes come by, as far back from the one that is selected as arrows lead."""
    if chosen is None:
        return ()
    ends = {(node, target) for (node, _, _), target in policy.arrows.items()}
    kept = [chosen]
    for node in reversed(asked):
        if (node, kept[0]) not in ends:
            break
        kept.insert(0, node)
    return tuple(kept)


def _as_history(policy: Controller, nodes: tuple[int, ...]) -> History:
    """A game that comes by these nodes, where they begin at a first one."""
    first = next((seen for seen, node in policy.first.items() if nodes and node == nodes[0]), None)
    if first is None or len(nodes) < 2:
        return ()
    steps: list[tuple[Hashable | None, object]] = []
    for node, target in pairwise(nodes):
        way = next(((own, seen) for (at, own, seen), to in policy.arrows.items() if (at, to) == (node, target)), None)
        if way is None:
            return ()
        steps.append(way)
    return (first, *steps)


class _Node:
    """What is said of a node; or of the start, where none is selected."""

    def __init__(
        self,
        look: Look,
        player: int,
        policy: Controller,
        held: Visitation | None,
        asked: Address,
        trail: tuple[int, ...],
    ) -> None:
        self.policy, self.held, self.asked, self.trail = policy, held, asked, trail
        self.game: AnyGame = look.game
        self.player, self.describe = player, look.game.describe

    def said(self, node: int | None) -> Selected:
        """The panel beside the picture."""
        if node is None:
            return Selected(
                "Before the first move", said=["A game begins with what is seen first."], steps=self._first()
            )
        choice = self.policy.choices[node]
        does = words.WAITS if choice is None else words.choice(self.describe, choice)
        said, bars, often = list[str](), tuple[Bar, ...](), ""
        if self.held is not None and self.held.visits[node] > 0:
            value = self.held.values[node]
            said.append(f"Worth {number(value, 6, sign=True)} from here on.")
            bars = belief_bars(self._believed(self.held.beliefs[node]))
            often = f"{number(self.held.visits[node], 3)} visits a game"
        elif self.held is not None:
            said.append("Play never comes here while the others play as in this answer.")
        title = f"Node {node}: {does}"
        return Selected(title, often, said, belief=bars, belief_title="What is believed here", steps=self._next(node))

    def _believed(self, belief: Likely) -> list[tuple[str, float]]:
        """The likeliest states in the game's words; the rest is summed up and needs none."""
        texts = hidden_texts(self.game, [state for state, _ in belief[: MOST + 1]], self.player)
        return [(texts[k] if k < len(texts) else "", p) for k, (_, p) in enumerate(belief)]

    def _first(self) -> list[NextStep]:
        chances = self.held.first if self.held else {}
        found = [(self._seen(seen), chances.get(seen), node) for seen, node in self.policy.first.items()]
        return self._steps(found, "")

    def _seen(self, observation: Observation) -> str:
        return self.game.describe_observation(observation, self.player)

    def _next(self, node: int) -> list[NextStep]:
        choice = self.policy.choices[node]
        found = []
        for (at, own, seen), target in self.policy.arrows.items():
            share = 1.0 if own is None or choice is None else choice[own]
            if at != node or not share > EXACT:
                continue
            mixed = choice is not None and sum(p > EXACT for _, p in choice) > 1
            told = words.step_texts(self.describe, [(own, seen)])[0] if mixed else self._seen(seen)
            chance = self.held.chances.get((node, own, seen), 0.0) * share if self.held else None
            found.append((told, chance, target))
        return self._steps(found, _path(self.trail))

    def _steps(self, found: list[tuple[str, float | None, int]], path: str) -> list[NextStep]:
        """The likeliest first; what cannot happen in this answer is said to."""
        listed = sorted(found, key=lambda one: -(one[1] or 0.0))[:MOST_STEPS]
        return [
            NextStep(
                "nothing" if seen == NOTHING else seen,
                "" if chance is None else decimal(chance) if chance > 0 else "never",
                f"node {target}: {self._does(target)}",
                self.asked.to(node=target, path=path),
            )
            for seen, chance, target in listed
            if target >= 0
        ]

    def _does(self, node: int) -> str:
        choice = self.policy.choices[node]
        return words.WAITS if choice is None else words.choice(self.describe, choice, 2)
