"""Whole games in a browser: by clicks, by keyboard alone, without JavaScript, on a phone and on a desk."""

from __future__ import annotations

import re

import pytest

pytestmark = pytest.mark.slow
GAMES = [("po-nim(n=3)", "1"), ("card-poker", "0"), ("king-up", "0"), ("pursuit", "0"), ("soccer(goal=ends)", "0")]
WIDE, NARROW = {"width": 1280, "height": 800}, {"width": 390, "height": 844}
MOST = 400  # moves of a game


@pytest.fixture(params=[WIDE, NARROW], ids=["desk", "phone"])
def page(request, browser, server):
    """A page that must not complain, nor ask any other machine; it closes before the server does."""
    context = browser.new_context(viewport=request.param)
    opened = context.new_page()
    said, asked = [], []
    opened.on("console", lambda message: said.append(message.text))
    opened.on("pageerror", lambda error: said.append(str(error)))
    opened.on("request", lambda made: asked.append(made.url))
    yield opened
    context.close()
    assert not [line for line in said if "409" not in line]
    assert all(re.match(r"http://127\.0\.0\.1:\d+/", url) for url in asked)


def begin(page, server, game, seat, against="uniform", shown=".move, .film"):
    page.goto(f"{server}/table/new?game={game}")
    page.locator(f"input[name=seat][value='{seat}']").check()
    page.locator(f"input[name=against][value='{against}']").check()
    page.get_by_role("button", name="Play").click()
    page.wait_for_selector(shown, timeout=60_000)


def step(page):
    """How far the game is; None when it is over."""
    if page.locator(".film").count():
        return None
    return page.locator("form.moves input[name=step]").get_attribute("value")


def moved(page, before):
    """Wait until there is another position."""
    page.wait_for_function(
        """before => document.querySelector(".film") ||
           Number((document.querySelector("form.moves input[name=step]") || {}).value) > before""",
        arg=int(before),
        timeout=10_000,
    )


def chosen(k, buttons):
    """Which button: west, where the goal of soccer is, most of the time; else another one each time."""
    words = [one.get_attribute("aria-label") for one in buttons]
    west = [place for place, text in enumerate(words) if text == "go west"]
    return west[0] if west and k % 4 else (7 * k + 3) % len(words)


@pytest.mark.parametrize(("game", "seat"), GAMES)
def test_a_whole_game_by_clicks(page, server, game, seat):
    begin(page, server, game, seat)
    for k in range(MOST):
        before = step(page)
        if before is None:
            break
        buttons = page.locator(".move").all()
        buttons[chosen(k, buttons)].click()
        moved(page, before)
    assert page.get_by_role("heading", name="Your play").is_visible()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), "the page is wider than the screen"


@pytest.mark.parametrize(("game", "seat"), GAMES)
def test_a_whole_game_by_keyboard_alone(page, server, game, seat):
    page.goto(f"{server}/table/new?game={game}")
    page.locator("input[name=seat]").first.focus()
    for _ in range(int(seat)):
        page.keyboard.press("ArrowDown")
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.wait_for_selector(".move, .film", timeout=60_000)
    for k in range(MOST):
        before = step(page)
        if before is None:
            break
        buttons = page.locator(".move[aria-keyshortcuts]").all()
        page.keyboard.press(buttons[chosen(k, buttons)].get_attribute("aria-keyshortcuts"))
        moved(page, before)
    assert page.get_by_role("heading", name="Your play").is_visible()


@pytest.mark.parametrize(("game", "seat"), GAMES)
def test_a_whole_game_without_javascript(browser, server, game, seat):
    context = browser.new_context(java_script_enabled=False, viewport=NARROW)
    page = context.new_page()
    begin(page, server, game, seat)
    for k in range(MOST):
        if step(page) is None:
            break
        buttons = page.locator(".move").all()
        with page.expect_navigation():
            buttons[chosen(k, buttons)].click()
    assert page.get_by_role("heading", name="Your play").is_visible()
    with page.expect_navigation():
        page.get_by_role("button", name="Play again").click()
    assert page.locator(".move, .film").count()
    context.close()


def test_the_fog_lifts_by_its_key(page, server):
    begin(page, server, "po-nim(n=3)", "0")
    page.keyboard.press("l")
    page.wait_for_selector(".worths", timeout=120_000)
    assert page.get_by_role("switch").get_attribute("aria-checked") == "true"
    assert page.locator(".move.best").count()
    assert all(page.locator("svg[role=img]").evaluate_all("all => all.map(one => !!one.getAttribute('aria-label'))"))
    page.keyboard.press("l")
    page.wait_for_selector(".worths", state="detached")


def test_targets_are_large_on_a_phone(browser, server):
    context = browser.new_context(viewport=NARROW)
    page = context.new_page()
    begin(page, server, "king-up", "0")
    sizes = page.locator("main .move, main .switch, main .btn").evaluate_all(
        "all => all.map(one => one.getBoundingClientRect()).map(box => [box.width, box.height])"
    )
    assert sizes
    assert all(width >= 44 and height >= 44 for width, height in sizes)
    context.close()


def test_an_equilibrium_is_worked_out_and_played(page, server):
    begin(page, server, "card-poker(ranks=3)", "0", "sequence-lp")
    while step(page) is not None:
        before = step(page)
        page.locator(".move").first.click()
        moved(page, before)
    page.get_by_role("link", name="Step 1").click()
    page.wait_for_selector(".film .now")
    before = page.url.partition("?")[0]
    page.get_by_role("button", name="Play from here").click()
    page.wait_for_url(lambda url: not url.startswith(before))
    assert page.locator(".move, .film").count()  # another game, over already where the dealer folds


def test_two_people_by_links(browser, server):
    one, other = browser.new_page(), browser.new_page()
    begin(one, server, "card-poker", "0", "person", ".alert a")
    address = one.locator(".alert a").get_attribute("href")
    one.get_by_role("link", name="Go to your seat").click()
    one.wait_for_selector(".move, .film", timeout=60_000)
    other.goto(address)
    assert other.get_by_text("Waiting for the others").is_visible()
    for mover in (one, other):
        mover.wait_for_selector(".move", timeout=10_000)  # told by a stream, not by a reload
        mover.locator(".move").first.click()
    for page in (one, other):
        page.wait_for_selector(".film, .move, .turn", timeout=10_000)
        page.close()
