"""Explore, the games and Reproduce in a browser: both widths, light and dark, by keys, and with JavaScript off."""

from __future__ import annotations

import re
import shutil

import pytest

pytestmark = pytest.mark.slow
SIZES = [(390, 844), (1280, 800)]
ADDRESSES = [
    "/",
    "/games/po-nim",
    "/explore",
    "/explore/poker/strategy?set=1",
    "/explore/tiger/controller",
    "/explore/nim/controller?node=1",
    "/explore/poker/tree?node=2",
    "/explore/tiger/beliefs",
    "/explore/rps/matrix",
    "/explore/tiger/bounds",
    "/reproduce",
    "/reproduce/000",
    "/arena",
]


@pytest.fixture
def looking(server, tmp_path, solved_folder):
    shutil.copytree(solved_folder / "runs", tmp_path / "home" / "runs", dirs_exist_ok=True)
    return server


@pytest.fixture
def open_page(browser):
    """Pages that note every request and every word of the console."""
    contexts = []

    def opened(**wanted):
        context = browser.new_context(**wanted)
        contexts.append(context)
        page = context.new_page()
        page.asked, page.said = [], []
        page.on("request", lambda request: page.asked.append(request.url))
        page.on("console", lambda message: page.said.append(message.text))
        page.on("pageerror", lambda error: page.said.append(str(error)))
        return page

    yield opened
    for context in contexts:
        context.close()


def held_to_the_rules(page, server):
    """Nothing leaves the machine, the console is silent, nothing is wider than the window, every picture is named."""
    assert all(url.startswith((server, "data:")) for url in page.asked), page.asked
    assert page.said == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    unnamed = page.evaluate(
        "[...document.querySelectorAll('main svg')].filter(one => !one.getAttribute('aria-label')"
        " && !one.closest('[aria-hidden=true]')).length"
    )
    assert unnamed == 0


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", SIZES, ids=["phone", "desk"])
def test_every_screen_in_every_light(looking, open_page, size, scheme):
    page = open_page(viewport={"width": size[0], "height": size[1]}, color_scheme=scheme)
    for address in ADDRESSES:
        answer = page.goto(looking + address)
        assert answer is not None
        assert answer.status == 200, address
        held_to_the_rules(page, looking)
        small = page.evaluate(
            "[...document.querySelectorAll('main .btn, main .tabs a, main .steps a, main select, main input')]"
            ".filter(one => one.getBoundingClientRect().height > 0 && one.getBoundingClientRect().height < 43.5).length"
        )
        assert size[0] > 560 or small == 0, address


@pytest.mark.parametrize("scripts", [True, False], ids=["scripts", "none"])
def test_a_game_is_followed_through_a_controller_by_clicks(looking, open_page, scripts):
    page = open_page(java_script_enabled=scripts, viewport={"width": 1280, "height": 800})
    page.goto(f"{looking}/explore/tiger/controller")
    nodes = []
    for _ in range(3):
        link = page.locator(".steps a").first
        address = link.get_attribute("href")
        link.click()
        page.wait_for_url(f"**{address}")
        nodes.append(int(re.search(r"node=(\d+)", address)[1]))
        page.get_by_role("heading", name=f"Node {nodes[-1]}:").wait_for()
    trail = page.get_by_label("The way here")
    assert re.findall(r"\d+", trail.inner_text()) == [str(node) for node in nodes]
    page.go_back()
    page.get_by_role("heading", name=f"Node {nodes[-2]}:").wait_for()
    box = page.locator(f'.picture [data-node="{nodes[0]}"]')
    box.click()
    page.get_by_role("heading", name=f"Node {nodes[0]}:").wait_for()
    assert page.said == []


def test_a_cell_is_chosen_by_keys_alone(looking, open_page):
    page = open_page(viewport={"width": 1280, "height": 800})
    page.goto(f"{looking}/explore/poker/strategy")
    cell = page.locator(".picture a").first
    cell.focus()
    page.keyboard.press("Enter")
    page.get_by_text("Worth of each move").wait_for()
    assert "set=" in page.url


def test_what_a_screen_reader_hears(looking, open_page):
    page = open_page(viewport={"width": 1280, "height": 800})
    page.goto(f"{looking}/explore/tiger/controller?node=0")
    heard = page.locator("main").aria_snapshot()
    for words in (
        'heading "Tiger"',
        'navigation "Views"',
        "Controller with",
        'heading "Value"',
        "What may be seen next",
    ):
        assert words in heard
    page.goto(f"{looking}/games/po-nim")
    heard = page.locator("main").aria_snapshot()
    for words in ('heading "Rules"', 'combobox "Your seat"', 'button "Play"', 'rowheader "table"'):
        assert words in heard


def test_a_document_is_computed_and_followed(looking, open_page, tmp_path):
    """The page waits for the job and then shows what came of it; here somebody stops it at once."""
    page = open_page()
    page.goto(f"{looking}/reproduce/001")
    page.get_by_role("button", name="Compute it").click()
    page.get_by_text("Being computed").wait_for()
    page.get_by_role("button", name="Stop and keep what there is").click()
    page.get_by_role("button", name=re.compile("Compute it")).wait_for(timeout=120_000)
    assert page.said == []
