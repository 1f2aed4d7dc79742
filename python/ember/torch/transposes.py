"""Reads transposes of matrices in FX graphs, whichever way they are spelled.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from typing import Any

import torch
from torch.fx import Node

from ember.torch.operations import read

_OPERATORS = (torch.ops.aten.mT, torch.ops.aten.mT.default)


def transposed(node: Node) -> Any:
    """What a node is the transpose of, in the last two of three dimensions; None if it is none."""
    # Releases of PyTorch capture the attribute, or the operator behind it.
    if node.target in _OPERATORS or (node.target is getattr and node.args[1] == "mT"):
        return node.args[0]
    if node.target in ("permute", torch.permute, torch.ops.aten.permute.default):
        arguments: list[Any] = list(node.args)
        source, dims = arguments[0], arguments[1:]
        if len(dims) == 1 and isinstance(dims[0], list | tuple):
            dims = list(dims[0])
        return source if dims in ([0, 2, 1], [0, -1, -2]) else None
    operation = read(node)
    if operation is None or operation.name != "transpose":
        return None
    dims = [operation.get("dim0"), operation.get("dim1")]
    fits = all(isinstance(dim, int) for dim in dims) and {dim % 3 for dim in dims} == {1, 2}
    return operation.get("self") if fits else None
