"""A page of its own around pictures and tables: no script, nothing fetched, the page forbids itself both."""

from __future__ import annotations

import re

from fogbound._version import __version__
from fogbound.core.drawing import quoted

_PAINTED = re.compile(r'(fill|stroke)="(#[0-9a-f]{6})"')
_POLICY = "default-src 'none'; style-src 'unsafe-inline'"


def whole_page(title: str, sentence: str, body: str, command: str, nav: str = "") -> str:
    """A page of its own around `body`, in the looks of all pages: no script, nothing fetched.

    Parameters
    ----------
    title, sentence
        What it is about.
    body
        HTML below the heading.
    command
        What makes this page.
    nav
        HTML in the bar at the top.

    Returns
    -------
    str
        A whole HTML document.
    """
    made = f"<code>{quoted(command)}</code> makes this page from nothing. " if command else ""
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width,initial-scale=1">'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">'
        f"<title>{quoted(title)} · Fogbound</title>\n<style>{TOKENS}{STYLE}</style></head>\n<body>"
        f'<header class="bar"><div><span class="mark">{_MARK}<span>Fogbound</span></span>'
        f"{nav}</div></header>\n<main>"
        f'<div class="head"><h1>{quoted(title)}</h1><p>{quoted(sentence)}</p></div>\n{body}'
        f'<p class="say">{made}'
        f"Fogbound {quoted(__version__)}.</p></main></body></html>\n"
    )


def themed(picture: str) -> str:
    """A picture from a file with the page's colours for the fallbacks: the opposite of `Drawing.plain`.

    Parameters
    ----------
    picture
        SVG as it was saved.

    Examples
    --------
    >>> from fogbound.draw.page import themed
    >>> themed('<rect fill="#ffffff"/>')
    '<rect fill="var(--surface, #ffffff)"/>'
    """
    return _PAINTED.sub(lambda found: f'{found[1]}="{_BY_FALLBACK.get(found[2], found[2])}"', picture)


_MARK = (
    '<svg width="26" height="26" viewBox="0 0 26 26" aria-hidden="true"><circle cx="13" cy="10" r="6" '
    'fill="var(--lamp-fill)"/><g fill="none" stroke="var(--ink)" stroke-width="2" stroke-linecap="round">'
    '<path d="M2.5 14.5h21" stroke="var(--paper)" stroke-width="6"/><path d="M2 14h8M13 14h11"/>'
    '<path d="M5 18.5h15"/><path d="M9 23h8"/></g></svg>'
)
_LIGHT = (
    "--paper:#f3f5f6;--surface:#ffffff;--ink:#14212b;--ink-2:#445562;--ink-3:#5b6b77;--line:#d9e0e4;--edge:#788792;"
    "--fog-1:#e9eef1;--fog-2:#d3dde3;--fog-3:#b3c3cd;--fog-4:#8aa0ae;--fog-5:#5d7687;--fog-6:#3a5364;--sea:#0b6a76;"
    "--sea-fill:#2b8f9a;--ember:#a8401f;--ember-fill:#cf6b45;--lamp:#8a5300;--lamp-line:#bd7408;--lamp-fill:#f0a63a;"
    "--lamp-wash:#fdf1dc;"
)
_DARK = (
    "--paper:#0d141a;--surface:#141d25;--ink:#e9eff3;--ink-2:#b4c2cc;--ink-3:#92a3af;--line:#25333e;--edge:#63757f;"
    "--fog-1:#1a2731;--fog-2:#253642;--fog-3:#365060;--fog-4:#537184;--fog-5:#7f9cad;--fog-6:#b3c9d5;--sea:#6fc9d1;"
    "--sea-fill:#3f9aa4;--ember:#f2987a;--ember-fill:#c7663f;--lamp:#f4bd6a;--lamp-line:#e59a2c;--lamp-fill:#e59a2c;"
    "--lamp-wash:#33260f;"
)
_BY_FALLBACK = {colour: f"var({name}, {colour})" for name, colour in re.findall(r"(--[a-z0-9-]+):(#\w+)", _LIGHT)}
TOKENS = (
    f":root{{color-scheme:light dark;{_LIGHT}"
    '--sans:"Inter",ui-sans-serif,system-ui,"Segoe UI",Roboto,"Noto Sans","Liberation Sans",sans-serif;'
    '--mono:ui-monospace,"SF Mono","Cascadia Mono",Menlo,Consolas,"DejaVu Sans Mono",monospace}'
    f"@media (prefers-color-scheme:dark){{:root{{{_DARK}}}}}"
)
STYLE = """
*{box-sizing:border-box}
body{margin:0;background:var(--paper);color:var(--ink);font:400 .9375rem/1.5 var(--sans);
  font-variant-numeric:tabular-nums lining-nums}
h1,h2,p,dl,dd,figure,table{margin:0;padding:0}
h1{font-size:1.5rem;line-height:1.2;font-weight:620;letter-spacing:-.018em}
h2{font-size:1.125rem;line-height:1.3;font-weight:600}
a{color:inherit}
:focus-visible{outline:2.5px solid var(--lamp-line);outline-offset:2px;border-radius:6px}
code,pre{font-family:var(--mono);font-size:.8125rem;overflow-wrap:anywhere}
.bar{border-bottom:1px solid var(--line)}
.bar>div,main{max-width:1240px;margin:auto;padding:0 1.5rem}
.bar>div{min-height:56px;display:flex;flex-wrap:wrap;align-items:center;gap:.5rem 1.5rem}
.bar nav{display:flex;gap:.25rem}
.bar nav a{padding:.75rem;text-decoration:none;color:var(--ink-2);font-size:.875rem;font-weight:500}
.bar nav a:hover{color:var(--ink)}
.mark{display:flex;align-items:center;gap:10px;font-weight:640;letter-spacing:-.02em;font-size:1.0625rem}
main{padding-top:1.5rem;padding-bottom:2rem}
section{margin-top:3rem}
.head{margin-bottom:1rem}
.head p,.say{color:var(--ink-2);font-size:.875rem}
.say{margin-top:1rem}
.card{background:var(--surface);border:1px solid var(--line);border-radius:16px}
.scroll{overflow-x:auto}
.list{width:100%;border-collapse:collapse;font-size:.875rem}
.list th{font-size:.75rem;font-weight:540;color:var(--ink-3);text-align:left;padding:.75rem 1rem;
  border-bottom:1px solid var(--line)}
.list td{padding:10px 1rem;border-bottom:1px solid var(--line)}
.list td:first-child{min-width:14rem}
.list tr:last-child td{border-bottom:0}
.list .r{text-align:right;white-space:nowrap}
.meanings{display:flex;flex-wrap:wrap;gap:.25rem 1.5rem;margin-top:.75rem;font-size:.75rem;color:var(--ink-2)}
.meanings div{display:flex;gap:.5rem;align-items:baseline}
.claims{overflow:hidden}
.cells{display:grid;grid-template-columns:minmax(0,5fr) minmax(0,3fr) minmax(0,4fr) minmax(8.5rem,auto);gap:1rem;
  padding:10px 1rem;align-items:baseline;font-size:.875rem}
.cells>span{overflow-wrap:anywhere}
.cells b{font-weight:600}
.claim{padding-left:1rem;text-indent:-1rem}
.top{font-size:.75rem;font-weight:540;color:var(--ink-3);padding:.75rem 1rem}
.top span:last-child,.verdict{text-align:right}
.row{border-top:1px solid var(--line)}
.row summary,.more summary{cursor:pointer;list-style:none;min-height:44px}
.row summary::-webkit-details-marker,.more summary::-webkit-details-marker{display:none}
.row summary:hover,.more summary:hover{background:var(--fog-1)}
.claim::before,.more summary::before{content:"›";display:inline-block;width:1rem;text-indent:0;color:var(--ink-3)}
[open]>summary .claim::before,.more[open]>summary::before{transform:rotate(90deg)}
.cells [data-l=published]{color:var(--ink-2)}
.quiet{color:var(--ink-3);font-size:.8125rem;margin-left:.5rem;white-space:nowrap;text-indent:0;display:inline-block}
.why{padding:0 1rem 1rem 2rem;display:grid;grid-template-columns:minmax(0,1fr);gap:.5rem;color:var(--ink-2);
  font-size:.875rem}
.more{margin-top:1rem;background:var(--surface);border:1px solid var(--line);border-radius:16px;overflow:hidden}
.more summary{padding:10px 1rem;font-size:.875rem}
.more .say,.more figure{margin:0;padding:1rem}
figure svg{display:block}
figcaption{font-size:.75rem;color:var(--ink-3)}
.tag{display:inline-flex;align-items:center;gap:6px;font-size:.75rem;font-weight:600;white-space:nowrap}
.tag::before{content:"";width:9px;height:9px;border-radius:50%;background:currentColor;flex:none}
.tag.no::before{background:none;border:2px solid currentColor}
.tag.part::before{background:linear-gradient(90deg,currentColor 50%,transparent 50%);border:1.5px solid currentColor}
.tag.dash::before{border-radius:0;height:2px}
.tag.ours::before{width:5px;height:5px;margin:0 2px}
.gain{color:var(--sea)}.loss{color:var(--ember)}.soft{color:var(--ink-2)}
@media (max-width:700px){
.bar>div,main{padding-left:1rem;padding-right:1rem}
.top{display:none}
.cells{grid-template-columns:minmax(0,1fr);gap:2px}
.verdict{text-align:left}
.cells [data-l]::before{content:attr(data-l) ": ";color:var(--ink-3);font-weight:400;font-size:.75rem}
.why{padding-left:1rem}
}
@media print{.row,.card{break-inside:avoid}}
"""
