"""The server killed in the middle of games: a new one goes on where the last answer left them."""

from __future__ import annotations

import os
import signal
from urllib.parse import urlencode
from urllib.request import HTTPRedirectHandler, Request, build_opener

import pytest

from tests.web.processes import started
from tests.web.tables import moves, step_of

pytestmark = pytest.mark.slow


class Still(HTTPRedirectHandler):
    """Says where it was sent instead of going there."""

    def http_error_303(self, req, fp, code, msg, headers):
        return fp


def asked(base, path, data=None):
    body = None if data is None else urlencode(data).encode()
    return build_opener(Still).open(Request(base + path, body, {"Origin": base}), timeout=60)


def test_killed_again_and_again_nothing_is_lost(tmp_path):
    folder = tmp_path / "home"
    process, base = started(folder)
    link = asked(base, "/table/new", {"game": "king-up", "against": "uniform"}).headers["location"]
    for kills in range(4):
        for _ in range(2):
            page = asked(base, link).read().decode()
            if "film" in page:
                break
            place = moves(page)[(3 * kills) % len(moves(page))]
            asked(base, f"{link}/move", {"step": step_of(page), "place": place})
        before = asked(base, link).read()
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        process, base = started(folder)
        assert asked(base, link).read() == before
    process.terminate()
    process.wait()
