"""Kernels that were built ahead of time: where exported programs find theirs.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from ember.compiler import Notation, Options
from ember.errors import CompileError
from ember.kernel import Library


@dataclass(frozen=True, eq=False)
class StoredKernels(Options):
    """The options that kernels were built with, and these by what they were built from.

    folder: where they are stored, for messages.
    """

    folder: str = ""
    stored: Mapping[str | Notation, Library] = field(default_factory=dict)

    # Equal options of two exports are not the same kernels.
    __eq__ = object.__eq__
    __hash__ = object.__hash__

    def load(self, program: str | Notation) -> Library:
        """The kernel of a program; raises CompileError if it is not stored."""
        library = self.stored.get(program)
        if library is None:
            raise CompileError(
                f"{self.folder} has no kernel for these types, lengths and layouts: its example "
                "had others"
            )
        return library
