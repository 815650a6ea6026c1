"""Run the blocks of README and docs, compare what they print with what the page shows, and rewrite what differs.

    python -m tests.docs_outputs --write [PAGE …]     run all pages, or some, and write their outputs anew

Which blocks are outputs:

- In a `console` block the lines below `$ command`: some of the lines that the command prints, in their order, each from
  its beginning on. A line may be cut off at its end, where a time or a path would follow.
- A `text` block after a `python` block: all that the snippet prints. With `<!-- file: NAME -->` above it, a block is a
  file that later blocks read, not an output.

`…` inside a line stands for anything: times, paths, and numbers that depend on the machine.
"""

from __future__ import annotations

import argparse
import contextlib
import difflib
import io
import os
import re
import shlex
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from fogbound.cli.main import main as fogbound

ROOT = Path(__file__).parent.parent
BLOCK = re.compile(r"(?:<!-- file: (?P<file>\S+) -->\n)?```(?P<language>\w+)\n(?P<text>.*?)```", re.DOTALL)
COMMAND = re.compile(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", re.MULTILINE)
TIMES = re.compile(r"(?<![\w.])[\d.,]+(?= (?:ms|s|min)\b)")


@dataclass(frozen=True)
class Output:
    """What a page shows as the output of a block or a command, and what that printed."""

    source: str  # the command, or the first line of the snippet
    start: int  # offset of the shown text in the page
    shown: str
    printed: str
    whole: bool  # all that is printed, or some lines of it

    def faults(self) -> list[str]:
        """What the page shows and the run does not print, and in a whole output the other way round."""
        printed, faults = lines_of(self.printed), []
        at = 0
        for line in lines_of(self.shown):
            place = next((k for k in range(at, len(printed)) if agrees(line, printed[k])), None)
            if place is None:
                faults.append(f"{self.source}: {line!r} is not printed (in this place)")
            else:
                at = place + 1
        if self.whole and len(lines_of(self.shown)) != len(printed):
            faults.append(f"{self.source}: prints {len(printed)} lines, and the page shows {len(lines_of(self.shown))}")
        return faults

    def rewritten(self) -> str:
        """The shown text with what was printed in the place of lines that are no longer true."""
        if not self.faults():
            return self.shown
        printed = lines_of(self.printed)
        if self.whole:
            return "".join(f"{masked(line)}\n" for line in printed)
        kept, at = [], 0
        for line in self.shown.splitlines():
            rest = printed[at:]
            place = next((k for k, other in enumerate(rest) if agrees(line.strip(), other)), None)
            if line.strip() and place is None and rest:
                near = difflib.get_close_matches(line.strip(), rest, n=1, cutoff=0.0)[0]
                place = rest.index(near)
                line = masked(self.printed.replace("−", "-").splitlines()[_nth(self.printed, at + place)].rstrip())
            kept.append(line)
            at += 0 if place is None or not line.strip() else place + 1
        return "".join(f"{line}\n" for line in kept)


def _nth(text: str, wanted: int) -> int:
    """The number of the `wanted`-th line that is not empty."""
    return [k for k, line in enumerate(text.splitlines()) if line.strip()][wanted]


def lines_of(text: str) -> list[str]:
    """Lines that are not empty, with the minus sign that programs print."""
    return [line.strip() for line in text.replace("−", "-").splitlines() if line.strip()]


def agrees(shown: str, printed: str) -> bool:
    """Whether a line begins as the page shows it; `…` stands for anything."""
    pattern = ".*".join(map(re.escape, shown.replace("−", "-").split("…")))
    return re.match(pattern, printed) is not None


def masked(line: str) -> str:
    """A line whose times are `…`."""
    return TIMES.sub("…", line)


def outputs(page: Path) -> tuple[list[Output], int]:
    """Run the blocks of a page in the working directory: what they print, and how many were run."""
    text, found, ran, last = page.read_text(), list[Output](), 0, None
    for block in BLOCK.finditer(text):
        language, start = block["language"], block.start("text")
        if block["file"]:
            Path(block["file"]).write_text(block["text"])
        if language == "text" and not block["file"] and last is not None:
            found.append(Output(last[0].strip().splitlines()[0], start, block["text"], last[1], True))
        last = None
        if language == "python":
            last = (block["text"], printed_by(block["text"], page.name))
            ran += 1
        if language == "console":
            for command in COMMAND.finditer(block["text"]):
                found.append(Output(command[1], start + command.start(2), command[2], run(command[1]), False))
                ran += 1
    return found, ran


def printed_by(snippet: str, name: str) -> str:
    """All that a snippet prints."""
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        exec(compile(snippet, name, "exec", dont_inherit=True), {"__name__": "docs"})
    return printed.getvalue()


def run(command: str) -> str:
    """What a command prints, which must succeed."""
    program, *words = shlex.split(command)
    if program == "fogbound":
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            code = fogbound(words)
        assert code == 0, f"{command}: exit code {code}"
        return printed.getvalue()
    return subprocess.run([sys.executable, *words], capture_output=True, text=True, check=True).stdout


def write(page: Path) -> list[str]:
    """Run a page and write its outputs anew; what was wrong."""
    text = page.read_text()
    found, _ = outputs(page)
    for output in reversed(found):
        text = text[: output.start] + output.rewritten() + text[output.start + len(output.shown) :]
    page.write_text(text)
    return [fault for output in found for fault in output.faults()]


def main() -> int:
    parser = argparse.ArgumentParser(description="Compare the outputs that README and docs show with what is printed.")
    parser.add_argument("pages", nargs="*", type=Path, help="default: README and all of docs")
    parser.add_argument("--write", action="store_true", help="write them anew where they differ")
    args = parser.parse_args()
    wrong = 0
    for page in [one.resolve() for one in args.pages] or [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]:
        with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
            try:
                faults = write(page) if args.write else [f for one in outputs(page)[0] for f in one.faults()]
            except Exception as error:  # a page that cannot be run does not hide the others
                faults = [f"cannot be run: {type(error).__name__}: {error}"]
        for fault in faults:
            print(f"{os.path.relpath(page, ROOT)}: {fault}", flush=True)
        wrong += len(faults)
    return int(wrong > 0 and not args.write)


if __name__ == "__main__":
    sys.exit(main())
