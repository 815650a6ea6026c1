"""Who sits where: the assignments of entrants to seats under which every deal is played."""

from __future__ import annotations

from itertools import permutations, product

from fogbound.core.errors import SpecError

ALL, GIVEN = "all", "given"
MOST_SEATINGS = 10_000
Seating = tuple[int, ...]  # the entrant in each seat


def seatings(entrants: int, seats: int, rule: str = ALL) -> tuple[Seating, ...]:
    """The seatings of a tournament, in order.

    Where there are enough entrants for all seats, nobody sits twice: as many entrants as seats are seated in every
    order (document 004, Table 4.3), of more of them all that fit. Where there are fewer, some sit in several seats, and
    the seatings in which one sits everywhere are there for comparison (Table 4.2).

    Parameters
    ----------
    entrants
        How many entrants.
    seats
        How many seats the game has.
    rule
        ``"all"`` of them, or only the one ``"given"``: entrant i in seat i.

    Returns
    -------
    tuple of seatings
        The number of the entrant in each seat.

    Raises
    ------
    SpecError
        Where the rule is unknown, or there are too few entrants or too many seatings.

    Examples
    --------
    >>> seatings(2, 2)
    ((0, 1), (1, 0))
    >>> len(seatings(2, 3)), len(seatings(3, 3)), len(seatings(4, 2)), seatings(3, 3, "given")
    (8, 6, 12, ((0, 1, 2),))
    """
    if rule not in (ALL, GIVEN):
        raise SpecError(f"tournament: seatings is {rule!r}, expected all or given")
    if rule == GIVEN and entrants != seats:
        raise SpecError(f"tournament: {entrants} policies in {seats} seats; the given seating needs one for each seat")
    if entrants < 2 and rule == ALL:
        raise SpecError(f"tournament: {entrants} entrant, expected at least 2 to compare")
    many = _count(entrants, seats)
    if rule == ALL and many > MOST_SEATINGS:
        raise SpecError(f"tournament: {many:,} seatings of {entrants} policies, expected at most {MOST_SEATINGS:,}")
    if rule == GIVEN:
        return (tuple(range(seats)),)
    places = range(entrants)
    return tuple(permutations(places, seats) if entrants >= seats else product(places, repeat=seats))


def _count(entrants: int, seats: int) -> int:
    if entrants < seats:
        return int(entrants**seats)
    many = 1
    for k in range(seats):
        many *= entrants - k
    return many
