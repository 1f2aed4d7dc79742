"""Writes the arrays that the example programs run on into the current folder.

embedding_bag.mlir: weight, indices, offsets, bags (zeros). Three bags, one of them empty.
columns.mlir: price, tags, prices, words. Four samples, the third of which has no tags.
spmm.mlir: positions, coordinates and values of a 3 x 4 matrix in CSR, dense, product (zeros).

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import numpy as np

np.save("weight.npy", np.arange(24, dtype=np.float32).reshape(4, 6))
np.save("indices.npy", np.array([2, 0, 3], np.int64))
np.save("offsets.npy", np.array([0, 2, 2, 3], np.int64))
np.save("bags.npy", np.zeros((3, 6), np.float32))

# [[1 . . 2]
#  [. . . .]
#  [. 3 . .]]
np.save("positions.npy", np.array([0, 2, 2, 3], np.int64))
np.save("coordinates.npy", np.array([0, 3, 1], np.int64))
np.save("values.npy", np.array([1, 2, 3], np.float32))
np.save("dense.npy", np.arange(24, dtype=np.float32).reshape(4, 6))
np.save("product.npy", np.zeros((3, 6), np.float32))

np.save("price.npy", np.array([-1, 10, 5, np.nan], np.float32))
np.save("tags.npy", np.array([[1, 2], [2, -1], [-1, -1], [0, 1]], np.int64))
np.save("prices.npy", np.arange(8, dtype=np.float32).reshape(4, 2))
np.save("words.npy", 10 * np.arange(9, dtype=np.float32).reshape(3, 3))
