"""Sets as the bits of a word: how many are in one, and which is the k-th."""

from __future__ import annotations

from typing import Any

from fogbound.compiled.kernel import kernel


@kernel
def counted(members: Any) -> Any:
    """How many are in a set, written so that compilers take it for their instruction."""
    members = members - ((members >> 1) & 0x5555555555555555)
    members = (members & 0x3333333333333333) + ((members >> 2) & 0x3333333333333333)
    return ((((members + (members >> 4)) & 0x0F0F0F0F0F0F0F0F) * 0x0101010101010101) >> 56) & 0xFF


@kernel
def chosen(members: Any, place: Any) -> Any:
    """The member that so many come before, as a set of its own."""
    for _ in range(place):
        members &= members - 1
    return members & -members
