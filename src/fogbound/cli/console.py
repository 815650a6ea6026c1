"""How the command line speaks: argument parsers alike, JSON on one line, aligned tables."""

from __future__ import annotations

import argparse
import math
import os
import re
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from contextvars import ContextVar
from itertools import groupby
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn, Protocol, TextIO, runtime_checkable

from fogbound.core.errors import SpecError, one_line

if TYPE_CHECKING:
    from fogbound_papers.claim import Claim

began: ContextVar[float] = ContextVar("began")  # when the running command was called


def waited() -> float:
    """Seconds that a command has taken so far: loading what it needs is what most of its start takes."""
    return time.monotonic() - began.get(time.monotonic())


class Explained(Exception):
    """Help or a version was asked for and printed: nothing is left to do."""


class Flags(argparse.Namespace):
    """What a command was told."""

    def taken(self, *names: str) -> dict[str, Any]:
        """The values of flags, as keyword arguments of a function of the library with parameters of these names."""
        return {name: vars(self)[name] for name in names}

    def refuse(self, why: str, *names: str) -> None:
        """Complain about the first of these flags that was given, since it has no effect."""
        for name in names:
            if name in vars(self)["typed"]:
                flag = f"--{name.replace('_', '-')}"
                raise SpecError(f"{flag} has no effect {why}: leave {flag} out")


class Parser(argparse.ArgumentParser):
    """An argument parser whose complaints are Fogbound's: one line, exit code 2. It never ends the program itself."""

    in_use: ClassVar[Parser | None] = None  # whose words were read: what may be advised

    def __init__(self, **how: Any) -> None:
        self.flags: set[str] = set()
        super().__init__(**how)

    def add_argument(self, *names: Any, **how: Any) -> argparse.Action:
        self.flags.update(name for name in names if name.startswith("--"))
        return super().add_argument(*names, **how)

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        Parser.in_use = self
        words = sys.argv[1:] if args is None else list(args)
        given = {word.split("=")[0] for word in words if word.startswith("-")}
        typed = {action.dest for action in self._actions if given & set(action.option_strings)}
        return super().parse_known_args(words, namespace or Flags(typed=typed))

    def exit(self, status: int = 0, message: str | None = None) -> NoReturn:
        raise Explained(status, message)

    def error(self, message: str) -> NoReturn:
        command = self.prog.removeprefix("fogbound").strip()
        raise SpecError(f"{command + ': ' if command else ''}{message} (see {self.prog} --help)")


class HelpFormatter(argparse.RawDescriptionHelpFormatter):
    """Help that fits the terminal: paragraphs are filled, examples keep their lines, remarks below where needed."""

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        import textwrap

        lines: list[str] = []
        for prose, some in groupby(text.split("\n"), lambda line: bool(line) and not line.startswith(" ")):
            if prose:
                lines += textwrap.wrap(" ".join(some), width, break_long_words=False, break_on_hyphens=False)
            else:
                lines += [part for line in some for part in _example(line, width)]
        return "\n".join(indent + line for line in lines)


def _example(line: str, width: int) -> list[str]:
    """A command and the remark behind it, which stands below it where both are too wide."""
    import textwrap

    if len(line) <= width:
        return [line]
    begins = " " * (len(line) - len(line.lstrip()))
    lines = []
    for part, more in zip(re.split(r" {2,}", line.strip(), maxsplit=1), ("", "    ")):
        lines += textwrap.wrap(
            part,
            width,
            initial_indent=begins + more,
            subsequent_indent=f"{begins}    ",
            break_long_words=False,
            break_on_hyphens=False,
        )
    return lines


def make_parser(command: str, description: str, examples: str = "") -> Parser:
    return Parser(
        prog=f"fogbound {command}",
        description=description,
        epilog=examples,
        formatter_class=HelpFormatter,
        allow_abbrev=False,
    )


_KEYWORD = re.compile(r"\b([a-z_]+)=(POLICY\b)?(?=[\s,;.)]|$)")


def typed(text: str) -> str:
    """Advice as it is typed here: what the library calls by a keyword of Python is a flag, where the command has it.

    Examples
    --------
    >>> parser = make_parser("solve", "")
    >>> _ = parser.add_argument("--limit")
    >>> _ = parser.parse_args([])
    >>> typed("Raise limit= or most_steps=, or take tiger(discount=0.9)")
    'Raise --limit or most_steps= (in Python), or take tiger(discount=0.9)'
    """
    flags = Parser.in_use.flags if Parser.in_use else set()

    def flag(found: re.Match[str]) -> str:
        name = "--" + found[1].replace("_", "-")
        return " ".join(filter(None, (name, found[2]))) if name in flags else f"{found[0]} (in Python)"

    return _KEYWORD.sub(flag, text)


PLAIN = str.maketrans("✓✗·−–—…→›●━─┊░╌▒≥≤∞", "+x.---. >o=-:#-#><8")


def open_closed_streams() -> None:
    """Connect standard streams that were closed before the start (`2>&-`) to the null device.

    Python has None in their place, and the next file that is opened takes their descriptor. Without an input there is
    none to read, and without an output nobody reads: every command runs as it does with /dev/null.
    """
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):  # by descriptor: the lowest free one is taken
        if getattr(sys, name) is None:
            handle = os.open(os.devnull, os.O_RDWR)
            os.set_inheritable(handle, True)
            setattr(sys, name, os.fdopen(handle, mode))


def say(text: str = "") -> None:
    """An answer, to standard output."""
    _write(sys.stdout, text)


def whisper(text: str) -> None:
    """A word beside the answer, to standard error."""
    with suppress(OSError):  # nobody is listening
        _write(sys.stderr, text)
        sys.stderr.flush()


def _write(stream: TextIO, text: str, fit: bool = True) -> None:
    """Lines; where the stream knows only ASCII, the nearest plain characters. No text moves the cursor.

    A true minus is for people's eyes: programs that read what is piped to them get the one that numbers begin with.
    """
    if not stream.isatty():
        text = text.replace("−", "-")
    text = "".join(c if c.isprintable() or c == "\n" else one_line(c) for c in text) if not text.isprintable() else text
    if fit and (columns := room(stream)) < math.inf:
        text = "\n".join(_wrap_line(line, int(columns)) for line in text.split("\n"))
    try:
        stream.write(text + "\n")
    except UnicodeEncodeError:
        stream.write(text.translate(PLAIN).encode("ascii", "replace").decode("ascii") + "\n")


def room(stream: TextIO | None = None) -> float:
    """The columns of the terminal behind a stream, standard output unless given; infinite where a program reads."""
    if not (stream or sys.stdout).isatty():
        return math.inf
    import shutil

    return shutil.get_terminal_size().columns


def tabled(rows: Sequence[Sequence[str]], sides: str = "<<>") -> list[str]:
    """Rows of text in columns below a head, fit to the terminal: nothing is cut, and no row is wrapped.

    Where they are too wide each row's name stands on a line of its own, with its figures below it in columns, or one
    below the other where these are too wide as well.

    Parameters
    ----------
    rows
        The head and what follows it; a row begins with its name.
    sides
        By column, whether it is set to the left or right; the last goes for the rest.
    """
    from fogbound.forms.words import aligned

    lines = aligned(rows, sides)
    if max(map(len, lines)) <= room():
        return lines
    names, cells = [row[0] for row in rows], [row[1:] for row in rows]
    below = aligned(cells, sides[1:] or sides)
    if max(map(len, below)) + 2 <= room():
        return [line for name, figures in zip(names, below) for line in (name, f"  {figures}")]
    wide = max(map(len, cells[0]))
    return [
        line
        for name, row in zip(names[1:], cells[1:])
        for line in (name, *(f"  {head:<{wide}}  {cell}".rstrip() for head, cell in zip(cells[0], row)))
    ]


_LABEL = re.compile(r"\s*(?:[✓✗·?*] +)?\S+ {2,}|\s*")


def _wrap_line(line: str, columns: int) -> str:
    """A line cut between words where it is wider than the terminal, the rest standing under what follows its label.

    Examples
    --------
    >>> print(_wrap_line("bounds   guaranteed 1, at most 2", 24))
    bounds   guaranteed 1,
             at most 2
    """
    if len(line) <= columns:
        return line
    import textwrap

    label = _LABEL.match(line)
    under = label.end() if label else 0
    under = under if 0 < under <= columns // 2 else len(line) - len(line.lstrip()) + 4
    return textwrap.fill(
        line,
        columns,
        subsequent_indent=" " * min(under, columns // 2),
        break_long_words=False,
        break_on_hyphens=False,
        expand_tabs=False,
        replace_whitespace=False,
    )


def say_json(value: Any) -> None:
    """One JSON object on one line of standard output; infinities become null, since JSON has none."""
    import json

    _write(sys.stdout, json.dumps(finite(value), ensure_ascii=False), fit=False)


def finite(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(key): finite(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [finite(part) for part in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


@runtime_checkable
class PrintedTable(Protocol):
    """A table that a document shows in a terminal."""

    def lines(self) -> list[str]: ...


def claim_lines(claims: Sequence[Claim]) -> list[str]:
    """Claims as an aligned table: sign, statement, where, published, ours, evidence; in a terminal as paragraphs."""
    if room() < math.inf:
        return [line for c in claims for line in _claim_below(c)]
    wide = [max(len(getattr(c, key)) for c in claims) for key in ("statement", "where", "published", "ours")]
    head = ("", "where", "published", "ours")
    wide = [max(w, len(h)) for w, h in zip(wide, head)]
    lines = [f"     {head[0]:<{wide[0]}}  {head[1]:<{wide[1]}}  {head[2]:>{wide[2]}}  {head[3]:>{wide[3]}}"]
    for c in claims:
        cells = f"{c.statement:<{wide[0]}}  {c.where:<{wide[1]}}  {c.published:>{wide[2]}}  {c.ours:>{wide[3]}}"
        lines.append(f"  {SIGNS[c.verdict]}  {cells}   {c.evidence}".rstrip())
    return lines


def _claim_below(claim: Claim) -> list[str]:
    """A claim as a paragraph that a terminal can wrap between words."""
    under = " " * 5
    lines = [f"  {SIGNS[claim.verdict]}  {claim.statement}" + (f" ({claim.where})" if claim.where != "–" else "")]
    lines.append(f"{under}{'' if claim.published == '–' else f'published {claim.published}, '}ours {claim.ours}")
    return [*lines, f"{under}{claim.evidence}"] if claim.evidence else lines


SIGNS = {"reproduced": "✓", "refuted": "✗", "not reproduced": "?", "cannot be checked": "–", "not stated": "·"}


def natural(text: str) -> int:
    """A whole number of 0 or more, for seeds and counts."""
    if not text.isascii() or not text.isdigit() or len(text) > 18:
        raise argparse.ArgumentTypeError(f"found {text!r}, expected a whole number of 0 or more")
    return int(text)


def counting_number(text: str) -> int:
    """A whole number of 1 or more."""
    if natural(text) < 1:
        raise argparse.ArgumentTypeError(f"found {text!r}, expected a whole number of 1 or more")
    return int(text)


def positive(text: str) -> float:
    """A number above 0, for limits of time and gaps."""
    try:
        value = float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"found {text!r}, expected a number") from None
    if not value >= 0:
        raise argparse.ArgumentTypeError(f"found {text!r}, expected a number of 0 or more")
    return value


def gap(text: str) -> float | str:
    """A number of 0 or more, or a share of the answer such as 1%."""
    if not text.endswith("%"):
        return positive(text)
    try:
        from fogbound.core.spec import share_of

        share_of(text)
    except SpecError:
        raise argparse.ArgumentTypeError(f"found {text!r}, expected a number, or a share such as 1%") from None
    return text
