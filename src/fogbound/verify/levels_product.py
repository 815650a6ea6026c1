"""What one seat faces when the other's controller is drawn from a mixture: a partially observable process.

The kind of the other is drawn with the start and says in which node its automaton begins; all that happens later
depends on the state of the table and the node alone, so the process has these for states, and the weights of kinds
that are in one node add up. It is the game that the seat plays against the mixture, with two changes that can only
raise its best value. The seat is told after each step whether it is asked next, from which menu, or that play is
over (`levels_told`): that is no less than what it sees in the game. And the reward of a row, an expectation, is
rounded up to a float: policies and what happens stay the same, and each step pays at least what it did. So a number
that the value of this process is not above, the best reply is not above either.
"""

from collections.abc import Mapping, Sequence

from .levels_facing import Facing, Point
from .pomdp_form import Process
from .refused import Refused


def process(facing: Facing, believed: Mapping[int, int], points: Sequence[Point]) -> Process:
    """The process on the listed points and, after them, a state in which play is over.

    All that follows the start or a listed point must be listed, so by induction all that can be reached is.
    """
    table, over = facing.table, len(points)
    for state, node in points:
        if not (0 <= state < len(table.actors) and table.actors[state]):
            raise Refused(f"'point' lists state {state} with node {node}, expected a state in which play goes on")
    place: dict[Point | None, int] = {point: number for number, point in enumerate(points)} | {None: over}
    if len(place) != over + 1:
        raise Refused("'point' lists a point twice")
    own = [facing.rows(point) for point in points]
    every = [facing.opening(believed), *(row for rows in own for row in rows)]
    pointers = [1]
    for rows in [*own, []]:
        pointers.append(pointers[-1] + len(rows))
    try:
        outcomes = [[(seen, place[to], weight) for (seen, to), weight in row.follow.items()] for row in every]
    except KeyError as missing:
        raise Refused(f"'point' does not list {missing.args[0]} (state, node), which can be reached") from None
    labels = [tuple(row.label for row in rows) for rows in own]
    totals, rewards = [row.total for row in every], [row.reward for row in every]
    return Process(table.discount, pointers, [*labels, ()], outcomes, totals, rewards)
