"""Docstrings that are completed by what bases say of the same fields."""

from __future__ import annotations

from typing import ClassVar

from fogbound.core.parameter_docs import completed_docstring, described_parameters


class Base:
    """What several share.

    Parameters
    ----------
    rounds
        How many.
    low, high
        Between these.
    """


class Own(Base):
    """One of them.

    Parameters
    ----------
    own
        Of this one alone,
        in two lines.

    Examples
    --------
    None.
    """

    kind: ClassVar[str] = ""
    high: float = 1.0
    own: int = 0
    rounds: int = 5
    strange: int = 0


class Complete(Base):
    """All of it is said here.

    Parameters
    ----------
    rounds
        Of its own.
    """

    rounds: int = 1


def test_entries_of_bases_stand_in_the_order_of_the_fields():
    completed = completed_docstring(Own)
    assert list(described_parameters(completed)) == [("low", "high"), ("own",), ("rounds",)]
    assert completed.startswith("One of them.\n\nParameters\n----------\nlow, high\n    Between these.\nown\n")
    assert completed.endswith("rounds\n    How many.\n\nExamples\n--------\nNone.")


def test_what_is_complete_or_not_written_stays():
    assert completed_docstring(Complete) == Complete.__doc__
    assert completed_docstring(type("Bare", (Base,), {})) is None
