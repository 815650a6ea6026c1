"""All equilibria of a game with their labels: what is enumerated, what is proven of each, and the beliefs behind it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from fractions import Fraction

from fogbound.core.cancel import check
from fogbound.core.errors import LimitError
from fogbound.solvers.all_equilibria.exact_game import ExactGame, Profile
from fogbound.solvers.all_equilibria.exact_tree import Payoffs
from fogbound.solvers.all_equilibria.extreme import (
    Extreme,
    components,
    equilibrium_index,
    extreme_equilibria,
    nash_subsets,
)
from fogbound.solvers.all_equilibria.many_players import search_equilibria
from fogbound.solvers.all_equilibria.sequential import Assessment, SequentialCheck
from fogbound.solvers.all_equilibria.signalling import Signalling, signalling
from fogbound.solvers.all_equilibria.strategic import (
    Strategic,
    Verdict,
    efficient_among,
    is_pure,
    risk_dominant,
)
from fogbound.solvers.all_equilibria.subgames import SubgameCheck

COMPLETE = "every extreme equilibrium, exactly: all others mix strategies within a maximal Nash subset of these"


class Label(StrEnum):
    """What may be said of an equilibrium; a verdict is True, False, or None where it was not decided."""

    PURE = "pure"
    STRICT = "strict"
    BEST_EQUILIBRIUM = "Pareto-efficient among the equilibria"
    EFFICIENT = "Pareto-efficient among all outcomes"
    RISK_DOMINANT = "risk-dominant"
    UNDOMINATED = "undominated"
    PERFECT = "trembling-hand perfect"
    PROPER = "proper"
    SUBGAME_PERFECT = "subgame-perfect"
    SEQUENTIAL = "sequential"
    INTUITIVE = "survives the intuitive criterion"


Labels = dict[Label, Verdict]


@dataclass(frozen=True)
class LabelledEquilibrium:
    """One equilibrium in fractions, with what is proven of it."""

    profile: Profile
    payoffs: Payoffs
    regret: Fraction
    index: int | None
    labels: Labels
    assessment: Assessment | None = None


@dataclass(frozen=True)
class NashComponent:
    """A component: numbers of its equilibria, its maximal Nash subsets as such numbers, and its index where known."""

    equilibria: tuple[int, ...]
    subsets: tuple[tuple[int, ...], ...]
    index: int | None


@dataclass(frozen=True)
class AllEquilibria:
    """The equilibria of a game, their components, and whether these are all."""

    equilibria: tuple[LabelledEquilibrium, ...]
    components: tuple[NashComponent, ...]
    complete: bool
    statement: str
    proper_subgames: int | None  # besides the game itself; None where all move once, at the same time
    signalling: Signalling | None = field(repr=False, default=None)


def all_equilibria(game: ExactGame) -> AllEquilibria:
    """Enumerate and label the equilibria of a game of two or more players.

    Raises
    ------
    LimitError
        The best-reply polyhedra of two players have too many vertices.
    """
    labeller = Labeller(game)
    if game.players == 2:
        first, second = game.payoffs
        extreme = extreme_equilibria(first, second, game.form.spec)
        found = [(extreme.first[i].weights, extreme.second[j].weights) for i, j in extreme.pairs]
        indices = [equilibrium_index(extreme.first[i], extreme.second[j], first, second) for i, j in extreme.pairs]
        listed = labeller.labelled([(profile, Fraction(0)) for profile in found], indices)
        return labeller.answer(listed, _components(extreme, indices), True, COMPLETE)
    searched = search_equilibria(game)
    listed = labeller.labelled(searched.profiles, [None] * len(searched.profiles))
    return labeller.answer(listed, (), False, searched.statement)


def _components(extreme: Extreme, indices: Sequence[int | None]) -> tuple[NashComponent, ...]:
    """The components with their maximal Nash subsets. Indices sum to 1, which gives the last one that is missing."""
    number = {pair: k for k, pair in enumerate(extreme.pairs)}
    try:
        subsets = [sorted(number[i, j] for i in one.first for j in one.second) for one in nash_subsets(extreme)]
    except LimitError:
        subsets = []
    groups = components(extreme.pairs)
    known = [indices[group[0]] if len(group) == 1 else None for group in groups]
    if known.count(None) == 1:
        known[known.index(None)] = 1 - sum(index for index in known if index is not None)
    return tuple(
        NashComponent(tuple(group), tuple(tuple(one) for one in subsets if one[0] in set(group)), index)
        for group, index in zip(groups, known)
    )


class Labeller:
    """Decides the labels of the equilibria of one game."""

    def __init__(self, game: ExactGame) -> None:
        self.game, self.strategic = game, Strategic(game)
        self.subgames, self.sequential = SubgameCheck(game.tree), SequentialCheck(game.tree)
        self.signalling = signalling(game.tree)

    def answer(
        self,
        listed: Sequence[LabelledEquilibrium],
        parts: tuple[NashComponent, ...],
        complete: bool,
        statement: str,
    ) -> AllEquilibria:
        proper = None if self.game.tree.simultaneous else self.subgames.proper
        return AllEquilibria(tuple(listed), parts, complete, statement, proper, self.signalling)

    def labelled(
        self, found: Sequence[tuple[Profile, Fraction]], indices: Sequence[int | None]
    ) -> list[LabelledEquilibrium]:
        payoffs = [self.game.payoff(profile) for profile, _ in found]
        exact = [paid for paid, (_, regret) in zip(payoffs, found) if regret == 0]
        listed = []
        for (profile, regret), paid, index in zip(found, payoffs, indices):
            check()
            labels: Labels = {Label.PURE: is_pure(profile)}
            assessment = None
            if regret == 0:
                labels |= self._in_normal_form(profile, paid, exact)
                if not self.game.tree.simultaneous:
                    in_tree, assessment = self._in_tree(profile)
                    labels |= in_tree
                    self._refute(labels)
            else:
                labels |= {Label.STRICT: False} | dict.fromkeys((Label.EFFICIENT, Label.UNDOMINATED, Label.PERFECT))
            listed.append(LabelledEquilibrium(profile, paid, regret, index, labels, assessment))
        return self._risk(listed)

    def _in_normal_form(self, profile: Profile, paid: Payoffs, others: Sequence[Payoffs]) -> Labels:
        one = self.strategic
        return {
            Label.STRICT: one.strict(profile),
            Label.BEST_EQUILIBRIUM: efficient_among(paid, others),
            Label.EFFICIENT: one.efficient(paid),
            Label.UNDOMINATED: one.undominated(profile),
            Label.PERFECT: one.perfect(profile),
            Label.PROPER: one.proper(profile),
        }

    def _refute(self, labels: Labels) -> None:
        """Proper equilibria are sequential (Kohlberg and Mertens 1986), and so are perfect ones if each moves once."""
        if labels[Label.SEQUENTIAL] is not False:
            return
        labels[Label.PROPER] = False
        owners = [self.game.tree.set_owner[h] for h in self.sequential.sets]
        if len(set(owners)) == len(owners):
            labels[Label.PERFECT] = False

    def _risk(self, listed: list[LabelledEquilibrium]) -> list[LabelledEquilibrium]:
        """Risk dominance compares two equilibria, so it comes last."""
        strict = [one.profile for one in listed if one.labels.get(Label.STRICT)]
        if self.game.widths == (2, 2) and len(strict) == 2:
            best = risk_dominant(self.game, strict)
            for one in listed:
                one.labels[Label.RISK_DOMINANT] = one.profile == best
        return listed

    def _in_tree(self, profile: Profile) -> tuple[Labels, Assessment | None]:
        plans = [self.game.plan(i, own) for i, own in enumerate(profile)]
        assessment = self.sequential.assessment(plans)
        subgame = True if assessment else self.subgames.perfect(plans)
        verdict: Verdict = True if assessment else None
        if assessment is None and (subgame is False or self.sequential.refuted(plans)):
            verdict = False
        labels: Labels = {Label.SUBGAME_PERFECT: subgame, Label.SEQUENTIAL: verdict}
        if self.signalling:
            passes = self.signalling.survives(plans)
            labels[Label.INTUITIVE] = passes and verdict if verdict is not None else None
        return labels, assessment
