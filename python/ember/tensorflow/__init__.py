"""Kernels within TensorFlow.

    columns = ember.tensorflow.load_kernel("libcolumns.so")
    rows = columns(prices, tags, table)  # tensors and variables

Needs TensorFlow, and no PyTorch.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from ember.tensorflow.kernels import load_kernel

__all__ = ["load_kernel"]
