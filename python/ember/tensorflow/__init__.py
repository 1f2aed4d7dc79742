"""Kernels within TensorFlow.

    et.enable()  # graphs that run from now on
    et.compile_saved_model("model", "model_fast")
    rows = et.load("model_fast")(user=users, item=items)  # arrays
    print(et.explain("model"))

    columns = et.load_kernel("libcolumns.so")
    rows = columns(prices, tags, table)  # tensors and variables

Needs TensorFlow, and no PyTorch.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from ember.tensorflow.compiling import CompiledGraph, Variable, compile_graph
from ember.tensorflow.explanation import explain
from ember.tensorflow.kernels import load_kernel
from ember.tensorflow.optimizer import disable, enable
from ember.tensorflow.report import Column, Report
from ember.tensorflow.saved_model import compile_saved_model, load, register

__all__ = [
    "Column",
    "CompiledGraph",
    "Report",
    "Variable",
    "compile_graph",
    "compile_saved_model",
    "disable",
    "enable",
    "explain",
    "load",
    "load_kernel",
    "register",
]
