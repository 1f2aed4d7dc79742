"""Calls of statements whose result is no new tensor of a known size: one that is added to in its
memory, as by index_add_, and columns that a mask selects.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from typing import Any

import torch
from torch import Tensor

from ember.compiler import Options
from ember.errors import ArgumentError
from ember.torch.calls.program import Program
from ember.torch.calls.region_call import NotTakenError
from ember.torch.calls.repeat import Repeat
from ember.torch.calls.statement_call import StatementCall
from ember.torch.element_types import INDEX_TYPES
from ember.torch.gradients.differentiable import Reference
from ember.torch.graph.costs import LEAST_ADDED


class InPlaceCall(StatementCall):
    """Statements whose result is the last argument, changed; PyTorch does that where a gradient is
    needed."""

    # What is added twice is wrong: PyTorch is asked before anything is changed, or not at all.
    asks_again = False

    def __init__(
        self, reference: Reference, program: Program, options: Options, raises: bool = False
    ) -> None:
        super().__init__(reference, program, options, raises)
        self.changes = (program.given - 1,)

    def __call__(self, *arguments: Any) -> Any:
        """What the region computes."""
        if torch.is_grad_enabled():
            for argument in arguments:
                if isinstance(argument, Tensor) and argument.requires_grad:
                    return self.reference(*arguments)
        return super().__call__(*arguments)

    def forward(self, *given: Any) -> Tensor:
        base: Tensor = given[self.program.given - 1]
        inputs = self._taken(given)
        # The first call builds the kernel, so that there is one to export, however small it is.
        if self.libraries and self.elements(inputs) < LEAST_ADDED:
            raise NotTakenError
        memory = base.untyped_storage().data_ptr()
        for one in inputs[: len(self.program.inputs)]:
            if not isinstance(one, Tensor):
                continue
            # What is looked up must not be changed.
            if one.untyped_storage().data_ptr() == memory or not one.numel():
                raise NotTakenError
            if one.dtype in INDEX_TYPES and int(one.min()) < 0:
                raise NotTakenError
        if not base.is_contiguous() or not base.numel():
            raise NotTakenError
        self._compute(inputs, self._kept(base.detach()))
        if not base.is_inference():
            torch.autograd.graph.increment_version(base)
        return base

    def repeat_for(self, arguments: tuple[Any, ...]) -> Repeat | None:
        return None


# What a kernel of statements takes beside a result that is stored without gaps.
COUNT = "_count"


class SelectionCall(StatementCall):
    """Statements whose result has room for all columns; those that there are come first."""

    def forward(self, *given: Any) -> Tensor:
        program = self.program
        inputs = self._taken(
            [one.contiguous() if isinstance(one, Tensor) else one for one in given]
        )
        out = torch.empty(self._sizes(inputs), dtype=program.dtype, device="cpu")
        count = torch.empty(1, dtype=torch.int64)
        arguments = self._named(inputs)
        arguments[program.result], arguments[program.result + COUNT] = self._kept(out), count
        try:
            self.kernel(*(arguments[one.name] for one in self._entry.parameters))
        except ArgumentError:
            raise NotTakenError from None
        selected = int(count)
        if selected == out.shape[-1]:
            return out
        return out[..., :selected].clone(memory_format=torch.contiguous_format)

    def repeat_for(self, arguments: tuple[Any, ...]) -> Repeat | None:
        return None
