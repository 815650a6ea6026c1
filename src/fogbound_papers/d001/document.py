"""Document 001: Oliehoek, Spaan and Vlassis, "Best-response play in partially observable card games" (2005)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

import fogbound as fb
from fogbound import draw, evaluation, forms
from fogbound.core.game import AnyGame
from fogbound.driver.solution import Solution
from fogbound.driver.solve import solve
from fogbound.inference.exploit import biased, learning_curve
from fogbound.policies import Tabular
from fogbound.solvers import make as solver
from fogbound.solvers.linear_programs.optimal_strategies import fullest_equilibrium
from fogbound_papers.claim import Claim, compare, proof, verdict
from fogbound_papers.d001 import theory

PURE = 1e-9
Tables = dict[int, Tabular]
Both = tuple[Tables, Tables]  # best replies and Nash: solid and dashed in Figure 2
Belief = dict[int, float]  # over the other's card


def claims(folder: Path | None = None) -> Iterator[Claim]:
    """Every claim of section 5 and of the theory it rests on; Figure 2 goes into `folder`."""
    poker = fb.game("card-poker(ranks=8)")
    form = forms.sequence(poker)
    nash = solve(solver("sequence-lp"), form)
    yield from theory.claims(poker, form, nash)
    yield compare(
        *("the game is worth this to the dealer", "§ 5", 0.0625, -nash.value, proof(nash), 5e-5),
        command='fogbound solve "card-poker(ranks=8)" --player 1',
    )
    replies = {player: _reply(poker, player, nash.profile) for player in (0, 1)}
    for player, value in ((0, -0.0625), (1, 0.0625)):
        name = poker.players[player]
        yield compare(
            f"the {name}'s best reply to a Nash opponent",
            "§ 5",
            value,
            replies[player].value,
            proof(replies[player]),
            5e-5,
        )
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
    return solve(solver("belief-mdp(ties=split)"), beliefs)


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
    close = abs(value + 0.0625) < 5e-5
    return Claim(
        "equation (7) gives the reward of a belief step",
        "§ 4, eq. (7)",
        "−0.0625",
        f"{value:+.4f}",
        verdict(close),
        words,
    )


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
