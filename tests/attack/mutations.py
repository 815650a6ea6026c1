"""Small changes of a module's functions, one at a time: what a slip of the keyboard, or of the mind, would leave.

Words that people read are left alone: what stands in a `raise`, in an f-string or in a docstring is no subject here.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable, Iterator
from typing import NamedTuple

SWAPPED: dict[type[ast.AST], type[ast.AST]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Add,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.FloorDiv,
    ast.Pow: ast.Mult,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
    ast.LShift: ast.RShift,
    ast.RShift: ast.LShift,
    ast.And: ast.Or,
    ast.Or: ast.And,
}
RENAMED = {"min": "max", "max": "min", "any": "all", "all": "any"}


class Mutant(NamedTuple):
    """One change: the outermost function that it is in, the line, and what became of it."""

    function: str
    line: int
    before: str
    after: str
    tree: ast.Module


def mutants(source: str) -> Iterator[Mutant]:
    """All changes of a module's functions, in the order of its lines."""
    tree = ast.parse(source)
    for name, body in _functions(tree):
        for number, (node, _) in enumerate(_sites(body)):
            changed = copy.deepcopy(tree)
            mutated = dict(_functions(changed))[name]
            subject, apply = list(_sites(mutated))[number]
            before = ast.unparse(node)
            apply()
            ast.fix_missing_locations(changed)
            after = "pass" if isinstance(subject, ast.stmt) else ast.unparse(subject)
            after = f"not ({before})" if after == before else after
            yield Mutant(name, node.lineno, before.splitlines()[0], after.splitlines()[0], changed)


def _functions(tree: ast.Module) -> Iterator[tuple[str, ast.FunctionDef]]:
    """The outermost functions and methods, by their qualified names."""
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            yield node.name, node
        for inner in node.body if isinstance(node, ast.ClassDef) else ():
            if isinstance(inner, ast.FunctionDef):
                yield f"{node.name}.{inner.name}", inner


def _sites(function: ast.FunctionDef) -> Iterator[tuple[ast.AST, Callable[[], None]]]:
    """What can be changed in a function, with what changes it in place."""
    for statement in function.body:
        if not (isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)):  # a docstring
            yield from _inside(statement)


def _inside(node: ast.AST) -> Iterator[tuple[ast.AST, Callable[[], None]]]:
    if isinstance(node, ast.Raise) or (isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)):
        yield node, lambda: _emptied(node)
    if isinstance(node, ast.Raise | ast.JoinedStr):
        return  # words for people
    yield from _changes(node)
    for field, value in ast.iter_fields(node):
        if field in ("annotation", "returns", "decorator_list"):
            continue
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST):
                yield from _inside(child)


def _emptied(node: ast.AST) -> None:
    """A statement that does nothing, in the place of another."""
    node.__class__ = ast.Pass
    node.__dict__ = {key: value for key, value in node.__dict__.items() if key.endswith(("lineno", "offset"))}


def _changes(node: ast.AST) -> Iterator[tuple[ast.AST, Callable[[], None]]]:
    if isinstance(node, ast.Compare):
        for place, operator in enumerate(node.ops):
            yield node, lambda place=place, operator=operator: node.ops.__setitem__(place, SWAPPED[type(operator)]())  # type: ignore[misc]
    elif isinstance(node, ast.BinOp | ast.BoolOp | ast.AugAssign) and type(node.op) in SWAPPED:
        yield node, lambda: setattr(node, "op", SWAPPED[type(node.op)]())
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        yield node, lambda: setattr(node, "op", ast.UAdd()) or setattr(node, "operand", _truth(node.operand))
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        yield node, lambda: setattr(node, "op", ast.UAdd())
    elif isinstance(node, ast.Constant) and isinstance(node.value, bool):
        yield node, lambda: setattr(node, "value", not node.value)
    elif isinstance(node, ast.Constant) and isinstance(node.value, int | float):
        yield node, lambda: setattr(node, "value", node.value + 1)
    elif isinstance(node, ast.Name) and node.id in RENAMED and isinstance(node.ctx, ast.Load):
        yield node, lambda: setattr(node, "id", RENAMED[node.id])
    elif isinstance(node, ast.If | ast.IfExp | ast.While):
        yield node.test, lambda: setattr(node, "test", ast.UnaryOp(ast.Not(), node.test))


def _truth(value: ast.expr) -> ast.expr:
    return ast.Call(ast.Name("bool", ast.Load()), [value], [])
