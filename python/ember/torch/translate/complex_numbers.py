"""Operators on complex numbers that are made of real ones: each is a pair of what statements have.

Scores of knowledge graphs are of such numbers, and end in real ones: torch.complex(...),
torch.polar(...), .conj(), .real. Between them, each tensor is two.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from ember.torch.graph.operations import is_name_of_view
from ember.torch.translate import lookups, views  # noqa: F401
from ember.torch.translate.elementwise import hypot
from ember.torch.translate.pieces import behind_another
from ember.torch.translate.products import product
from ember.torch.translate.reductions import norm
from ember.torch.translate.table import OF_PAIRS, TABLE, Call, translates
from ember.torch.translate.values import FIRST, NotTranslatedError, Pair, Span, Value

_of_pairs = partial(translates, table=OF_PAIRS)
# What moves elements, or adds up those of one tensor; what adds up those of several, or puts them
# beside each other, of which some may be real.
_MOVED = {name for name in TABLE if is_name_of_view(name.removeprefix("aten::"))}.union(
    f"aten::{name}"
    for name in ("clone", "embedding", "index", "index_select", "mean", "neg", "repeat", "sum")
)
_JOINED = frozenset(("aten::add", "aten::cat", "aten::rsub", "aten::sub"))


@dataclass(frozen=True)
class _PartCall(Call):
    """A call of the real parts of its operands, or of the imaginary ones."""

    is_real: bool = True

    def seen(self, argument: Any) -> Value:
        value: Any = super().seen(argument)
        if isinstance(value, Pair):
            value = value.real if self.is_real else value.imag
        elif self.name in _JOINED and not self.is_real:
            value = Value(value.sizes, self.dtype, lambda _: "0.0")
        part: Value = value
        return part


@_of_pairs(*_MOVED, *_JOINED)
def _of_both_parts(call: Call) -> Pair:
    """What the table says of real numbers, of both parts."""
    # Other numbers may be shown in the same memory.
    if call.name not in TABLE or not call.result.is_complex():
        raise NotTranslatedError
    given = call.node, call.statements, call.values, call.name, call.number, call.taken
    entry = TABLE[call.name]
    return Pair(entry(_PartCall(*given, True)), entry(_PartCall(*given, False)))


def _operand(call: Call, argument: Any) -> Value | Pair:
    """An operand, which may be complex, to be read at several places."""
    if isinstance(argument, complex):
        return Pair(call.seen(argument.real), call.seen(argument.imag))
    found = call.values.get(argument)
    if isinstance(found, Pair):
        return Pair(call.statements.stored(found.real), call.statements.stored(found.imag))
    return call.value_of(argument)


def _pair(call: Call) -> Pair:
    """The first operand, which is complex."""
    found = _operand(call, call.node.args[0])
    assert isinstance(found, Pair)
    return found


@_of_pairs("aten::div")
def _div(call: Call) -> Pair:
    if isinstance(_operand(call, call.arguments["other"]), Pair):
        raise NotTranslatedError
    return _of_both_parts(call)


@_of_pairs("aten::complex")
def _complex(call: Call) -> Pair:
    return Pair(call.value("real"), call.value("imag"))


def _turned(call: Call, length: Value, angle: Value) -> Pair:
    """Numbers of some lengths and angles."""
    texts = ("({0} * cos({1}))", "({0} * sin({1}))")
    return Pair(*(call.elementwise([length, angle], text.format) for text in texts))


@_of_pairs("aten::polar")
def _polar(call: Call) -> Pair:
    return _turned(call, call.value("abs"), call.value("angle"))


@_of_pairs("aten::exp")
def _exp(call: Call) -> Pair:
    number = _pair(call)
    return _turned(call, call.elementwise([number.real], "exp({0})".format), number.imag)


@_of_pairs("aten::view_as_complex")
def _view_as_complex(call: Call) -> Pair:
    value = call.seen(call.arguments["self"])

    def part(place: int) -> Value:
        return call.shown(value, lambda indices: value.at([*indices, Span.of(FIRST, place, 1)]))

    return Pair(part(0), part(1))


@_of_pairs("aten::view_as_real")
def _view_as_real(call: Call) -> Value:
    """The parts side by side, in a dimension of their own."""
    number = _pair(call)

    def column(part: Value) -> Value:
        return Value((*part.sizes, 1), part.dtype, lambda indices: part.at(indices[:-1]))

    parts = [column(number.real), column(number.imag)]
    return behind_another(parts, len(call.sizes) - 1, call.sizes, call.node)


@_of_pairs("aten::_conj", "aten::_conj_physical", "aten::conj_physical")
def _conj(call: Call) -> Pair:
    number = _pair(call)
    return Pair(number.real, call.elementwise([number.imag], "(-{0})".format))


@_of_pairs("aten::abs")
def _abs(call: Call) -> Value:
    """The absolute value, of which the gradient is 0 at 0, as PyTorch has it."""
    number, is_zero = _pair(call), "({0} == 0 and {1} == 0)"
    parts = [number.real, number.imag]
    compute = partial(call.statements.elementwise, number.real.sizes, call.dtype)
    real = compute(parts, f"(1.0 if {is_zero} else {{0}})".format)
    length = hypot(compute, real, number.imag)
    return compute([*parts, length], f"(0.0 if {is_zero} else {{2}})".format)


@_of_pairs("aten::linalg_vector_norm")
def _norm(call: Call) -> Value:
    """That of absolute values, of rows and not of matrices."""
    if len(call.arguments["dim"] or ()) != 1:
        raise NotTranslatedError
    return norm(call, _abs(call))


def _multiplied(
    call: Call, operands: Sequence[Any], multiply: Callable[[Call, Value, Value], Value]
) -> Pair:
    """The product of two, of which one may be real, by what is linear in each of them."""
    one, other = (_operand(call, operand) for operand in operands)
    if not isinstance(one, Pair):
        assert isinstance(other, Pair)
        return Pair(multiply(call, one, other.real), multiply(call, one, other.imag))
    if not isinstance(other, Pair):
        return Pair(multiply(call, one.real, other), multiply(call, one.imag, other))
    terms = [
        [multiply(call, one.real, real), multiply(call, one.imag, imag)]
        for real, imag in ((other.real, other.imag), (other.imag, other.real))
    ]
    real, imag = terms
    return Pair(
        call.elementwise(real, "({0} - {1})".format), call.elementwise(imag, "({0} + {1})".format)
    )


def _by_elements(call: Call, one: Value, other: Value) -> Value:
    return call.elementwise([one, other], "({0} * {1})".format)


@_of_pairs("aten::mul")
def _mul(call: Call) -> Pair:
    return _multiplied(call, call.node.args, _by_elements)


@_of_pairs("aten::pow")
def _square(call: Call) -> Pair:
    if call.arguments["exponent"] != 2:
        raise NotTranslatedError
    return _multiplied(call, call.node.args[:1] * 2, _by_elements)


@_of_pairs("aten::bmm", "aten::dot", "aten::mm", "aten::mv")
def _matrices(call: Call) -> Pair:
    return _multiplied(call, call.node.args, product)
