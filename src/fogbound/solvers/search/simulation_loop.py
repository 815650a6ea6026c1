"""SEARCH of planners in Python: simulations from one decision, and the returns that they came to."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from math import inf, sqrt

from fogbound.core.cancel import check


class SimulationLoop(ABC):
    """Simulations from one decision; a subclass says how one goes down its tree."""

    def forget(self) -> None:
        """Begin with no simulation and the root alone."""
        self.done, self.nodes = 0, 1
        self.low, self.high, self.total, self.squares = inf, -inf, 0.0, 0.0

    @abstractmethod
    def simulate(self) -> float:
        """One simulation from a state drawn from the belief; its return."""

    def run(self, simulations: int, stopping: Callable[[], bool] | None = None) -> int:
        """Run further simulations, fewer where `stopping` says so; how many in all."""
        for _ in range(simulations):
            check()
            value = self.simulate()
            self.done += 1
            self.low, self.high = min(self.low, value), max(self.high, value)
            self.total, self.squares = self.total + value, self.squares + value * value
            if stopping is not None and stopping():
                break
        return self.done

    def returned(self) -> tuple[float, float]:
        """The mean return of all simulations, and its standard error."""
        n = max(self.done, 1)
        mean = self.total / n
        return mean, sqrt(max(self.squares / n - mean**2, 0.0) / n)
