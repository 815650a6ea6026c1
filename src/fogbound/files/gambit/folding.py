"""The same tree in words that other readers take: all that is paid at its ends, moves with names that differ."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from fogbound.files.gambit.extensive import ExtensiveFile, Payoffs
from fogbound.files.gambit.structure import menu


def paid_at_ends(file: ExtensiveFile) -> ExtensiveFile:
    """Payoffs of inner nodes added to those of every end below; no end without an outcome, if only one that pays 0.

    Parameters
    ----------
    file
        The tree.

    Returns
    -------
    ExtensiveFile
        The same game. Outcomes keep their names where they are what they were.
    """
    names = {number: name for number, (name, _) in file.outcomes.items()}
    totals: list[Payoffs] = []
    numbers: dict[tuple[str, Payoffs], int] = {}
    folded = replace(file, outcomes={}, outcome=[])
    for node, (index, up) in enumerate(zip(file.set_of, file.parent)):
        had = totals[up] if up >= 0 else (Fraction(0),) * len(file.players)
        own = file.outcomes[file.outcome[node]][1] if file.outcome[node] else ()
        totals.append(tuple(have + more for have, more in zip(had, own)) if own else had)
        if index >= 0:
            folded.outcome.append(0)
            continue
        name = names.get(file.outcome[node], "") if not any(had) else ""
        number = numbers.setdefault((name, totals[node]), len(numbers) + 1)
        folded.outcomes[number] = (name, totals[node])
        folded.outcome.append(number)
    return folded


def moves_apart(file: ExtensiveFile) -> ExtensiveFile:
    """Moves of one set with different names: readers that know a move by its name take equal ones for the same.

    Parameters
    ----------
    file
        The tree.

    Returns
    -------
    ExtensiveFile
        The same game; moves without a name are called by their number, and equal ones numbered.
    """
    return replace(file, sets=[one._replace(moves=menu(one.moves)) for one in file.sets])
