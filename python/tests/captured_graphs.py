"""Graphs as torch.compile captures them, to be changed and run.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import copy
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor
from torch.fx import GraphModule


@dataclass
class Captured:
    """A graph as torch.compile captures it, and what it was called with."""

    module: GraphModule
    inputs: tuple[Any, ...]

    def copies(self) -> list[Any]:
        """The inputs for a call, which may change them."""
        return [one.clone() if isinstance(one, Tensor) else one for one in self.inputs]


def captured(function: Callable[..., Any], *arguments: Tensor) -> Captured:
    """The one graph of a call of a function."""
    modules: list[GraphModule] = []
    inputs: list[tuple[Any, ...]] = []

    def backend(module: GraphModule, examples: Sequence[Any]) -> Callable[..., Any]:
        modules.append(module)

        def run(*given: Any) -> Any:
            inputs.append(given)
            return copy.deepcopy(module)(*Captured(module, given).copies())

        return run

    torch._dynamo.reset()
    with torch._dynamo.config.patch(capture_dynamic_output_shape_ops=True):
        torch.compile(function, backend=backend, dynamic=False)(*arguments)
    (module,), (given,) = modules, inputs
    return Captured(module, given)
