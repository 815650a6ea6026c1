"""Solution files: an answer with its policies, bounds, trace, recipe and certificate in one `.npz`."""

from __future__ import annotations

import math
import os
from typing import Any

from fogbound import archive
from fogbound.checkpoint import trace_array, trace_from
from fogbound.core.errors import FileError
from fogbound.evaluate.certificate import Certificate
from fogbound.files.policy import pack, unpack
from fogbound.solve import Solution

KIND = "solution"
_NUMBERS = ("value", "lower", "upper", "gap", "seconds")


def save(solution: Solution, path: str | os.PathLike[str]) -> None:
    """Write `solution` to `path`, whole or not at all."""
    header, arrays = encode(solution)
    archive.save(path, KIND, header, arrays)


def encode(solution: Solution) -> tuple[dict[str, Any], archive.Arrays]:
    """The header and arrays of a solution file."""
    policies, arrays = {}, {"trace": trace_array(solution.trace)}
    for seat, policy in sorted(solution.profile.items()):
        policies[str(seat)], part = pack(policy, f"policy/{seat}")
        arrays |= part
    header: dict[str, Any] = {name: float(getattr(solution, name)).hex() for name in _NUMBERS}
    header |= {
        "player": solution.player,
        "iterations": solution.iterations,
        "stopped": solution.stopped,
        "recipe": solution.recipe,
        "details": solution.details,
        "policies": policies,
    }
    if solution.certificate is not None:
        header["certificate"] = solution.certificate.header()
        arrays |= {f"certificate/{name}": array for name, array in solution.certificate.evidence.items()}
    return header, arrays


def load(path: str | os.PathLike[str]) -> Solution:
    """The solution stored at `path`; FileError with one clear line when it is damaged or too new."""
    header, arrays = archive.load(path, KIND)
    try:
        numbers = {name: float.fromhex(header[name]) for name in _NUMBERS}
        profile = {int(seat): unpack(entry, arrays, f"policy/{seat}") for seat, entry in header["policies"].items()}
        if any(math.isnan(number) for number in numbers.values()) or int(header["player"]) not in profile:
            raise ValueError("a number that is none, or a player without a policy")
        for key in ("game", "form", "solver", "seed"):
            header["recipe"][key]
        return Solution(
            profile=profile,
            player=int(header["player"]),
            iterations=int(header["iterations"]),
            stopped=str(header["stopped"]),
            trace=tuple(trace_from(arrays["trace"])),
            recipe=dict(header["recipe"]),
            certificate=_certificate(header.get("certificate"), arrays),
            details=dict(header["details"]),
            **numbers,
        )
    except FileError as error:
        raise FileError(f"{path}: {error}") from error
    except (KeyError, TypeError, ValueError, AttributeError, IndexError, OverflowError) as error:
        raise FileError(f"{path}: damaged solution file, {error!r} is missing or wrong") from error


def _certificate(entry: Any, arrays: archive.Arrays) -> Certificate | None:
    if entry is None:
        return None
    prefix = "certificate/"
    evidence = {name[len(prefix) :]: array for name, array in arrays.items() if name.startswith(prefix)}
    claim = entry["claim"]
    return Certificate(
        kind=str(entry["kind"]),
        player=int(entry["player"]),
        form={},
        evidence=evidence,
        lower=float.fromhex(claim["lower"]),
        upper=float.fromhex(claim["upper"]),
        checked=False,  # whatever a file says of itself: fogbound verify tells
        seconds=float(entry["checked_seconds"]),
        stored_sha256=str(entry["form_sha256"]),
    )
