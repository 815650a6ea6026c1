"""So long and no longer: what a request may compute itself."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from fogbound.core.cancel import cancelling
from fogbound.core.errors import Stopped
from fogbound.driver.clock import Deadline
from fogbound.web.refusal import Refusal


@contextmanager
def within(seconds: float, what: str) -> Iterator[None]:
    """Inside the block loops end after so many seconds, and the visitor is told `what` took too long."""
    try:
        with cancelling(Deadline(seconds)):
            yield
    except Stopped:
        raise Refusal(
            503, f"{what} takes more than {seconds:g} s here: use the command line, or a smaller game"
        ) from None
