"""The questions that solvers answer, by the form that they work on: what a visitor chooses between."""

from __future__ import annotations

QUESTIONS = {  # by question, the kinds of form whose solvers answer it
    "What is safe against anyone?": ("sequence", "normal", "tree", "table", "markov"),
    "What is best against what is given?": ("pomdp", "belief-mdp", "restricted"),
    "What is best when I do not know how deeply the others think?": ("hierarchy",),
    "What can I guarantee against one who sees everything?": ("one-sided",),
    "What do I do now, in a game too large to solve?": ("sampled", "modelled"),
    "What should a team do that cannot talk?": ("posg",),
}


def question_of(kind: str) -> str:
    """The question that solvers on this kind of form answer."""
    return next((question for question, kinds in QUESTIONS.items() if kind in kinds), "")
