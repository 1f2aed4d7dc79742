"""Programs that GOGETA is evaluated on.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from typing import Any


def conjugate_gradient(rows: int, nonzeros: int, columns: int) -> dict[str, Any]:
    """Block conjugate gradient for `columns` right-hand sides: GOGETA's algorithm 1.

    Its matrix is rows x rows. Operations have the numbers of the paper's lines; of line 2, `2s` is
    the solve.
    """
    block = {"shape": [rows, columns]}
    small = {"shape": [columns, columns]}
    kept = {"input": True, "output": True}
    return {
        "tensors": {
            "A": {"shape": [rows, rows], "nonzeros": nonzeros, "input": True},
            "S": block,
            **{name: {**block, **kept} for name in ("X", "R", "P")},
            **dict.fromkeys(("Delta", "Lambda", "GammaNext", "Phi"), small),
            "Gamma": {**small, "input": True},
        },
        "operations": [
            {"name": "1", "einsum": "S[m,n] = A[m,k] P[k,n]"},
            {"name": "2", "einsum": "Delta[p,n] = P[k,p] S[k,n]"},
            {"name": "2s", "whole": "Lambda[p,n] = Delta[p,j] Gamma[j,n]"},
            {"name": "3", "einsum": "X[m,n] = X[m,n] + P[m,j] Lambda[j,n]"},
            {"name": "4", "einsum": "R[m,n] = R[m,n] - S[m,j] Lambda[j,n]"},
            {"name": "5", "einsum": "GammaNext[p,n] = R[k,p] R[k,n]"},
            {"name": "6", "whole": "Phi[p,n] = Gamma[p,j] GammaNext[j,n]"},
            {"name": "7", "einsum": "P[m,n] = R[m,n] + P[m,j] Phi[j,n]"},
        ],
        "loop": {"Gamma": "GammaNext"},
    }


def graph_convolution(nodes: int, edges: int, features: int, classes: int) -> dict[str, Any]:
    """A layer of a graph convolution: `A X0`, and that times W (GOGETA, section 2.2.2)."""
    return {
        "tensors": {
            "A": {"shape": [nodes, nodes], "nonzeros": edges, "input": True},
            "X0": {"shape": [nodes, features], "input": True},
            "W": {"shape": [features, classes], "input": True},
            "Z": {"shape": [nodes, features]},
            "X1": {"shape": [nodes, classes], "output": True},
        },
        "operations": [
            {"name": "aggregate", "einsum": "Z[m,n] = A[m,k] X0[k,n]"},
            {"name": "combine", "einsum": "X1[m,o] = Z[m,j] W[j,o]"},
        ],
    }
