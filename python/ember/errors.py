"""The errors Ember raises, each also of the type that PyTorch raises in its place.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""


class EmberError(Exception):
    """Base of everything Ember raises itself."""


class CompileError(EmberError, RuntimeError):
    """The compiler refused a program or could not be run; the message holds what it said."""


class CompilerNotFoundError(CompileError):
    """There is no emberc in any of the places it is looked for."""


class ExportError(EmberError, RuntimeError):
    """A folder that is no export, is damaged, or is for another machine or version."""


class UnsupportedError(EmberError, NotImplementedError):
    """A legal request that Ember has no kernel for; the message says which and what is there."""


class KernelError(EmberError, RuntimeError):
    """A kernel stopped with an error."""


class IndexOutOfRangeError(KernelError, IndexError):
    """An index is outside of its table; PyTorch raises IndexError or RuntimeError by mode."""


class OffsetsError(KernelError, ValueError):
    """Offsets that do not start at 0, that decrease, or that run past the indices."""


class ArgumentError(KernelError, ValueError):
    """An argument of the wrong kind, type, rank or size, or one that overlaps an output."""


class BreakdownError(EmberError, ArithmeticError):
    """Search directions of a solver depend on each other; the message has the iteration."""
