"""POMCP on compiled rules: only the player who plans has a tree, the others move at random.

Silver and Veness (2010), Algorithm 1: SEARCH is `simulate_pomcp`, SIMULATE `_simulate` and
`back_up_returns`, ROLLOUT `roll_out`.
Where a new node is valued, by worths or by a table of states, nothing is rolled out (see `solvers.search.pomcp`).
Elsewhere the first action of a new node is drawn, and counts as tried, before the rollout.
"""

from __future__ import annotations

from fogbound.compiled.draws import below
from fogbound.compiled.kernel import kernel
from fogbound.solvers.search.kernels import choice, simulation
from fogbound.solvers.search.kernels.choice import BY_STATE, CAP, DEPTH, LEAF, ME, PREFERS, WORTHS
from fogbound.solvers.search.kernels.pool import add, edge_of, lookup_node


@kernel
def simulate_pomcp(actors, legal, chances, follow, play_out, worths, knows, rules, root, pool, walk, way, count):
    """SEARCH: up to `count` simulations, as many as there is room for. How many were made."""
    for done in range(count):
        if not simulation.has_space(pool, walk, 0):
            return done
        simulation.draw_root(root, walk)
        steps, moves, valued = _simulate(actors, legal, chances, follow, worths, knows, rules, pool, walk, way)
        if not valued:
            simulation.roll_out(actors, legal, chances, follow, play_out, rules, walk, way, steps)
        simulation.back_up_returns(pool, walk, way, steps, moves)
    return count


@kernel
def _simulate(actors, legal, chances, follow, worths, knows, rules, pool, walk, way):
    """SIMULATE: down the tree to a new node: how many steps, how many own moves, and whether the node is valued."""
    steps, moves, me, fresh = 0, 0, way.choices[ME], False
    while steps < way.choices[DEPTH] and not fresh:
        movers = actors(rules, walk.state, walk.actors)
        if movers == 0:
            break
        for j in range(movers):
            player, options = walk.actors[j], walk.legal[j]
            size = legal(rules, walk.state, player, options)
            if player != me:
                place = below(walk.random, size)
            else:
                key = simulation.key_of(knows, rules, walk, way, me, me)
                node = lookup_node(pool, key)
                fresh = node < 0
                if fresh:
                    node = add(pool, key, options, size)
                    if way.choices[PREFERS]:
                        choice.mark_preferred(pool, node, size, way, walk.state[0], me)
                if way.choices[WORTHS] and pool.arrived[node] < way.choices[CAP]:
                    simulation.arrive(worths, rules, pool, walk, way, node, me)
                if fresh and way.choices[LEAF]:
                    _value(pool, walk, way, node, me)
                    return steps, moves, True
                place = _select(pool, node, size, fresh, walk, way, me)
                simulation.note_move(walk, moves, steps, me, node, edge_of(pool, node, place, options[place]))
                moves += 1
            walk.places[j] = place
            walk.joint[j] = options[place]
        simulation.play_step(chances, follow, rules, walk, way, movers, steps, me, me + 1)
        steps += 1
    return steps, moves, False


@kernel
def _select(pool, node, size, fresh, walk, way, me):
    """The place of an action: preferred ones first, then UCB1; the first one of a new node is drawn."""
    room = choice.bonus(way, walk, me)
    if way.choices[PREFERS] and choice.prefers(pool, node, size, way):
        return choice.ucb1_preferred(pool, node, size, way, room)
    if way.choices[WORTHS]:
        return choice.ucb1_informed(pool, node, size, way, room)
    if fresh:
        return below(walk.random, size)
    return choice.ucb1(pool, node, size, way, room)


@kernel
def _value(pool, walk, way, node, me):
    """Value a new node by its state, or by its best mean worth: who acts does not see which state it is."""
    if way.choices[LEAF] == BY_STATE:
        simulation.value_state(walk, way)
        return
    first, best = pool.first[node], -1e300
    for place in range(pool.size[node]):
        best = max(best, pool.prior[first + place])
    for player in range(len(walk.gain)):
        walk.gain[player] = 0.0
    walk.gain[me] = best / pool.arrived[node]
