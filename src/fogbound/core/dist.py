"""A finite probability distribution: the only way randomness enters a game or a policy."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Generic, NoReturn, Protocol, TypeVar, dataclass_transform, runtime_checkable

from fogbound.core.errors import GameError, brief

T = TypeVar("T")
U = TypeVar("U", bound=Hashable)

SUM_TOLERANCE = 1e-9
PLAINLY = SUM_TOLERANCE / 2  # a plain sum this close to 1 needs no exact one


@runtime_checkable
class Rng(Protocol):
    """The one thing sampling needs of a random generator (numpy's and the standard library's both fit)."""

    def random(self) -> float: ...


@dataclass_transform(frozen_default=True)
def value_class(cls: type[T]) -> type[T]:
    """A dataclass that type checkers hold frozen and that is cheap to build.

    A frozen dataclass sets each field through `object.__setattr__`, three times the price of a plain one;
    games build millions of these. So: slots, equality and hash as if frozen, and mypy keeps it so.
    """
    return dataclass(slots=True, unsafe_hash=True)(cls)


@value_class
class Dist(Generic[T]):
    """A finite distribution, written as pairs (value, probability).

    Build one with `Dist.sure(x)`, `Dist.uniform(xs)` or `Dist.of({x: probability})`. Probabilities are not
    normalised for you: a sum that is not 1 is a mistake that the form builders report with the state it
    came from. Use `Dist.weighted` for weights that are meant to be normalised.

    Parameters
    ----------
    pairs
        Each value with its probability, in the order in which they are listed and drawn.

    Examples
    --------
    >>> from fogbound import Dist
    >>> coin = Dist.uniform(["heads", "tails"])
    >>> coin["heads"], coin["edge"]
    (0.5, 0.0)
    >>> coin.map(str.upper).support()
    ('HEADS', 'TAILS')
    >>> Dist.weighted({"left": 1, "right": 3}).pairs
    (('left', 0.25), ('right', 0.75))
    """

    pairs: tuple[tuple[T, float], ...]

    @classmethod
    def sure(cls, value: T) -> Dist[T]:
        return cls(((value, 1.0),))

    @classmethod
    def uniform(cls, values: Iterable[T]) -> Dist[T]:
        """Each of `values` equally likely; a value listed twice is twice as likely."""
        listed = tuple(values)
        if not listed:
            raise GameError("Dist.uniform needs at least one value, found none")
        p = 1.0 / len(listed)
        return cls(tuple((value, p) for value in listed))

    @classmethod
    def of(cls, probabilities: Mapping[T, float] | Iterable[tuple[T, float]]) -> Dist[T]:
        """From probabilities, a mapping or pairs. They must sum to 1 (builders check)."""
        pairs = probabilities.items() if isinstance(probabilities, Mapping) else probabilities
        return cls(tuple([(value, float(p)) for value, p in pairs]))

    @classmethod
    def weighted(cls, weights: Mapping[T, float] | Iterable[tuple[T, float]]) -> Dist[T]:
        """From non-negative weights, which are divided by their sum."""
        pairs = tuple(weights.items() if isinstance(weights, Mapping) else weights)
        total = math.fsum(w for _, w in pairs)
        if not (total > 0 and math.isfinite(total)):
            raise GameError(f"weights must have a positive finite sum, found {total}")
        return cls(tuple((value, w / total) for value, w in pairs))

    def __iter__(self) -> Iterator[tuple[T, float]]:
        return iter(self.pairs)

    def __len__(self) -> int:
        return len(self.pairs)

    def __getitem__(self, value: T) -> float:
        """The probability of `value`, 0 when it is not listed."""
        return math.fsum(p for v, p in self.pairs if v == value)

    def support(self) -> tuple[T, ...]:
        """The values with positive probability, in order, each once."""
        return tuple(dict.fromkeys(v for v, p in self.pairs if p > 0))

    def map(self, function: Callable[[T], U]) -> Dist[U]:
        """The distribution of `function(value)`, equal images merged."""
        merged: dict[U, float] = {}
        for value, p in self.pairs:
            image = function(value)
            merged[image] = merged.get(image, 0.0) + p
        return Dist(tuple(merged.items()))

    def is_sure(self) -> bool:
        """Whether only one value can be drawn."""
        return len(self.pairs) <= 1 or len(self.support()) <= 1

    def fault(self) -> str | None:
        """What is wrong with the probabilities, in words, or None when they are a distribution."""
        plain = 0.0
        for _, p in self.pairs:
            plain += p if p >= 0 else math.nan
        if abs(plain - 1.0) <= PLAINLY:
            return None
        for value, p in self.pairs:
            if not p >= 0 or not math.isfinite(p):
                return f"probability {p} of {brief(value)}, expected a number from 0 to 1"
        total = math.fsum(p for _, p in self.pairs)
        if abs(total - 1.0) > SUM_TOLERANCE:
            return f"probabilities that sum to {total:.12g}, expected 1"
        return None

    def sample(self, rng: Rng) -> T:
        """One value, drawn with `rng`."""
        pairs = self.pairs
        if len(pairs) == 1:
            return pairs[0][0]
        point = rng.random()
        for value, p in pairs:
            point -= p
            if point < 0:
                return value
        fault = self.fault()
        if fault:
            raise GameError(f"cannot draw from {fault}")
        return next(value for value, p in reversed(pairs) if p > 0)


class SampledDist(Dist[T]):
    """A distribution that can be drawn from and not listed: whoever lists it is refused.

    Parameters
    ----------
    draw
        Draws one value.
    refuse
        The error for whoever wants to list all of them.
    """

    __slots__ = ("_draw", "_refuse")

    def __init__(self, draw: Callable[[Rng], T], refuse: Callable[[], Exception]) -> None:
        self._draw, self._refuse = draw, refuse

    @property
    def pairs(self) -> NoReturn:
        raise self._refuse()

    def __hash__(self) -> int:
        return id(self)

    def __eq__(self, other: object) -> bool:
        return self is other

    def __repr__(self) -> str:
        return "<a distribution to draw from>"

    def is_sure(self) -> bool:
        """Nothing is known of what is only drawn."""
        return False

    def fault(self) -> None:
        """Nothing is known of what is only drawn."""

    def sample(self, rng: Rng) -> T:
        return self._draw(rng)
