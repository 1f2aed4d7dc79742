"""Systems that tests of solvers share.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import numpy as np
from scipy import sparse


def stencil(side: int, middle: float = 4.1) -> sparse.csr_array:
    """The 5-point stencil on a square, which is symmetric and positive definite."""
    line = sparse.diags_array(
        [np.full(side - 1, -1.0), np.full(side, middle / 2), np.full(side - 1, -1.0)],
        offsets=[-1, 0, 1],
    )
    one = sparse.eye_array(side)
    return sparse.csr_array(sparse.kron(one, line) + sparse.kron(line, one))


def wind(side: int) -> sparse.csr_array:
    """A stencil that is not symmetric: what is upwind counts more."""
    shift = sparse.diags_array([np.full(side * side - 1, 0.4)], offsets=[-1])
    return sparse.csr_array(stencil(side, 6.0) - shift)


def scattered(size: int, symmetric: bool = True, seed: int = 5) -> sparse.csr_array:
    """A few elements a row wherever they come, some rows with none but the diagonal."""
    rng = np.random.default_rng(seed)
    drawn = sparse.random_array((size, size), density=3 / size, rng=rng, format="csr")
    whole = drawn + drawn.T if symmetric else drawn
    return sparse.csr_array(whole + sparse.diags_array(np.linspace(8, 9, size)))
