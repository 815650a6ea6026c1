"""Resolving and online outcome sampling by recursion over nodes, with dictionaries: what kernels are held against."""

from __future__ import annotations

from collections import defaultdict

from fogbound.forms.tree import CHANCE, END


def public_states(tree):
    """Which nodes some chain of players cannot tell apart: merge until nothing changes. A list of sets of nodes."""
    groups = [{v} for v in range(tree.size)]
    for player in range(len(tree.players)):
        merged = defaultdict(set)
        for group in groups:
            hit = {int(tree.memory[v, player]) for v in group}
            joined = set(group)
            for key in [key for key in merged if {int(tree.memory[v, player]) for v in merged[key]} & hit]:
                joined |= merged.pop(key)
            merged[min(joined)] = joined
        groups = list(merged.values())
    return groups


def matched(regrets):
    total = sum(max(r, 0.0) for r in regrets)
    return [max(r, 0.0) / total if total > 0 else 1 / len(regrets) for r in regrets]


class PlainSubgame:
    """CFR+ below some nodes: `reach` is my range by node, `granted` is by the opponent's memory (None: no gadget)."""

    def __init__(self, tree, me, roots, reach, granted, gates):
        self.tree, self.me, self.roots, self.reach, self.granted, self.gates = tree, me, roots, reach, granted, gates
        self.regret, self.average = {}, defaultdict(float)
        self.gate_regret = {int(tree.memory[r, 1 - me]): [0.0, 0.0] for r in roots}
        self.values, self.weights = defaultdict(float), 0.0

    def strategy(self, infoset):
        return matched(self.regret.setdefault(infoset, [0.0] * int(self.tree.set_size[infoset])))

    def follows(self, memory):
        return 1.0 if self.granted is None else matched(self.gate_regret[memory])[0]

    def sweep(self, t):
        self.weights += t
        for who in (1 - self.me, self.me):
            self.learn(t, who)

    def learn(self, t, who):
        """All of a player's sets are played as before until the whole subgame was walked."""
        tree, me = self.tree, self.me
        news, follow, reached = defaultdict(lambda: defaultdict(float)), defaultdict(float), {}
        for root in self.roots:
            memory = int(tree.memory[root, 1 - me])
            value = self.walk(root, who, t, {me: self.reach[root], 1 - me: self.follows(memory)}, news, reached)
            follow[memory] -= tree.reach[root] * self.reach[root] * value
        for infoset, own in reached.items():
            for a, p in enumerate(self.strategy(infoset)):
                self.average[infoset, a] += t * own * p
        for infoset, gained in news.items():
            self.regret[infoset] = [max(r + gained[a], 0.0) for a, r in enumerate(self.regret[infoset])]
        if who != me and self.granted is not None:
            for memory, value in follow.items():
                options = [value, self.granted[memory]]
                f = self.follows(memory)
                expected = f * value + (1 - f) * options[1]
                self.gate_regret[memory] = [
                    max(r + option - expected, 0.0) for r, option in zip(self.gate_regret[memory], options)
                ]

    def walk(self, v, who, t, reach, news, reached):
        """What I win from node v on; notes down regrets of `who`, and on the opponent's pass what gates are worth."""
        tree, me = self.tree, self.me
        mover, children = int(tree.mover[v]), range(int(tree.child[v]), int(tree.child[v + 1]))
        if mover == END:
            value = float(tree.payoff[v, me]) - (tree.constant_sum or 0.0) / 2
        elif mover == CHANCE:
            value = sum(tree.prob[c] * self.walk(c, who, t, reach, news, reached) for c in children)
        else:
            infoset = int(tree.infoset[v])
            played = self.strategy(infoset)
            if mover == who:
                reached[infoset] = reach[mover]
            below = [
                self.walk(c, who, t, {**reach, mover: reach[mover] * p}, news, reached)
                for c, p in zip(children, played)
            ]
            value = sum(p * b for p, b in zip(played, below))
            if mover == who:
                weight = tree.reach[v] * reach[1 - who] * (1 if who == me else -1)
                for a, b in enumerate(below):
                    news[infoset][a] += weight * (b - value)
        if who != me and v in self.gates:
            self.values[int(tree.memory[v, 1 - me])] -= t * tree.reach[v] * reach[me] * value
        return value

    def played(self, infoset):
        parts = [self.average[infoset, a] for a in range(int(self.tree.set_size[infoset]))]
        return [p / sum(parts) if sum(parts) > 0 else 1 / len(parts) for p in parts]


class PlainSampling:
    """Algorithm 1 of Lisý, Lanctot and Bowling (2015) as it is printed, with regret matching+; one walk a call."""

    def __init__(self, tree, targeted, explore, draw):
        self.tree, self.targeted, self.explore, self.draw = tree, targeted, explore, draw
        self.regret = {h: [0.0] * int(n) for h, n in enumerate(tree.set_size)}
        self.average = {h: [0.0] * int(n) for h, n in enumerate(tree.set_size)}

    def walk(self, learner, target):
        self.target, self.learner, self.aimed = target, learner, self.draw() < self.targeted
        self.below(0, 1.0, 1.0, 1.0)

    def leads(self, v):
        tree = self.tree
        if tree.infoset[v] == self.target:
            return True
        return any(self.leads(c) for c in range(int(tree.child[v]), int(tree.child[v + 1])))

    def below(self, v, others, s1, s2):
        """(the probability of the rest, the probability with which all of it was drawn, what the learner is paid)"""
        tree, mixture = self.tree, self.targeted * s1 + (1 - self.targeted) * s2
        mover, children = int(tree.mover[v]), list(range(int(tree.child[v]), int(tree.child[v + 1])))
        if mover == END:
            return 1.0, mixture, float(tree.payoff[v, self.learner])
        infoset = int(tree.infoset[v])
        played = [float(tree.prob[c]) for c in children] if mover == CHANCE else matched(self.regret[infoset])
        mix = self.explore if mover == self.learner else 0.0
        plain = [(1 - mix) * p + mix / len(children) for p in played]
        aimed = plain
        if infoset != self.target and self.leads(v):
            may = [self.leads(c) for c in children]
            mass, many = sum(p for p, ok in zip(played, may) if ok), sum(may)
            aimed = [((1 - mix) * (p / mass if mass else 1 / many) + mix / many) * ok for p, ok in zip(played, may)]
        point, chances = self.draw(), aimed if self.aimed else plain
        a = next(a for a in range(len(chances)) if chances[a] and point < sum(chances[: a + 1]))
        onward = others if mover == self.learner else others * played[a]
        x, drawn, paid = self.below(children[a], onward, s1 * aimed[a], s2 * plain[a])
        rest = x * played[a]
        if mover == self.learner:
            w = paid * others / drawn
            regret = self.regret[infoset]
            self.regret[infoset] = [max(r + w * ((x if b == a else 0) - rest), 0.0) for b, r in enumerate(regret)]
        elif mover != CHANCE:
            for b, p in enumerate(played):
                self.average[infoset][b] += others * p / mixture
        return rest, drawn, paid
