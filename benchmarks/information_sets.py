"""Information set search beside OpenSpiel's C++ in the same run: simulations a second, a thousand for a decision."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np

import fogbound as fb
from benchmarks import peer
from benchmarks.text import aligned
from fogbound.compiled.rules import CompiledRules
from fogbound.forms.compiled_rules import table_rules
from fogbound.forms.tree import Tree
from fogbound.solvers.search.enumerated_belief import EnumeratedTracker
from fogbound.solvers.search.exploited import InfosetSearch
from fogbound.solvers.search.is_mcts import ISMCTS
from fogbound.solvers.search.kernels.simulation import SearchRoot
from fogbound.solvers.search.tree_search import TreeSearch

SIMULATIONS = 1_000
ROWS = (  # ours, theirs, wanted ratio on the tree and on the table
    ("kuhn(seats=2)", "kuhn_poker", 4.0, 3.0),
    ("leduc", "leduc_poker", 15.0, 7.0),
)
KING_UP = ("king-up", 0.4)  # wanted millions a second


def measure(rounds: int) -> dict[str, Any]:
    """All figures, ready for JSON."""
    pyspiel = peer.find()
    return {
        "peer": f"OpenSpiel {peer.release()}" if pyspiel else None,
        "rows": [_row(*row, pyspiel, rounds) for row in ROWS],
        "king-up": _king_up(rounds),
    }


def _row(spec: str, theirs: str, on_tree: float, on_table: float, pyspiel: Any, rounds: int) -> dict[str, Any]:
    game = fb.game(spec)
    tree, table = fb.forms.tree(game), fb.forms.table(game)
    set_ = int(tree.infoset[np.flatnonzero(tree.mover == 0)[0]])
    nodes = np.flatnonzero(tree.infoset == set_)
    shares = np.cumsum(tree.reach[nodes] / tree.reach[nodes].sum())
    nothing = np.zeros((len(nodes), len(game.players)), np.int64)
    root = SearchRoot(nodes.astype(np.int64)[:, None].copy(), nothing, shares)
    rates: dict[str, float | None] = {"tree": _rate(_on_tree(tree, root), rounds)}
    compiled = table_rules(table)
    believed = EnumeratedTracker(compiled, 0, False, 0).begin(0)
    assert isinstance(believed.root, SearchRoot)
    rates["table"] = _rate(_ours(compiled, believed.root), rounds)
    rates["peer"] = _rate(_theirs(pyspiel, theirs), rounds) if pyspiel else None
    return {"game": spec, **rates, "wanted": (on_tree, on_table)}


def _ours(compiled: CompiledRules, root: SearchRoot) -> Callable[[int], Any]:
    search = TreeSearch(compiled, ISMCTS().way(), root, 0, 0)

    def think(seed: int) -> None:
        search.restart(root, seed)
        search.run(SIMULATIONS)

    return think


def _on_tree(tree: Tree, root: SearchRoot) -> Callable[[int], Any]:
    search = InfosetSearch(tree, ISMCTS().way(), 0)

    def think(seed: int) -> None:
        search.restart(root, seed)
        search.run(SIMULATIONS)

    return think


def _theirs(pyspiel: Any, name: str) -> Callable[[int], Any]:
    game = pyspiel.load_game(name)
    state = game.new_initial_state()
    while state.is_chance_node():
        state.apply_action(state.legal_actions()[0])

    def think(seed: int) -> None:
        evaluator = pyspiel.RandomRolloutEvaluator(1, seed)
        final = pyspiel.ISMCTSFinalPolicyType.MAX_VISIT_COUNT
        pyspiel.ISMCTSBot(seed, evaluator, 1.4, SIMULATIONS, -1, final, False, False).step(state)

    return think


def _king_up(rounds: int) -> dict[str, Any]:
    """From a deal's first decision, all that the first player may hold for true."""
    spec, wanted = KING_UP
    game = fb.game(spec)
    planner = ISMCTS(SIMULATIONS).policy(game, 0)
    outcome = next(iter(game.start()))[0]
    memory = planner.begin(outcome.observation(0))
    search = planner.search(memory, game.actions(outcome.state, 0))
    assert isinstance(search, TreeSearch)
    return {"rate": _rate(_ours(search.compiled, search.root), rounds), "wanted": wanted}


def _rate(think: Callable[[int], Any], rounds: int) -> float:
    """Millions of simulations a second of CPU time: the best of the rounds, ten decisions each."""
    think(0)
    seconds = []
    for seed in range(max(rounds, 3)):
        begin = time.process_time()
        for part in range(10):
            think(10 * seed + part)
        seconds.append(time.process_time() - begin)
    return 10 * SIMULATIONS / min(seconds) / 1e6


def show(found: dict[str, Any]) -> str:
    """The figures as a table."""
    rows = []
    for row in found["rows"]:
        theirs = row["peer"]
        ratios = [f"{row[form] / theirs:.1f}" if theirs else "–" for form in ("tree", "table")]
        rates = [f"{row[form]:.2f}" for form in ("tree", "table")] + [f"{theirs:.3f}" if theirs else "–"]
        rows.append([row["game"], *rates, *ratios, " / ".join(f"{wanted:g}" for wanted in row["wanted"])])
    king = found["king-up"]
    head = ["game", "tree", "table", "peer", "tree / peer", "table / peer", "wanted"]
    return "\n".join(
        [
            f"information set search, millions of simulations a second, {SIMULATIONS:,} a decision; {found['peer']}",
            aligned(head, rows),
            f"king-up: {king['rate']:.2f} million a second (wanted {king['wanted']:g})",
        ]
    )
