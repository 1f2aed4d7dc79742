"""Encodes rows of tables as bytes, in the formats that kernels decode, and decodes them.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import math
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from ember.embed_programs import RowFormat
from ember.errors import ArgumentError, KernelError
from ember.row_types import ENCODINGS, PARAMETERS

# The formats of tables by the names that users give them: integers have a scale and a bias a row,
# microscaled floats a scale a block.
FORMATS = {
    "int8": RowFormat("int8", "f32"),
    "int4": RowFormat("int4", "f16"),
    **{row.name: RowFormat(row.name) for row in ENCODINGS.values() if not row.is_integer},
    **{
        f"mxfp{row.bits}_{row.name}": RowFormat(row.name, "f8E8M0FNU")
        for row in ENCODINGS.values()
        if not row.is_integer
    },
    # Rows of numbers, no bytes: the table is of this type.
    "bf16": RowFormat("bf16"),
    "f16": RowFormat("f16"),
}
SHORT_NAMES = {"fp8": "e4m3", "mxfp8": "mxfp8_e4m3"}
HALVES = {"bf16": torch.bfloat16, "f16": torch.float16}
_NAMES = [(row.name, row.array_type) for row in ENCODINGS.values()]
_NAMES += [(row.name, row.array_type) for row in PARAMETERS.values()]
_TYPES: dict[str, torch.dtype] = {name: getattr(torch, kind) for name, kind in _NAMES if kind}
# The exponent of a block's scale in its byte: this much more.
_SCALE_BIAS = 127
# So many elements are decoded at once.
_BLOCK_ELEMENTS = 1 << 18


def format_of(name: str) -> RowFormat:
    """The format of that name; "fp8" is e4m3, "mxfp8" mxfp8_e4m3. Raises ArgumentError."""
    try:
        return FORMATS[SHORT_NAMES.get(name, name)]
    except KeyError:
        known = ", ".join((*FORMATS, *SHORT_NAMES))
        raise ArgumentError(f"no row format {name!r}; there are: {known}") from None


def is_of_bytes(form: RowFormat) -> bool:
    """Whether rows are bytes; those of bf16 and f16 are numbers of that type."""
    return form.encoding not in HALVES


def table_words(name: str, form: RowFormat, length: int) -> tuple[str, ...]:
    """What emberc has to know of a table in that format, with rows of so many elements, that
    statements read."""
    if is_of_bytes(form):
        return f"--type={name}:?x{length}xf32", f"--format={name}:{form.name}"
    return (f"--type={name}:?x{length}x{form.encoding}",)


def table_arguments(name: str, rows: Tensor, form: RowFormat) -> dict[str, Any]:
    """What kernels of such statements take in the place of the table, by names."""
    if is_of_bytes(form):
        return {f"{name}_size0": len(rows), f"{name}_values": rows.contiguous()}
    return {name: rows.contiguous()}


def call_kernel(kernel: Callable[..., Any], *arguments: Any) -> None:
    """Calls a kernel of such statements; errors name the table, and not its bytes."""
    try:
        kernel(*arguments)
    except KernelError as error:
        raise type(error)(str(error).replace("_values'", "'")) from None


def encode(table: Tensor, form: RowFormat) -> Tensor:
    """Rows (rows, length) of numbers as rows of bytes, uint8, (rows, form.row_bytes(length)).

    For bf16 and f16 they are rows of that type, (rows, length). Numbers are rounded to the nearest
    that the format has; 8-bit floats saturate. Raises ArgumentError for numbers that are not
    finite, and for rows too large for their parameters.
    """
    table = table.detach().float()
    if not bool(table.isfinite().all()):
        raise ArgumentError("a table with infinities or NaN cannot be quantised")
    if not is_of_bytes(form):
        halves = table.to(HALVES[form.encoding])
        if not bool(halves.isfinite().all()):
            raise ArgumentError(f"values are too large for {form.encoding}")
        return halves
    if not ENCODINGS[form.encoding].is_integer:
        return _encode_blocks(table, form) if form.scales_blocks else _as_floats(table, form)
    levels, parameter = (1 << ENCODINGS[form.encoding].bits) - 1, _TYPES[str(form.parameters)]
    low, high = table.aminmax(dim=1, keepdim=True)
    scale, bias = ((high - low) / levels).to(parameter), low.to(parameter)
    # The difference of two finite numbers may be infinite, too.
    if not bool((scale.isfinite() & bias.isfinite()).all()):
        raise ArgumentError(f"values are too large for a scale and a bias in {form.parameters}")
    # What all rows of one value have, and rows whose differences the type rounds away.
    step = scale.float().masked_fill(scale == 0, 1.0)
    elements = ((table - bias.float()) / step).round().clamp(0, levels).to(torch.uint8)
    if form.encoding == "int4":
        elements = torch.nn.functional.pad(elements, (0, elements.shape[1] % 2))
        elements = elements[:, 0::2] | elements[:, 1::2] << 4
    pair = torch.cat((scale, bias), 1).view(torch.uint8)
    return torch.cat((pair, elements) if form.leading else (elements, pair), 1).contiguous()


def _as_floats(table: Tensor, form: RowFormat) -> Tensor:
    """Numbers as the nearest 8-bit floats, bytes of the same shape."""
    kind = _TYPES[form.encoding]
    largest = torch.finfo(kind).max
    return table.clamp(-largest, largest).to(kind).view(torch.uint8)


def _encode_blocks(table: Tensor, form: RowFormat) -> Tensor:
    """Rows whose blocks have scales of their own: powers of two, so that the largest elements of a
    block have the largest exponent (OCP Microscaling Formats, section 6.3)."""
    block = PARAMETERS[str(form.parameters)].block_length
    rows, length = table.shape
    blocks = torch.nn.functional.pad(table, (0, -length % block))
    blocks = blocks.view(rows, form.parameter_bytes(length), block)
    most = blocks.abs().amax(2)
    largest = math.frexp(torch.finfo(_TYPES[form.encoding]).max)[1]
    exponent = (torch.frexp(most).exponent - largest).clamp(-_SCALE_BIAS, _SCALE_BIAS)
    exponent.masked_fill_(most == 0, 0)
    scaled = torch.ldexp(blocks, -exponent.unsqueeze(2)).flatten(1)[:, :length]
    elements, scales = _as_floats(scaled, form), (exponent + _SCALE_BIAS).to(torch.uint8)
    return torch.cat((scales, elements) if form.leading else (elements, scales), 1).contiguous()


def _decode_blocks(rows: Tensor, form: RowFormat, length: int) -> Tensor:
    """The numbers of rows as _encode_blocks makes them."""
    block = PARAMETERS[str(form.parameters)].block_length
    count = form.parameter_bytes(length)
    if form.leading:
        scales, elements = rows[:, :count], rows[:, count:]
    else:
        elements, scales = rows[:, :length], rows[:, length:]
    scales = scales.contiguous().view(_TYPES[str(form.parameters)]).float()
    numbers = elements.contiguous().view(_TYPES[form.encoding]).float()
    return numbers * scales.repeat_interleave(block, 1)[:, :length]


def _scaled(elements: Tensor, scale: Tensor, bias: Tensor) -> Tensor:
    """element * scale + bias in f32, (rows, length), of a scale and a bias a row: rounded once, as
    the kernels' fused operation does."""
    numbers = elements.new_empty(elements.shape, dtype=torch.float32)
    # Numbers of 64 bits, a few of each element, are of a block of rows at a time.
    block = max(1, _BLOCK_ELEMENTS // max(1, elements.shape[1]))
    parts = (torch.split(given, block) for given in (numbers, elements, scale, bias))
    for found, integers, factor, addend in zip(*parts, strict=True):
        # Exact: 8 bits times 24.
        product = integers.double() * factor.double().unsqueeze(1)
        added = addend.double().unsqueeze(1)
        total = product + added
        # What the sum is rounded by, itself exact (Knuth's two-sum). A sum that is between two
        # numbers of 64 bits is that of both whose last bit is set: then it rounds to f32 as the
        # exact one does, also where the nearer number is half way between two of 32 bits.
        taken = total - product
        rest = (product - (total - taken)) + (added - taken)
        is_even = total.view(torch.int64) & 1 == 0
        towards = rest.sign() * math.inf
        odd = torch.where((rest != 0) & is_even, torch.nextafter(total, towards), total)
        found.copy_(torch.where(rest.isnan(), total, odd))
    return numbers


def decode(rows: Tensor, form: RowFormat, length: int) -> Tensor:
    """The numbers, f32, (rows, length), of rows as encode makes them."""
    if not is_of_bytes(form):
        return rows.float()
    rows = rows.contiguous()
    if form.scales_blocks:
        return _decode_blocks(rows, form, length)
    if not ENCODINGS[form.encoding].is_integer:
        return rows.view(_TYPES[form.encoding]).float()
    parameter = _TYPES[str(form.parameters)]
    size = 2 * parameter.itemsize
    if form.leading:
        pair, elements = rows[:, :size], rows[:, size:]
    else:
        elements, pair = rows[:, :-size], rows[:, -size:]
    # A row by itself is contiguous, but need not begin where numbers do.
    pair = pair.clone(memory_format=torch.contiguous_format)
    scale, bias = pair.view(parameter).float().unbind(1)
    if form.encoding == "int4":
        elements = torch.stack((elements & 15, elements >> 4), -1).flatten(1)[:, :length]
    return _scaled(elements, scale, bias)


def encoding_of(weight: Tensor) -> str:
    """The name of the format in which PyTorch keeps a table that it has quantised."""
    return "int4" if weight.dtype is torch.quint4x2 else "int8"


def rows_of(weight: Tensor) -> Tensor:
    """The encoded rows of a table that PyTorch has quantised: exactly its numbers.

    weight: (rows, length), quint8 or quint4x2 with a scale and a zero point for each row. Raises
    ArgumentError for any other.
    """
    if weight.dtype not in (torch.quint8, torch.quint4x2) or weight.qscheme() not in (
        torch.per_channel_affine_float_qparams,
    ):
        raise ArgumentError(f"a table of {weight.dtype} with {weight.qscheme()} has no row format")
    form = FORMATS[encoding_of(weight)]
    rows, length = weight.shape
    if form.encoding == "int4" and length % 2:
        raise ArgumentError(f"rows of {length} elements do not fill bytes of two")
    parameter = _TYPES[str(form.parameters)]
    scale, zero = weight.q_per_channel_scales(), weight.q_per_channel_zero_points()
    pair = torch.stack((scale, -scale * zero), 1).to(parameter)
    return torch.cat((weight.int_repr().reshape(rows, -1), pair.view(torch.uint8)), 1)
