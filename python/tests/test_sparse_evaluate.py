"""Statements on arrays of all libraries and in all formats, against NumPy.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import itertools
from typing import Any

import ember.sparse as es
import ml_dtypes
import numpy as np
import pytest
import scipy.sparse
import torch
from ember.compiler import Notation, Options, load_program
from ember.errors import ArgumentError, CompileError, EmberError
from numpy.typing import NDArray
from torch.autograd import forward_ad

pytestmark = pytest.mark.filterwarnings("ignore:Sparse CSR tensor support is in beta")
MATRICES = ["csr", "csc", "dcsr", "dcsc", "coo", "csf", "bitmap", "dense", "csr:i32", "coo:i16"]
MATRICES += ["compressed,dense", "compressed,bitmap", "dense,compressed@1,0", "bitmap,dense"]


def drawn(shape: tuple[int, ...], seed: int = 0, dtype: Any = np.float32) -> NDArray:
    """An array of which half is 0."""
    rng = np.random.default_rng(seed)
    return (rng.integers(1, 5, shape) * rng.integers(0, 2, shape)).astype(dtype)


@pytest.mark.parametrize("format", MATRICES)
def test_a_product_of_a_matrix_in_each_format(format: str) -> None:
    """With a vector; results by rows of two matrices are in Gustavson's order for any of them."""
    a, x = drawn((5, 7)), drawn((7,), 1)
    y = es.evaluate("y[i] = A[i,j] * x[j]", A=es.asarray(a, format), x=x)
    np.testing.assert_array_equal(y, a @ x)
    assert y.dtype == np.float32


@pytest.mark.parametrize(
    ("mine", "other"), list(itertools.product(["csr", "csc", "coo", "bitmap"], repeat=2))
)
def test_sums_and_products_of_two_formats_in_a_third(mine: str, other: str) -> None:
    """What is stored is what the function needs."""
    a, b = drawn((4, 6)), drawn((4, 6), 1)
    for operator, expected in (("+", a + b), ("*", a * b), ("-", a - b)):
        text = f"C[i,j] = A[i,j] {operator} B[i,j]"
        arrays = {"A": es.asarray(a, mine), "B": es.asarray(b, other)}
        found = es.evaluate(text, **arrays, C=es.Format("csr"))
        np.testing.assert_array_equal(found.to_numpy(), expected)
        if "csc" in (mine, other):
            # Searched by rows where a copy does not pay: coordinates are not known beforehand.
            continue
        stored = {"+": (a != 0) | (b != 0), "*": (a != 0) & (b != 0), "-": (a != 0) | (b != 0)}
        assert found.nnz == stored[operator].sum()


@pytest.mark.parametrize("format", ["csr", "csc", "dcsc", "coo", "bitmap"])
def test_functions_of_sums(format: str) -> None:
    """Of rows and of elements, whichever loop is outside."""
    a, b = drawn((5, 7)), drawn((7, 3), 1)
    array = es.asarray(a, format)
    found = es.evaluate("y[i] = 2 * sum[x](A[i,x]) + 1", A=array)
    np.testing.assert_array_equal(found, 2 * a.sum(1) + 1)
    found = es.evaluate("y[i,e] = relu(sum[x](A[i,x] * B[x,e]) - 20) + 3", A=array, B=b)
    np.testing.assert_array_equal(found, np.maximum(a @ b - 20, 0) + 3)
    counts, rows = np.array([0, 2, 2, 5, 6, 6]), np.zeros((5, 6), np.float32)
    text = "y[i,k] = sum[x](A[i,x]) + 1 for k in s[i]:s[i+1]"
    es.evaluate(text, A=array, s=counts, y=rows)
    inside = (counts[:-1, None] <= np.arange(6)) & (np.arange(6) < counts[1:, None])
    np.testing.assert_array_equal(rows, np.where(inside, a.sum(1)[:, None] + 1, 0))


@pytest.mark.parametrize("fill", [0, 1])
@pytest.mark.parametrize("text", ["sum[j](A[j,i])", "max[j](A[j,i])", "relu(sum[j](A[j,i])) + 1"])
def test_results_in_any_order(text: str, fill: float) -> None:
    """Whether what was added up is all that is stored, or the rest as well."""
    a = drawn((5, 7))
    a[:, 2] = 0
    expected = {"s": a.sum(0), "m": a.max(0), "r": a.sum(0) + 1}[text[0]]
    form = es.Format("compressed(unordered)", fill=fill)
    found = es.evaluate(f"y[i] = {text}", A=es.asarray(a, "csr"), y=form)
    np.testing.assert_array_equal(found.to_numpy(), expected)


def test_products_of_sparse_matrices_store_what_scipy_stores() -> None:
    """Room is counted, so that it is not more than needed."""
    a = scipy.sparse.random_array((60, 50), density=0.1, format="csr", rng=np.random.default_rng(0))
    b = scipy.sparse.random_array((50, 40), density=0.1, format="csr", rng=np.random.default_rng(1))
    expected = a @ b
    found = es.evaluate("C[i,j] = A[i,k] * B[k,j]", A=a, B=b, C=es.Format("csr"))
    np.testing.assert_allclose(found.to_numpy(), expected.toarray())
    assert len(found.values) == expected.nnz == found.nnz
    again = es.einsum("ik,kj->ij", a, b, format="csr")
    np.testing.assert_array_equal(again.to_scipy().toarray(), found.to_numpy())


def test_products_that_need_much_are_counted() -> None:
    """Of rows that have the same columns, twice as many terms as elements."""
    rows, columns = 129, 1 << 17
    text = "C[i,k] = sum[j](A[i,j] * B[j,k])"
    words = [f"--format={name}:csr" for name in "ABC"]
    counting = load_program(Notation(text, (*words, "--counts")).program(), Options()).entry(
        "kernel_counts"
    )
    counts = np.zeros(2, np.int64)
    for some in (rows, rows - 2):
        sizes = {"A": (rows, 2), "B": (2, columns), "C": (rows, columns)}
        given: dict[str, Any] = {"C_counts": counts}
        for name, shape in sizes.items():
            given |= {f"{name}_size{number}": size for number, size in enumerate(shape)}
        given["A_positions1"] = 2 * np.minimum(np.arange(rows + 1), some)
        given["A_coordinates1"] = np.arange(2 * some) % 2
        given["A_values"] = np.ones(2 * some, np.float32)
        given["B_positions1"] = np.arange(3) * columns // 2
        given["B_coordinates1"] = np.tile(np.arange(0, columns, 2), 2)
        given["B_values"] = np.ones(columns, np.float32)
        counting(*(given[parameter.name] for parameter in counting.parameters))
        assert counts[1] == (some * columns // 2 if some == rows else some * columns)


def test_arrays_of_other_libraries_are_taken_as_they_are() -> None:
    """Each sparse layout of SciPy and PyTorch, and lists."""
    a, x = drawn((6, 8)), drawn((8,), 1)
    text = "y[i] = A[i,j] * x[j]"
    for layout in ("csr", "csc", "coo", "bsr", "lil", "dia", "dok"):
        matrix = scipy.sparse.csr_array(a).asformat(layout)
        np.testing.assert_array_equal(es.evaluate(text, A=matrix, x=x), a @ x)
    np.testing.assert_array_equal(es.evaluate(text, A=scipy.sparse.csr_matrix(a), x=x), a @ x)
    dense = torch.from_numpy(a)
    for tensor in (dense, dense.to_sparse(), dense.to_sparse_csr(), dense.to_sparse_csc()):
        found = es.evaluate(text, A=tensor, x=torch.from_numpy(x))
        assert isinstance(found, torch.Tensor)
        np.testing.assert_array_equal(found.numpy(), a @ x)
    assert es.evaluate("y[i] = x[I[i]]", x=x, I=[3, 1]).tolist() == [x[3], x[1]]
    assert es.evaluate("y[i] = x[i]", x=x[::2]).tolist() == x[::2].tolist()


def test_sparse_tensors_and_arrays_are_told_apart() -> None:
    """Results are tensors where any argument was one, though both become the same arrays."""
    a, x = drawn((6, 8)), drawn((8,), 1)
    tensor = torch.from_numpy(a).to_sparse_csr()
    text = "y[i] = 3 * A[i,j] * x[j]"
    for _ in range(2):
        assert isinstance(es.evaluate(text, A=tensor, x=x), torch.Tensor)
        assert isinstance(es.evaluate(text, A=es.asarray(a), x=x), np.ndarray)


def test_calls_find_their_kernel_again() -> None:
    """By the kinds of arguments, whichever came last; unusual ones are prepared first."""
    text = "y[i] = x[i] * a"
    single, double = np.arange(6, dtype=np.float32), np.arange(6, dtype=np.float64)
    for _ in range(2):
        assert es.evaluate(text, x=single, a=2.0).dtype == np.float32
        assert es.evaluate(text, x=double, a=2.0).dtype == np.float64
        assert es.evaluate(text, x=torch.from_numpy(single), a=2.0).dtype is torch.float32
        assert es.evaluate(text, x=single[::2], a=2.0).tolist() == [0, 4, 8]
        assert es.evaluate(text, x=single, a=np.float32(2)).tolist() == (2 * single).tolist()
    x = torch.ones(3, requires_grad=True)
    es.evaluate(text, x=x, a=2.0).sum().backward()
    assert x.grad is not None
    assert x.grad.tolist() == [2, 2, 2]


def test_statements_without_arguments() -> None:
    assert es.evaluate("y[i] = i for i in 0:4").tolist() == [0, 1, 2, 3]
    for _ in range(2):
        assert es.evaluate("y = 3") == 3


def test_tensors_that_negate_what_memory_holds() -> None:
    """Are read as the numbers that they are, and not written to."""
    negated = torch._neg_view(torch.ones(3))
    assert negated.is_neg()
    place = torch.arange(3)
    for x in (negated, negated[::2], torch._neg_view(torch.ones(3, requires_grad=True))):
        assert set(es.evaluate("y[i] = x[i] * 2", x=x).tolist()) == {-2}
    for matrix in (
        torch.sparse_csr_tensor(torch.arange(4), place, negated, check_invariants=True),
        torch.sparse_coo_tensor(place.repeat(2, 1), negated, (3, 3), check_invariants=True),
    ):
        assert es.evaluate("y[i] = A[i,j] * 2", A=matrix).tolist() == [-2] * 3
    np.testing.assert_array_equal(es.asarray(negated).to_numpy(), [-1] * 3)
    with pytest.raises(ArgumentError, match=r"y is a view that negates .* give its resolve_neg"):
        es.evaluate("y[i] = x[i] * 2", x=torch.ones(3), y=negated)


def test_forward_mode_is_refused() -> None:
    """Also where the statement is known; other tensors are taken within its levels."""
    text, ones = "y[i] = x[i] * 2", torch.ones(3)
    es.evaluate(text, x=ones)
    with forward_ad.dual_level():
        dual = forward_ad.make_dual(ones.clone(), ones)
        assert es.evaluate(text, x=ones).tolist() == [2] * 3
        for arrays in ({"x": dual}, {"x": ones, "y": dual}):
            with pytest.raises(ArgumentError, match=r"[xy]: it has a tangent.*backward mode"):
                es.evaluate(text, **arrays)
    for transform in (torch.func.vmap, torch.func.grad):
        with pytest.raises(ArgumentError, match=r"x: it belongs to a transform of torch\.func"):
            transform(lambda x: es.evaluate(text, x=x))(torch.ones(3, 3))
    assert es.evaluate(text, x=ones).tolist() == [2] * 3


@pytest.mark.filterwarnings("ignore:Sparse CSR tensor support is in beta")
@pytest.mark.parametrize("layout", [torch.sparse_csr, torch.sparse_csc, torch.sparse_coo])
def test_sparse_tensors_beside_what_requires_a_gradient(layout: torch.layout) -> None:
    a = torch.tensor([[0, 2.0, 0], [1, 0, 3]])
    x = torch.ones(3, requires_grad=True)
    y = es.evaluate("y[i] = A[i,j] * x[j]", A=a.to_sparse(layout=layout), x=x)
    torch.testing.assert_close(y, a @ x)
    (gradient,) = torch.autograd.grad(y.sum(), x)
    torch.testing.assert_close(gradient, a.sum(0))


def test_sparse_arrays_beside_what_requires_a_gradient() -> None:
    """Of other libraries, too."""
    a = drawn((4, 3))
    for layout in ("csr", "csc", "coo", "bsr"):
        x = torch.ones(3, requires_grad=True)
        matrix = scipy.sparse.csr_array(a).asformat(layout)
        y = es.evaluate("y[i] = A[i,j] * x[j]", A=matrix, x=x)
        np.testing.assert_array_equal(y.detach(), a.sum(1))
        y.sum().backward()
        assert x.grad is not None
        np.testing.assert_array_equal(x.grad, a.sum(0))


def test_rows_of_many_lengths() -> None:
    """Some lengths have kernels of their own, others share one; results that are given, too."""
    a = es.asarray(drawn((5, 6)))
    text = "Y[i,e] = A[i,j] * X[j,e] + b[e]"
    for length in (0, 1, 3, 8, 40, 41, 42, 43, 44, 45, 46, 600):
        x, b = drawn((6, length), length), drawn((length,))
        expected = a.to_numpy() @ x + b
        np.testing.assert_array_equal(es.evaluate(text, A=a, X=x, b=b), expected)
        y = np.empty((5, length), np.float32)
        assert es.evaluate(text, A=a, X=x, b=b, Y=y) is y
        np.testing.assert_array_equal(y, expected)
    with pytest.raises(EmberError, match="dimension 1"):
        es.evaluate(text, A=a, X=drawn((6, 8)), b=drawn((8,)), Y=np.empty((5, 9), np.float32))


def test_elements_that_scipy_has_twice_are_added() -> None:
    """Of coo, which may, and of csr, which is then not in its canonical format."""
    place = ([0, 0, 1, 0], [2, 1, 0, 2])
    a = scipy.sparse.coo_array(([1.0, 2.0, 3.0, 4.0], place), shape=(2, 3))
    np.testing.assert_array_equal(es.asarray(a).to_numpy(), a.toarray())
    rows = scipy.sparse.csr_array(([1.0, 2.0, 4.0], [2, 1, 2], [0, 3, 3]), shape=(2, 3))
    np.testing.assert_array_equal(es.asarray(rows).to_numpy(), [[0, 2, 5], [0, 0, 0]])
    assert rows.nnz == 3, "the array that is given stays as it is"
    for _ in range(2):
        np.testing.assert_array_equal(es.evaluate("y[i,j] = A[i,j]", A=a), a.toarray())


def test_tropical_products() -> None:
    """What is not stored is infinitely far away."""
    distance = np.where(drawn((5, 5)) == 0, np.inf, drawn((5, 5)))
    a = es.asarray(distance, es.Format("csr", np.inf))
    expected = (distance[:, :, None] + distance[None]).min(1)
    found = es.einsum("ik,kj->ij", a, a, multiply="add", reduce="min")
    np.testing.assert_array_equal(found, expected)
    x = np.arange(5, dtype=np.float32)
    y = es.evaluate("y[i] = min[j](A[i,j] + x[j])", A=a, x=x, y=es.Format("dense", fill=np.inf))
    np.testing.assert_array_equal(y, (distance + x).min(1))


@pytest.mark.parametrize(
    ("subscripts", "shapes"),
    [
        ("ij,jk->ik", [(3, 4), (4, 5)]),
        ("ij,jk", [(3, 4), (4, 5)]),
        ("ij->ji", [(3, 4)]),
        ("ij->", [(3, 4)]),
        ("ii->i", [(4, 4)]),
        ("i,i->", [(4,), (4,)]),
        ("i,j->ij", [(3,), (4,)]),
        ("bij,bjk->bik", [(2, 3, 4), (2, 4, 5)]),
        ("ij,j,i->i", [(3, 4), (4,), (3,)]),
        ("ba", [(3, 4)]),
    ],
)
def test_einsum_is_that_of_numpy(subscripts: str, shapes: list[tuple[int, ...]]) -> None:
    """With all operands dense, and with the first one sparse."""
    operands = [drawn(shape, seed) for seed, shape in enumerate(shapes)]
    expected = np.einsum(subscripts, *operands)
    np.testing.assert_array_equal(es.einsum(subscripts, *operands), expected)
    first = es.asarray(operands[0], "csf")
    np.testing.assert_array_equal(es.einsum(subscripts, first, *operands[1:]), expected)


@pytest.mark.parametrize(
    ("subscripts", "count", "text"),
    [
        ("ij,jk->il", 2, "a letter that no operand has"),
        ("ij->ii", 1, "or one twice"),
        ("ij,jk->ik", 1, "has 2 operands, and 1 are given"),
        ("i1->i", 1, "more than letters"),
    ],
)
def test_errors_of_einsum(subscripts: str, count: int, text: str) -> None:
    """Subscripts that are none."""
    with pytest.raises(ArgumentError, match=text):
        es.einsum(subscripts, *[np.ones((3, 3))] * count)


@pytest.mark.parametrize(
    "dtype", [np.int8, np.int16, np.int32, np.int64, np.float16, np.float32, np.float64]
)
def test_element_types_stay(dtype: Any) -> None:
    """Results are of the type that the statement computes in."""
    a, x = drawn((4, 5), dtype=dtype), drawn((5,), 1, dtype)
    found = es.evaluate("B[i,j] = A[i,j] * x[j]", A=es.asarray(a), x=x, B=es.Format("csr"))
    assert found.dtype == dtype
    np.testing.assert_array_equal(found.to_numpy(), a * x)
    dense = es.evaluate("y[i] = x[i] + x[i]", x=x)
    assert dense.dtype == dtype


def test_small_floats_and_numbers() -> None:
    """bfloat16 of both libraries; numbers take the type of the arrays that they meet."""
    x = np.arange(4).astype(ml_dtypes.bfloat16)
    assert es.evaluate("y[i] = x[i] * 2", x=x).dtype == ml_dtypes.bfloat16
    assert es.evaluate("y[i] = x[i]", x=torch.arange(3).bfloat16()).dtype is torch.bfloat16
    small = np.arange(4, dtype=np.float32)
    assert es.evaluate("y[i] = x[i] * a", x=small, a=0.5).dtype == np.float32
    assert es.evaluate("y[i] = x[i] < a", x=small, a=2.0).tolist() == [True, True, False, False]
    assert es.evaluate("s = x[i] * x[i]", x=small) == 14


def test_what_holds_and_does_not_hold_before() -> None:
    """Room has the identity of what is combined; an array that is given is changed in place."""
    x = np.arange(4, dtype=np.float32)
    assert es.evaluate("y[i] += x[i]", x=x).tolist() == [0, 1, 2, 3]
    y = np.ones(4, np.float32)
    assert es.evaluate("y[i] += x[i]", x=x, y=y) is y
    assert y.tolist() == [1, 2, 3, 4]
    tensor = torch.ones(4)
    assert es.evaluate("y[i] += x[i]", x=x, y=tensor) is tensor
    assert tensor.tolist() == [1, 2, 3, 4]
    assert es.evaluate("m max= x[i]", x=-x - 1) == -1
    room = es.Format(shape=(6,), fill=7)
    scattered = es.evaluate("y[I[i]] += x[i]", x=x, I=[0, 5, 0, 5], y=room)
    assert scattered.tolist() == [9, 7, 7, 7, 7, 11]
    with pytest.raises(ArgumentError, match="'y' is read, and it is not given"):
        es.evaluate("y[i] += x[i] if y[i] < 2 else 0", x=x)


def test_several_results_come_as_the_text_names_them() -> None:
    """Whether they are dense or in a format."""
    a = drawn((3, 4))
    arrays = {"A": es.asarray(a), "B": es.Format("coo")}
    doubled, sums = es.evaluate("B[i,j] = A[i,j] * 2; c[i] = A[i,j]", **arrays)
    np.testing.assert_array_equal(doubled.to_numpy(), 2 * a)
    np.testing.assert_array_equal(sums, a.sum(1))
    sums, doubled = es.evaluate("c[i] = A[i,j]; B[i,j] = A[i,j] * 2", **arrays)
    np.testing.assert_array_equal(sums, a.sum(1))
    np.testing.assert_array_equal(doubled.to_numpy(), 2 * a)


def test_sizes_that_are_zero() -> None:
    """Of what is reduced and of what is not, dense and stored."""
    empty = np.zeros((0, 4), np.float32)
    for a in (empty, es.asarray(empty), es.asarray(empty, "coo"), es.asarray(empty, "csc")):
        assert es.evaluate("y[i] = A[i,j]", A=a).shape == (0,)
        assert es.evaluate("y[j] = A[i,j]", A=a).tolist() == [0] * 4
        assert es.evaluate("m = max[i,j](A[i,j])", A=a) == -np.inf
    found = es.evaluate("B[i,j] = A[i,j]", A=es.asarray(empty), B=es.Format("csr"))
    assert (found.shape, found.nnz) == ((0, 4), 0)


def test_integers_of_all_sizes_that_there_are() -> None:
    """After one that fits has been called, too."""
    for number in (5, 2**63 - 1, -(2**63)):
        assert es.evaluate("y[i] = x[i] + s", x=np.zeros(1, int), s=number).tolist() == [number]
    with pytest.raises(ArgumentError, match="s: 9223372036854775808 does not fit in i64"):
        es.evaluate("y[i] = x[i] + s", x=np.zeros(1, int), s=2**63)


def test_lookups_are_checked() -> None:
    """An index out of range names its array and the index."""
    x = np.ones(3, np.float32)
    message = "index 5 at position 1 of 'I' is out of range for dimension 0 of 'x' of size 3"
    with pytest.raises(EmberError, match=message):
        es.evaluate("y[i] = x[I[i]]", x=x, I=[1, 5])


@pytest.mark.parametrize(
    ("text", "arrays", "error", "message"),
    [
        ("y[i] = x[j", {"x": [1.0]}, CompileError, "1:11: error: expected"),
        ("y[i] = x[i] + z[i]", {"x": [1.0]}, ArgumentError, "'z' is read, and it is not given"),
        ("y[i] = x[i]", {"x": [1.0], "q": 1}, CompileError, "'q' is given, and no statement names"),
        ("y[i] = x[i]", {"x": np.ones(2, np.uint8)}, ArgumentError, "x: it is of uint8"),
        ("y[i] = x[i]", {"x": "text"}, ArgumentError, "x: it is str, which is neither"),
        (
            "y[i] = x[i]",
            {"x": torch.ones(2, device="meta")},
            ArgumentError,
            "x: it is on meta, and statements take what is on cpu",
        ),
        ("y[i] = x[i]", {"x": [[1.0], [2.0, 3.0]]}, ArgumentError, "x: "),
        (
            "y[i] = x[i] // z[i]",
            {"x": [1], "z": [0]},
            EmberError,
            "division by zero at notation:1:13",
        ),
        *[
            ("y[i] = x[i] + s", {"x": [0], "s": s}, ArgumentError, f"s: {s} does not fit in i64")
            for s in (2**64 + 5, 2**63, -(2**63) - 1)
        ],
        ("y[i] = x[i] * é[i]", {"x": [1.0]}, CompileError, "notation:1:15: error: expected"),
        ("y[i] = x[i]\n + \0", {"x": [1.0]}, CompileError, "notation:2:4: error: '\\x00' is no"),
        ("y[i] = \ud800[i]", {"x": [1.0]}, CompileError, "notation:1:8: error: '\\ud800' is no"),
        ("y[i] = x[i]", {"x": [1.0], "a\0": 1.0}, CompileError, "is no character of the notation"),
        (
            "y[i] = x[I[i]]",
            {"x": [1.0], "I": []},
            CompileError,
            "'I' is an empty list, which has no type of elements, and is taken for one of f64: "
            "give an array of the type that is meant, such as np.array([], np.int64)",
        ),
        ("y[i] = x[i,j]", {"x": [1.0]}, ArgumentError, "x must have 2 dimensions, not 1"),
        (
            "y[I[i]] += x[i]",
            {"x": [1.0], "I": [0]},
            ArgumentError,
            "nothing says how large dimension 0 of 'y' is",
        ),
        (
            "y[I[i]] = x[i]",
            {"x": [1.0], "I": [0], "y": np.ones(1)},
            CompileError,
            "several values of i may assign to one element of y",
        ),
        (
            "y[i] = x[i] + z[i]",
            {"x": [1.0], "z": [1.0, 2.0]},
            EmberError,
            "dimension 0 of x and dimension 0 of z have different sizes",
        ),
        (
            "y[i] = x[i]",
            {"x": [1.0], "y": es.Format(shape=(1, 2))},
            ArgumentError,
            "'y' has 1 indices, and the shape of its format 2 sizes",
        ),
        (
            "y[i] = x[i]",
            {"x": es.Format("csf")},
            ArgumentError,
            "'x' is a format, and no statement assigns to it",
        ),
        (
            "y[i] = x[i]",
            {"x": [1.0], "y": es.asarray(np.ones(1))},
            ArgumentError,
            "'y' is an array in a format, which statements cannot change",
        ),
    ],
)
def test_errors(text: str, arrays: dict[str, Any], error: type[Exception], message: str) -> None:
    """One for each thing that can be wrong."""
    with pytest.raises(error) as caught:
        es.evaluate(text, **arrays)
    assert message in str(caught.value)


@pytest.mark.parametrize("length", [8, 20, 64])
@pytest.mark.parametrize("function", ["+", "max"])
@pytest.mark.parametrize(
    "rows",
    [[], [3], [1, 1, 1, 1], [0, 0, 2, 2, 2, 3], [2, 0, 2, 0, 0, 2], [3, 3, 0, 0, 3, 1]],
    ids=lambda rows: "".join(map(str, rows)) or "none",
)
def test_rows_that_come_several_times_in_a_row(rows: list[int], function: str, length: int) -> None:
    """Of what is added to, a row stays in registers as long as its index does."""
    row, (count, x) = np.array(rows, np.int64), (len(rows), drawn((6, length)))
    at, w = np.arange(count)[::-1].copy(), np.arange(1, count + 1, dtype=np.float32)
    found = np.full((4, length), 2, np.float32)
    expected = found.copy()
    combine = np.add if function == "+" else np.maximum
    combine.at(expected, row, w[:, None] * x[at])
    es.evaluate(f"C[row[p],n] {function}= w[p] * B[at[p],n]", C=found, row=row, w=w, B=x, at=at)
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("rows", [[-1, 0], [0, 4], [4], [0, 0, -1], [-1, -1]])
def test_rows_that_there_are_not(rows: list[int]) -> None:
    """Whatever row comes before."""
    row, b = np.array(rows), np.ones((len(rows), 8), np.float32)
    with pytest.raises(EmberError, match=r"(-1|4).*row|row.*(-1|4)|C"):
        es.evaluate("C[row[p],n] += B[p,n]", row=row, B=b, C=np.zeros((4, 8), np.float32))


@pytest.mark.parametrize("format", ["csr", "csc", "dcsr", "coo", "csf", "dense,compressed,dense"])
@pytest.mark.parametrize("text", ["A[{0}] + B[{0}]", "A[{0}] * B[{0}]", "A[{0}] * (B[{0}] == 0)"])
def test_results_have_no_more_than_they_store(format: str, text: str) -> None:
    """Whatever room they were given."""
    rank = 3 if format in ("csf", "dense,compressed,dense") else 2
    indices = "ijk"[:rank]
    a, b = drawn((7, 9, 5)[:rank]), drawn((7, 9, 5)[:rank], 1)
    whole = np.zeros_like(a), drawn((7, 9, 5)[:rank], 2)
    for left, right in ((a, b), (a, a), (a, 0 * b), (whole[0], b), whole):
        found = es.evaluate(
            f"C[{','.join(indices)}] = {text.format(','.join(indices))}",
            A=es.asarray(left, format),
            B=es.asarray(right, format),
            C=es.Format(format),
        )
        expected = {"+": left + right, "*": left * right, "(": left * (right == 0)}
        np.testing.assert_array_equal(
            found.to_numpy(), expected["(" if "(" in text else text.split()[1]]
        )
        # Checks all of its arrays, and that they fit each other.
        again = es.Array(found.format, found.shape, found.values, parts_of(found))
        np.testing.assert_array_equal(again.to_numpy(), found.to_numpy())


def parts_of(array: es.Array) -> list[Any]:
    """What an array stores by level, as it is given to make one."""
    parts = [tuple(level.values()) for level in array.stored if level]
    return [part if len(part) > 1 else part[0] for part in parts]


def test_exponentials_of_all_sizes() -> None:
    """In vectors, of which the length is known: to an ulp, from what is almost 0 to infinity."""
    at = np.concatenate(
        [np.linspace(-110, 95, 50_001), np.linspace(-1, 1, 14_001), np.geomspace(1e-40, 1, 998)]
    )
    x = at.astype(np.float32)[: len(at) // 8 * 8].reshape(-1, 8)
    x[0] = [0, -0.0, np.inf, -np.inf, np.nan, 1e30, -1e30, 1e-45]
    found = es.evaluate("y[i,j] = exp(X[i,j])", X=x)
    with np.errstate(over="ignore"):
        expected = np.exp(x.astype(np.float64)).astype(np.float32)
    np.testing.assert_array_max_ulp(found[1:], expected[1:], 2)
    np.testing.assert_array_equal(found[0], expected[0])


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_what_is_left_has_the_sign_of_the_divisor(dtype: type) -> None:
    """Also where nothing is left."""
    x = np.array([-0.0, 0, 3, -3, 5, -5, -0.0, 0, 6, np.inf, np.nan, 1], dtype)
    y = np.array([3, -3, -3, 3, -3, 3, -np.inf, np.inf, np.inf, 1, 1, 0], dtype)
    with np.errstate(invalid="ignore"):
        expected = np.remainder(x, y)
    for found in (
        es.evaluate("z[i] = x[i] % y[i]", x=x, y=y),
        es.evaluate("z[i] = f(x[i], y[i])", f=es.function(remainder), x=x, y=y),
    ):
        np.testing.assert_array_equal(found, expected)
        is_number = ~np.isnan(expected)
        np.testing.assert_array_equal(np.signbit(found)[is_number], np.signbit(expected)[is_number])


def remainder(x, y):
    return x % y


def test_arrays_that_no_statement_names() -> None:
    with pytest.raises(CompileError, match="'zz' is given, and no statement names such an array"):
        es.evaluate("y[i] = x[i]", x=np.ones(3), zz=np.ones(3))
    with pytest.raises(CompileError, match="'zz' is given, and no statement names such an array"):
        es.evaluate("y[i] = x[i]", x=np.ones(3), zz=es.asarray(np.eye(3), "csr"))


def test_results_in_formats_are_read_again() -> None:
    """By statements that assign to dense arrays, and such as are counted."""
    a, x = es.asarray(np.array([[0, 1, 0], [2, 0, 3.0]]), "csr"), np.array([1.0, 10, 100])
    text = "B[i,j] = A[i,j] * 2; let s = sum[i,j](B[i,j]); y[i] = sum[j in B[i]](x[j]) / s"
    b, y = es.evaluate(text, A=a, x=x, B=es.Format("dcsr"))
    np.testing.assert_array_equal(b.to_numpy(), 2 * a.to_numpy())
    np.testing.assert_array_equal(y, [10 / 12, 101 / 12])
    text = "B[i,j] = A[i,j] * 2; C[j] = B[i,j]"
    b, c = es.evaluate(text, A=a, B=es.Format("csr"), C=es.Format("csf"))
    np.testing.assert_array_equal(b.to_numpy(), 2 * a.to_numpy())
    np.testing.assert_array_equal(c.to_numpy(), [4, 2, 6])
