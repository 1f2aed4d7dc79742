"""PyTorch's types of elements that compiled operators take, with MLIR's names of them.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import torch

from ember.scalar_types import SCALARS


def _types(*names: str) -> dict[torch.dtype, str]:
    return {getattr(torch, SCALARS[name].array_type): name for name in names}


# Those of embed's values. Half types are summed in f32.
VALUE_TYPES = _types("f32", "f64", "f16", "bf16")
# Those whose sums PyTorch rounds as kernels do: half types it rounds after each operation.
SUM_TYPES = _types("f32", "f64")
INDEX_TYPES = _types("i32", "i64")
