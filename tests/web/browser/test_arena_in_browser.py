"""Arena in a browser: the standings fill in while a tournament is played, and stay when it is stopped."""

from __future__ import annotations

import pytest

pytestmark = pytest.mark.slow
LONG = 90_000  # milliseconds: the machine may be busy


def test_standings_fill_in_while_games_are_played(browser, server):
    page = browser.new_page()
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(f"{server}/arena?game=king-up", timeout=LONG)
    fields = page.locator("input[name=entrant]")
    for k, name in enumerate(["uniform", "is-mcts(simulations=20)"]):
        fields.nth(k).fill(name)
    page.fill("input[name=deals]", "5000")
    page.get_by_role("button", name="Begin").click()
    page.wait_for_url("**/arena/*", timeout=LONG)
    page.wait_for_selector("#standings svg.dots", timeout=LONG)
    first = page.inner_text("#standings")
    assert "so far" in first
    page.wait_for_function("old => document.querySelector('#standings').innerText !== old", arg=first, timeout=LONG)
    assert page.locator("#standings table.cross tbody tr").count() == 2
    page.get_by_role("button", name="Stop and keep").click()
    page.wait_for_selector("text=CSV", timeout=LONG)
    page.wait_for_function("() => !document.body.innerText.includes('so far')", timeout=LONG)
    assert "; stopped" in page.inner_text("#standings")
    assert all(url.startswith(server) for url in asked)
    page.close()
