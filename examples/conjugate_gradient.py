"""Heat on a plate: SciPy's solver with one import replaced, and eight sources at once.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import numpy as np
from ember.sparse.linalg import block_cg, cg
from scipy import sparse
from scipy.sparse import linalg as scipy_linalg

SIDE, SOURCES = 100, 8

# Each point loses heat to its four neighbours, and a little to the air.
line = sparse.diags_array(
    [-np.ones(SIDE - 1), np.full(SIDE, 2.005), -np.ones(SIDE - 1)], offsets=[-1, 0, 1]
)
one = sparse.eye_array(SIDE)
plate = sparse.csr_array(sparse.kron(one, line) + sparse.kron(line, one))
heat = np.random.default_rng(1).random((SIDE * SIDE, SOURCES))


def iterations(solve, *arguments, **options):
    """The solution, and in how many iterations it was found."""
    told = []
    x, info = solve(*arguments, callback=lambda x: told.append(1), **options)
    assert info == 0
    return x, len(told)


ours, steps = iterations(cg, plate, heat[:, 0], rtol=1e-8)
theirs, expected = iterations(scipy_linalg.cg, plate, heat[:, 0], rtol=1e-8)
np.testing.assert_allclose(ours, theirs, rtol=1e-6)
assert abs(steps - expected) <= 1
print("one source: as SciPy computes it")

together, fewer = iterations(block_cg, plate, heat, rtol=1e-8)
np.testing.assert_allclose(plate @ together, heat, atol=1e-5)
assert fewer < steps
print(f"{SOURCES} sources together: in fewer iterations than one")
