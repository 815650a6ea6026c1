"""`python -m tests.installed dist`: the wheel as a stranger has it, README's commands run there.

A clean environment outside the checkout, packages that cannot be written, no home folder, nobody's rights: where this
is run by root, by user 65534. Only Fogbound's own requirements are installed, no extra.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

from tests.test_docs import BLOCK, ROOT

NOBODY = 65534
NEEDS_AN_EXTRA = ("serve", "completion")


def main(words: list[str]) -> int:
    """Install, run, count; the exit code."""
    wheels = sorted(Path(words[0]).glob("fogbound-*.whl"), key=lambda path: path.stat().st_mtime)
    if not wheels:
        print(f"{words[0]}: no wheel: python -m build --outdir {words[0]}")
        return 2
    with tempfile.TemporaryDirectory(prefix="fogbound-installed-") as folder:
        home, work = Path(folder, "env"), Path(folder, "work")
        venv.create(home, with_pip=True)
        python = home / "bin" / "python"
        run([python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", wheels[-1]])
        work.mkdir()
        for path in [Path(folder), *home.rglob("*")]:
            if not path.is_symlink():
                path.chmod(
                    path.stat().st_mode & ~0o222 | 0o055 if path.is_dir() else path.stat().st_mode & ~0o222 | 0o044
                )
        work.chmod(0o777)
        failed = [said for said in readme(home / "bin", work) if said]
        failed += [said for said in absent(home / "bin", work) if said]
        for path in [Path(folder), *(path for path in home.rglob("*") if path.is_dir())]:
            path.chmod(0o755)
    print(*failed, sep="\n")
    print(f"{wheels[-1].name}: {'all commands of README run' if not failed else f'{len(failed)} failed'}")
    return 1 if failed else 0


def run(command: list[object], **how: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run([str(word) for word in command], check=True, text=True, **how)  # type: ignore[call-overload]


def as_stranger(scripts: Path, work: Path, words: list[str]) -> subprocess.CompletedProcess[str]:
    """One command with no home, in a folder that can be written, by nobody where this is root."""
    rights = {"user": NOBODY, "group": NOBODY, "extra_groups": []} if os.geteuid() == 0 else {}
    environment = {"PATH": f"{scripts}:/usr/bin:/bin", "LANG": "C.UTF-8", "HOME": "/nonexistent"}
    return subprocess.run(
        [str(scripts / words[0]), *words[1:]],
        cwd=work,
        env=environment,
        capture_output=True,
        text=True,
        timeout=600,
        stdin=subprocess.DEVNULL,
        **rights,
    )


def readme(scripts: Path, work: Path) -> list[str]:
    """What each of README's commands did that it should not; empty where it printed what is shown below it."""
    found = []
    for block in BLOCK.finditer((ROOT / "README.md").read_text()):
        if block["file"]:
            (work / block["file"]).write_text(block["text"])
            (work / block["file"]).chmod(0o644)
        if block["language"] != "console":
            continue
        for command, shown in re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", block["text"], re.MULTILINE):
            words = shlex.split(command)
            if words[0] != "fogbound" or words[1] in NEEDS_AN_EXTRA or re.search(r"\.(png|pdf)\b", command):
                continue
            done = as_stranger(scripts, work, words)
            lines = [line.strip() for line in done.stdout.replace("−", "-").splitlines()]
            wanted = filter(None, map(str.strip, shown.replace("−", "-").splitlines()))
            missing = [line for line in wanted if not any(got.startswith(line) for got in lines)]
            bad = f"{command}: exit {done.returncode}, missing {missing}: {done.stderr[-300:]}"
            found.append(bad if done.returncode or missing else "")
            print("x" if found[-1] else ".", end="", flush=True)
    print()
    return found


def absent(scripts: Path, work: Path) -> list[str]:
    """What happens where an extra is not there, that should not: one line that names it is right."""
    tried = {
        "web": ["fogbound", "serve"],
        "completion": ["fogbound", "completion", "bash"],
        "pictures": ["fogbound", "show", "king-ace", "-o", "king-ace.png"],
    }
    found = []
    for extra, words in tried.items():
        done = as_stranger(scripts, work, words)
        fine = done.returncode == 2 and f"fogbound[{extra}]" in done.stderr and len(done.stderr.splitlines()) == 1
        found.append("" if fine else f"{' '.join(words)}: exit {done.returncode}: {done.stderr[-300:]}")
    return found


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
