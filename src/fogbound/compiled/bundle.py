"""Arrays that belong together, handed to kernels as one pointer.

A compiled function takes every array apart into seven words, and a tuple of arrays into seven words each: at every
call and in every caller, so that for a game with its bounds this is most of what there is to compile. A bundle is one
word, from which the addresses and lengths of its arrays are read where they are asked for. Kernels write
`game.first[p]` as in plain Python, where a bundle is a frozen dataclass of arrays.

What a kernel finds in a bundle is a `Column`, or a `Matrix` of two dimensions, which it can read and write at places
that are not negative, hand on, take a row of and ask for its `len`. Nobody counts who refers to it. As with numba's
own arrays, places are checked in code that is compiled with NUMBA_BOUNDSCHECK=1 or `kernel(boundscheck=True)`, and in
plain Python.
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
CELLS = 3  # of a member: where it begins, its rows, how wide they are


@dataclass(frozen=True, eq=False)
class Bundle:
    """Contiguous arrays of one or two dimensions, or other bundles.

    They stay what and where they are as long as the bundle is there; what arrays hold may change. A copy has addresses
    of its own: of the same arrays, or of those that were copied or unpickled with it.
    """

    def __post_init__(self) -> None:
        cells: list[int] = []
        members: list[tuple[str, Any]] = []
        for place in fields(self):
            member = getattr(self, place.name)
            if isinstance(member, Bundle):
                kind, begin, shape = member._kind, member._address, (0, 0)  # type: ignore[attr-defined]
            else:
                kind, begin, shape = _described(f"{type(self).__name__}.{place.name}", member)
            members.append((place.name, kind))
            cells += [begin, *shape]
        table = np.array(cells, np.int64)
        object.__setattr__(self, "_cells", table)
        object.__setattr__(self, "_address", _address(table))
        object.__setattr__(self, "_kind", BundleType(type(self).__name__, tuple(members)))

    def __reduce__(self) -> tuple[Any, ...]:
        """Only the members: addresses are good for this bundle alone."""
        return type(self), tuple(getattr(self, place.name) for place in fields(self))


def _described(what: str, member: Any) -> tuple[Any, int, tuple[int, int]]:
    """(type, where it begins, its rows and how wide they are) of an array in a bundle."""
    if not isinstance(member, np.ndarray) or not member.flags.c_contiguous or member.ndim not in (1, 2):
        raise ValueError(f"{what}: expected a bundle, or a contiguous array of one or two dimensions, {_seen(member)}")
    dtype = numpy_support.from_dtype(member.dtype)
    if member.ndim == 1:
        return Column(dtype), _address(member), (len(member), 1)
    return Matrix(dtype), _address(member), (member.shape[0], member.shape[1])


def _seen(member: Any) -> str:
    if not isinstance(member, np.ndarray):
        return f"found {type(member).__name__}"
    return f"found one of shape {member.shape} and strides {member.strides}"


def _address(array: np.ndarray) -> int:
    address: int = array.__array_interface__["data"][0]
    return address


class Column(types.Type):
    """Where an array of one dimension begins, and its length."""

    def __init__(self, dtype: Any) -> None:
        self.dtype = dtype
        super().__init__(f"Column({dtype})")


class Matrix(types.Type):
    """Where an array of two dimensions begins, how many rows it has and how wide they are."""

    def __init__(self, dtype: Any) -> None:
        self.dtype = dtype
        super().__init__(f"Matrix({dtype})")


class BundleType(types.Type):
    """What a compiled function knows of a bundle: the names and types of its members; `CELLS` words each."""

    def __init__(self, name: str, members: tuple[tuple[str, Any], ...]) -> None:
        self.members = members
        super().__init__(f"{name}({', '.join(f'{field}: {kind}' for field, kind in members)})")


@register_model(BundleType)
class _BundleModel(models.PrimitiveModel):
    def __init__(self, manager: Any, kind: BundleType) -> None:
        super().__init__(manager, kind, WORD.as_pointer())


@register_model(Column)
class _ColumnModel(models.StructModel):
    def __init__(self, manager: Any, kind: Column) -> None:
        super().__init__(manager, kind, [("begin", types.CPointer(kind.dtype)), ("rows", types.intp)])


@register_model(Matrix)
class _MatrixModel(models.StructModel):
    def __init__(self, manager: Any, kind: Matrix) -> None:
        members = [("begin", types.CPointer(kind.dtype)), ("rows", types.intp), ("width", types.intp)]
        super().__init__(manager, kind, members)


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
    member = kind.members[number][1]

    def cell(k: int) -> Any:
        return cgutils.gep_inbounds(builder, cells, CELLS * number + k)

    if isinstance(member, BundleType):
        return _fixed(builder, builder.bitcast(cell(0), WORD.as_pointer().as_pointer()))
    begins = context.get_data_type(member.dtype).as_pointer()
    words = [_fixed(builder, builder.bitcast(cell(0), begins.as_pointer())), _fixed(builder, cell(1))]
    if isinstance(member, Matrix):
        words.append(_fixed(builder, cell(2)))
    return _packed(context, builder, member, words)


def _packed(context: Any, builder: Any, kind: Any, words: list[Any]) -> Any:
    """A column or a matrix of what it consists of."""
    value = context.get_constant_undef(kind)
    for k, word in enumerate(words):
        value = builder.insert_value(value, word, k)
    return value


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


@infer_global(len)
class _Len(AbstractTemplate):
    def generic(self, args: Any, _kws: Any) -> Any:
        """How many rows."""
        (array,) = args
        return signature(types.intp, array) if isinstance(array, Column | Matrix) else None


@lower_builtin(len, Column)
@lower_builtin(len, Matrix)
def _length(_context: Any, builder: Any, _sig: Any, args: Any) -> Any:
    return builder.extract_value(args[0], 1)


def _place(context: Any, builder: Any, array: Any, axis: int, index: Any) -> Any:
    """An index along an axis; one that is out of bounds raises IndexError in code that was asked to look."""
    if context.enable_boundscheck:
        cgutils.do_boundscheck(context, builder, index, builder.extract_value(array, 1 + axis), axis)
    return index


def _pointer(context: Any, builder: Any, kind: Any, array: Any, index: Any) -> Any:
    """The address of a place."""
    if isinstance(kind, Column):
        place = _place(context, builder, array, 0, index)
    else:
        row, column = cgutils.unpack_tuple(builder, index)
        begin = builder.mul(_place(context, builder, array, 0, row), builder.extract_value(array, 2))
        place = builder.add(begin, _place(context, builder, array, 1, column))
    return builder.gep(builder.extract_value(array, 0), [place], inbounds=True)


@lower_builtin(operator.getitem, Column, types.intp)
@lower_builtin(operator.getitem, Matrix, types.UniTuple)
def _get(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    return context.unpack_value(builder, sig.args[0].dtype, _pointer(context, builder, sig.args[0], *args))


@lower_builtin(operator.getitem, Matrix, types.intp)
def _row(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    table, index = args
    width = builder.extract_value(table, 2)
    place = builder.mul(_place(context, builder, table, 0, index), width)
    begin = builder.gep(builder.extract_value(table, 0), [place], inbounds=True)
    return _packed(context, builder, sig.return_type, [begin, width])


@lower_builtin(operator.setitem, Column, types.intp, types.Any)
@lower_builtin(operator.setitem, Matrix, types.UniTuple, types.Any)
def _set(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    array, index, value = args
    context.pack_value(builder, sig.args[0].dtype, value, _pointer(context, builder, sig.args[0], array, index))
    return context.get_dummy_value()
