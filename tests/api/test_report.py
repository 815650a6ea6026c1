"""The report of all claims: complete, escaped, self-contained, and written whole or not at all."""

from __future__ import annotations

from html.parser import HTMLParser

from fogbound.draw import matrix
from fogbound.draw.page import themed
from fogbound_papers.claim import VERDICTS, Claim
from fogbound_papers.report import LOOKS, claims_list, report_page
from fogbound_papers.reproduction import PaperFigure, Reproduction, ResultTable, figures

PICTURE = '<svg width="9" height="9"><rect fill="#ffffff" stroke="#123456"/></svg>'
EVIL = '<script>alert("1")</script>&'


def a_claim(number=0, verdict="reproduced", **more):
    return Claim(f"statement {number}", "Fig. 3", "+1", "+2", verdict, f"why {number}", **more)


def a_document(*results, **more):
    return Reproduction("000", "000  An author, a title", results, **more)


class Tags(HTMLParser):
    """All that a browser would see: elements, attributes, text."""

    def __init__(self, page):
        super().__init__()
        self.found, self.words = [], []
        self.open = []
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.found.append((tag, dict(attrs)))
        if tag not in ("meta", "link", "br", "rect", "circle", "path"):
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.found.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        if tag in self.open:
            assert self.open.pop() == tag

    def handle_data(self, data):
        self.words.append(data)


def test_every_part_of_a_claim_is_there():
    page = report_page(
        [a_document(a_claim(1), a_claim(2, "refuted", command="fogbound solve tiger"))], "fogbound reproduce"
    )
    for words in ("statement 1", "Fig. 3", "+1", "+2", "why 1", "reproduced", "refuted", "fogbound reproduce 000"):
        assert words in page
    assert "<code>fogbound solve tiger</code>" in page
    assert "2 claims: 1 reproduced, 1 refuted." in page
    assert Tags(page).open == []  # all that was opened is closed


def test_nothing_is_believed():
    """Whatever a document says is text."""
    claim = Claim(EVIL, EVIL, EVIL, EVIL, "refuted", EVIL, EVIL, EVIL)
    table = ResultTable(EVIL, EVIL, [{EVIL: EVIL, "count": 3}], EVIL)
    written = PaperFigure(EVIL, EVIL, is_svg=False)
    page = report_page([Reproduction(EVIL, f"{EVIL}  {EVIL}", (claim, table), (written,))], EVIL)
    tags = Tags(page)
    assert not [tag for tag, _ in tags.found if tag == "script"]
    assert sum(EVIL in words for words in tags.words) >= 10


def test_it_stands_alone():
    """No script, no address outside, and a policy that forbids both, should a figure have one."""
    figure = PaperFigure("000-figure-3", PICTURE, is_svg=True)
    document = a_document(a_claim(figure="000-figure-3"), figures=(figure,))
    tags = Tags(report_page([document], "fogbound reproduce"))
    assert not [tag for tag, _ in tags.found if tag in ("script", "link", "img", "iframe", "object")]
    links = [attrs["href"] for _, attrs in tags.found if "href" in attrs]
    assert links
    assert all(link.startswith("#") for link in links)
    assert not [name for _, attrs in tags.found for name in attrs if name.startswith("on") or name == "src"]
    policy = [attrs["content"] for tag, attrs in tags.found if attrs.get("http-equiv")]
    assert policy == ["default-src 'none'; style-src 'unsafe-inline'"]


def test_a_figure_stands_once_and_other_rows_lead_to_it():
    shown = PaperFigure("000-figure-3", PICTURE, is_svg=True)
    rest = PaperFigure("000-pairs", "a table", is_svg=False)
    claims = [a_claim(k, figure="000-figure-3") for k in range(3)]
    page = report_page([a_document(*claims, figures=(shown, rest))], "fogbound reproduce")
    assert page.count('id="000-figure-3"') == 1
    assert page.count('href="#000-figure-3"') == 2
    assert "One more figure" in page
    assert "<pre>a table</pre>" in page


def test_pictures_take_the_pages_colours():
    from fogbound import forms, game

    assert themed(PICTURE) == PICTURE.replace('"#ffffff"', '"var(--surface, #ffffff)"')
    drawing = matrix(forms.normal(game("king-ace")))
    assert themed(drawing.plain()) == drawing.svg


def test_every_verdict_has_a_word_a_meaning_and_a_look():
    assert set(LOOKS) == set(VERDICTS)
    assert len(set(LOOKS.values())) == len(VERDICTS)  # colour never alone


def test_tables_show_numbers_as_people_write_them():
    table = ResultTable(
        "t", "A table", [{"name": "x", "count": 12345, "share": 0.5, "time": 1234.5, "gone": None}], "n"
    )
    page = report_page([a_document(a_claim(), table)], "c")
    for cell in ("12,345", "0.5", "1,234.50", "–"):
        assert f'<td class="r">{cell}</td>' in page


def test_a_page_may_hold_one_documents_list():
    fragment = claims_list(a_document(a_claim()))
    assert fragment.startswith('<div class="card claims">')
    assert Tags(fragment).open == []


def test_figures_are_found_in_order_and_without_their_texts(tmp_path):
    for name in ("000-figure-10.svg", "000-figure-2.svg", "000-figure-2.txt", "000-game.txt", "001-x.svg", "000-t.csv"):
        (tmp_path / name).write_text("x")
    found = figures(tmp_path, "000")
    assert [figure.name for figure in found] == ["000-figure-2", "000-figure-10", "000-game"]
    assert [figure.is_svg for figure in found] == [True, True, False]
