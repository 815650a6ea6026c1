"""Arrays that belong together, handed to kernels as one pointer.

A compiled function takes every array apart into seven words, and a tuple of arrays into seven words each: at every
call and in every caller, so that for a game with its bounds this is most of what there is to compile. A bundle is one
word, from which the addresses of its arrays are read. Kernels write `game.first[p]` as in plain Python, where a bundle
is a frozen dataclass of arrays.

What a kernel finds in a bundle knows where it begins, and no more: a `Column` (or a `Matrix` of two dimensions) can be
read and written at places that are not negative. It has no length, and nobody counts who refers to it.
"""

from __future__ import annotations

import operator
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from llvmlite import ir
from numba.core import cgutils, types
from numba.core.typing.templates import AbstractTemplate, AttributeTemplate, infer_getattr, infer_global, signature
from numba.extending import (
    NativeValue,
    lower_builtin,
    lower_getattr_generic,
    models,
    register_model,
    typeof_impl,
    unbox,
)
from numba.np import numpy_support

WORD = ir.IntType(64)


@dataclass(frozen=True, eq=False)
class Bundle:
    """Contiguous arrays of one or two dimensions, or other bundles.

    They stay what and where they are as long as the bundle is there; what arrays hold may change.
    """

    def __post_init__(self) -> None:
        cells: list[int] = []
        members: list[tuple[str, Any]] = []
        for place in fields(self):
            kind, begin, width = _described(getattr(self, place.name))
            if kind is None:
                what = f"{type(self).__name__}.{place.name}"
                raise ValueError(f"{what}: expected a bundle, or a contiguous array of one or two dimensions")
            members.append((place.name, kind))
            cells += [begin, width]
        table = np.array(cells, np.int64)
        object.__setattr__(self, "_cells", table)
        object.__setattr__(self, "_address", table.__array_interface__["data"][0])
        object.__setattr__(self, "_kind", BundleType(type(self).__name__, tuple(members)))


def _described(member: Any) -> tuple[Any, int, int]:
    """(type, where it begins, how wide it is) of what a bundle holds; no type where it cannot."""
    if isinstance(member, Bundle):
        return member._kind, member._address, 0  # type: ignore[attr-defined]
    if not member.flags.c_contiguous or member.ndim not in (1, 2):
        return None, 0, 0
    dtype = numpy_support.from_dtype(member.dtype)
    kind = Column(dtype) if member.ndim == 1 else Matrix(dtype)
    return kind, member.__array_interface__["data"][0], member.shape[-1]


class Column(types.Type):
    """Where an array of one dimension begins."""

    def __init__(self, dtype: Any) -> None:
        self.dtype = dtype
        super().__init__(f"Column({dtype})")


class Matrix(types.Type):
    """Where an array of two dimensions begins, and how wide it is."""

    def __init__(self, dtype: Any) -> None:
        self.dtype = dtype
        super().__init__(f"Matrix({dtype})")


class BundleType(types.Type):
    """What a compiled function knows of a bundle: the names and types of its arrays; two cells each."""

    def __init__(self, name: str, members: tuple[tuple[str, Any], ...]) -> None:
        self.members = members
        super().__init__(f"{name}({', '.join(f'{field}: {kind}' for field, kind in members)})")


@register_model(BundleType)
class _BundleModel(models.PrimitiveModel):
    def __init__(self, manager: Any, kind: BundleType) -> None:
        super().__init__(manager, kind, WORD.as_pointer())


@register_model(Column)
class _ColumnModel(models.PrimitiveModel):
    def __init__(self, manager: Any, kind: Column) -> None:
        super().__init__(manager, kind, manager[kind.dtype].get_data_type().as_pointer())


@register_model(Matrix)
class _MatrixModel(models.StructModel):
    def __init__(self, manager: Any, kind: Matrix) -> None:
        super().__init__(manager, kind, [("begin", Column(kind.dtype)), ("width", types.intp)])


@typeof_impl.register(Bundle)
def _kind_of(bundle: Any, _context: object) -> BundleType:
    kind: BundleType = bundle._kind
    return kind


@unbox(BundleType)
def _unbox(_kind: BundleType, bundle: Any, context: Any) -> NativeValue:
    address = context.pyapi.object_getattr_string(bundle, "_address")
    word = context.pyapi.long_as_longlong(address)
    context.pyapi.decref(address)
    return NativeValue(context.builder.inttoptr(word, WORD.as_pointer()), is_error=cgutils.false_bit)


@infer_getattr
class _Members(AttributeTemplate):
    key = BundleType

    def resolve(self, kind: BundleType, name: str) -> Any:
        """The type of a bundle's array."""
        return dict(kind.members).get(name)


@lower_getattr_generic(BundleType)
def _member(context: Any, builder: Any, kind: BundleType, cells: Any, name: str) -> Any:
    number = [field for field, _ in kind.members].index(name)
    found = kind.members[number][1]
    begins = WORD if isinstance(found, BundleType) else context.get_data_type(found.dtype)
    cell = cgutils.gep_inbounds(builder, cells, 2 * number)
    begin = _fixed(builder, builder.bitcast(cell, begins.as_pointer().as_pointer()))
    if not isinstance(found, Matrix):
        return begin
    table = cgutils.create_struct_proxy(found)(context, builder)
    table.begin, table.width = begin, _fixed(builder, cgutils.gep_inbounds(builder, cells, 2 * number + 1))
    return table._getvalue()


def _fixed(builder: Any, pointer: Any) -> Any:
    """Load what never changes, so that it may be moved out of loops."""
    value = builder.load(pointer)
    value.set_metadata("invariant.load", builder.module.add_metadata([]))
    return value


def _places(array: Any, index: Any) -> Any:
    """The signature of a place in an array; none where it is no place."""
    if isinstance(array, Column) and isinstance(index, types.Integer):
        return types.intp
    if isinstance(array, Matrix) and isinstance(index, types.BaseTuple) and len(index) == 2:
        return types.UniTuple(types.intp, 2)
    return None


@infer_global(operator.getitem)
class _Get(AbstractTemplate):
    def generic(self, args: Any, _kws: Any) -> Any:
        """A number; of a table and one place a row."""
        array, index = args
        place = _places(array, index)
        if isinstance(array, Matrix) and isinstance(index, types.Integer):
            return signature(Column(array.dtype), array, types.intp)
        return signature(array.dtype, array, place) if place is not None else None


@infer_global(operator.setitem)
class _Set(AbstractTemplate):
    def generic(self, args: Any, _kws: Any) -> Any:
        """A number of the array's type."""
        array, index, _ = args
        place = _places(array, index)
        return signature(types.none, array, place, array.dtype) if place is not None else None


def _pointer(context: Any, builder: Any, kind: Any, array: Any, index: Any) -> Any:
    """The address of a place."""
    if isinstance(kind, Column):
        return builder.gep(array, [index], inbounds=True)
    table = cgutils.create_struct_proxy(kind)(context, builder, value=array)
    row, column = cgutils.unpack_tuple(builder, index)
    return builder.gep(table.begin, [builder.add(builder.mul(row, table.width), column)], inbounds=True)


@lower_builtin(operator.getitem, Column, types.intp)
@lower_builtin(operator.getitem, Matrix, types.UniTuple)
def _get(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    return context.unpack_value(builder, sig.args[0].dtype, _pointer(context, builder, sig.args[0], *args))


@lower_builtin(operator.getitem, Matrix, types.intp)
def _row(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    table = cgutils.create_struct_proxy(sig.args[0])(context, builder, value=args[0])
    return builder.gep(table.begin, [builder.mul(args[1], table.width)], inbounds=True)


@lower_builtin(operator.setitem, Column, types.intp, types.Any)
@lower_builtin(operator.setitem, Matrix, types.UniTuple, types.Any)
def _set(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    array, index, value = args
    context.pack_value(builder, sig.args[0].dtype, value, _pointer(context, builder, sig.args[0], array, index))
    return context.get_dummy_value()
