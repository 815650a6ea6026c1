"""Document 001: Oliehoek, Spaan and Vlassis, "Best-response play in partially observable card games" (2005).

What document 001 says before its experiment: sizes of the forms, what Nash play guarantees, what a reply may be.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

import fogbound as fb
from fogbound import draw, evaluation, forms
from fogbound.core.game import AnyGame
from fogbound.driver.solution import Solution
from fogbound.driver.solve import run_solver
from fogbound.forms.normal import count_strategies
from fogbound.forms.tree import CHANCE
from fogbound.inference.exploit import biased, learning_curve
from fogbound.policies import Tabular, Uniform
from fogbound.solvers import make as solver
from fogbound.solvers.linear_programs.optimal_strategies import fullest_equilibrium
from fogbound_papers.claim import (
    Claim,
    compare_figure,
    compare_solution,
    proof_words,
    unchecked_claim,
    verdict,
)

PURE = 1e-9
Tables = dict[int, Tabular]
Both = tuple[Tables, Tables]  # best replies and Nash: solid and dashed in Figure 2
Belief = dict[int, float]  # over the other's card


def claims(folder: Path | None = None) -> Iterator[Claim]:
    """Every claim of section 5 and of the theory it rests on; Figure 2 goes into `folder`."""
    poker = fb.game("card-poker(ranks=8)")
    form = forms.sequence(poker)
    nash = run_solver(solver("sequence-lp"), form)
    yield from _theory(poker, form, nash)
    yield compare_figure(
        *("the game is worth this to the dealer", "§ 5", 0.0625, -nash.value, proof_words(nash), 5e-5),
        command='fogbound solve "card-poker(ranks=8)" --player 1',
    )
    replies = {player: _reply(poker, player, nash.profile) for player in (0, 1)}
    for player, value in ((0, -0.0625), (1, 0.0625)):
        name = poker.players[player]
        yield compare_solution(f"the {name}'s best reply to a Nash opponent", "§ 5", value, replies[player], 5e-5)
    yield _one_belief_each(poker, form, nash)
    yield _printed_reward(nash)
    solid = {player: _table(form, player, reply) for player, reply in replies.items()}
    dashed = {player: _table(form, player, nash) for player in (0, 1)}
    yield from _same_certainties(poker, form, nash, (solid, dashed))
    yield from _similar(form, solid, dashed)
    yield _on_the_tree(form, nash, replies)
    yield _estimated(poker, form, nash, folder)
    if folder is not None:
        picture = draw.panels([(solid[player], dashed[player]) for player in (0, 1)], names=("best reply", "Nash"))
        picture.save(folder / "001-figure-2.svg")


def _reply(poker: AnyGame, player: int, profile: Mapping[int, Any]) -> Solution:
    """The best reply to the other's policy as the document computes it: actions that are equally good are split."""
    beliefs = forms.belief_mdp(forms.pomdp(poker, player, {1 - player: profile[1 - player]}))
    return run_solver(solver("belief-mdp(ties=split)"), beliefs)


def _table(form: forms.SequenceForm, player: int, solution: Solution) -> Tabular:
    return Tabular(form.decisions, player, evaluation.behaviour(form, player, solution.profile[player]))


def _one_belief_each(poker: AnyGame, form: forms.SequenceForm, nash: Solution) -> Claim:
    """Each information set induces a single belief (section 4)."""
    counts = []
    for player in (0, 1):
        beliefs = forms.belief_mdp(forms.pomdp(poker, player, {1 - player: nash.profile[1 - player]}))
        asked = int((np.diff(beliefs.row) > 1).sum())
        reached = sum(1 for _, size in zip(form.plexes[player].sets, form.plexes[player].size) if size > 1)
        counts.append((asked, reached))
    same = all(asked <= reached for asked, reached in counts)
    ours = ", ".join(f"{asked} beliefs at {reached} sets" for asked, reached in counts)
    words = "sets that a Nash opponent never causes have no belief"
    return Claim("each information set has one belief", "§ 4", "yes", ours, verdict(same), words)


def _printed_reward(nash: Solution) -> Claim:
    """Equation (7) as printed weighs the reward with the next belief as well."""
    value = printed_value(nash.profile[1], 8)
    words = "it counts the belief twice; the conditional expectation gives −0.0625"
    statement, close = "equation (7) gives the reward of a belief step", abs(value + 0.0625) < 5e-5
    return Claim(statement, "§ 4, eq. (7)", "−0.0625", f"{value:+.4f}", verdict(close), words)


def printed_value(dealer: Any, ranks: int) -> float:
    """The gambler's optimum when each step pays sum r(s,a,s') b(s) b'(s'), as equation (7) is printed.

    States are the deals, as in the paper; b' is the belief after the dealer's answer. A deal that ends has an
    end state of its own, so only s' = what s becomes contributes.
    """
    heard = {(history[0].private, history[1][1].public): dict(choice) for history, choice in dealer.rows()}

    def odds(others: list[int], after: str, move: str) -> Belief:
        return {c: float(heard[c, after].get(move, 0.0)) for c in others}

    total = 0.0
    for card in range(1, ranks + 1):
        others = [c for c in range(1, ranks + 1) if c != card]
        belief = dict.fromkeys(others, 1 / len(others))
        showdown = {c: 1.0 if card > c else -1.0 for c in others}
        called = {c: 2 * gain for c, gain in showdown.items()}
        bet = _printed(belief, odds(others, "bet", "fold"), dict.fromkeys(others, 1.0))[0]
        bet += _printed(belief, odds(others, "bet", "call"), called)[0]
        check = _printed(belief, odds(others, "check", "check"), showdown)[0]
        _, p, after = _printed(belief, odds(others, "check", "bet"), dict.fromkeys(others, 0.0))
        sure = dict.fromkeys(after, 1.0)
        check += p * max(_printed(after, sure, dict.fromkeys(after, -1.0))[0], _printed(after, sure, called)[0])
        total += max(bet, check) / ranks
    return total


def _printed(belief: Belief, odds: Belief, reward: Belief) -> tuple[float, float, Belief]:
    """One observation: its probability times the printed reward, its probability, the belief after it."""
    p = sum(w * odds[c] for c, w in belief.items())
    after = {c: w * odds[c] / p for c, w in belief.items()} if p else {}
    return p * sum(reward[c] * belief[c] * w for c, w in after.items()), p, after


def _same_certainties(poker: AnyGame, form: forms.SequenceForm, nash: Solution, tables: Both) -> Iterator[Claim]:
    """Figure 2: "betting with probability 1 or 0 happens in exactly the same situations as in the Nash policies".

    The Nash policies are those of the Gala system and are not printed, and the equilibrium is not unique. That a sure
    reply means a sure Nash policy holds for all of them; the converse for some, so one is looked for.
    """
    kept, broken, loose = _sure_sets(form, *tables)
    words, where = "it must be, in any equilibrium", "§ 5, Fig. 2"
    ours = f"{kept} of {kept + broken} sets"
    statement, figure = "where the best reply is sure, Nash is as sure", "001-figure-2"
    yield Claim(statement, where, "exactly", ours, verdict(not broken), words, figure=figure)
    full = fullest_equilibrium(form, (nash.lower, -nash.upper))
    gap = evaluation.exploitability(form, full).exploitability
    replies = {player: _table(form, player, _reply(poker, player, full)) for player in (0, 1)}
    both, apart, more = _sure_sets(form, replies, full)
    words = (
        f"{both} sets sure in both, none in one alone, for the equilibrium of largest support (a linear program; "
        f"exploitable by {gap:.0e}); the document's own is not printed, and the first that ours found has {loose} more"
    )
    statement = "and nowhere else is Nash sure: so in one equilibrium"
    said = verdict(not apart and not more)
    yield Claim(statement, where, "exactly", f"{apart + more} more sets", said, words, figure=figure)


def _similar(form: forms.SequenceForm, solid: Tables, dashed: Tables) -> Iterator[Claim]:
    """How far the two lie apart where Nash comes, and that it is where both actions are equally good."""
    apart, sure = [], 0
    for player, plex in enumerate(form.plexes):
        weights = plex.weights(dashed[player].behaviour)
        for parent, first, size in zip(plex.parent, plex.first, plex.size):
            reply, nash = (table[player].behaviour[first : first + size] for table in (solid, dashed))
            if weights[parent] > PURE and size > 1:
                apart.append(float(abs(reply - nash).max()))
                sure += apart[-1] > PURE and reply.max() > 1 - PURE
    words = "mean difference in how likely a bet is, over the sets that Nash reaches; how near is similar is not said"
    ours = f"{sum(apart) / len(apart):.2f} apart"
    yield Claim(
        "the policies are quite similar", "§ 5", "quite", ours, "cannot be checked", words, figure="001-figure-2"
    )
    differ = sum(each > PURE for each in apart)
    words = f"sets at which they differ, of {len(apart)}; at {sure} of them the reply is sure of one action"
    statement = "they differ only where the reply is indifferent"
    yield Claim(statement, "§ 5", "only there", f"{differ - sure} of {differ}", verdict(not sure), words)


def _sure_sets(form: forms.SequenceForm, solid: Tables, dashed: Tables) -> tuple[int, int, int]:
    """At how many sets that Nash reaches both are alike sure, only the best reply is (or of another), only Nash is."""
    kept = broken = loose = 0
    for player, plex in enumerate(form.plexes):
        weights = plex.weights(dashed[player].behaviour)
        for parent, first, size in zip(plex.parent, plex.first, plex.size):
            if weights[parent] <= PURE:
                continue
            reply, nash = (table[player].behaviour[first : first + size] for table in (solid, dashed))
            certain, pure = reply.max() > 1 - PURE, nash.max() > 1 - PURE
            alike = pure and int(reply.argmax()) == int(nash.argmax())
            kept, broken = kept + (certain and alike), broken + (certain and not alike)
            loose += pure and not certain
    return kept, broken, loose


def _on_the_tree(form: forms.SequenceForm, nash: Solution, replies: dict[int, Solution]) -> Claim:
    """The POMDP's best reply is the tree's (a second way to the number)."""
    played = evaluation.behaviours(form, nash.profile)
    worst = max(abs(evaluation.best_response(form, played, player).value - replies[player].value) for player in (0, 1))
    words = "a check of ours: the best reply's value by two ways"
    return Claim(
        "belief MDP and game tree give one best reply", "–", "–", f"differ by {worst:.0e}", "not stated", words
    )


def _estimated(poker: AnyGame, form: forms.SequenceForm, nash: Solution, folder: Path | None) -> Claim:
    """The opponent "known or estimated by repeated play": a dealer who calls too often, learnt from logs of games."""
    habit = biased(form, 1, nash.profile[1], "call", 0.3)
    points = learning_curve(poker, habit, 0, counts=(10, 100, 1000), repeats=5, prior=nash.profile[1])
    if folder is not None:
        picture = draw.learning(points, title="8-card poker: learning a dealer who calls too often")
        picture.save(folder / "001-estimated-opponent.svg")
    means = [point.response.mean for point in points]
    ours = " → ".join(f"{mean:+.3f}" for mean in means)
    words = "after 10, 100, 1,000 observed games; Nash play earns "
    words = f"{words}{points[0].nash:+.3f} against that dealer; the document mentions estimating, and reports none"
    return Claim(
        *("what replies to an estimated opponent earn", "abstract", "–", ours, "not stated", words),
        figure="001-estimated-opponent",
    )


SAME = 1e-9
RANKS = (4, 8, 16)
OTHER_GAMES = ("leduc", "liars-dice(sides=3)")
FIGURE_1 = ((4, 2), (4, 6))  # the deals of Figure 1: (the gambler's card, the dealer's)


def _theory(poker: AnyGame, form: forms.SequenceForm, nash: Solution) -> Iterator[Claim]:
    """Sections 1 to 4, in their order."""
    yield _conservative(poker, nash)
    yield unchecked_claim("computing an equilibrium is difficult in general", "§ 1", "of games in general, not of one")
    yield from _figure_1(form)
    yield _security(form, nash)
    yield from _sizes(form)
    yield unchecked_claim("Texas Hold'em has 10^18 nodes", "§ 3.3", "cited; too large to be counted here", "O(10^18)")
    yield _two_observations(poker, nash)
    yield _other_games()
    yield _deterministic(poker, form, nash)
    yield unchecked_claim("smaller states, larger poker, general POSGs", "§ 6", "left to the future", "future work")


def _conservative(poker: AnyGame, nash: Solution) -> Claim:
    """What Nash play leaves on the table against somebody who plays at random."""
    earned = evaluation.value(poker, {0: nash.policy(0), 1: Uniform()})[0]
    best = run_solver(solver("belief-mdp"), forms.belief_mdp(forms.pomdp(poker, 0, {1: Uniform()})))
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
        sure, split = (run_solver(solver(spec), beliefs) for spec in ("belief-mdp", "belief-mdp(ties=split)"))
        gaps.append(abs(sure.value - split.value))
        weights = form.plexes[player].weights(evaluation.behaviour(form, player, sure.policy(player)))
        pure.append(bool(np.isin(weights, (0.0, 1.0)).all()))
    words = "both players against a Nash opponent: one action everywhere, and ties split as in section 5"
    holds = all(pure) and max(gaps) < SAME
    ours = f"differ by {max(gaps):.0e}".replace("e-", "e−")
    return Claim("a deterministic reply is as good as any", "§ 4", "equally good", ours, verdict(holds), words)
