"""Search in which each player decides by what it knows: a tree of its own for everybody.

This is MO-ISMCTS (Cowling, Powley and Whitehouse 2012), and it is document 004's search in a public game tree
(Algorithm 2, corrected): SIMULATE is `_descend` and `_back_up`, ROLLOUT `roll_out`, CHOOSEPOLICY `decision_estimation`.
What its LocalSearch adds up below the last public node, by the public history and the own card, is what one node of a
player's own tree holds. Actors who move at once choose each by what it knows: nobody sees a vote before it is cast.
"""

from __future__ import annotations

from fogbound.compiled.draws import below
from fogbound.compiled.kernel import kernel
from fogbound.solvers.search.kernels.choice import (
    DEPTH,
    FLOOR,
    MATCHING,
    REGRET,
    RULE,
    SHARE,
    UCB,
    bonus,
    learn,
    learn_regret,
    match,
    sampled_place,
    strategy,
    ucb1,
)
from fogbound.solvers.search.kernels.pool import add, edge_of, find
from fogbound.solvers.search.kernels.simulation import (
    add_rewards,
    back_up_returns,
    count_returns,
    draw_root,
    has_space,
    key_of,
    note_move,
    play_step,
    roll_out,
)


@kernel
def simulate_own_trees(actors, legal, chances, follow, play_out, _worths, knows, rules, root, pool, walk, way, count):
    """SEARCH: up to `count` simulations, as many as there is room for. How many were made."""
    for done in range(count):
        if not has_space(pool, walk, 0):
            return done
        draw_root(root, walk)
        steps, moves = _descend(actors, legal, chances, follow, knows, rules, pool, walk, way)
        roll_out(actors, legal, chances, follow, play_out, rules, walk, way, steps)
        if way.choices[RULE] == REGRET:
            _back_up_regrets(pool, walk, way, steps, moves)
        else:
            back_up_returns(pool, walk, way, steps, moves)
    return count


@kernel
def _descend(actors, legal, chances, follow, knows, rules, pool, walk, way):
    """Down everybody's tree to the first new nodes, and one drawn move beyond: how many steps and moves."""
    steps, moves, fresh = 0, 0, False
    while steps < way.choices[DEPTH] and not fresh:
        movers = actors(rules, walk.state, walk.actors)
        if movers == 0:
            break
        for j in range(movers):
            player, options = walk.actors[j], walk.legal[j]
            size = legal(rules, walk.state, player, options)
            key = key_of(knows, rules, walk, way, player, player)
            node = find(pool, key)
            if node < 0:
                fresh = True
                node = add(pool, key, options, size)
                place = below(walk.random, size)
            else:
                place = decision_estimation(pool, node, options, size, walk, way, player)
            note_move(walk, moves, steps, player, node, edge_of(pool, node, place, options[place]))
            moves += 1
            walk.places[j] = place
            walk.joint[j] = options[place]
        play_step(chances, follow, rules, walk, way, movers, steps, 0, len(walk.marks))
        steps += 1
    return steps, moves


@kernel
def decision_estimation(pool, node, options, size, walk, way, player):
    """The place of an action, by the rule: section 3.4 of document 004."""
    rule = way.choices[RULE]
    if rule == UCB:
        return ucb1(pool, node, size, way, bonus(way, walk, player))
    if rule == MATCHING:
        match(pool, node, options, size, way.numbers[FLOOR], walk.policy)
        return sampled_place(walk.policy, size, 0.0, walk.random)
    strategy(pool, node, options, size, walk.policy)
    return sampled_place(walk.policy, size, way.numbers[SHARE], walk.random)


@kernel
def _back_up_regrets(pool, walk, way, steps, moves):
    """`back_up_returns`, with the regrets of each sample before it is counted."""
    move = moves - 1
    for back in range(steps):
        step = steps - 1 - back
        add_rewards(walk, way, step)
        while move >= 0 and walk.step[move] == step:
            node, edge, gain = walk.node[move], walk.edge[move], walk.gain[walk.player[move]]
            learn_regret(pool, node, edge, gain, way.numbers[SHARE], walk.policy)
            learn(pool, node, edge, gain)
            move -= 1
    count_returns(walk)
