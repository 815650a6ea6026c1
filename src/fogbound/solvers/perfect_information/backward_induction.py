"""Backward induction: from the ends back to the start, every mover takes what is best for itself.

Zermelo 1913, Kuhn 1953: in a finite game of perfect information this finds an equilibrium in pure strategies that is
one from every state on (subgame perfect, Selten 1965), for any number of players and any rewards. States are visited
once each, successors first, so neither the number of histories nor their length matters. Where two moves are equally
good for the mover the first is taken; with other rewards than zero-sum another choice can mean another equilibrium.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import inf

from fogbound.driver.protocol import Context, Progress
from fogbound.forms.table import Table
from fogbound.solvers.perfect_information.game import OVER, Outcomes, PerfectInformationSolver, perfect_information

LOOK_UP = 1 << 12  # states between two looks at the clock
Values = tuple[float, ...]  # what each player still gets


@dataclass(frozen=True)
class BackwardInduction(PerfectInformationSolver):
    """Subgame-perfect equilibrium of a game of perfect information: any number of players, any rewards, chance.

    Works on the table, each state once, successors first; play must end. Pure strategies (Zermelo 1913, Kuhn 1953,
    Selten 1965); of equally good moves the first is taken.
    """

    name = "backward-induction"

    def run(self, form: Table, context: Context) -> Iterator[Progress]:
        game = perfect_information(form, "backward-induction", deepest=inf)
        values: list[Values] = [(0.0,) * len(form.players)] * len(game.mover)
        choices = [0] * len(game.mover)
        for done, state in enumerate(game.order):
            if not done % LOOK_UP and context.stopping():
                return
            mover = game.mover[state]
            if mover == OVER:
                continue
            move_values = [average(row, values, form.discount) for row in game.moves[state]]
            choices[state] = best = max(
                range(len(move_values)), key=lambda move: move_values[move][mover]
            )  # the first of equals
            values[state] = move_values[best]
        leaves = game.mover.count(OVER)
        counts = {"nodes": len(values), "leaves": leaves, "states": len(values)}  # each state is met once
        yield game.answer(average(game.start, values, 1.0), game.profile(choices), counts)


def average(row: Outcomes, values: list[Values], discount: float) -> Values:
    """The value of a move to each player: its reward and what follows, on average over where it may lead."""
    if len(row) == 1:
        _, after, reward = row[0]
        return tuple(now + discount * later for now, later in zip(reward, values[after]))
    parts = [[p * (now + discount * later) for now, later in zip(reward, values[after])] for p, after, reward in row]
    return tuple(map(sum, zip(*parts)))
