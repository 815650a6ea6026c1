"""What an action is worth at a decision: a number that says what it rests on."""

from __future__ import annotations

from math import isnan

from fogbound.core.numerals import number


class QValue(float):
    """The value of an action: a lower bound that was computed, or the mean of simulations.

    It is a float, so that values compare and add up as numbers do.

    Parameters
    ----------
    value
        What the player earns from the decision on.
    half_width
        Half of the 95% interval of a mean, from the spread of the returns of all simulations; NaN where a search of
        samples knows no spread; None of a value that was computed.
    visits
        How many simulations began with the action; None of a value that was computed.

    Examples
    --------
    >>> QValue(1.5), QValue(1.5, 0.25, 40).text()
    (1.5, '1.5 ± 0.25')
    >>> QValue(1.5).exact, max(QValue(1.0), QValue(2.0, 0.1, 7)).visits
    (True, 7)
    """

    half_width: float | None
    visits: int | None

    def __new__(cls, value: float, half_width: float | None = None, visits: int | None = None) -> QValue:
        made = super().__new__(cls, value)
        made.half_width, made.visits = half_width, visits
        return made

    @property
    def exact(self) -> bool:
        """Whether it was computed, and not sampled."""
        return self.half_width is None

    def text(self, digits: int = 4) -> str:
        """The value for people, with ± where it was sampled."""
        said, half = number(float(self), digits), self.half_width
        return said if half is None or isnan(half) else f"{said} ± {number(half, 2)}"
