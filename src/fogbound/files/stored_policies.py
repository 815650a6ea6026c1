"""Policies as arrays and JSON: every finite policy is stored as the controller it is."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from typing import Any

import numpy as np

from fogbound import archive
from fogbound.archive import Arrays
from fogbound.core.dist import Dist
from fogbound.core.errors import FileError, PolicyError, brief, one_line
from fogbound.core.game import Observation
from fogbound.core.labels import from_json, to_json
from fogbound.core.policy import Storable, Strategy
from fogbound.core.profile import Profile, as_profile
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
