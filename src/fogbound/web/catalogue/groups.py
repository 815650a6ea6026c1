"""The games by what they are about, for the first page; a game that nobody put anywhere stands under the last."""

from __future__ import annotations

GROUPS = {
    "Heaps, cards and dice": (
        "po-nim",
        "nim",
        "card-poker",
        "kuhn",
        "leduc",
        "king-ace",
        "myerson-poker",
        "liars-dice",
        "goofspiel",
        "king-up",
        "king-up-figure",
    ),
    "Boards": ("tic-tac-toe", "phantom-tic-tac-toe", "battleship", "stratego", "soccer"),
    "Hunters and hunted": ("scotland-yard", "pursuit", "patrolling", "intrusion", "tag"),
    "Alone against chance": ("tiger", "rock-sample", "pocman", "bandit"),
    "Together, without a word": ("multi-tiger", "broadcast-channel", "recycling-robots", "crying-baby"),
    "Against each other, in the fog": ("adversarial-tiger", "competitive-tiger"),
    "Tables and trees": ("rock-paper-scissors", "matrix-game", "repeated", "slide-tree", "selten-horse", "beer-quiche"),
}
LAST = "More"


def grouped(names: list[str]) -> dict[str, list[str]]:
    """Every name once, in the order of the groups.

    Examples
    --------
    >>> grouped(["tiger", "leduc", "yours"])
    {'Heaps, cards and dice': ['leduc'], 'Alone against chance': ['tiger'], 'More': ['yours']}
    """
    found = {group: [name for name in members if name in names] for group, members in GROUPS.items()}
    placed = {name for members in GROUPS.values() for name in members}
    found[LAST] = [name for name in names if name not in placed]
    return {group: members for group, members in found.items() if members}
