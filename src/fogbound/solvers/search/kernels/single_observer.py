"""SO-ISMCTS (Cowling, Powley and Whitehouse 2012): one tree over what the searcher knows, pooled over all it does not.

Whoever moves decides by the searcher's node, in which other actions may be legal each time: UCB1 counts how often an
action was.
"""

from __future__ import annotations

from fogbound.compiled.draws import below
from fogbound.compiled.kernel import kernel
from fogbound.solvers.search.kernels.choice import DEPTH, ME, bonus, ucb1_pooled
from fogbound.solvers.search.kernels.pool import add, edge_of, find
from fogbound.solvers.search.kernels.simulation import (
    back_up_returns,
    draw_root,
    has_space,
    key_of,
    note_move,
    play_step,
    roll_out,
)


@kernel
def simulate_single_observer(
    actors, legal, chances, follow, play_out, _worths, knows, rules, root, pool, walk, way, count
):
    """Up to `count` simulations, as many as there is room for. How many were made."""
    for done in range(count):
        if not has_space(pool, walk, way.choices[DEPTH] * len(walk.policy)):
            return done
        draw_root(root, walk)
        steps, moves = _descend(actors, legal, chances, follow, knows, rules, pool, walk, way)
        roll_out(actors, legal, chances, follow, play_out, rules, walk, way, steps)
        back_up_returns(pool, walk, way, steps, moves)
    return count


@kernel
def _descend(actors, legal, chances, follow, knows, rules, pool, walk, way):
    """Down the tree to the first new node, and one drawn move beyond: how many steps and moves."""
    steps, moves, me, fresh = 0, 0, way.choices[ME], False
    while steps < way.choices[DEPTH] and not fresh:
        movers = actors(rules, walk.state, walk.actors)
        if movers == 0:
            break
        for j in range(movers):
            player, options = walk.actors[j], walk.legal[j]
            size = legal(rules, walk.state, player, options)
            key = key_of(knows, rules, walk, way, me, player)
            node = find(pool, key)
            if node < 0:
                fresh = True
                node = add(pool, key, options, size)
                place = below(walk.random, size)
            else:
                place = ucb1_pooled(pool, node, options, size, way, bonus(way, walk, player))
            note_move(walk, moves, steps, player, node, edge_of(pool, node, place, options[place]))
            moves += 1
            walk.places[j] = place
            walk.joint[j] = options[place]
        play_step(chances, follow, rules, walk, way, movers, steps, me, me + 1)
        steps += 1
    return steps, moves
