"""The colours of the pages by WCAG 2.2 AA, computed from the style sheet: text 4.5 to 1, outlines 3 to 1."""

from __future__ import annotations

import re
from importlib.resources import files

import pytest

SHEET = (files("fogbound.web") / "static" / "fog.css").read_text()
TEXT = [
    *((ink, ground) for ink in ("ink", "ink-2", "ink-3") for ground in ("paper", "surface", "fog-1", "sunk")),
    *((word, ground) for word in ("sea", "ember", "lamp") for ground in ("paper", "surface")),
    ("sea", "sea-wash"),
    ("ember", "ember-wash"),
    ("lamp", "lamp-wash"),
    ("ink", "lamp-wash"),
    ("paper", "ink"),  # the main button
]
OUTLINES = [
    *(("edge", ground) for ground in ("paper", "surface")),
    *(("lamp-line", ground) for ground in ("paper", "surface")),
    *((fill, "surface") for fill in ("sea-fill", "ember-fill", "fog-5", "fog-6")),
]


def tokens(block: str) -> dict[str, str]:
    return {name: _whole(colour) for name, colour in re.findall(r"--([a-z0-9-]+): (#[0-9a-f]{3,6})\b", block)}


def _whole(colour: str) -> str:
    return colour if len(colour) == 7 else "#" + "".join(2 * c for c in colour[1:])


def themes() -> dict[str, list[dict[str, str]]]:
    light = re.search(r":root \{(.*?)\n\}", SHEET, re.DOTALL)[1]
    by_system = re.search(r':root:not\(\[data-theme="light"\]\) \{(.*?)\n  \}', SHEET, re.DOTALL)[1]
    chosen = re.search(r':root\[data-theme="dark"\] \{(.*?)\n\}', SHEET, re.DOTALL)[1]
    return {"light": [tokens(light)], "dark": [tokens(by_system), tokens(chosen)]}


def luminance(colour: str) -> float:
    parts = [int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5)]
    r, g, b = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts)
    return 0.2126 * r + 0.7152 * g + 0.0722 * b


def contrast(one: str, two: str) -> float:
    low, high = sorted((luminance(one), luminance(two)))
    return (high + 0.05) / (low + 0.05)


def test_both_ways_into_the_dark_are_the_same():
    by_system, chosen = themes()["dark"]
    assert by_system == chosen
    assert len(by_system) > 20


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_contrast(theme):
    colours = themes()["light"][0] | (themes()["dark"][0] if theme == "dark" else {})
    poor = {
        f"{one} on {two}": round(contrast(colours[one], colours[two]), 2)
        for pairs, least in ((TEXT, 4.5), (OUTLINES, 3.0))
        for one, two in pairs
        if contrast(colours[one], colours[two]) < least
    }
    assert not poor
