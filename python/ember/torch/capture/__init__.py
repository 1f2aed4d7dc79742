"""What torch.compile captures: the backend, calls past its wrapper, and PyTorch's private names.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
