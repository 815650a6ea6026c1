"""Information set search (Cowling, Powley and Whitehouse 2012), with a tree for each player or one for the searcher.

MO-ISMCTS: each player decides by what it knows, in a tree of its own. It is document 004's search in a public game
tree (Algorithm 2, corrected): SIMULATE is `_descend` and `back_up_returns`, ROLLOUT `roll_out`, CHOOSEPOLICY
`decision_estimation`. What its LocalSearch adds up below the last public node, by the public history and the own card,
is what one node of a player's own tree holds. Actors who move at once choose each by what it knows: nobody sees a vote
before it is cast.

SO-ISMCTS: one tree over what the searcher knows, pooled over all it does not. Each mover decides by the searcher's
node, in which other actions may be legal each time: UCB1 counts how often an action was.
"""

from __future__ import annotations

from fogbound.compiled.draws import below
from fogbound.compiled.kernel import kernel
from fogbound.solvers.search.kernels import choice, simulation
from fogbound.solvers.search.kernels.choice import CAP, DEPTH, LEAF, MATCHING, ME, PREFERS, RULE, SINGLE, UCB, WORTHS
from fogbound.solvers.search.kernels.pool import add, edge_of, lookup_node


@kernel
def simulate_information_sets(
    actors, legal, chances, follow, play_out, worths, knows, rules, root, pool, walk, way, count
):
    """SEARCH: up to `count` simulations, as many as there is room for. How many were made."""
    more = way.choices[DEPTH] * len(walk.policy) if way.choices[SINGLE] else 0
    for done in range(count):
        if not simulation.has_space(pool, walk, more):
            return done
        simulation.draw_root(root, walk)
        steps, moves, valued = _descend(actors, legal, chances, follow, worths, knows, rules, pool, walk, way)
        if not valued:
            simulation.roll_out(actors, legal, chances, follow, play_out, rules, walk, way, steps)
        simulation.back_up_returns(pool, walk, way, steps, moves)
    return count


@kernel
def _descend(actors, legal, chances, follow, worths, knows, rules, pool, walk, way):
    """Down the trees to the first new nodes, and one drawn move beyond: how many steps and moves.

    Where a table values states there is no move beyond: whether the new nodes' state was valued.
    """
    steps, moves, fresh, me, single = 0, 0, False, way.choices[ME], way.choices[SINGLE]
    first, last = (me, me + 1) if single else (0, len(walk.marks))  # who remembers
    while steps < way.choices[DEPTH] and not fresh:
        movers = actors(rules, walk.state, walk.actors)
        if movers == 0:
            break
        decided = moves
        for j in range(movers):
            player, options = walk.actors[j], walk.legal[j]
            size = legal(rules, walk.state, player, options)
            key = simulation.key_of(knows, rules, walk, way, me if single else player, player)
            node = lookup_node(pool, key)
            if node < 0:
                fresh = True
                node = add(pool, key, options, size)
                if way.choices[PREFERS]:
                    choice.mark_preferred(pool, node, size, way, walk.state[0], player)
            if way.choices[WORTHS] and pool.arrived[node] < way.choices[CAP]:
                simulation.arrive(worths, rules, pool, walk, way, node, player)
            if pool.visits[node] == 0 and not way.choices[PREFERS] and not way.choices[WORTHS]:
                place = below(walk.random, size)
            else:
                place = decision_estimation(pool, node, options, size, walk, way, player)
            simulation.note_move(walk, moves, steps, player, node, edge_of(pool, node, place, options[place]))
            moves += 1
            walk.places[j] = place
            walk.joint[j] = options[place]
        if fresh and way.choices[LEAF]:
            simulation.value_state(walk, way)
            return steps, decided, True
        simulation.play_step(chances, follow, rules, walk, way, movers, steps, first, last)
        steps += 1
    return steps, moves, False


@kernel
def decision_estimation(pool, node, options, size, walk, way, player):
    """The place of an action, by the rule: section 3.4 of document 004."""
    rule = way.choices[RULE]
    if way.choices[SINGLE]:
        return choice.ucb1_pooled(pool, node, options, size, way, choice.bonus(way, walk, player))
    if rule == UCB and way.choices[PREFERS] and choice.prefers(pool, node, size, way):
        return choice.ucb1_preferred(pool, node, size, way, choice.bonus(way, walk, player))
    if rule == UCB and way.choices[WORTHS]:
        return choice.ucb1_informed(pool, node, size, way, choice.bonus(way, walk, player))
    if rule == UCB:
        return choice.ucb1(pool, node, size, way, choice.bonus(way, walk, player))
    if rule == MATCHING:
        choice.match_means(pool, node, way.numbers[choice.FLOOR], walk.policy)
        return choice.sampled_place(walk.policy, size, 0.0, walk.random)
    choice.strategy(pool, node, walk.policy)
    return choice.sampled_place(walk.policy, size, way.numbers[choice.SHARE], walk.random)
