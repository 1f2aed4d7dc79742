"""The gradient of a table: what its looked-up rows got, added up where they were looked up.

The same sum that a graph's edges are: from bags, or from lookups, to rows of the table.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from collections.abc import Callable
from functools import cache

import torch
from torch import Tensor

from ember import configuration
from ember.compiler import Notation, Options
from ember.errors import CompileError, CompilerNotFoundError
from ember.fallback import left_to_pytorch
from ember.torch.element_types import VALUE_TYPES

# Half types would be rounded at every addition.
_TYPES = (torch.float32, torch.float64)
# The kernel adds up on one thread: as fast as PyTorch on two. Elements that it adds as fast as
# PyTorch does on any number of threads.
_THREADS, _ELEMENTS_ALONE = 2, 1 << 18


def table_gradient(
    gradient: Tensor,
    sources: Tensor | None,
    indices: Tensor,
    rows: int,
    weights: Tensor | None,
    options: Options,
) -> Tensor | None:
    """The sums (rows, length) of gradient[sources[k]] * weights[k] in row indices[k].

    gradient is (sources, length), sources, indices and weights (lookups,); sources None stands for
    0, 1 and so on. Indices are known to be right. options: those of the table's kernel.
    None where PyTorch has to compute it, or does as fast.
    """
    length = gradient.shape[1]
    if (
        torch.is_grad_enabled()
        or configuration.is_disabled()
        or type(gradient) is not Tensor
        or gradient.dtype not in _TYPES
        or not length
        or (torch.get_num_threads() > _THREADS and len(indices) * length > _ELEMENTS_ALONE)
    ):
        return None
    kernel = _kernel(length, VALUE_TYPES[gradient.dtype], weights is not None, options)
    if kernel is None:
        return None
    if sources is None:
        sources = torch.arange(len(indices))
    out = gradient.new_empty(rows, length)
    values = [] if weights is None else [weights.contiguous()]
    kernel(indices.long().contiguous(), *values, gradient.contiguous(), sources, out)
    return out


@cache
def _kernel(
    length: int, value: str, is_weighted: bool, options: Options
) -> Callable[..., object] | None:
    """The kernel; None, with a warning, if it cannot be built."""
    weighted = "weights[k] * " if is_weighted else ""
    rows = f"?x{length}x{value}"
    types = {"out": rows, "gradient": rows, "indices": "?xi64", "sources": "?xi64"}
    if is_weighted:
        types["weights"] = f"?x{value}"
    notation = Notation(
        f"out[r,f] = 0.0; out[indices[k],f] += {weighted}gradient[sources[k],f]",
        tuple(f"--type={name}:{spelled}" for name, spelled in types.items()),
    )
    try:
        return options.load(notation).entry("kernel").bind(gradients=True)
    except (CompileError, CompilerNotFoundError) as error:
        left_to_pytorch("gradients of tables", error)
        return None
