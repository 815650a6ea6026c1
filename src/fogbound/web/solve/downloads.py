"""What can be taken away of a run: its files, its tables, its picture, and the lines of Python that make it again."""

from __future__ import annotations

import base64
import csv
import io
from collections.abc import Callable
from dataclasses import astuple, fields
from pathlib import Path

from fogbound.core.drawing import PICTURES
from fogbound.driver.protocol import TraceEntry
from fogbound.web.explore.address import Address
from fogbound.web.explore.asking import WHOLE, explore
from fogbound.web.refusal import Refusal
from fogbound.web.runs.folder import RunFolder
from fogbound.web.site import OF_RUN, OPENED, Site
from fogbound.web.solve.shown import shown

KINDS = {".npz": "application/octet-stream", ".csv": "text/csv; charset=utf-8", ".svg": "image/svg+xml"}
KINDS |= {".pdf": "application/pdf", ".png": "image/png", ".py": "text/x-python; charset=utf-8"}


def download(site: Site, folder: RunFolder, name: str, kind: str) -> tuple[bytes, str]:
    """A file of a run, and its type.

    Parameters
    ----------
    site, folder
        Which run.
    name
        ``solution.npz``, ``strategy.csv``, ``trace.csv``, ``bounds.svg``, ``.pdf`` or ``.png``, ``solve.py``.
    kind
        Which picture, as the page has it.
    """
    made: dict[str, Callable[[], bytes]] = {
        "solution.npz": lambda: _require_solution(folder).read_bytes(),
        "strategy.csv": lambda: _strategy(site, folder),
        "trace.csv": lambda: _trace(folder),
        "solve.py": lambda: python_lines(site, folder).encode(),
    }
    if name in made:
        return made[name](), KINDS[Path(name).suffix]
    ending = name.removeprefix("bounds")
    if ending not in PICTURES:
        raise Refusal(404)
    run = shown(site, folder)
    if not run.trace:
        raise Refusal(404, "There is nothing to draw yet.")
    return PICTURES[ending](run.chart(kind).plain()), KINDS[ending]


def python_lines(site: Site, folder: RunFolder) -> str:
    """The lines of Python that make a run's answer again."""
    run = shown(site, folder)
    asked = run.asked
    game = f'"{run.title}"' if asked.game.startswith(OPENED) else repr(site.settings.own.get(asked.game, asked.game))
    given = {key: value for key, value in asked.limits().items() if value is not None}
    extra = {"player": asked.player} if asked.player != "0" else {}
    if asked.against:
        extra["against"] = "solution.npz" if asked.against.startswith(OF_RUN) else asked.against
    words = [game, repr(asked.solver or run.solver)]
    words += [f"{key}={value!r}" for key, value in {**extra, **given, "seed": asked.seed}.items()]
    return f"import fogbound as fb\n\nsolution = fb.solve({', '.join(words)})\nprint(solution)\n"


def _strategy(site: Site, folder: RunFolder) -> bytes:
    _require_solution(folder)
    return base64.b64decode(explore(site, Address(folder.id, WHOLE))["data"])


def _trace(folder: RunFolder) -> bytes:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([field.name for field in fields(TraceEntry)])
    writer.writerows(map(astuple, folder.entries()))
    return text.getvalue().encode()


def _require_solution(folder: RunFolder) -> Path:
    if not folder.solution.is_file() or folder.solution.is_symlink():
        raise Refusal(404, "This run has no solution: it is not over, or nothing came of it.")
    return folder.solution
