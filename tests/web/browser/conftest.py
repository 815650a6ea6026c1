"""A server in a process of its own, and Debian's chromium: what tests in a browser share."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

CHROMIUM = Path("/usr/bin/chromium")
ADDRESS = re.compile(r"http://127\.0\.0\.1:\d+/")


@pytest.fixture(scope="session")
def browser():
    """Chromium without a window; missing, it is a failure where FOGBOUND_BROWSER is set and a skip elsewhere."""
    wanted = bool(os.environ.get("FOGBOUND_BROWSER"))
    if not wanted and not CHROMIUM.exists():
        pytest.skip("there is no chromium here")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=str(CHROMIUM), args=["--no-sandbox"])
        yield launched
        launched.close()


@pytest.fixture
def server(tmp_path):
    """The address of a server whose folder is temporary: `tmp_path / "home"`."""
    home = tmp_path / "home"
    words = [sys.executable, "-m", "fogbound", "serve", "--port", "0", "--folder", str(home)]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as process:
        assert process.stdout is not None
        line = process.stdout.readline()
        found = ADDRESS.search(line)
        assert found, line
        yield found[0].rstrip("/")
        process.terminate()
