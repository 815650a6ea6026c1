"""What an action is worth at a decision: a number that says what it rests on."""

from __future__ import annotations

from math import isnan

from fogbound.core.numerals import number


class ActionValue(float):
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
    >>> ActionValue(1.5), ActionValue(1.5, 0.25, 40).text()
    (1.5, '1.5 ± 0.25 (40 visits)')
    >>> ActionValue(1.5).exact, max(ActionValue(1.0), ActionValue(2.0, 0.1, 7)).visits
    (True, 7)
    """

    half_width: float | None
    visits: int | None

    def __new__(cls, value: float, half_width: float | None = None, visits: int | None = None) -> ActionValue:
        made = super().__new__(cls, value)
        made.half_width, made.visits = half_width, visits
        return made

    @property
    def exact(self) -> bool:
        """Whether it was computed, and not sampled."""
        return self.half_width is None

    def text(self, digits: int = 4) -> str:
        """The value for people, with ± and visits where it was sampled."""
        said = number(float(self), digits)
        if self.half_width is None:
            return said
        spread = "" if isnan(self.half_width) else f" ± {number(self.half_width, 2)}"
        return f"{said}{spread} ({self.visits:,} visit{'s' * (self.visits != 1)})"
