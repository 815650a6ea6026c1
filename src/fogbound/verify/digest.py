"""The fingerprint that ties a certificate to one game: a hash of names, types, shapes and bytes."""

import hashlib
from collections.abc import Mapping

from .array import Array
from .npz import NAME
from .refused import Refused


def digest(arrays: Mapping[str, Array]) -> str:
    """SHA-256 in hex over NAME NUL DTYPE NUL SHAPE NUL BYTES for each array, names in order.

    No two forms share the same bytes: a name holds no NUL, and dtype and shape say where the bytes end.
    """
    state = hashlib.sha256()
    for name in sorted(arrays):
        if not NAME.fullmatch(name):
            raise Refused(f"array name {name[:80]!r} is not allowed")
        item = arrays[name]
        shape = ",".join(map(str, item.shape))
        state.update(f"{name}\0{item.dtype}\0{shape}\0".encode())
        state.update(item.data)
    return state.hexdigest()
