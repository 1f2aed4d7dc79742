"""Rows that go over the same list, of which some are computed at once (`--jam-rows`).

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import ember
import ember.sparse as es
import numpy as np
import pytest

STATEMENT = "Z[b,K[p],u] += V[p] * X[b,I[p],u] * Y[b,J[p]]"
ORDERS = 5


def drawn(rows: int, terms: int, channels: int, sort: bool) -> dict[str, np.ndarray]:
    draw = np.random.default_rng(rows + 100 * terms + channels)
    indices = {name: draw.integers(0, ORDERS, terms) for name in "IJK"}
    if sort:
        indices["K"].sort()
    return {
        **indices,
        "V": draw.standard_normal(terms).astype(np.float32),
        "X": draw.standard_normal((rows, ORDERS, channels)).astype(np.float32),
        "Y": draw.standard_normal((rows, ORDERS)).astype(np.float32),
    }


def evaluated(arrays: dict[str, np.ndarray]) -> np.ndarray:
    shape = arrays["X"].shape
    return np.asarray(es.evaluate(STATEMENT, **arrays, Z=es.Format(shape=shape)))


def part_of(arrays: dict[str, np.ndarray], row: int) -> dict[str, np.ndarray]:
    return {**arrays, "X": arrays["X"][row : row + 1], "Y": arrays["Y"][row : row + 1]}


@pytest.mark.parametrize("channels", [4, 8, 20, 32, 64])
@pytest.mark.parametrize("rows", [1, 3, 4, 5, 11])
@pytest.mark.parametrize(("terms", "sort"), [(0, True), (1, True), (17, True), (23, False)])
def test_rows_at_once_have_the_bits_of_rows_alone(
    rows: int, terms: int, channels: int, sort: bool
) -> None:
    arrays = drawn(rows, terms, channels, sort)
    if terms > 1 and rows > 2:
        arrays["X"][1, arrays["I"][0]] = np.nan
        arrays["X"][2, arrays["I"][1]] = np.inf
    expected = np.zeros(arrays["X"].shape)
    scaled = arrays["Y"][:, arrays["J"], None] * arrays["X"][:, arrays["I"]].astype(float)
    with np.errstate(invalid="ignore"):
        for term, order in enumerate(arrays["K"]):
            expected[:, order] += arrays["V"][term] * scaled[:, term]
    alone = [evaluated(part_of(arrays, row)) for row in range(rows)]
    threads = ember.get_num_threads()
    try:
        for count in (1, 2):
            ember.set_num_threads(count)
            found = evaluated(arrays)
            np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-5)
            np.testing.assert_array_equal(found, np.concatenate(alone))
    finally:
        ember.set_num_threads(threads)


@pytest.mark.parametrize("name", ["I", "J", "K"])
@pytest.mark.parametrize("index", [-1, ORDERS, 2**62])
def test_an_index_out_of_range_is_that_of_rows_alone(name: str, index: int) -> None:
    arrays = drawn(rows=7, terms=9, channels=8, sort=False)
    arrays[name][6] = index
    arrays["I"][8] = ORDERS + 1
    with pytest.raises(ember.IndexOutOfRangeError) as alone:
        evaluated(part_of(arrays, 0))
    with pytest.raises(ember.IndexOutOfRangeError) as together:
        evaluated(arrays)
    assert str(together.value) == str(alone.value)


@pytest.mark.parametrize("channels", [8, 32])
def test_rows_of_a_dense_product_have_the_bits_of_rows_alone(channels: int) -> None:
    draw = np.random.default_rng(channels)
    left = draw.standard_normal((7, 19)).astype(np.float32)
    right = draw.standard_normal((19, channels)).astype(np.float32)
    statement = "C[i,j] = sum[k](A[i,k] * B[k,j])"
    found = np.asarray(es.evaluate(statement, A=left, B=right))
    np.testing.assert_allclose(found, left @ right, rtol=1e-4, atol=1e-5)
    alone = [np.asarray(es.evaluate(statement, A=left[i : i + 1], B=right)) for i in range(7)]
    np.testing.assert_array_equal(found, np.concatenate(alone))
