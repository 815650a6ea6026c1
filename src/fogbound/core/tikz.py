r"""A picture as TikZ, for LaTeX: every element of an SVG that `core.svg` writes, in the document's own fonts.

The result is one `tikzpicture` to `\input`, in big points of the SVG's pixels times `POINTS`. A column of a paper is
narrower than most pictures: `\resizebox{\columnwidth}{!}{\input{tree}}` fits it in.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from xml.etree import ElementTree

from fogbound.core.latex import escaped

POINTS = 0.75  # of a pixel
BOLD = 600  # font weights from here on are bold
_ANCHORS = {"start": "base west", "middle": "base", "end": "base east"}
_HEAD = "% {label}\n% needs \\usepackage{{tikz}} and \\usetikzlibrary{{svg.path}}{engine}\n"
_ENGINE = "; has letters that pdflatex lacks: use lualatex or xelatex"
_PDFLATEX = re.compile("[\x20-\u017f\u2010-\u201f]*")  # letters that pdflatex's own fonts have


def tikz(svg: str, label: str = "") -> str:
    r"""The picture as a `tikzpicture`.

    Parameters
    ----------
    svg
        A picture that `core.svg` made, with plain colours.
    label
        What it shows, for the comment at the top; the picture's own label by default.

    Returns
    -------
    str
        LaTeX to `\input`.

    Examples
    --------
    >>> print(tikz('<svg height="20" aria-label="A dot."><circle cx="5" cy="5" r="4" fill="#2b8f9a"/></svg>'))
    % A dot.
    % needs \usepackage{tikz} and \usetikzlibrary{svg.path}
    \begin{tikzpicture}[x=0.75bp, y=0.75bp, yscale=-1, line cap=round, line join=round]
    \definecolor{fogbound2b8f9a}{HTML}{2B8F9A}
    \path[fill=fogbound2b8f9a] (5,5) circle[radius=4];
    \end{tikzpicture}
    <BLANKLINE>
    """
    root = ElementTree.fromstring(svg)
    said = " ".join((label or root.get("aria-label", "")).split())
    body = "\n".join(_lines(root, _Placed()))
    colours = "\n".join(
        f"\\definecolor{{fogbound{one}}}{{HTML}}{{{one.upper()}}}"
        for one in sorted(set(re.findall(r"fogbound([0-9a-f]{6})\b", body)))
    )
    head = _HEAD.format(label=said, engine="" if _PDFLATEX.fullmatch(body.replace("\n", " ")) else _ENGINE)
    unit = f"x={POINTS:g}bp, y={POINTS:g}bp, yscale=-1, line cap=round, line join=round"
    return f"{head}\\begin{{tikzpicture}}[{unit}]\n{colours}\n{body}\n\\end{{tikzpicture}}\n"


@dataclass(frozen=True)
class _Placed:
    """How the groups around an element scale and turn it: TikZ leaves letters and the width of lines alone."""

    scale: float = 1.0
    turned: float = 0.0


def _lines(element: ElementTree.Element, placed: _Placed) -> Iterator[str]:
    """An element and those in it, in the order in which they are painted."""
    kind = element.tag.rpartition("}")[2]
    if kind in ("svg", "g", "a"):
        options, inside = _group(element, placed)
        if options:
            yield f"\\begin{{scope}}[{', '.join(options)}]"
        for part in element:
            yield from _lines(part, inside)
        if options:
            yield "\\end{scope}"
    elif kind == "text":
        yield _text(element, placed)
    elif kind in _SHAPES:
        options = _painted(element, placed)
        if kind == "rect" and (corner := _number(element, "rx")):
            options.append(f"rounded corners={_size(corner * placed.scale)}bp")
        if options:
            yield f"\\path[{', '.join(options)}] {_SHAPES[kind](element)};"
    elif kind != "title":
        raise ValueError(f"<{kind}>: no element of a picture")


def _group(element: ElementTree.Element, placed: _Placed) -> tuple[list[str], _Placed]:
    """A group's options, and how what is in it lies."""
    options = [f"opacity={opacity}"] if (opacity := element.get("opacity")) else []
    for name, given in re.findall(r"(\w+)\(([^)]*)\)", element.get("transform", "")):
        numbers = [float(one) for one in re.split(r"[ ,]+", given.strip())]
        if name == "translate":
            options.append(f"shift={{({_size(numbers[0])},{_size(numbers[1])})}}")
        elif name == "scale":
            options.append(f"scale={numbers[0]:g}")
            placed = replace(placed, scale=placed.scale * numbers[0])
        elif name == "rotate":
            about = f"({_size(numbers[1])},{_size(numbers[2])})" if len(numbers) == 3 else "(0,0)"
            options.append(f"rotate around={{{numbers[0]:g}:{about}}}")
            placed = replace(placed, turned=placed.turned + numbers[0])
        else:
            raise ValueError(f"transform {name}: no transform of a picture")
    return options, placed


def _text(element: ElementTree.Element, placed: _Placed) -> str:
    """One line of words, its baseline where the SVG has it."""
    size = _number(element, "font-size", 13.0) * POINTS * placed.scale
    weight = element.get("font-weight", "400")
    heavy = "\\bfseries" if weight == "bold" or (weight.isdecimal() and int(weight) >= BOLD) else ""
    options = [f"anchor={_ANCHORS[element.get('text-anchor', 'start')]}", "inner sep=0pt", "outer sep=0pt"]
    options += [f"text={colour}"] if (colour := _colour(element.get("fill", "#000000"))) else []
    options += [f"opacity={element.get('opacity')}"] if element.get("opacity") else []
    options += [f"rotate={-placed.turned:g}"] if placed.turned else []
    font = f"\\sffamily{heavy}\\fontsize{{{size:.4g}bp}}{{{1.2 * size:.4g}bp}}\\selectfont"
    place = f"({_size(_number(element, 'x'))},{_size(_number(element, 'y'))})"
    words = escaped("".join(element.itertext()))
    return f"\\node[{', '.join(options)}, font={{{font}}}] at {place} {{{words}}};"


def _painted(element: ElementTree.Element, placed: _Placed) -> list[str]:
    """How a shape is filled and outlined; nothing where it cannot be seen."""
    fill, stroke = _colour(element.get("fill", "#000000")), _colour(element.get("stroke", "none"))
    options = [f"fill={fill}"] if fill else []
    if stroke:
        width = _number(element, "stroke-width", 1.0) * POINTS * placed.scale
        options += [f"draw={stroke}", f"line width={width:.4g}bp"]
        if dashes := element.get("stroke-dasharray"):
            steps = [f"{float(one) * POINTS * placed.scale:.4g}bp" for one in re.split(r"[ ,]+", dashes.strip())]
            steps *= 1 + len(steps) % 2
            pattern = " ".join(f"{('on', 'off')[k % 2]} {step}" for k, step in enumerate(steps))
            options.append(f"dash pattern={pattern}")
    if options:
        names = ("opacity", "fill-opacity", "stroke-opacity")
        words = {"opacity": "opacity", "fill-opacity": "fill opacity", "stroke-opacity": "draw opacity"}
        options += [f"{words[name]}={element.get(name)}" for name in names if element.get(name)]
    return options


def _rect(element: ElementTree.Element) -> str:
    x, y, width, height = (_number(element, name) for name in ("x", "y", "width", "height"))
    return f"({_size(x)},{_size(y)}) rectangle ++({_size(width)},{_size(height)})"


def _circle(element: ElementTree.Element) -> str:
    x, y, radius = (_number(element, name) for name in ("cx", "cy", "r"))
    return f"({_size(x)},{_size(y)}) circle[radius={_size(radius)}]"


def _ellipse(element: ElementTree.Element) -> str:
    x, y, wide, high = (_number(element, name) for name in ("cx", "cy", "rx", "ry"))
    return f"({_size(x)},{_size(y)}) ellipse[x radius={_size(wide)}, y radius={_size(high)}]"


def _path(element: ElementTree.Element) -> str:
    """The steps as they are: TikZ reads them, in points, so that they are scaled to pixels."""
    return f"[scale={POINTS * 72.27 / 72:.6g}] svg {{{element.get('d', '')}}}"


_SHAPES = {"rect": _rect, "circle": _circle, "ellipse": _ellipse, "path": _path}


def _colour(value: str) -> str:
    """The name under which the picture defines a colour; empty for none."""
    if value == "none":
        return ""
    if found := re.fullmatch("#([0-9a-f]{6})", value.lower()):
        return f"fogbound{found[1]}"
    if found := re.fullmatch("#([0-9a-f])([0-9a-f])([0-9a-f])", value.lower()):
        return "fogbound" + "".join(2 * one for one in found.groups())
    return value


def _number(element: ElementTree.Element, name: str, default: float = 0.0) -> float:
    return float(element.get(name, default))


def _size(value: float) -> str:
    return f"{value:.6g}"
