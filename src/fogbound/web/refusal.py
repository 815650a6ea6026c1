"""What a visitor did that cannot be: raised wherever it is found, and answered with a page (`errors.py`)."""

from __future__ import annotations

from fogbound.core.errors import FogboundError

WHY = {
    404: "There is no such page, game or run. It may have been taken away.",
    405: "Go back and use the page's own buttons.",
    413: "More was sent than is taken here: a form has at most 64 kB, a file 16 MB.",
}


class Refusal(FogboundError):
    """What a visitor did that cannot be: its status, and a sentence.

    Parameters
    ----------
    status
        The status of the answer.
    why
        The sentence.
    """

    def __init__(self, status: int, why: str = "") -> None:
        super().__init__(why or WHY.get(status, ""))
        self.status = status
