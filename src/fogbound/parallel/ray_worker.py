"""What a worker of a Ray cluster does with a job: bytes in, bytes out.

What all jobs share is unpickled once a worker. Bytes rather than Ray's own arrays: these are read-only, for which
kernels would be compiled a second time.
"""

from __future__ import annotations

import pickle
from contextvars import Context
from typing import Any

from fogbound.core.errors import FogboundError, raised

_adopted: tuple[str, Any] = ("", None)  # which work it is of, and (function, shared)


def run_job(work: list[Any], key: str, item: bytes) -> bytes:
    """(whether it went well, the result or what was raised) of one item, pickled."""
    global _adopted
    from ray import cloudpickle, get

    if _adopted[0] != key:
        _adopted = key, cloudpickle.loads(get(work[0]))
    function, shared = _adopted[1]
    try:
        answer = True, Context().run(function, shared, cloudpickle.loads(item))
    except Exception as fault:
        answer = False, _fit_to_travel(fault)
    return bytes(cloudpickle.dumps(answer))


def _fit_to_travel(fault: Exception) -> Exception:
    """The same error, or its words where it cannot be made again elsewhere: one of two arguments often cannot."""
    try:
        same = type(pickle.loads(pickle.dumps(fault))) is type(fault)  # noqa: S301, what was pickled here
    except Exception:
        same = False
    return fault if same else FogboundError(raised(fault))
