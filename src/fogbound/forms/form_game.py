"""A form that came without rules, from a file or from arrays, as a game: then all that works on games works on it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar, Generic, TypeVar

from fogbound.core.game import Game

F = TypeVar("F")
S = TypeVar("S")
A = TypeVar("A")


@dataclass(frozen=True, eq=False)
class FormGame(Game[S, A], Generic[F, S, A]):
    """What such games share: they are of the form that they were made around, and called as it is.

    Parameters
    ----------
    form
        The form to be played.
    """

    form: F = field(repr=False)

    name: ClassVar[str] = "form"

    def __post_init__(self) -> None:
        played: Any = self.form
        object.__setattr__(self, "players", played.players)
        object.__setattr__(self, "discount", played.discount)

    @property
    def origin(self) -> F:
        """The form itself: nothing has to be enumerated."""
        return self.form

    def __str__(self) -> str:
        return str(getattr(self.form, "spec"))  # noqa: B009
