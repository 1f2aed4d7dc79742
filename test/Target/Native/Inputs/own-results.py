"""What kernels return may be freed: arguments, constants, and what comes twice."""

import sys

import numpy as np
from ember import Library

library = Library(sys.argv[1])
x = np.arange(4, dtype=np.float32)
for _ in range(3):
    for found in (*library.entry("argument")(x), library.entry("branches")(x, True, 2)):
        assert np.array_equal(found, x) and not np.shares_memory(found, x)
    assert np.array_equal(library.entry("constant")(), np.float32([1, 2, 3]))
    assert np.array_equal(library.entry("branches")(x, False, 2), np.zeros(2, np.float32))
    whole, part = library.entry("twice")(3)
    assert np.array_equal(whole, [7, 7, 7]) and np.array_equal(part, [7, 7])
    assert np.array_equal(library.entry("calls")(x, 2)[0], x)
