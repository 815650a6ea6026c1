"""Gambit's own files: read, written and read again; read by others once they are written; solved beside Gambit.

The files are not Fogbound's and lie beside a checkout, in ../shared/models/gambit. Gambit itself, pygambit, is no
dependency: `make bench` installs its wheel where there is one, and what needs it says so where there is none.
"""

from __future__ import annotations

import tempfile
import warnings
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any

import fogbound as fb
from benchmarks import peer
from benchmarks.gambit_readers import GAMBIT_ABSENT, Reader, find_gambit, gambit, gambit_value, openspiel
from benchmarks.text import aligned, milliseconds
from benchmarks.timing import Timing, cpu
from fogbound.core.errors import FormError, LimitError
from fogbound.files.gambit.efg import CHANCE, ExtensiveFile, efg_text, read_efg, write_efg
from fogbound.files.gambit.nfg import StrategicFile, nfg_text, read_nfg, strategic, write_nfg
from fogbound.files.gambit.rewording import moves_apart, paid_at_ends
from fogbound.files.gambit.structure import PERFECT, recall
from fogbound.games import GAMES

FOLDER = Path(__file__).parents[2] / "shared" / "models" / "gambit"
ABSENT = f"the folder of Gambit's files, {FOLDER}, is not there: nothing to measure"
LARGE = "large_payoff_game.efg"  # pays 1e19: exact, its value is 1
MOST_STATES, MOST_NODES = 100_000, 300_000  # of a shipped game whose tree is written
CLOSE = 1e-9  # of floats that were computed in another order
Read = ExtensiveFile | StrategicFile


@dataclass(frozen=True)
class Tally:
    """How many files of how many passed, and the names of those that did not."""

    what: str
    passed: int
    of: int
    without: tuple[str, ...] = ()

    @classmethod
    def over(cls, what: str, paths: Sequence[Path], passes: Callable[[Path], bool]) -> Tally:
        without = tuple(path.name for path in paths if not passes(path))
        return cls(what, len(paths) - len(without), len(paths), without)


def measure(rounds: int) -> dict[str, Any]:
    """All figures, ready for JSON."""
    paths = sorted([*FOLDER.glob("*.efg"), *FOLDER.glob("*.nfg")])
    if not paths:
        return {"folder": None, "shipped": shipped()}
    trees, tables = ([path for path in paths if path.suffix == ending] for ending in (".efg", ".nfg"))
    tallies = [Tally.over("the same once it is written and read again", paths, again)]
    others, known = openspiel(), gambit()
    if others:
        tallies += [
            Tally.over(f"{others.name} reads .efg as written", trees, partial(taken, others, plain)),
            Tally.over(f"{others.name} reads .efg paid at ends", trees, partial(taken, others, at_ends)),
            Tally.over(f"{others.name} reads .nfg as written", tables, partial(taken, others, plain)),
            Tally.over(f"{others.name} reads .nfg by count", tables, partial(taken, others, by_count)),
        ]
    if known:
        tallies += [
            Tally.over(f"{known.name} reads it as it is", paths, partial(taken, known, as_it_is)),
            Tally.over(f"{known.name} reads it as written", paths, partial(taken, known, plain)),
            Tally.over(f"{known.name} reads it without labels", paths, partial(taken, known, unlabelled)),
        ]
    return {
        "folder": str(FOLDER),
        "shipped": shipped(),
        "absent": [said for said, there in ((peer.INSTALL, others), (GAMBIT_ABSENT, known)) if not there],
        "tallies": [asdict(tally) for tally in tallies],
        "reading": reading(paths, [reader for reader in (others, known) if reader], rounds),
        "values": values(paths),
        "large": large(),
    }


def shipped() -> list[dict[str, Any]]:
    """Which trees of the games that come with Fogbound other readers take, as `convert` writes them."""
    readers = [reader for reader in (openspiel(), gambit()) if reader]
    with tempfile.TemporaryDirectory() as folder:
        paths = [path for name in GAMES if (path := _tree_file(name, Path(folder))) is not None]
        return [
            asdict(
                Tally.over(
                    f"{reader.name} reads our trees as `convert` writes them", paths, partial(taken, reader, plain)
                )
            )
            for reader in readers
        ]


def _tree_file(name: str, folder: Path) -> Path | None:
    """The tree of a shipped game as `convert` writes it; None where there is none, or none that is small."""
    path = folder / f"{name}.efg"
    try:
        table = fb.forms.table(fb.game(name), limit=MOST_STATES)
        fb.forms.tree(table, limit=MOST_NODES)
    except (FormError, LimitError):
        return None
    fb.convert(name, path)
    return path


def read(path: Path) -> Read:
    return read_nfg(path) if path.suffix == ".nfg" else read_efg(path)


def text_of(file: Read) -> str:
    """What is written of it."""
    return efg_text(file) if isinstance(file, ExtensiveFile) else nfg_text(file)


def again(path: Path) -> bool:
    """Whether what is written is read as the same, its path apart."""
    file = read(path)
    with tempfile.TemporaryDirectory() as folder:
        other = Path(folder) / path.name
        write_efg(file, other) if isinstance(file, ExtensiveFile) else write_nfg(file, other)
        return replace(read(other), path=file.path) == file


def as_it_is(path: Path) -> str:
    return path.read_bytes().decode("latin-1")


def plain(path: Path) -> str:
    return text_of(read(path))


def at_ends(path: Path) -> str:
    """As `convert --paid-at-ends` writes it: OpenSpiel pays nothing on the way, and knows a move by its name."""
    return efg_text(moves_apart(paid_at_ends(read_efg(path))))


def by_count(path: Path) -> str:
    """As `convert --by-count` writes it: OpenSpiel's reader takes no names of strategies."""
    return nfg_text(read_nfg(path), by_count=True)


def unlabelled(path: Path) -> str:
    """Nodes, sets and outcomes by number alone, moves apart: Gambit's newest reader refuses labels that repeat."""
    file = read(path)
    return text_of(_unlabelled(file) if isinstance(file, ExtensiveFile) else file)


def for_all(path: Path) -> str:
    """What every reader takes."""
    return by_count(path) if path.suffix == ".nfg" else efg_text(_unlabelled(paid_at_ends(read_efg(path))))


def _unlabelled(file: ExtensiveFile) -> ExtensiveFile:
    sets = [one._replace(label="", moves=tuple(" ".join(move.split()) for move in one.moves)) for one in file.sets]
    outcomes = {number: ("", paid) for number, (_, paid) in file.outcomes.items()}
    return moves_apart(replace(file, labels={}, sets=sets, outcomes=outcomes))


def taken(reader: Reader, write: Callable[[Path], str], path: Path) -> bool:
    """Whether a reader takes a text, and uniform play is worth to everybody there what it is worth here."""
    try:
        game = reader.read(write(path), path.suffix)
    except Exception:  # each refuses in its own words
        return False
    return all(close(one, float(other)) for one, other in zip(reader.uniform(game), uniform(read(path)), strict=True))


def close(one: float, other: float) -> bool:
    return abs(one - other) <= CLOSE * max(1.0, abs(other))


def uniform(file: Read) -> list[Fraction]:
    """What everybody gets where all play uniformly, exactly."""
    if isinstance(file, StrategicFile):
        return [sum(paid, Fraction(0)) / len(file.payoffs) for paid in zip(*file.payoffs)]
    total, likely = [Fraction(0)] * len(file.players), [Fraction(1)] * file.size
    for node, below in enumerate(file.children()):
        if file.outcome[node]:
            total = [have + likely[node] * more for have, more in zip(total, file.outcomes[file.outcome[node]][1])]
        for k, child in enumerate(below):
            drawn = file.sets[file.set_of[node]]
            share = drawn.chances[k] if drawn.player == CHANCE else Fraction(1, len(below))
            likely[child] = likely[node] * share
    return total


def reading(paths: Sequence[Path], readers: Sequence[Reader], rounds: int) -> list[dict[str, Any]]:
    """CPU seconds to read all files, written so that every reader takes them; the readers in turns."""
    shared = [(for_all(path), path.suffix) for path in paths]
    with tempfile.TemporaryDirectory() as folder:
        written = [Path(folder) / f"{k}{ending}" for k, (_, ending) in enumerate(shared)]
        for path, (text, _) in zip(written, shared):
            path.write_text(text)
        jobs: dict[str, Callable[[], Any]] = {"Fogbound": lambda: [read(path) for path in written]}
        for reader in readers:
            jobs[reader.name] = partial(_read_all, reader, shared)
        spent: dict[str, list[float]] = {name: [] for name in jobs}
        for _ in range(rounds):
            for name, job in jobs.items():
                spent[name].append(cpu(job)[0])
    return [{"reader": name, "files": len(shared), **asdict(Timing.of(seconds))} for name, seconds in spent.items()]


def _read_all(reader: Reader, texts: Sequence[tuple[str, str]]) -> None:
    for text, ending in texts:
        reader.read(text, ending)


def constant_sum(file: Read) -> bool:
    """Whether two players share the same sum, whatever they do."""
    if isinstance(file, StrategicFile):
        paid = list(file.payoffs)
    else:
        paid = [pays for _, pays in paid_at_ends(file).outcomes.values()]
    return len(file.players) == 2 and len({sum(pays) for pays in paid}) == 1


def values(paths: Sequence[Path]) -> dict[str, Any]:
    """Our value of every two-player constant-sum file, beside that of Gambit's exact linear program.

    Where players forget Gambit refuses the tree, as we do, and solves the table of pure strategies that we make of it.
    """
    pygambit, reader, rows = find_gambit(), gambit(), []
    for path in paths:
        file = read(path)
        if not constant_sum(file):
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = fb.solve(path)
        row: dict[str, Any] = {"file": path.name, "value": found.value, "certified": found.certified == "both"}
        if reader:
            text, ending = unlabelled(path), path.suffix
            if isinstance(file, ExtensiveFile) and recall(file).kind != PERFECT:
                text, ending = text_of(strategic(file)), ".nfg"
            row["gambit"], row["tree_failed"] = gambit_value(pygambit, reader.read(text, ending))
        rows.append(row)
    return {"rows": rows, "compared": reader is not None}


def large() -> dict[str, Any]:
    """The file whose payoffs are beyond what floats add up: our value, and Gambit's in floats."""
    found, pygambit, reader = fb.solve(FOLDER / LARGE), find_gambit(), gambit()
    row: dict[str, Any] = {"value": found.value, "certified": found.certified == "both"}
    if reader:
        row["floats"] = gambit_value(pygambit, reader.read(unlabelled(FOLDER / LARGE), ".efg"), rational=False)[0]
    return row


def show(found: dict[str, Any]) -> str:
    """The figures as tables."""
    title = "Gambit's files"
    if not found["folder"]:
        return "\n\n".join([title, *([_tallies(found["shipped"])] if found["shipped"] else []), ABSENT])
    parts = [
        title,
        _tallies([*found["tallies"], *found["shipped"]]),
        _times(found["reading"]),
        _values(found["values"]),
        *found["absent"],
    ]
    row = found["large"]
    beside = f"; Gambit's linear program in floats: {row['floats']:g}" if "floats" in row else ""
    said = "certified" if row["certified"] else "NOT certified"
    return "\n\n".join([*parts, f"{LARGE}: {row['value']:g}, {said}{beside} (wanted: 1, certified)"])


def _tallies(tallies: Sequence[dict[str, Any]]) -> str:
    head = ["read as the same game (uniform play is worth the same to all)", "files", "of", "ratio", "without"]
    rows = []
    for row in tallies:
        few = ", ".join(row["without"]) if len(row["without"]) <= 3 else f"{', '.join(row['without'][:2])}, …"
        rows.append([row["what"], f"{row['passed']}", f"{row['of']}", f"{row['passed'] / row['of']:.3f}", few])
    return aligned(head, rows)


def _times(rows: Sequence[dict[str, Any]]) -> str:
    ours = rows[0]["best"]
    cells = [[row["reader"], milliseconds(row["best"]), f"{row['best'] / ours:.2f}"] for row in rows]
    return aligned([f"reading {rows[0]['files']} files, best round", "CPU ms", "/ Fogbound"], cells)


def _values(found: dict[str, Any]) -> str:
    rows = found["rows"]
    certified = sum(row["certified"] for row in rows)
    said = f"two players, constant sum: {len(rows)} files; certified {certified}"
    if not found["compared"]:
        return said
    apart = [abs(row["value"] - row["gambit"]) for row in rows]
    equal = sum(close(row["value"], row["gambit"]) for row in rows)
    said = f"{said}; equal to Gambit's exact linear programs {equal} (furthest apart: {max(apart):.1e})"
    failed = ", ".join(row["file"] for row in rows if row["tree_failed"])
    why = "by pure strategies, since Gambit's program of the tree gave no profile"
    return f"{said}\n{why}: {failed}" if failed else said
