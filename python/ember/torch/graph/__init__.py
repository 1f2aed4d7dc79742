"""Graphs that torch.compile captures: which parts of them are translated, and what they compute.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
