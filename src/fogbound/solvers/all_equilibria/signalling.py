"""Signalling games and the intuitive criterion (Cho and Kreps 1987).

A signalling game: chance draws the sender's type, the sender alone sees it and sends a message, the receiver sees the
message and replies. After a message that an equilibrium does not send, a type that could not gain by it, whatever best
reply followed, is not believed to have sent it. The equilibrium fails the criterion when some type would then gain by
that message under every best reply that is left.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from fogbound.forms.tree import CHANCE, END
from fogbound.solvers.all_equilibria.exact_tree import ExactTree, Plan
from fogbound.solvers.all_equilibria.rational_lp import Constraint, feasible


@dataclass(frozen=True)
class Signalling:
    """A signalling game: its tree, the nodes of the sender by type, and the receiver's information sets by message."""

    tree: ExactTree
    sender: int
    receiver: int
    types: tuple[int, ...]  # the sender's nodes
    messages: tuple[int, ...]  # the receiver's information sets

    def payoff(self, kind: int, message: int, reply: int, player: int) -> Fraction | None:
        """What a player gets when a type (by its node) sends a message; None where that type cannot send it."""
        for node in self.tree.set_nodes[message]:
            if self.tree.parent[node] == kind:
                return self.tree.payoff[self.tree.children[node][reply]][player]
        return None

    def senders(self, message: int) -> list[int]:
        """The types that can send a message."""
        return [self.tree.parent[node] for node in self.tree.set_nodes[message]]

    def earned(self, kind: int, plans: Sequence[Plan]) -> Fraction:
        """What a type earns in an equilibrium."""
        total = Fraction(0)
        for node in self.tree.children[kind]:
            sent = plans[self.sender][self.tree.sequence[node][self.sender]]
            for end in self.tree.children[node]:
                replied = plans[self.receiver][self.tree.sequence[end][self.receiver]]
                total += sent * replied * self.tree.payoff[end][self.sender]
        return total

    def best_replies(self, message: int, kinds: Iterable[int]) -> list[int]:
        """The replies to a message that are best under some belief over some types."""
        believed = list(kinds)
        size = self.tree.set_size[message]
        paid = [[self.payoff(kind, message, r, self.receiver) or Fraction(0) for kind in believed] for r in range(size)]
        found = []
        for r in range(size):
            rows: list[Constraint] = [([o - v for o, v in zip(other, paid[r])], 0) for other in paid]
            if feasible([([1] * len(believed), 1)], rows, len(believed)) is not None:
                found.append(r)
        return found

    def unsent(self, plans: Sequence[Plan]) -> list[int]:
        """The messages that no type sends."""
        own = plans[self.sender]
        nodes = self.tree.set_nodes
        return [m for m in self.messages if not any(own[self.tree.sequence[n][self.sender]] for n in nodes[m])]

    def survives(self, plans: Sequence[Plan]) -> bool:
        """Whether an equilibrium passes the intuitive criterion."""
        return not any(self.objection(message, plans) for message in self.unsent(plans))

    def objection(self, message: int, plans: Sequence[Plan]) -> tuple[int, ...]:
        """The types that would surely gain by an unsent message once implausible types are ruled out."""
        earned = {kind: self.earned(kind, plans) for kind in self.senders(message)}
        every = self.best_replies(message, earned)
        plausible = [kind for kind, has in earned.items() if max(self._gets(kind, message, every)) >= has]
        if not plausible:
            return ()
        left = self.best_replies(message, plausible)
        return tuple(kind for kind in earned if min(self._gets(kind, message, left)) > earned[kind])

    def _gets(self, kind: int, message: int, replies: Iterable[int]) -> list[Fraction]:
        paid = (self.payoff(kind, message, reply, self.sender) for reply in replies)
        return [v for v in paid if v is not None]


def signalling(tree: ExactTree) -> Signalling | None:
    """The tree as a signalling game of two players, if it is one."""
    if tree.players != 2 or tree.mover[0] != CHANCE:
        return None
    types = tuple(tree.children[0])
    senders = {tree.mover[node] for node in types}
    if len(senders) != 1 or not senders <= {0, 1}:
        return None
    sender = senders.pop()
    alone = all(len(tree.set_nodes[tree.infoset[node]]) == 1 for node in types)
    replying = [node for kind in types for node in tree.children[kind]]
    if not alone or any(tree.mover[node] != 1 - sender for node in replying):
        return None
    if any(tree.mover[end] != END for node in replying for end in tree.children[node]):
        return None
    messages = tuple(dict.fromkeys(tree.infoset[node] for node in replying))
    for message in messages:
        kinds = [tree.parent[node] for node in tree.set_nodes[message]]
        if len(set(kinds)) < len(kinds):
            return None
    return Signalling(tree, sender, 1 - sender, types, messages)
