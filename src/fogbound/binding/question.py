"""What a stored solution answers."""

from __future__ import annotations

from fogbound.driver.solution import Solution
from fogbound.forms.protocol import Question

OTHER_POLICIES = "the policies stored in the file are not those of its certificate"


def question(stored: Solution) -> Question:
    """The solution's player, against the stored others."""
    return Question(stored.player, {i: policy for i, policy in stored.profile.items() if i != stored.player})
