"""Stop and keep is soon: what a hunt has found by then is kept within seconds, whatever it was writing down."""

from __future__ import annotations

import time

import pytest
from starlette.testclient import TestClient

from fogbound.web.app import make_app
from fogbound.web.settings import Settings
from tests.web.waiting import until

HUNT = "pursuit(rows=3, columns=5)"
FROM_HERE = {"origin": "http://127.0.0.1"}
SOON = 2.0  # seconds of a machine that is quiet; a busy one is given as much more as it is busier


@pytest.mark.slow
def test_a_hunt_that_is_stopped_is_kept_soon(tmp_path):
    with TestClient(make_app(Settings(folder=tmp_path)), base_url="http://127.0.0.1") as client:
        given = {"spec": HUNT, "solver": "pg-hsvi", "gap": "0", "seconds": "300"}
        run = client.post("/solve/runs", data=given, headers=FROM_HERE, follow_redirects=False).headers["location"]
        runs = client.app.app.state.site.runs
        folder = runs.get(run.rpartition("/")[2])
        until(lambda: len(folder.entries()) > 60, 240)  # compiled, and with much to write down
        began = time.monotonic()
        client.post(f"{run}/stop", headers=FROM_HERE)
        until(lambda: runs.state(folder) != "running")  # as its page shows it
        took = time.monotonic() - began
    assert folder.over()["stopped"] == "interrupted"
    assert folder.over()["state"] == "kept"
    assert folder.solution.is_file()
    assert took < SOON * _busy()


def _busy() -> float:
    """How many want a processor for each that there is; at least one."""
    import os

    return max(1.0, os.getloadavg()[0] / (os.cpu_count() or 1))
