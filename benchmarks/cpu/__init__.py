"""The CPU benchmark: embedding operations beside PyTorch, its peers and the limit of the memory.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
