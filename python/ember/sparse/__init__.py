"""Index notation on arrays, dense and sparse: import ember.sparse as es.

    y = es.evaluate("y[i] = A[i,j] * x[j]", A=A, x=x)

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from ember.sparse.array import Array, asarray
from ember.sparse.einsum import einsum
from ember.sparse.encoded import Encoded
from ember.sparse.evaluate import evaluate
from ember.sparse.explain import explain
from ember.sparse.explanation import Explanation
from ember.sparse.format import Format
from ember.sparse.function import Function, function

__all__ = [
    "Array",
    "Encoded",
    "Explanation",
    "Format",
    "Function",
    "asarray",
    "einsum",
    "evaluate",
    "explain",
    "function",
]
