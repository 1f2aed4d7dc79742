"""Calls of regions that have one kernel each, whose program is known when the graph is captured.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from collections.abc import Callable
from functools import cached_property
from typing import Any

from ember.compiler import Options
from ember.kernel import Entry
from ember.torch.region_call import Reference, RegionCall


class ProgramCall(RegionCall):
    """A part of a graph that one kernel computes."""

    def __init__(
        self,
        reference: Reference,
        inputs: int,
        text: Callable[[], str],
        entry: str,
        options: Options,
        raises: bool = False,
    ) -> None:
        """text: gives the MLIR module; entry: its function."""
        super().__init__(reference, inputs, raises)
        self._text = text
        self._entry = entry
        self._options = options

    @cached_property
    def kernel(self) -> Callable[..., Any]:
        """The kernel, built when it is first needed; raises CompileError."""
        return self._entry_of_kernel.bind(gradients=True)

    @cached_property
    def common(self) -> Callable[..., Any] | None:
        """The kernel for common arguments, as Entry.common has it."""
        return self._entry_of_kernel.common(gradients=True)

    @cached_property
    def _entry_of_kernel(self) -> Entry:
        library = self._options.load(self._text())
        self.libraries[library] = None
        return library.entry(self._entry)
