"""Arrays of bundles that take no index below 0 for one from the end: in plain Python, numpy's would."""

from __future__ import annotations

from dataclasses import fields

import numpy as np

from fogbound.compiled.bundle import Bundle


class Guarded(np.ndarray):
    """An array of a bundle, watched; what is made of it is as usual."""

    def __array_finalize__(self, _from):
        self.watched = False

    def __getitem__(self, key):
        self._look(key)
        return super().__getitem__(key)

    def __setitem__(self, key, value):
        self._look(key)
        super().__setitem__(key, value)

    def _look(self, key):
        for part in key if isinstance(key, tuple) else (key,):
            if self.watched and isinstance(part, int | np.integer) and part < 0:
                raise IndexError(f"index {part}")


def guard_bundles() -> None:
    """From now on kernels of solvers find guarded arrays in the bundles that they are handed."""
    plain = Bundle.__post_init__

    def guarded(self):
        plain(self)
        for place in fields(self):
            member = getattr(self, place.name)
            if isinstance(member, np.ndarray) and type(self).__module__.startswith("fogbound.solvers"):
                member = member.view(Guarded)
                member.watched = True
                object.__setattr__(self, place.name, member)

    Bundle.__post_init__ = guarded
