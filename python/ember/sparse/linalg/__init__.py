"""Solvers with SciPy's signatures: from ember.sparse.linalg import cg.

    x, info = cg(A, b, rtol=1e-8)

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from ember.errors import BreakdownError
from ember.sparse.linalg.block_gradient import block_cg
from ember.sparse.linalg.conjugate_gradient import cg
from ember.sparse.linalg.minimal_residual import gmres
from ember.sparse.linalg.stabilized import bicgstab

__all__ = ["BreakdownError", "bicgstab", "block_cg", "cg", "gmres"]
