"""Gradients of parts of graphs: kernels of statements' derivatives, and PyTorch's own.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
