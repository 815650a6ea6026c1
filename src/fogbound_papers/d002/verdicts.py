"""What may be said of bounds on maps that document 002 does not print."""

from __future__ import annotations

OTHER_MAP = "the document does not print its map: not comparable"


def apart(better: float, worse: float, opposite: bool) -> str:
    """For bounds: the better one's lower bound against the other's upper bound; if they overlap, nothing is said."""
    if better > worse:
        return "reproduced"
    return "refuted" if opposite else "not reproduced"


def between(lower: float, upper: float) -> str:
    return f"{lower:.2f} to {upper:.2f}"
