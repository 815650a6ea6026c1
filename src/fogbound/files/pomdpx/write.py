"""Writing a `.pomdpx` file: a variable for the state, one for what is seen, one for the opening."""

from __future__ import annotations

import os

from fogbound import archive
from fogbound.files.pomdpx.document import Document
from fogbound.files.pomdpx.opening import opened
from fogbound.files.writing.sizes import Sizes
from fogbound.forms.pomdp import POMDP


def write_pomdpx(form: POMDP, path: str | os.PathLike[str]) -> Sizes:
    """Write the form, whole or not at all, and say how large it is there; FormError where it cannot be written.

    What is read back has the same value. It has the same arrays too, when every action is legal everywhere and
    what is seen depends on the action and the state arrived at only; and, where several sights may open, when
    later sights tell as much of the state as those and each stands for equally many states.
    """
    document = Document(form, opened(form))
    archive.write(path, document.text().encode())
    return document.sizes


def dumps_pomdpx(form: POMDP) -> str:
    """The text of the file."""
    return Document(form, opened(form)).text()
