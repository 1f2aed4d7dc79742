"""Ember compiles embedding operations into kernels that look rows up ahead of computing with them.

    kernel = ember.compile(module, (indices, offsets))
    result = kernel(indices, offsets)

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from importlib.util import find_spec

from ember import log
from ember.compiler import Options, libraries, load_program
from ember.configuration import disabled
from ember.errors import (
    ArgumentError,
    CompileError,
    CompilerNotFoundError,
    EmberError,
    ExportError,
    IndexOutOfRangeError,
    KernelError,
    OffsetsError,
    UnsupportedError,
)
from ember.huge_pages import advise_huge_pages
from ember.kernel import Library
from ember.places import include_folder
from ember.threads import get_num_threads, set_num_threads

# Kernels, and those within TensorFlow, need no PyTorch.
if find_spec("torch"):
    from ember.diagnosis import doctor
    from ember.inspection.levels import show
    from ember.inspection.page import show_page
    from ember.simulation.result import KernelSimulation, ModelSimulation, Simulation
    from ember.simulation.simulate import simulate
    from ember.torch.capture.compile import compile
    from ember.torch.capture.compiled import Kernel
    from ember.torch.capture.sparse_mode import sparse_products
    from ember.torch.export.export import export
    from ember.torch.export.exported import LoadedProgram, load
    from ember.torch.quantize.rows import QuantizedEmbedding
    from ember.torch.quantize.tables import QuantizedEmbeddingBag, quantize_tables
    from ember.torch.report.explain import explain
    from ember.torch.report.explanation import Explanation
else:

    def __getattr__(name: str) -> object:
        if name in __all__:
            raise ImportError(f"ember.{name} needs PyTorch, which is not installed")
        raise AttributeError(f"module 'ember' has no attribute '{name}'")


__version__ = "0.1.0"
log.set_up()

__all__ = [
    "ArgumentError",
    "CompileError",
    "CompilerNotFoundError",
    "EmberError",
    "Explanation",
    "ExportError",
    "IndexOutOfRangeError",
    "Kernel",
    "KernelError",
    "KernelSimulation",
    "Library",
    "LoadedProgram",
    "ModelSimulation",
    "OffsetsError",
    "Options",
    "QuantizedEmbedding",
    "QuantizedEmbeddingBag",
    "Simulation",
    "UnsupportedError",
    "advise_huge_pages",
    "compile",
    "disabled",
    "doctor",
    "explain",
    "export",
    "get_num_threads",
    "include_folder",
    "libraries",
    "load",
    "load_program",
    "quantize_tables",
    "set_num_threads",
    "show",
    "show_page",
    "simulate",
    "sparse_products",
]
