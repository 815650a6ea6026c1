"""Solve in a browser: started, watched, stopped and kept; without scripts; and through the death of the server."""

from __future__ import annotations

import os
import signal
import urllib.parse
import urllib.request
from pathlib import Path

import pytest

import fogbound as fb
from fogbound.files import policies_digest
from tests.web.processes import started
from tests.web.waiting import until

pytestmark = pytest.mark.slow
LONG = 40_000  # milliseconds: the machine may be busy, and kernels are compiled once


def begin(page, server, game, solver, **limits):
    page.goto(f"{server}/solve?game={game}&solver={solver}", timeout=LONG)
    for name, value in {"gap": "", "seconds": "", "iterations": ""}.items():
        page.fill(f"input[name={name}]", str(limits.get(name, value)))
    page.keyboard.press("Tab")
    page.click("button.main:has-text('Solve')")
    page.wait_for_url("**/runs/*", timeout=LONG)
    return page.url


def test_a_run_is_started_watched_stopped_and_kept(browser, server):
    context = browser.new_context(viewport={"width": 1280, "height": 800})
    page = context.new_page()
    said, asked = [], []
    page.on("console", lambda message: said.append(message.text))
    page.on("request", lambda request: asked.append(request.url))
    address = begin(page, server, "leduc", "cfr-plus", iterations=10**9)
    page.wait_for_selector("#chart svg", timeout=LONG)
    first = page.inner_text("#figures")
    page.wait_for_function("before => document.querySelector('#figures').innerText !== before", arg=first, timeout=LONG)
    other = context.new_page()  # the run does not depend on the page
    other.goto(address)
    page.close()
    other.wait_for_selector("text=If you stop now, you keep", timeout=LONG)
    other.keyboard.press("s")
    other.wait_for_selector("text=What you have", timeout=LONG)
    assert "guarantees" in other.inner_text("#keep")
    other.get_by_role("button", name="Go on after all").click()
    other.wait_for_selector("text=If you stop now, you keep", timeout=LONG)
    other.wait_for_selector("#doing:has-text('Solving')", timeout=LONG)
    other.get_by_role("button", name="Stop and keep").click()
    other.wait_for_selector("text=What you have", timeout=LONG)
    other.goto(f"{server}/solve")
    other.wait_for_selector("text=kept", timeout=LONG)
    with other.expect_download() as download:
        other.goto(address)
        other.get_by_role("link", name="Solution, .npz").click()
    solution = fb.load(download.value.path())
    assert solution.stopped == "interrupted"
    assert not said
    assert all(url.startswith(server) for url in asked)
    context.close()


@pytest.mark.parametrize("width", [390, 1280])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_works_without_scripts_at_every_width(browser, server, width, scheme):
    context = browser.new_context(
        viewport={"width": width, "height": 800}, color_scheme=scheme, java_script_enabled=False
    )
    page = context.new_page()
    begin(page, server, "king-ace", "sequence-lp", seconds=30)
    page.wait_for_selector("text=What you have", timeout=LONG)  # the page looks again by itself
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    small = page.locator("a.btn:visible, button:visible, select:visible, main input:visible").evaluate_all(
        "all => all.filter(one => one.getBoundingClientRect().height < 44).map(one => one.outerHTML)"
    )
    assert width > 560 or not small
    assert page.locator("svg[role=img]:not([aria-label])").count() == 0
    context.close()


def test_a_file_is_dropped_looked_at_and_solved(browser, server, tmp_path):
    model = tmp_path / "tiger.pomdp"
    fb.files.write_model(fb.forms.pomdp(fb.game("tiger")), model)
    page = browser.new_page()
    page.goto(f"{server}/open")
    page.evaluate(
        """text => {
            const dropped = new DataTransfer();
            dropped.items.add(new File([text], "tiger.pomdp"));
            window.dispatchEvent(Object.assign(new Event("drop", {cancelable: true}), {dataTransfer: dropped}));
        }""",
        model.read_text(),
    )
    page.wait_for_selector("h1:has-text('tiger.pomdp')", timeout=LONG)
    assert "every state and action enumerates" in page.inner_text("main")
    page.get_by_role("link", name="Solve it").click()
    page.wait_for_selector("select[name=solver]", timeout=LONG)
    page.fill("input[name=gap]", "0.1")
    page.keyboard.press("Tab")
    page.click("button.main:has-text('Solve')")
    page.wait_for_selector("text=What you have", timeout=LONG)
    page.close()


# The death of the server, without a browser: what counts are the files.


def posted(address: str, **fields: str) -> str:
    asked = urllib.request.Request(
        address, urllib.parse.urlencode(fields).encode(), {"Origin": address[: address.index("/", 8)]}
    )
    return str(urllib.request.urlopen(asked, timeout=180).url)


def workers(folder: Path) -> list[int]:
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = path.read_bytes().split(b"\0")
        except OSError:
            continue
        if b"fogbound.web.runs.worker" in words and any(word.startswith(str(folder).encode()) for word in words):
            found.append(int(path.parent.name))
    return found


def bounds(entry):
    return entry.iteration, entry.value, entry.lower, entry.upper


@pytest.mark.parametrize("victim", ["server", "worker", "both"])
def test_what_is_killed_goes_on_to_the_same_bits(tmp_path, victim):
    game, solver, steps = "leduc", "mccfr", 400_000
    process, address = started(tmp_path)
    try:
        run = posted(
            f"{address}/solve/runs", game=game, solver=solver, gap="", seconds="", iterations=str(steps), seed="5"
        )
        folder = tmp_path / "runs" / run.rpartition("/")[2]
        until(lambda: (folder / "checkpoint.npz").exists() or (folder / "over.json").exists(), 300)
        assert not (folder / "over.json").exists(), "too quick to be killed: give it more steps"
        for pid in workers(tmp_path) if victim != "server" else []:
            os.kill(pid, signal.SIGKILL)
        if victim != "worker":
            process.kill()
            process.wait()
            process, address = started(tmp_path)
            assert folder.name in urllib.request.urlopen(f"{address}/solve", timeout=180).read().decode()
        until(lambda: (folder / "over.json").exists(), 300)
    finally:
        process.terminate()
        process.wait(30)
    until(lambda: not workers(tmp_path))  # nobody is left behind
    ours, whole = fb.load(folder / "solution.npz"), fb.solve(game, solver, iterations=steps, seed=5)
    assert policies_digest(ours) == policies_digest(whole)
    assert (ours.value, ours.lower, ours.upper, ours.iterations) == (
        whole.value,
        whole.lower,
        whole.upper,
        whole.iterations,
    )
    assert [bounds(entry) for entry in ours.trace] == [bounds(entry) for entry in whole.trace]


def test_a_server_that_is_stopped_leaves_within_seconds_and_nothing_behind(tmp_path):
    process, address = started(tmp_path)
    posted(f"{address}/solve/runs", game="leduc", solver="cfr-plus", gap="", seconds="600", iterations="")
    until(lambda: workers(tmp_path))
    process.send_signal(signal.SIGINT)
    process.wait(60)
    until(lambda: not workers(tmp_path))
