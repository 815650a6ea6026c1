"""Document 003: slides on dynamic games (turn taking, Markov games, partial observability, extensive form, CFR).

Document 003, extensive form: histories and information sets beside a POMDP's states and histories.

Document 003's pseudo-code for minimax and alpha-beta, run as it is printed, beside the library's.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from pathlib import Path

import numpy as np

import fogbound as fb
from fogbound import draw, forms
from fogbound.driver.options import RunOptions
from fogbound.driver.protocol import Until
from fogbound.driver.solve import run_solver
from fogbound.forms.normal import count_strategies
from fogbound.forms.tree import CHANCE, END
from fogbound.policies import Uniform
from fogbound.solvers import make as solver
from fogbound_papers.claim import Claim, compare_figure, compare_solution, unchecked_claim, verdict
from fogbound_papers.d003 import markov_games

SLIDES_TABLE = {  # rows: the first player's move with ace, king; columns: the second's cc, cf, ff, fc
    "rr": (0, Fraction(-1, 6), 1, Fraction(7, 6)),
    "kr": (Fraction(-1, 3), Fraction(-1, 6), Fraction(5, 6), Fraction(2, 3)),
    "rk": (Fraction(1, 3), 0, Fraction(1, 6), Fraction(1, 2)),
    "kk": (0, 0, 0, 0),
}


def claims(folder: Path | None = None) -> Iterator[Claim]:
    """What the slides state, or leave to be worked out."""
    yield _turn_taking()
    yield _expectimax()
    yield from _printed_searches()
    yield unchecked_claim("why is this harder than an MDP?", "tree backup", "a question to the audience", "a question")
    yield from _tree_backup(folder)
    yield _tic_tac_toe()
    yield _mcts()
    yield from markov_games.claims(folder)
    yield from king_ace(folder)
    yield _exponential()
    yield _cfr()
    yield from _extensive_form()


def _turn_taking() -> Claim:
    """The terms of the first slides, asked of its example."""
    game = fb.game("tic-tac-toe")
    table = forms.table(game)
    certain = bool((np.diff(table.out) == 1).all())
    alone = all(len(states) == 1 for player in (0, 1) for states in forms.knowledge(table, player).sets)
    terms = {
        "two player": len(game.players) == 2,
        "deterministic": certain,
        "zero-sum": table.constant_sum == 0,
        "perfect information": alone,
    }
    found = [term for term, holds in terms.items() if holds]
    words = f"tic-tac-toe, {table.size:,} states: every move has one outcome, payoffs add up to 0, all see the state"
    holds = len(found) == len(terms)
    return Claim("tic-tac-toe is", "turn-taking games", ", ".join(terms), ", ".join(found), verdict(holds), words)


def _expectimax() -> Claim:
    """The display for one player, as a tree and as a sweep over states."""
    game = fb.game("horizon(game=random-markov(seats=1, size=5, choices=3), steps=4)")
    tree, sweep = fb.solve(game, "expectimax"), fb.solve(game, "value-iteration", gap=1e-12)
    same = abs(tree.value - sweep.value) <= 1e-12
    ours = f"{tree.value:.6f} both ways" if same else f"{tree.value:.6f} and {sweep.value:.6f}"
    words = "five states, three actions, four steps: by expectimax, and by value iteration"
    return Claim("V(s) = max over a of R(s, a) + E[V(s')]", "minimax trees", "the equation", ours, verdict(same), words)


def _mcts() -> Claim:
    """Selection, expansion, simulation, backpropagation: the four names of the slide."""
    found = fb.solve("slide-tree", "mcts", iterations=2_000, seed=1)
    words = "an estimate from samples; minimax says +3"
    return Claim("MCTS on the same tree, 2,000 simulations", "MCTS", "–", f"{found.value:+.3f}", "not stated", words)


def _tree_backup(folder: Path | None) -> Iterator[Claim]:
    game = fb.game("slide-tree")
    table = forms.table(game)
    backed = run_solver(solver("minimax"), table)
    pruned = run_solver(solver("alpha-beta(ordering=false, table=false)"), table)
    statement, command = "the tree with leaves 3 12 8 2 4 6 19 5 2 is worth", "fogbound solve slide-tree --with minimax"
    yield compare_solution(statement, "tree backup", None, backed, figure="003-minimax", command=command)
    same = verdict(pruned.value == backed.value)
    yield Claim("alpha-beta returns minimax's value", "alpha-beta", "v", f"{pruned.value:g} and {backed.value:g}", same)
    seen = f"{pruned.details['leaves']} of {backed.details['leaves']} leaves"
    yield Claim("alpha-beta, left to right, looks at", "alpha-beta", "–", seen, "not stated", f"value {pruned.value:g}")
    if folder is not None:
        draw.minimax(game).save(folder / "003-minimax.svg")


def king_ace(folder: Path | None = None) -> Iterator[Claim]:
    """The slide's 4 x 4 matrix, entry by entry, and the game's value."""
    game = fb.game("king-ace")
    form = forms.normal(game)
    solution = run_solver(solver("matrix-lp"), form)
    same = as_table(form) == SLIDES_TABLE
    ours = "16 of 16 entries" if same else "another table"
    words = "compared as fractions"
    statement, place, figure = "King-Ace as a 4 x 4 matrix", "King-Ace", "003-king-ace"
    yield Claim(statement, place, "the table", ours, verdict(same), words, figure=figure)
    command = "fogbound solve king-ace"
    yield compare_solution("King-Ace is worth", place, None, solution, command=command)
    if folder is not None:
        draw.matrix(form, describe=game.describe).save(folder / "003-king-ace.svg")


def as_table(form: forms.NormalForm) -> dict[str, tuple[Fraction, ...]]:
    """The matrix in the slide's order, each entry as the fraction it is."""
    letters = {"raise": "r", "check": "k", "call": "c", "fold": "f"}

    def places(player: int) -> dict[str, int]:
        names = {}
        for j, strategy in enumerate(form.strategies[player]):
            by_card = {history[0].private: letters[str(action)] for history, action in strategy.items()}
            names[by_card["A"] + by_card["K"]] = j
        return names

    rows, columns = places(0), places(1)
    return {
        row: tuple(
            Fraction(float(form.payoff[rows[row], columns[column], 0])).limit_denominator(100)
            for column in ("cc", "cf", "ff", "fc")
        )
        for row in ("rr", "kr", "rk", "kk")
    }


def _tic_tac_toe() -> Claim:
    solution = run_solver(solver("alpha-beta"), forms.table(fb.game("tic-tac-toe")))
    words = f"{solution.details['nodes']:,} of 549,946 histories looked at"
    return compare_figure("tic-tac-toe is worth", "example", None, solution.value, words, 0)


def _exponential() -> Claim:
    """Pure strategies beside information sets, as cards are added."""
    counts = []
    for ranks in (2, 4, 8):
        plex = forms.sequence(fb.game(f"card-poker(ranks={ranks})")).plexes[0]
        counts.append((len(plex.sets), count_strategies(plex)))
    grows = all(second == first**2 for (_, first), (_, second) in pairwise(counts))
    words = "; ".join(f"{sets} information sets, {strategies:,} strategies" for sets, strategies in counts)
    return Claim(
        "a matrix is exponential in the number of information sets", "extensive to matrix form",
        "exponential", "squared when they double" if grows else "not squared when they double", verdict(grows),
        f"card-poker, first player: {words}",
    )  # fmt: skip


def _cfr() -> Claim:
    """The pseudo-code as printed: one chance outcome a pass, players in turn, averages of all iterations."""
    form = forms.sequence(fb.game("card-poker(ranks=3)"))
    solution = run_solver(solver("cfr"), form, RunOptions(Until(gap=4e-3, iterations=500_000)))
    words = (
        f"exploitability {solution.exploitability:.1g} after {solution.iterations:,} iterations; Kuhn's value is −1/18"
    )
    return Claim("Kuhn poker's value by the slides' CFR", "CFR", "–", f"{solution.value:+.4f}", "not stated", words)


SPEC = "king-ace"


def _extensive_form() -> Iterator[Claim]:
    """The annotations of the definition, and the rules of its example."""
    game = fb.game(SPEC)
    tree = forms.tree(game)
    for player, seat in enumerate(game.players):
        process = forms.pomdp(game, player, {1 - player: Uniform()})
        beliefs = forms.belief_mdp(process)
        asked = int((np.diff(beliefs.row) > 1).sum())
        sets = len({int(h) for h, mover in zip(tree.infoset, tree.mover) if mover == player})
        words = (
            f"{SPEC}, {seat}: histories of its POMDP against random play in which it chooses, and its information sets"
        )
        statement = f"an information set is a history in a POMDP: {seat}"
        yield Claim(statement, "extensive form game", "equal", f"{asked} and {sets}", verdict(asked == sets), words)
    chance = int((tree.mover == CHANCE).sum())
    words = f"{SPEC}: {tree.size} nodes, {chance} of them chance's; payoffs stand at {len(tree.ends)} ends alone"
    inner = np.abs(tree.payoff[tree.mover >= 0]).max()
    statement = "payoffs U(h) stand at the leaves"
    yield Claim(statement, "extensive form game", "each leaf", f"{len(tree.ends)} leaves", verdict(inner == 0), words)
    paid = sorted({abs(float(pay)) for pay in tree.payoff[tree.ends, 0]})
    words = "what is won or lost: nothing between equal cards, 1 checked or folded, 2 called"
    shown = ", ".join(f"{pay:g}" for pay in paid)
    yield Claim(
        "King-Ace is played for 1 point, raised for 2", "King-Ace", "1, 2", shown, verdict(paid == [0, 1, 2]), words
    )


SEARCHED = ("slide-tree", "nim(heaps=[3, 2, 1])", "nim(heaps=[3, 3], misere=true)")


@dataclass
class PrintedSearch:
    """MAX-VALUE and MIN-VALUE of the slides on a tree without chance; `leaves` counts the ends that were looked at."""

    tree: forms.Tree
    prune: bool
    leaves: int = 0

    def decision(self) -> tuple[int, float]:
        """MINIMAX-DECISION and ALPHA-BETA-SEARCH: the first of the best actions, and its value."""
        best, found, alpha = -math.inf, -1, -math.inf
        for action, child in enumerate(self._children(0)):
            value = self.value(child, alpha, math.inf)
            if value > best:
                best, found = value, action
            alpha = max(alpha, best)
        return found, best

    def value(self, node: int, alpha: float, beta: float) -> float:
        """MAX-VALUE where the first player moves, MIN-VALUE where the second does, UTILITY at an end."""
        if self.tree.mover[node] == END:
            self.leaves += 1
            return float(self.tree.payoff[node, 0])
        if self.tree.mover[node] == 0:
            v = -math.inf
            for child in self._children(node):
                v = max(v, self.value(child, alpha, beta))
                if self.prune and v >= beta:
                    return v
                alpha = max(alpha, v)
            return v
        v = math.inf
        for child in self._children(node):
            v = min(v, self.value(child, alpha, beta))
            if self.prune and v <= alpha:
                return v
            beta = min(beta, v)
        return v

    def _children(self, node: int) -> range:
        return range(self.tree.child[node], self.tree.child[node + 1])


def _printed_searches() -> Iterator[Claim]:
    """Both programs as printed."""
    values, found, looked = [], [], []
    for spec in SEARCHED:
        tree = forms.tree(fb.game(spec))
        plain, pruned = (PrintedSearch(tree, prune) for prune in (False, True))
        found.append((plain.decision(), pruned.decision()))
        values.append(found[-1][0][1] == fb.solve(spec, "minimax").value)
        looked.append(f"{pruned.leaves} of {plain.leaves}")
    words = f"the pseudo-code as printed against `minimax`, on {', '.join(SEARCHED)}"
    ours = f"{sum(values)} of {len(SEARCHED)} values"
    yield Claim("MINIMAX-DECISION as printed", "tree backup", "v", ours, verdict(all(values)), words)
    right = [plain == pruned for plain, pruned in found]
    words = f"the same action and value as without pruning; ends looked at: {', '.join(looked)}"
    ours = f"{sum(right)} of {len(SEARCHED)} games"
    yield Claim("ALPHA-BETA-SEARCH as printed", "alpha-beta", "the same action", ours, verdict(all(right)), words)
