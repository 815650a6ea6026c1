"""Solution files: an answer with its policies, bounds, trace, provenance and certificate in one `.npz`."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from typing import Any

from numpy.typing import NDArray

from fogbound import archive
from fogbound.certificates.certificate import VERSION, Certificate
from fogbound.certificates.kinds import exact_kind
from fogbound.core.errors import FileError, brief, one_line
from fogbound.core.policy import Strategy
from fogbound.driver.checkpoint import trace_array, trace_from
from fogbound.driver.solution import FLOORS, LOCKS, Solution
from fogbound.files.stored_policies import pack, unpack
from fogbound.policies.alpha_vectors import StoredVectors

KIND = "solution"
VECTORS = "alpha_vectors"
PROVENANCE = {
    **dict.fromkeys(("game", "form", "problem", "answer", "solver", "form_sha256"), str),
    **dict.fromkeys(("player", "seed"), int),
    "players": list,
    "versions": dict,
}
LEVEL = {"level": int, "player": int, "value": float}  # each entry of details.levels
_NUMBERS = ("value", "lower", "upper", "gap", "seconds")


def save_solution(solution: Solution, path: str | os.PathLike[str]) -> None:
    """Write `solution` to `path`, whole or not at all.

    Parameters
    ----------
    solution
        An answer; its policies are stored as controllers, vectors or bounds.
    path
        Where to, as a `.npz` file.

    Raises
    ------
    FileError
        A policy cannot be stored, or the file cannot be written.

    Examples
    --------
    >>> import fogbound as fb
    >>> fb.files.save(fb.solve("king-ace", "sequence-lp"), "answer.npz")
    """
    header, arrays = encode(solution)
    archive.write(path, archive.dumps(KIND, header, arrays))


def encode(solution: Solution) -> tuple[dict[str, Any], archive.Arrays]:
    """The header and arrays of a solution file."""
    policies, arrays = {}, {"trace": trace_array(solution.trace)}
    for player, policy in sorted(solution.profile.items()):
        policies[str(player)], part = pack(policy, f"policy/{player}")
        arrays |= part
    header: dict[str, Any] = {name: float(getattr(solution, name)).hex() for name in _NUMBERS}
    header |= {
        "player": solution.player,
        "iterations": solution.iterations,
        "stopped": solution.stopped,
        "provenance": solution.provenance,
        "details": solution.details,
        "policies": policies,
    }
    if solution.certificate is not None:
        header["certificate"] = solution.certificate.header()
        arrays |= {f"certificate/{name}": array for name, array in solution.certificate.evidence.items()}
    if solution.alpha_vectors is not None:
        header[VECTORS], part = pack(solution.alpha_vectors, VECTORS)
        arrays |= part
    return header, arrays


def load_solution(path: str | os.PathLike[str]) -> Solution:
    """The solution stored at `path`.

    Parameters
    ----------
    path
        A file that `save` wrote.

    Returns
    -------
    Solution
        As it was, except that its certificate counts as not checked: `fogbound.verify` tells.

    Raises
    ------
    FileError
        The file is missing, damaged, or written by another version; one clear line says which.

    Examples
    --------
    >>> import fogbound as fb
    >>> fb.files.save(fb.solve("card-poker(ranks=3)", "sequence-lp"), "answer.npz")
    >>> answer = fb.files.load("answer.npz")
    >>> round(answer.value, 6), sorted(answer.profile)
    (-0.055556, [0, 1])
    """
    header, arrays = archive.load(path, KIND)
    try:
        return _decode(header, arrays)
    except FileError as error:
        raise FileError(f"{path}: {error}") from error
    except (KeyError, TypeError, ValueError, AttributeError, IndexError, OverflowError) as error:
        raise FileError(f"{path}: damaged solution file, {error!r} is missing or wrong") from error


def _decode(header: dict[str, Any], arrays: archive.Arrays) -> Solution:
    """The solution that `encode` wrote; anything in the file that it would not write again is refused."""
    numbers = {name: float.fromhex(header[name]) for name in _NUMBERS}
    _check_provenance(header["provenance"])
    _check_details(header["details"], len(header["provenance"]["players"]))
    profile = {int(player): unpack(entry, arrays, f"policy/{player}") for player, entry in header["policies"].items()}
    unknown = numbers["lower"] == -math.inf and numbers["upper"] == math.inf  # then its value may be none
    if any(math.isnan(number) for name, number in numbers.items() if name != "value" or not unknown):
        raise ValueError("a number that is none")
    _check_players(profile, int(header["player"]), len(header["provenance"]["players"]))
    solution = Solution(
        profile=profile,
        player=int(header["player"]),
        iterations=int(header["iterations"]),
        stopped=str(header["stopped"]),
        trace=tuple(trace_from(arrays["trace"])),
        provenance=dict(header["provenance"]),
        certificate=_certificate(header.get("certificate"), arrays),
        details=dict(header["details"]),
        alpha_vectors=_alpha_vectors(header.get(VECTORS), arrays),
        **numbers,
    )
    _require_nothing_else(header, arrays, *encode(solution))
    return solution


def _alpha_vectors(entry: Any, arrays: archive.Arrays) -> StoredVectors | None:
    """The vectors that stayed with the answer, where there are any."""
    found = None if entry is None else unpack(entry, arrays, VECTORS)
    if found is not None and not isinstance(found, StoredVectors):
        raise FileError(f"{VECTORS} holds a {type(found).__name__}, expected vectors")
    return found


def _check_players(profile: Mapping[int, Strategy], player: int, players: int) -> None:
    """Whether every policy is that of a player whom the file names, and the answer's player has one."""
    strange = next((one for one in profile if not 0 <= one < players), None)
    if strange is not None:
        raise FileError(f"holds a policy for player {strange}, expected players from 0 to {players - 1}")
    if player not in profile:
        raise FileError(f"is about player {player}, for which it has no policy")


def _check_details(details: Mapping[str, Any], players: int) -> None:
    """Whether the figures of levels, which are compared and listed, are figures of levels."""
    if not isinstance(details, dict):
        raise FileError("details are no fields, expected names with values")
    levels = details.get("levels", [])
    listed = levels if isinstance(levels, list) else [levels]
    for said in listed:
        if not isinstance(said, dict) or any(type(said.get(name)) is not kind for name, kind in LEVEL.items()):
            raise FileError(f"details.levels holds {brief(said)}, expected a level, a player and a value each")
        if not 0 <= said["player"] < players:
            raise FileError(f"details.levels names player {said['player']}, expected 0 to {players - 1}")


def _check_provenance(provenance: Any) -> None:
    """Whether it has what others read from it, of the kind that they expect."""
    for key, kind in PROVENANCE.items():
        if type(provenance[key]) is not kind:
            raise ValueError(f"provenance.{key} is no {kind.__name__}")
    for key in (LOCKS, FLOORS):
        held = provenance.get(key, {})
        if type(held) is not dict or any(type(sets) is not dict for sets in held.values()):
            raise ValueError(f"provenance.{key} is not by player and information set")
    listed = [*provenance["players"], *provenance.get("against", [])]
    if not all(isinstance(name, str) for name in listed) or provenance["seed"] < 0:
        raise ValueError("provenance: names that are no text, or a seed below 0")


def _require_nothing_else(
    header: dict[str, Any], arrays: archive.Arrays, again: dict[str, Any], written: archive.Arrays
) -> None:
    """Refuse a file that would not be written so again: what nobody reads nobody checks, and nobody may rely on."""
    top = {key: value for key, value in header.items() if key not in ("fogbound", "schema")}
    if "certificate" in top:
        again["certificate"]["checked"] = top["certificate"]["checked"]  # believed by nobody
    names = [name for name in {**arrays, **written} if not _same_array(arrays.get(name), written.get(name))]
    strange = _strange(top, again, "") or next((f"array {name}" for name in names), None)
    if strange:
        raise FileError(f"holds {one_line(strange, 80)}, which is not as a solution would be written")


def _strange(found: Any, known: Any, path: str) -> str | None:
    """The first field that is not what would be written."""
    if not isinstance(found, dict):
        return None if type(found) is type(known) and found == known else f"field {path}"
    if not isinstance(known, dict):
        return f"fields in {path}"
    faults = (
        f"field {path}.{key}"
        if key not in known or key not in found
        else _strange(found[key], known[key], f"{path}.{key}")
        for key in {**found, **known}
    )
    return next(filter(None, faults), None)


def _same_array(one: NDArray[Any] | None, two: NDArray[Any] | None) -> bool:
    if one is None or two is None:
        return False
    mine, theirs = archive.canonical(one), archive.canonical(two)
    return (mine.dtype, mine.shape, mine.tobytes()) == (theirs.dtype, theirs.shape, theirs.tobytes())


def _certificate(entry: Any, arrays: archive.Arrays) -> Certificate | None:
    if entry is None:
        return None
    if entry["version"] != VERSION or entry["arithmetic"] != "exact":
        raise FileError(f"its certificate is of version {entry['version']!r}, {entry['arithmetic']!r} arithmetic")
    prefix = "certificate/"
    evidence = {name[len(prefix) :]: array for name, array in arrays.items() if name.startswith(prefix)}
    claim = entry["claim"]
    return Certificate(
        kind=exact_kind(str(entry["kind"])),
        player=int(entry["player"]),
        form={},
        evidence=evidence,
        lower=float.fromhex(claim["lower"]),
        upper=float.fromhex(claim["upper"]),
        checked=False,  # whatever a file says of itself: fogbound verify tells
        seconds=float(entry["checked_seconds"]),
        stored_sha256=str(entry["form_sha256"]),
    )
