"""Small sparse matrices in every layout, with rows and columns of zeros.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import torch
from torch import Tensor

ROWS, COLUMNS, LENGTH = 7, 5, 4
F32, F64, BF16, F16 = torch.float32, torch.float64, torch.bfloat16, torch.float16


def numbers(*shape: int, dtype: torch.dtype = F32, seed: int = 0) -> Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed), dtype=F64).to(dtype)


def dense(dtype: torch.dtype = F32) -> Tensor:
    """A matrix with zeros, and a row and a column of zeros."""
    found = numbers(ROWS, COLUMNS, dtype=dtype)
    found[numbers(ROWS, COLUMNS, seed=1) > 0.3] = 0
    found[2], found[:, 3] = 0, 0
    return found


def csr(dtype: torch.dtype = F32, index: torch.dtype = torch.int64) -> Tensor:
    made = dense(dtype).to_sparse_csr()
    return torch.sparse_csr_tensor(
        made.crow_indices().to(index), made.col_indices().to(index), made.values(), made.shape
    )


def coo(dtype: torch.dtype = F32) -> Tensor:
    return dense(dtype).to_sparse()


def csc(dtype: torch.dtype = F32) -> Tensor:
    return dense(dtype).t().contiguous().to_sparse_csr().t()


def repeated(dtype: torch.dtype = F32) -> Tensor:
    """Places that come twice, in no order."""
    places = torch.tensor([[3, 0, 0, 6, 3, 1], [1, 4, 2, 0, 1, 4]])
    return torch.sparse_coo_tensor(places, numbers(6, dtype=dtype), (ROWS, COLUMNS))
