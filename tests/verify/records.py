"""Records of what the checker proves: small cases, and every way to damage one number of them.

A record is a file in `records/`: a form and a certificate, what the certificate is about, the true value where it is
known, and for every damage what the checker then says, to the last bit. An interval is written as its floats and a
digest of its exact fractions; damages with the same outcome share a line. So whoever changes the arithmetic, or leaves
out one of its refusals sees which lines change; `tests/verify/write_records.py` makes the files, and nothing that the
checker says there is believed: every interval must hold the true value.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from contextlib import ExitStack
from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple
from unittest.mock import patch

import numpy as np

import fogbound.verify as checker
from fogbound.verify import Array, Refused, check, memories, tree
from fogbound.verify.pomdp import upper as pomdp_upper
from tests.verify.made import header, plain, stored

FOLDER = Path(__file__).parent / "records"
ROUNDED = (tree, memories, pomdp_upper)  # what rounds where denominators are long


class Case(NamedTuple):
    """A form and a certificate, judged for a player; `value`: what every interval must hold, as a fraction's text."""

    kind: str
    player: int
    form: dict[str, Array]
    certificate: dict[str, Array]
    value: str = ""
    rounded: bool = False  # as if all denominators were long
    places: int = 12  # of an array, spread evenly where it is longer: these numbers are damaged


def judged(case: Case, form: dict[str, Array], certificate: dict[str, Array]) -> tuple[str, list[Any]]:
    """(What the checker says, its exact intervals). Rounding to floats has tests of its own."""
    told = header(form, case.kind, case.player, -1e9, 1e9)
    try:
        with patch.object(checker, "up", lambda x: x), patch.object(checker, "down", lambda x: x):
            report = check(told, form, certificate)
    except Refused as fault:
        return str(fault), []
    whole: list[Any] = [report.player, report.lower, report.upper, *report.intervals, report.regret, report.violation]
    text = repr([*whole, *report.levels, report.refuted])
    digest = hashlib.sha256(text.encode()).hexdigest()[:10]
    return f"{float(report.lower):.9g} to {float(report.upper):.9g} #{digest}", [(report.lower, report.upper)]


def damaged(arrays: dict[str, Array], places: int) -> Iterator[tuple[str, dict[str, Array]]]:
    """Every array with one number changed, cut, longer, of another type, or left out."""
    for name, array in arrays.items():
        values = plain(array)
        for place in sorted({k * (values.size - 1) // places for k in range(places + 1)}) if values.size else ():
            for word, by in (("+1", 1), ("-1", -1)) if values.dtype.kind == "i" else (("+1/4", 0.25), ("-5/8", -0.625)):
                changed = values.copy()
                changed.flat[place] += by
                yield f"{name}[{place}]{word}", {**arrays, name: stored(changed)}
        others = {"longer": np.concatenate([values, values[-1:]]), "cut": values[:-1], "flat": values.reshape(1, -1)}
        others["typed"] = values.astype(float if values.dtype.kind == "i" else int)
        for word, other in others.items():
            if other.shape != values.shape or word == "typed":
                yield f"{name} {word}", {**arrays, name: stored(other)}
        yield f"{name} missing", {key: item for key, item in arrays.items() if key != name}


def outcomes(case: Case) -> Iterator[tuple[str, str]]:
    """Each damage with what the checker then says; AssertionError where that is not true."""
    tried = [("as it is", case.form, case.certificate)]
    tried += [(f"certificate {where}", case.form, other) for where, other in damaged(case.certificate, case.places)]
    tried += [(f"form {where}", other, case.certificate) for where, other in damaged(case.form, case.places)]
    with ExitStack() as stack:
        for module in ROUNDED if case.rounded else ():
            stack.enter_context(patch.object(module, "EXACT_BITS", -1))
        for where, form, certificate in tried:
            said, intervals = judged(case, form, certificate)
            if case.value and form is case.form:
                assert all(low <= Fraction(case.value) <= high for low, high in intervals), where
            yield where, said


def names() -> list[str]:
    """All records, the shortest first."""
    return [path.stem for path in sorted(FOLDER.glob("*.json"), key=lambda path: (path.stat().st_size, path.stem))]


def read(name: str) -> tuple[Case, dict[str, str]]:
    """A record: the case, and what the checker said to each damage."""
    told = json.loads((FOLDER / f"{name}.json").read_text())
    form, certificate = (
        {key: Array(dtype, tuple(shape), np.array(values, dtype).tobytes()) for key, (dtype, shape, values) in part}
        for part in (told["form"].items(), told["certificate"].items())
    )
    case = Case(told["kind"], told["player"], form, certificate, told["value"], told["rounded"], told["places"])
    return case, {where: said for said, listed in told["outcomes"].items() for where in listed.split(", ")}


def write(name: str, case: Case) -> None:
    """Judge a case in all its damages and keep it."""
    parts = {
        part: {key: [item.dtype, item.shape, item.values()] for key, item in getattr(case, part).items()}
        for part in ("form", "certificate")
    }
    said: dict[str, str] = {}
    for where, told in outcomes(case):
        said[told] = f"{said[told]}, {where}" if told in said else where
    top = {"kind": case.kind, "player": case.player, "value": case.value}
    top |= {"rounded": case.rounded, "places": case.places}
    lines = [f" {json.dumps(key)}: {json.dumps(value)}" for key, value in top.items()]
    for title, entries in (*parts.items(), ("outcomes", said)):
        body = ",\n".join(f"  {json.dumps(key)}: {json.dumps(value)}" for key, value in entries.items())
        lines.append(f" {json.dumps(title)}: {{\n{body}\n }}")
    (FOLDER / f"{name}.json").write_text("{\n" + ",\n".join(lines) + "\n}\n")
