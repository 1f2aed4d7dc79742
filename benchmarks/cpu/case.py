"""What a case is: factors that name it, and, once prepared, contenders on the same batches.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import torch
from torch import Tensor

from benchmarks.cpu.limit import LimitRead, RowSize
from benchmarks.cpu.measuring import Contender
from benchmarks.cpu.setting import Setting

# Names of contenders, in the order of tables.
EMBER = "ember"
EAGER = "pytorch"
COMPILED = "torch.compile"
TORCH_SPARSE = "torch.sparse"
SCIPY = "scipy"
QUANTIZED = "quantized"
FBGEMM = "fbgemm"
LIMIT = "limit"
CONTENDERS = (EMBER, EAGER, COMPILED, TORCH_SPARSE, SCIPY, QUANTIZED, FBGEMM, LIMIT)


@dataclass
class Prepared:
    """A case with its data in place.

    batch: the batch of a number. row_bytes: of rows that a call reads. out_bytes: that it writes.
    tolerance: of results, relative and absolute. reference: the first rows of a batch's result, by
    the formula. absent: why a contender that could be expected does not take part.
    """

    contenders: list[Contender]
    batch: Callable[[int], Any]
    row_bytes: int
    out_bytes: int
    tolerance: tuple[float, float]
    reference: Callable[[Any], Tensor]
    limit: LimitRead | None = None
    absent: dict[str, str] = field(default_factory=dict)


def pytorch_contenders(
    function: Callable[..., Tensor], arguments: Callable[[Any], tuple[Any, ...]], compiles: bool
) -> list[Contender]:
    """A function of PyTorch's operations, eager and, if wanted, compiled."""
    contenders = [Contender(EAGER, function, arguments)]
    if compiles:
        contenders.append(Contender(COMPILED, torch.compile(function), arguments))
    return contenders


class Case(Protocol):
    """A combination of factors of one class of operations."""

    @property
    def group(self) -> str:
        """The class of operations, to which targets refer."""

    @property
    def factors(self) -> Mapping[str, Any]:
        """What is fixed in the case, for tables and JSON."""

    def limit_sizes(self) -> Sequence[RowSize]:
        """The readers that the limit needs."""

    def prepare(self, setting: Setting) -> Prepared:
        """Data, kernels and peers."""
