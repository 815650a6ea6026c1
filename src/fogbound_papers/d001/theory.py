"""What document 001 says before its experiment: sizes of the forms, what Nash play guarantees, what a reply may be."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np

import fogbound as fb
from fogbound import evaluation, forms
from fogbound.core.game import AnyGame
from fogbound.driver.solution import Solution
from fogbound.driver.solve import solve
from fogbound.forms.normal import count_strategies
from fogbound.forms.tree import CHANCE
from fogbound.policies import Uniform
from fogbound.solvers import make as solver
from fogbound_papers.claim import Claim, unchecked, verdict

SAME = 1e-9
RANKS = (4, 8, 16)
OTHER_GAMES = ("leduc", "liars-dice(sides=3)")
FIGURE_1 = ((4, 2), (4, 6))  # the deals of Figure 1: (the gambler's card, the dealer's)


def claims(poker: AnyGame, form: forms.SequenceForm, nash: Solution) -> Iterator[Claim]:
    """Sections 1 to 4, in their order."""
    yield _conservative(poker, nash)
    yield unchecked("computing an equilibrium is difficult in general", "§ 1", "of games in general, not of one")
    yield from _figure_1(form)
    yield _security(form, nash)
    yield from _sizes(form)
    yield unchecked("Texas Hold'em has 10^18 nodes", "§ 3.3", "cited; too large to be counted here", "O(10^18)")
    yield _two_observations(poker, nash)
    yield _other_games()
    yield _deterministic(poker, form, nash)
    yield unchecked("smaller states, larger poker, general POSGs", "§ 6", "left to the future", "future work")


def _conservative(poker: AnyGame, nash: Solution) -> Claim:
    """What Nash play leaves on the table against somebody who plays at random."""
    earned = evaluation.value(poker, {0: nash.policy(0), 1: Uniform()})[0]
    best = solve(solver("belief-mdp"), forms.belief_mdp(forms.pomdp(poker, 0, {1: Uniform()})))
    words = f"the gambler against a dealer who plays at random; the best reply earns {best.value:+.4f}"
    ours = f"{earned:+.4f} and {best.value:+.4f}"
    return Claim("a Nash policy does not exploit weaknesses", "§ 1", "yes", ours, verdict(earned < best.value), words)


def _figure_1(form: forms.SequenceForm) -> Iterator[Claim]:
    """The two deals of Figure 1 in the tree: who can tell them apart; what is paid is on the picture, which is lost."""
    tree = forms.tree(fb.game("card-poker(ranks=8)"))
    sets = [[_sets(tree, deal, player) for deal in FIGURE_1] for player in (0, 1)]
    (one, other), (low, high) = sets
    words = "the gambler's turns after the deals (4, 2) and (4, 6) lie in the same sets, the dealer's in different ones"
    holds = one == other and low.isdisjoint(high)
    statement, ours = "the gambler cannot tell the deals apart", f"{len(one | other)} sets for both"
    yield Claim(statement, "Fig. 1", "ovals", ours, verdict(holds), words)
    chance = int((tree.mover == CHANCE).sum())
    words = f"of {tree.size:,} nodes: the root, where two cards are dealt"
    yield Claim("the only chance node is the start", "§ 3.1", "1", f"{chance}", verdict(chance == 1), words)
    added = form.constant_sum
    words = "payoffs of both, at every end"
    yield Claim("payoffs add up to zero", "§ 3.1", "0", f"{added:g}", verdict(added == 0), words)


def _sets(tree: forms.Tree, deal: tuple[int, int], player: int) -> set[int]:
    """The information sets in which a player moves after a deal."""
    nodes = np.flatnonzero(tree.mover == player).tolist()
    return {int(tree.infoset[node]) for node in nodes if deal == tuple(_card(tree, node, i) for i in (0, 1))}


def _card(tree: forms.Tree, node: int, player: int) -> int:
    return int(tree.history(player, int(tree.memory[node, player]))[0].private)


def _security(form: forms.SequenceForm, nash: Solution) -> Claim:
    """What each side's policy earns against its worst opponent, and the value."""
    played = evaluation.behaviours(form, nash.profile)
    worst = [-evaluation.best_response(form, played, 1 - player).value for player in (0, 1)]
    apart = max(abs(own - value) for own, value in zip(worst, (nash.value, -nash.value)))
    words = (
        f"against its best reply the gambler's policy earns {worst[0]:+.4f}, the dealer's {worst[1]:+.4f}: the value"
    )
    statement, ours = "a Nash policy guarantees the value of the game", f"{apart:.0e} less".replace("e-0", "e-")
    return Claim(statement, "§ 3.2", "yes", ours.replace("-", "−"), verdict(apart < SAME), words.replace("-", "−"))


def _sizes(form: forms.SequenceForm) -> Iterator[Claim]:
    """Section 3.3: the normal form is exponential in the tree, the sequence form is not."""
    rows, columns = (count_strategies(plex) for plex in form.plexes)
    words = f"{rows:,} x {columns:,} pure policies, without what they do where they themselves prevent it"
    statement, ours = "the normal form can be very large", f"{rows * columns:.1e} entries".replace("e+0", "e")
    yield Claim(statement, "§ 3.3", "very large", ours, verdict(rows * columns > 1e6), words)
    others = [forms.sequence(fb.game(f"card-poker(ranks={ranks})")) for ranks in RANKS]
    pure = [sum(count_strategies(plex) for plex in each.plexes) for each in others]
    sequences = [sum(plex.sequences for plex in each.plexes) for each in others]
    nodes = [forms.tree(fb.game(f"card-poker(ranks={ranks})")).size for ranks in RANKS]
    squares = all(more > less**1.9 for less, more in pairwise(pure))
    words = f"ranks {_listed(RANKS)}: {_listed(nodes)} nodes, {_listed(pure)} pure policies"
    statement = "pure policies are exponential in the tree"
    yield Claim(statement, "§ 3.3", "exponential", "squared by doubling", verdict(squares), words)
    linear = all(count <= size for count, size in zip(sequences, nodes))
    words = f"sequences of both players; nodes {_listed(nodes)}"
    statement = "the sequence form is polynomial in the nodes"
    yield Claim(statement, "§ 3.3", "polynomial", _listed(sequences), verdict(linear), words)


def _listed(numbers: Sequence[int]) -> str:
    return ", ".join(f"{number:,}" for number in numbers)


def _two_observations(poker: AnyGame, nash: Solution) -> Claim:
    """Section 4: after the deal a player hears one of two things."""
    most = 0
    for player in (0, 1):
        form = forms.pomdp(poker, player, {1 - player: nash.policy(1 - player)})
        heard = [
            len({form.observations[int(o)][0] for o in form.obs[form.out[row] : form.out[row + 1]]})
            for row in range(1, len(form.action))
        ]
        most = max(most, *heard)
    words = "the most that may be heard after a move, for both players against a Nash opponent, the end included"
    return Claim("after the deal one of two observations is made", "§ 4", "2", f"{most}", verdict(most <= 2), words)


def _other_games() -> Claim:
    """The "large class of card games": beliefs of others."""
    counts = []
    for spec in OTHER_GAMES:
        form = forms.belief_mdp(forms.pomdp(fb.game(spec), 0, {1: Uniform()}))
        counts.append((spec.split("(")[0], len(form.row) - 1))
    words = "beliefs of the first player against random play, all of them enumerated, so that the best reply is exact"
    statement = "other card games have finitely many beliefs too"
    ours = ", ".join(f"{name} {count:,}" for name, count in counts)
    return Claim(statement, "abstract", "a large class", ours, verdict(len(counts) == len(OTHER_GAMES)), words)


def _deterministic(poker: AnyGame, form: forms.SequenceForm, nash: Solution) -> Claim:
    """Section 4: a deterministic reply is as good as any."""
    gaps, pure = [], []
    for player in (0, 1):
        beliefs = forms.belief_mdp(forms.pomdp(poker, player, {1 - player: nash.policy(1 - player)}))
        sure, split = (solve(solver(spec), beliefs) for spec in ("belief-mdp", "belief-mdp(ties=split)"))
        gaps.append(abs(sure.value - split.value))
        weights = form.plexes[player].weights(evaluation.behaviour(form, player, sure.policy(player)))
        pure.append(bool(np.isin(weights, (0.0, 1.0)).all()))
    words = "both players against a Nash opponent: one action everywhere, and ties split as in section 5"
    holds = all(pure) and max(gaps) < SAME
    ours = f"differ by {max(gaps):.0e}".replace("e-", "e−")
    return Claim("a deterministic reply is as good as any", "§ 4", "equally good", ours, verdict(holds), words)
