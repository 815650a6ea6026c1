"""A server in a process of its own, and Debian's chromium: what tests in a browser share."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.web.processes import started

CHROMIUM = Path("/usr/bin/chromium")


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
    process, address = started(tmp_path / "home")
    with process:
        yield address
        process.terminate()
