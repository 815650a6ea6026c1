"""From states to histories: the loops that unroll an enumerated game into its tree.

Arrays come from `forms.table`, whose docstring states the axes. Nothing grows inside a kernel: the exact
number of nodes is counted first, and every array is allocated once.

A kernel that takes arrays and is not inlined pays for counting references to each of them at every call, so
the hot loop of `unroll` stands in one piece.
"""

from __future__ import annotations

import numpy as np

from fogbound.compiled.kernel import kernel

CHANCE, END = -1, -2
FINE, CLASH, FULL = 0, 1, 2
NEAR = 16  # so many siblings are looked for one by one
AT, NODES, MEMORIES, INFOSETS, CLASH_NODE, CLASH_SET, HASHED = range(7)  # places in `unroll`'s `cursor`


@kernel
def order_states(row, out, nxt, order, colour, stack, edge):
    """Depth first over states; fills `order` so that successors stand before their predecessors.

    Returns -1, or a state that can recur: then histories never end and there is no tree.
    `colour`, `stack` and `edge` are work space of one int32 a state, zeroed.
    """
    done = 0
    for root in range(len(row) - 1):
        if colour[root] != 0:
            continue
        depth = 0
        stack[0], edge[0], colour[root] = root, out[row[root]], 1
        while depth >= 0:
            s = stack[depth]
            if edge[depth] < out[row[s + 1]]:
                t = nxt[edge[depth]]
                edge[depth] += 1
                if colour[t] == 1:
                    return t
                if colour[t] == 0:
                    depth += 1
                    stack[depth], edge[depth], colour[t] = t, out[row[t]], 1
            else:
                colour[s] = 2
                order[done] = s
                done += 1
                depth -= 1
    return -1


@kernel
def count_nodes(order, actor_set, actor_set_size, legal, legal_size, row, out, nxt, count, depth):
    """How many tree nodes hang below one visit of each state (`count`), and how many steps (`depth`)."""
    for s in order:
        total, level, width, deepest = 0.0, 1.0, actor_set_size[actor_set[s]], 0
        for k in range(width):
            total += level
            level *= legal_size[legal[s, k]]
        if width == 0:
            total = 1.0
        for r in range(row[s], row[s + 1]):
            if out[r + 1] - out[r] > 1:
                total += 1.0
            for o in range(out[r], out[r + 1]):
                total += count[nxt[o]]
                deepest = max(deepest, depth[nxt[o]] + 1)
        count[s], depth[s] = total, deepest


@kernel
def totals(order, row, out, nxt, event, reward, discount, low, high):
    """The least and the most that can be paid from each state on, by column of `reward`; both are 0 at first."""
    for s in order:
        for c in range(reward.shape[1]):
            for o in range(out[row[s]], out[row[s + 1]]):
                least = reward[event[o], c] + discount * low[nxt[o], c]
                most = reward[event[o], c] + discount * high[nxt[o], c]
                if o == out[row[s]]:
                    low[s, c], high[s, c] = least, most
                else:
                    low[s, c], high[s, c] = min(low[s, c], least), max(high[s, c], most)


@kernel
def rehash(up, code, ring, first, size, slot_key, slot_id):
    """Enter those of the memories first .. size-1 that stand in no ring into an empty, larger hash table."""
    mask = len(slot_key) - 1
    for m in range(first, size):
        if ring[m] < 0:
            _remember(up, code, slot_key, slot_id, m, mask, up[m], code[m])


@kernel(inline="never")
def _remember(up, code, slot_key, slot_id, size, mask, memory, word):
    """The memory that follows `memory` after `word`; equals `size` when it is new (and is then stored)."""
    key = (np.int64(memory) << 32) | np.int64(word)
    mixed = np.uint64(key) * np.uint64(11400714819323198485)  # Fibonacci hashing: the high bits are mixed best
    cursor = np.int64(mixed >> np.uint64(32)) & mask
    while slot_id[cursor] != 0:
        if slot_key[cursor] == key:
            return slot_id[cursor] - 1
        cursor = (cursor + 1) & mask
    slot_key[cursor], slot_id[cursor] = key, size + 1
    up[size], code[size] = memory, word
    return size


@kernel
def unroll(
    game,  # actor_set, its players, its size, legal, its actions, its size, row, out, next, event, seen: int32
    prob,
    reward,
    power,  # [T] discount ** t
    observations,  # [n] how many different things each player can see
    node,  # player, state, aux, parent, child, infoset, time: int32 [N] ([N+1] for child)
    edge,
    reach,
    payoff,  # [N, n]
    memory,  # [N, n]
    trie,  # of memories: up, sequence, infoset, ring (the next sibling), last (the child used last): int32 [Q]
    code,  # [Q] the word that leads from `up` to a memory
    sets,  # memory, legal, first, owner: int32 [H]
    slot_key,
    slot_id,
    cursor,  # where the work stands: [6], zero at first
    sequences,  # [n] how many sequences each player has so far, one at first
):
    """Fill the tree breadth first; the node array is the queue.

    Returns FINE; or FULL when the hash table wants doubling (call again with a larger one: the work goes on
    where it stood); or CLASH, and at[FOUND_NODE], at[FOUND_SET] name a node whose legal actions differ from
    those of its information set.
    """
    actor_set, actor_set_players, actor_set_size, legal, legal_actions, legal_size, row, out, nxt, event, seen = game
    player, state, aux, parent, child, infoset, time = node
    up, sequence, memory_set, ring, last = trie
    set_memory, set_legal, set_first, set_owner = sets
    n = reward.shape[1]
    mask = len(slot_key) - 1
    own = np.zeros(n, np.int32)  # 1 + action label, and its place among the legal ones, of each player in this step
    move = np.zeros(n, np.int32)
    v, nodes, memories, infosets, hashed = cursor[AT], cursor[NODES], cursor[MEMORIES], cursor[INFOSETS], cursor[HASHED]

    if memories == 0:  # the root: a chance node over start(), or its only outcome (then v = -1 leads there)
        for i in range(n):
            up[i], code[i], sequence[i], memory_set[i], ring[i], last[i] = -1, -1, 0, -1, i, -1
        memories, v = n, -1
        if out[1] > 1:
            player[0], state[0], aux[0], parent[0], edge[0], reach[0] = CHANCE, -1, 0, -1, 1.0, 1.0
            infoset[0], time[0] = -1, -1
            for i in range(n):
                memory[0, i], payoff[0, i] = i, 0.0
            nodes, v = 1, 0

    while v < nodes:
        # what node v offers: a range of outcomes (chance, or a move that decides), or the next mover's turns
        if v < 0:
            s, r, t, who, moves, fan = -1, 0, -1, CHANCE, 1, 1
        else:
            child[v] = nodes
            who, s, t, r = player[v], state[v], time[v], aux[v]
            if who == END:
                v += 1
                continue
            if who == CHANCE:
                moves, fan = 1, out[r + 1] - out[r]
            else:
                k = 0
                while actor_set_players[actor_set[s], k] != who:
                    k += 1
                offered = legal[s, k]
                moves = legal_size[offered]
                fan = moves
                known = memory[v, who]
                h = memory_set[known]
                if h < 0:  # the first node of an information set opens it
                    h = np.int32(infosets)
                    infosets += 1
                    memory_set[known] = h
                    set_memory[h], set_legal[h], set_owner[h], set_first[h] = known, offered, who, sequences[who]
                    sequences[who] += moves
                infoset[v] = h
                if set_legal[h] != offered:
                    cursor[CLASH_NODE], cursor[CLASH_SET] = v, h
                    return CLASH
        if 2 * (hashed + n * fan) > len(slot_key):
            cursor[AT], cursor[NODES], cursor[MEMORIES], cursor[INFOSETS], cursor[HASHED] = (
                v,
                nodes,
                memories,
                infosets,
                hashed,
            )
            return FULL
        above = reach[v] if v >= 0 else 1.0
        scale = power[max(t, 0)]
        for i in range(n):
            own[i], move[i] = 0, 0
        for a in range(moves):
            if who >= 0:
                partial = aux[v] * moves + a
                if (
                    k + 1 < actor_set_size[actor_set[s]]
                ):  # another actor moves at the same time: it sees nothing of this
                    c = nodes
                    nodes += 1
                    player[c], state[c], aux[c], parent[c] = actor_set_players[actor_set[s], k + 1], s, partial, v
                    edge[c], reach[c], time[c] = 1.0, reach[v], t
                    for i in range(n):
                        memory[c, i], payoff[c, i] = memory[v, i], payoff[v, i]
                    continue
                r = row[s] + partial
                if out[r + 1] - out[r] > 1:
                    c = nodes
                    nodes += 1
                    player[c], state[c], aux[c], parent[c] = CHANCE, s, r, v
                    edge[c], reach[c], time[c], infoset[c] = 1.0, reach[v], t, -1
                    for i in range(n):
                        memory[c, i], payoff[c, i] = memory[v, i], payoff[v, i]
                    continue
            # outcomes of row r become nodes; first what each player did in this step
            if r > 0:
                actor_set_now = actor_set[s]
                rest = r - row[s]
                for j in range(actor_set_size[actor_set_now] - 1, -1, -1):
                    size = legal_size[legal[s, j]]
                    digit = rest
                    if j > 0:
                        digit = rest % size
                        rest //= size
                    own[actor_set_players[actor_set_now, j]] = legal_actions[legal[s, j], digit] + 1
                    move[actor_set_players[actor_set_now, j]] = digit
            for o in range(out[r], out[r + 1]):
                c = nodes
                nodes += 1
                e, target = event[o], nxt[o]
                state[c], parent[c], edge[c], time[c], infoset[c] = target, v, prob[o], t + 1, -1
                aux[c] = 0
                reach[c] = prob[o] * above
                for i in range(n):
                    before = memory[v, i] if v >= 0 else i
                    word = own[i] * observations[i] + seen[e, i]
                    # siblings stand in a ring that is entered where it was left: mostly the next one is wanted
                    left = last[before]
                    m, near = np.int64(left), 0
                    while m >= 0 and code[m] != word:
                        m, near = np.int64(ring[m]), near + 1
                        if m == left:
                            m = -1
                    if m >= 0:
                        last[before] = m
                    elif near == NEAR:  # the ring is full: all further siblings are hashed
                        m = np.int64(_remember(up, code, slot_key, slot_id, memories, mask, before, word))
                        if m == memories:
                            ring[m] = -1
                            hashed += 1
                    else:
                        m = memories
                        up[m], code[m], ring[m] = before, word, m
                        if left >= 0:
                            ring[m], ring[left] = ring[left], m
                        last[before] = m
                    if m == memories:
                        memories += 1
                        memory_set[m], last[m] = -1, -1
                        sequence[m] = sequence[before]
                        if own[i] > 0:
                            sequence[m] = set_first[memory_set[before]] + move[i]
                    memory[c, i] = m
                    payoff[c, i] = scale * reward[e, i] + (payoff[v, i] if v >= 0 else 0.0)
                if actor_set[target] == 0:
                    player[c] = END
                else:
                    player[c] = actor_set_players[actor_set[target], 0]
        v += 1
    child[nodes] = nodes
    cursor[AT], cursor[NODES], cursor[MEMORIES], cursor[INFOSETS], cursor[HASHED] = v, nodes, memories, infosets, hashed
    return FINE
