"""Graph networks: the mean of each node's neighbours, by embed.spmm.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import ember
import numpy as np
import scipy.sparse
from ember.embed_programs import SpMM, array, program

NODES, FEATURES = 1000, 32

graph = scipy.sparse.random(NODES, NODES, density=0.005, format="csr", random_state=0)
features = np.random.default_rng(0).standard_normal((NODES, FEATURES), np.float32)

mean = SpMM(
    rows=array("i32", None),
    columns=array("i32", None),
    dense=array("f32", None, FEATURES),
    out=array("f32", None, FEATURES),
    reduction="mean",
)
kernel = ember.load_program(program(mean), ember.Options()).entry("kernel")
out = np.empty_like(features)
kernel(graph.indptr, graph.indices, features, out)

degrees = np.maximum(np.diff(graph.indptr), 1)[:, None]
graph.data[:] = 1
np.testing.assert_allclose(out, graph @ features / degrees, rtol=1e-4, atol=1e-5)
print(f"{NODES} nodes, {graph.nnz} edges, as SciPy computes them")
