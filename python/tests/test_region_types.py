"""Every kind of region in types that kernels have not: results are eager's.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from collections.abc import Callable, Sequence
from typing import Any

import pytest
import torch
import torch.nn.functional as functional
from compiled_models import compiled
from region_cases import CASES, nothing_is_left, table, weighted_table
from torch import Tensor

pytestmark = pytest.mark.usefixtures("fresh_dynamo")

F16, F32, F64 = torch.float16, torch.float32, torch.float64
OTHERS = (
    torch.complex64,
    torch.bool,
    torch.uint8,
    torch.int16,
    torch.int64,
    torch.uint16,
    torch.uint64,
    torch.float8_e4m3fn,
)
Function = Callable[..., Any]


def outcome(function: Function, arguments: Sequence[Any]) -> Tensor | str:
    """The result, or the error's message."""
    try:
        result: Tensor = function(*arguments)
    except (RuntimeError, NotImplementedError, TypeError) as error:
        return str(error)
    return result


def check(functions: Sequence[Function], arguments: Sequence[Sequence[Any]]) -> int:
    """One graph of all functions that eager computes has eager's results; how many these are."""
    expected = [outcome(*one) for one in zip(functions, arguments, strict=True)]
    known = [place for place, one in enumerate(expected) if isinstance(one, Tensor)]

    def all_of_them(given: Sequence[Sequence[Any]]) -> list[Any]:
        return [functions[place](*given[place]) for place in known]

    options = torch._dynamo.config.patch(capture_dynamic_output_shape_ops=True)
    with nothing_is_left(), options:
        found = compiled(all_of_them, dynamic=False)(arguments)
    for place, one in zip(known, found, strict=True):
        other = expected[place]
        assert isinstance(other, Tensor)
        assert one.dtype is other.dtype
        wide = torch.complex128 if one.is_complex() else F64
        rounding = 2e-2 if one.itemsize < 4 else 1e-5
        torch.testing.assert_close(
            one.to(wide), other.to(wide), rtol=rounding, atol=10 * rounding, equal_nan=True
        )
    return len(known)


@pytest.mark.parametrize("dtype", OTHERS, ids=str)
def test_one_type(dtype: torch.dtype) -> None:
    functions = [case.function for case in CASES]
    assert check(functions, [case.arguments(dtype) for case in CASES]) > 2


def test_types_together() -> None:
    """Weights of one type for rows of another."""

    def weighted(table: Tensor, ids: Tensor, weights: Tensor) -> Tensor:
        return (functional.embedding(ids, table) * weights.unsqueeze(-1)).sum(1)

    types = (F16, F32, F64, torch.int32, torch.bool, torch.complex64)
    arguments = [
        (*table(one), weighted_table(F64)[2].to(other)) for one in types for other in types
    ]
    assert check([weighted] * len(arguments), arguments) == len(arguments)
