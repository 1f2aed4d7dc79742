"""Calls of statements that select columns: how many there are, the kernel says.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from typing import Any

import torch
from torch import Tensor

from ember.errors import ArgumentError
from ember.torch.calls.region_call import NotTakenError
from ember.torch.calls.repeat import Repeat
from ember.torch.calls.statement_call import StatementCall

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
