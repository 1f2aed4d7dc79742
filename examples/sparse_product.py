"""A product of two sparse matrices as a graph of streams: which order of loops is best?

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import ember.sam
import numpy as np
import scipy.sparse

STATEMENT = "X[i,j] = B[i,k]*C[k,j]"


def main() -> None:
    rng = np.random.default_rng(0)
    B, C = (
        scipy.sparse.random_array(shape, density=0.1, format="csr", rng=rng)
        for shape in ((40, 30), (30, 50))
    )

    # One graph, by rows, with queues of four tokens.
    graph = ember.sam.compile(STATEMENT, formats=dict.fromkeys("XBC", "dcsr"), order="ikj")
    product, statistics = graph.simulate(B=B, C=C, depth=4, critical_chain=True)
    np.testing.assert_allclose(product.to_numpy(), (B @ C).toarray())
    slowest, _ = statistics.critical_chain()[0]
    print(f"by rows: as SciPy computes it; {slowest} sets the pace")

    # Each cycle of it, to look at in a browser.
    print(f"written: {graph.show('product.html', B=B, C=C, depth=4)}")

    # All orders, with levels that lie as the loops do.
    found = ember.sam.explore(
        STATEMENT, {"B": B, "C": C}, formats={name: ["compressed"] for name in "XBC"}
    )
    fastest = found.best
    fewest = min(found.points, key=lambda point: point.storage)
    print(
        f"the inner product holds {fewest.storage} sum, and is {fewest.cycles / fastest.cycles:.0f}"
    )
    print("times slower than the fastest order")


if __name__ == "__main__":
    main()
