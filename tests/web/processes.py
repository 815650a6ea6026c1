"""`fogbound serve` as a process of its own, which says what it says into a file: a pipe that nobody reads fills up."""

from __future__ import annotations

import re
import subprocess
import sys
import time
from pathlib import Path

ADDRESS = re.compile(r"http://127\.0\.0\.1:\d+")
SECONDS = 120.0  # to its first line


def started(folder: Path) -> tuple[subprocess.Popen[bytes], str]:
    """A server of `folder` and its address; what it says is in `<folder>.log`, beside what was said there before."""
    words = [sys.executable, "-m", "fogbound", "serve", "--port", "0", "--folder", str(folder)]
    path = folder.with_name(f"{folder.name}.log")
    before = path.stat().st_size if path.exists() else 0
    with path.open("ab") as log:
        process = subprocess.Popen(words, stdout=log, stderr=subprocess.STDOUT)
    ends = time.monotonic() + SECONDS
    while time.monotonic() < ends and process.poll() is None:
        if found := ADDRESS.search(path.read_bytes()[before:].decode()):
            return process, found[0]
        time.sleep(0.02)
    process.kill()
    raise AssertionError(f"the server did not say where it is: {path.read_text()[before:]}")
