"""Solution files: an answer with its policies, bounds, trace, provenance and certificate in one `.npz`.

Policies as arrays and JSON. Every finite policy is stored as the controller it is.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fogbound import archive
from fogbound.archive import Arrays
from fogbound.certificates.certificate import VERSION, Certificate
from fogbound.certificates.kinds import exact_kind
from fogbound.core.dist import Dist
from fogbound.core.errors import FileError, PolicyError, brief, one_line
from fogbound.core.game import Observation
from fogbound.core.labels import from_json, to_json
from fogbound.core.policy import Storable, Strategy
from fogbound.core.profile import Profile, as_profile
from fogbound.driver.checkpoint import trace_array, trace_from
from fogbound.driver.solution import Solution
from fogbound.policies.alpha_vectors import AlphaVectors, StoredVectors
from fogbound.policies.controller import Controller, controller
from fogbound.policies.mixture import DEEPEST, Mixture
from fogbound.policies.perfect_information import MarkovPolicy, StatePolicy
from fogbound.policies.stored import StoredBounds, StoredPlanner
from fogbound.policies.tabular import Tabular
from fogbound.policies.uniform import Uniform
from fogbound.policies.vocabulary import Vocabulary

NONE = -1  # the action id of a step in which the player did not move

Stored = Uniform | Controller | StoredVectors | StoredBounds | StoredPlanner | Mixture  # each says what is valid


def as_stored(policy: Strategy) -> Strategy:
    """A policy as a file holds it, where its class has another one for that.

    Parameters
    ----------
    policy
        As a solver made it.

    Returns
    -------
    Strategy
        The same policy, of a class that files know.
    """
    if isinstance(policy, AlphaVectors):
        return StoredVectors.of(policy)
    return policy.stored() if isinstance(policy, Storable) else policy  # of a solver's own class


def pack(policy: Strategy, prefix: str) -> tuple[dict[str, Any], Arrays]:
    """The header entry and the arrays (named `prefix/…`) of one policy."""
    policy = as_stored(policy)
    if isinstance(policy, Uniform):
        return {"kind": "uniform"}, {}
    if isinstance(policy, Tabular | MarkovPolicy):
        return pack(policy.controller(), prefix)
    if isinstance(policy, Controller):
        return _pack_controller(policy, prefix)
    if isinstance(policy, StoredVectors):
        return _pack_vectors(policy, prefix)
    if isinstance(policy, StoredPlanner):
        return {"kind": "planner", "solver": policy.solver, "seed": policy.seed}, {}
    if isinstance(policy, StoredBounds):
        entry = {"kind": "bounds", "partially_informed": policy.partially_informed}
        return entry, {f"{prefix}/{name}": array for name, array in policy.arrays.items()}
    if isinstance(policy, StatePolicy):
        return _pack_controller(controller(policy.game, policy.player, policy), prefix)
    if isinstance(policy, Mixture):
        members, arrays = [], Arrays()
        for k, member in enumerate(policy.policies):
            entry, part = pack(member, f"{prefix}/{k}")
            members.append(entry)
            arrays |= part
        return {"kind": "mixture", "weights": list(policy.weights), "members": members}, arrays
    raise FileError(
        f"a policy of class {type(policy).__name__} cannot be saved: turn it into a controller first, with "
        "fogbound.policies.controller(game, player, policy)"
    )


def unpack(entry: Any, arrays: Arrays, prefix: str) -> Strategy:
    """The policy that `pack` wrote; FileError when the parts do not fit together, or are no valid policy."""
    try:
        kind = entry["kind"]
        if kind not in POLICIES:
            raise FileError(
                f"the stored policy {prefix} is of kind {brief(kind)}, expected one of {', '.join(POLICIES)}"
            )
        policy = POLICIES[kind](entry, arrays, prefix)
        fault = policy.fault()
    except PolicyError as error:
        fault = str(error)
    except (AttributeError, KeyError, IndexError, TypeError, ValueError, OverflowError, RecursionError) as error:
        fault = f"{type(error).__name__}: {error}"
    if fault:
        raise FileError(f"the stored policy {prefix} is damaged ({one_line(fault, 200)})")
    return policy


def _pack_controller(policy: Controller, prefix: str) -> tuple[dict[str, Any], Arrays]:
    actions: dict[Any, int] = {}
    observations: dict[Observation, int] = {}
    first = [(observations.setdefault(seen, len(observations)), node) for seen, node in policy.first.items()]
    arrows = []
    for (node, action, seen), target in policy.arrows.items():
        number = NONE if action is None else actions.setdefault(action, len(actions))
        arrows.append((node, number, observations.setdefault(seen, len(observations)), target))
    keys, weights = [], []
    for node, choice in enumerate(policy.choices):
        for action, p in choice or ():
            keys.append((node, actions.setdefault(action, len(actions))))
            weights.append(p)
    if policy.vocabulary is not None:
        for seen in policy.vocabulary.observations:
            observations.setdefault(seen, len(observations))
        for action in policy.vocabulary.actions:
            actions.setdefault(action, len(actions))
    entry = {
        "kind": "controller",
        "vocabulary": policy.vocabulary is not None,  # whether these are all that there are
        "nodes": policy.size,
        "actions": [to_json(a) for a in actions],
        "observations": [[to_json(s.public), to_json(s.private)] for s in observations],
        "notes": list(policy.notes),
        **({"at_random": True} if policy.at_random else {}),
    }
    return entry, {
        f"{prefix}/first": np.array(first, np.int64).reshape(-1, 2),
        f"{prefix}/arrows": np.array(arrows, np.int64).reshape(-1, 4),
        f"{prefix}/choice": np.array(keys, np.int64).reshape(-1, 2),
        f"{prefix}/weight": np.array(weights, np.float64),
    }


def _unpack_controller(entry: Any, arrays: Arrays, prefix: str) -> Controller:
    nodes, notes = int(entry["nodes"]), tuple(map(str, entry["notes"]))
    met = sum(len(arrays[f"{prefix}/{name}"]) for name in ("first", "arrows", "choice"))
    if not 0 <= nodes <= met + 1:
        raise ValueError(f"{nodes:,} nodes, of which only {met:,} are spoken of")
    actions = [from_json(a) for a in entry["actions"]]
    observations = [Observation(from_json(public), from_json(private)) for public, private in entry["observations"]]
    first, arrows = (arrays[f"{prefix}/{name}"].tolist() for name in ("first", "arrows"))
    keys, weights = (arrays[f"{prefix}/{name}"].tolist() for name in ("choice", "weight"))
    _check_range(
        "node", nodes, [n for _, n in first], [r[0] for r in arrows], [r[3] for r in arrows], [k for k, _ in keys]
    )
    _check_range("action", len(actions), [a for _, a in keys], [r[1] for r in arrows if r[1] != NONE])
    _check_range("observation", len(observations), [s for s, _ in first], [r[2] for r in arrows])
    if len(keys) != len(weights):
        raise ValueError("arrays of unequal length")
    pairs: list[list[tuple[Any, float]]] = [[] for _ in range(nodes)]
    for (node, action), p in zip(keys, weights):
        pairs[node].append((actions[action], float(p)))
    choices = tuple(Dist(tuple(listed)) if listed else None for listed in pairs)
    return Controller(
        {observations[s]: n for s, n in first},
        {(n, None if a == NONE else actions[a], observations[s]): t for n, a, s, t in arrows},
        choices,
        notes,
        Vocabulary(tuple(observations), tuple(actions)) if entry.get("vocabulary") else None,
        entry.get("at_random") is True,
    )


def _pack_vectors(policy: StoredVectors, prefix: str) -> tuple[dict[str, Any], Arrays]:
    entry = {"kind": "vectors", "states": policy.size, "actions": [to_json(a) for a in policy.actions]}
    return entry, {
        f"{prefix}/first": policy.first.astype(np.int64),
        f"{prefix}/state": policy.states.astype(np.int64),
        f"{prefix}/value": policy.values,
    }


def _unpack_vectors(entry: Any, arrays: Arrays, prefix: str) -> StoredVectors:
    size, actions = int(entry["states"]), tuple(from_json(a) for a in entry["actions"])
    first, states, values = (arrays[f"{prefix}/{name}"] for name in ("first", "state", "value"))
    return StoredVectors(size, first, states, values, actions)


def _unpack_bounds(entry: Any, arrays: Arrays, prefix: str) -> StoredBounds:
    stored = StoredBounds(entry["partially_informed"], {})
    stored.arrays.update({name: arrays[f"{prefix}/{name}"] for name in stored.names})
    return stored


def _unpack_mixture(entry: Any, arrays: Arrays, prefix: str) -> Mixture:
    if prefix.count("/") > DEEPEST:  # before the stack of calls ends
        raise ValueError(f"mixtures inside each other, expected at most {DEEPEST} deep")
    members = [unpack(member, arrays, f"{prefix}/{k}") for k, member in enumerate(entry["members"])]
    return Mixture(tuple(members), tuple(map(float, entry["weights"])))


POLICIES: dict[str, Callable[[Any, Arrays, str], Stored]] = {  # by kind: from what is stored to the policy
    "uniform": lambda *_: Uniform(),
    "controller": _unpack_controller,
    "vectors": _unpack_vectors,
    "bounds": _unpack_bounds,
    "planner": lambda entry, *_: StoredPlanner(str(entry["solver"]), int(entry["seed"])),
    "mixture": _unpack_mixture,
}


def _check_range(what: str, size: int, *columns: list[int]) -> None:
    for column in columns:
        for value in column:
            if not 0 <= value < size:
                raise ValueError(f"{what} {value}, expected 0 to {size - 1}")


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


def policies_digest(solution: Profile) -> str:
    """A hash of what a solution plays: the same for two answers exactly where their files' policies are.

    Parameters
    ----------
    solution
        An answer, solved or read; or policies by player.

    Returns
    -------
    str
        SHA-256, in hexadecimal digits.

    Examples
    --------
    >>> import fogbound as fb
    >>> one, two = (fb.solve("king-ace", "sequence-lp") for _ in range(2))
    >>> fb.files.policies_digest(one) == fb.files.policies_digest(two)
    True
    """
    digest = hashlib.sha256()
    for player, policy in sorted(as_profile(solution).items()):
        entry, arrays = pack(policy, f"policy/{player}")
        digest.update(json.dumps(entry, sort_keys=True).encode())
        for name, array in sorted(arrays.items()):
            digest.update(f"{name}\0{array.shape}\0".encode() + archive.canonical(array).tobytes())
    return digest.hexdigest()


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
    for key in ("locks", "floors"):
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
