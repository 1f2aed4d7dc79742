"""backend="ember": PyTorch's own operators on quantised tables.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
import torch
from ember.torch.backend import ember_backend, listening
from ember.torch.partition import Report
from torch import Tensor

ROWS, LENGTH = 30, 12
OFFSETS = torch.tensor([0, 3, 3, 10])


@pytest.fixture(autouse=True)
def _fresh_dynamo() -> Iterator[None]:
    torch._dynamo.reset()
    yield
    torch._dynamo.reset()


def table() -> Tensor:
    values = torch.randn(ROWS, LENGTH, generator=torch.Generator().manual_seed(0))
    packed: Tensor = torch.ops.quantized.embedding_bag_byte_prepack(values)
    return packed


def indices(count: int = 10) -> Tensor:
    return torch.randint(ROWS, (count,), generator=torch.Generator().manual_seed(1))


def bags(**options: Any) -> Callable[..., Tensor]:
    operator = torch.ops.quantized.embedding_bag_byte_rowwise_offsets
    return lambda *arguments, **keywords: operator(*arguments, **keywords, **options)


def check(function: Callable[..., Tensor], *arguments: Any, **keywords: Any) -> Report:
    """The report on the function, whose compiled values are PyTorch's."""
    run = torch.compile(function, backend=ember_backend, dynamic=True, options={"raises": True})
    with listening() as heard:
        result = run(*arguments, **keywords)
    torch.testing.assert_close(result, function(*arguments, **keywords))
    (report,) = heard.reports
    return report


def is_compiled(report: Report) -> bool:
    (part,) = report.compiled
    return part.kind == "quantized_bag" and bool(part.call.kernels())


@pytest.mark.parametrize("dtype", [torch.int64, torch.int32], ids=str)
@pytest.mark.parametrize("has_last", [False, True])
def test_bags(has_last: bool, dtype: torch.dtype) -> None:
    function = bags(include_last_offset=has_last)
    assert is_compiled(check(function, table(), indices().to(dtype), OFFSETS.to(dtype)))


def test_sample_weights() -> None:
    weights = torch.rand(10, generator=torch.Generator().manual_seed(2))
    function = bags()
    arguments = table(), indices(), OFFSETS[:-1]
    assert is_compiled(check(function, *arguments, per_sample_weights=weights))


def test_the_mode_that_pytorch_ignores() -> None:
    assert is_compiled(check(bags(mode=1), table(), indices(), OFFSETS[:-1]))


def test_pruned_rows_are_left() -> None:
    mapping = torch.arange(ROWS, dtype=torch.int32)
    function = bags(pruned_weights=True)
    report = check(function, table(), indices(), OFFSETS[:-1], compressed_indices_mapping=mapping)
    assert [one.reason for one in report.left] == ["rows that are pruned away have no kernel"]


def test_wrong_index() -> None:
    wrong = indices()
    wrong[3] = ROWS
    run = torch.compile(bags(), backend=ember_backend)
    with pytest.raises(RuntimeError):
        run(table(), wrong, OFFSETS[:-1])
