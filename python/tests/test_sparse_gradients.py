"""Gradients by what sparse tensors store, against PyTorch's own.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import re
from collections.abc import Callable
from dataclasses import dataclass, field

import ember.sparse as es
import pytest
import torch
from ember.errors import ArgumentError, CompileError, IndexOutOfRangeError, KernelError
from torch import Tensor

pytestmark = pytest.mark.filterwarnings(
    "ignore:Sparse CS. tensor support is in beta", "ignore:Sparse invariant checks"
)
LAYOUTS = {"csr": torch.sparse_csr, "csc": torch.sparse_csc, "coo": torch.sparse_coo}
RNG = torch.Generator().manual_seed(11)
ROWS, COLUMNS = torch.tensor([0, 2, 2, 3]), torch.tensor([1, 0, 0, 4])


def floats(*shape: int) -> Tensor:
    return torch.randn(shape, generator=RNG, dtype=torch.float64)


def matrix(*shape: int) -> Tensor:
    """Half of it is stored, and nothing in row 1."""
    kept = torch.rand(shape, generator=RNG) < 0.5
    kept[1] = False
    return torch.where(kept, floats(*shape), 0)


@dataclass
class Case:
    """Statements, and the same of dense tensors in PyTorch. sparse: what is given as sparse."""

    text: str
    expected: Callable[..., Tensor]
    sparse: dict[str, tuple[int, ...]]
    dense: dict[str, tuple[int, ...]] = field(default_factory=dict)
    others: dict[str, Tensor | es.Format] = field(default_factory=dict)


CASES = {
    "vector": Case("y[i] = sum[j](A[i,j] * x[j])", lambda A, x: A @ x, {"A": (4, 5)}, {"x": (5,)}),
    "matrix": Case(
        "C[i,n] = sum[k](A[i,k] * B[k,n])", lambda A, B: A @ B, {"A": (4, 5)}, {"B": (5, 3)}
    ),
    "elements": Case("C[i,j] = A[i,j] * B[i,j]", lambda A, B: A * B, {"A": (4, 5), "B": (4, 5)}),
    "union": Case("C[i,j] = A[i,j] + B[i,j]", lambda A, B: A + B, {"A": (4, 5), "B": (4, 5)}),
    "both sparse": Case(
        "C[i,j] = sum[k](A[i,k] * B[k,j])", lambda A, B: A @ B, {"A": (4, 5), "B": (5, 3)}
    ),
    "its transpose": Case("C[i,j] = sum[k](A[i,k] * A[j,k])", lambda A: A @ A.T, {"A": (4, 5)}),
    "functions": Case(
        "y[i] = sum[j](exp(A[i,j]) * x[j] + A[i,j] ** 3)",
        lambda A, x: A.exp() @ x + (A**3).sum(1),
        {"A": (4, 5)},
        {"x": (5,)},
    ),
    "largest": Case(
        "y[i] = max[j](A[i,j] * x[j])", lambda A, x: (A * x).amax(1), {"A": (4, 5)}, {"x": (5,)}
    ),
    "looked up": Case(
        "y[p] = A[I[p],J[p]] * A[I[p],J[p]]",
        lambda A: A[ROWS, COLUMNS] ** 2,
        {"A": (4, 5)},
        others={"I": ROWS, "J": COLUMNS},
    ),
    "looked up under a condition": Case(
        "y[p] = A[I[p],J[p]] * 2 if I[p] != -1",
        lambda A: torch.cat([A[ROWS, COLUMNS] * 2, A.new_zeros(1)]),
        {"A": (4, 5)},
        others={
            "I": torch.tensor([0, 2, 2, 3, -1]),
            "J": torch.tensor([1, 0, 0, 4, -1]),
            "y": es.Format("dense", fill=0),
        },
    ),
    "rows looked up under a condition": Case(
        "y[p] = sum[j](A[I[p],j] * x[j]) if I[p] != -1",
        lambda A, x: torch.cat([A[ROWS] @ x, A.new_zeros(1)]),
        {"A": (4, 5)},
        {"x": (5,)},
        {"I": torch.tensor([0, 2, 2, 3, -1]), "y": es.Format("dense", fill=0)},
    ),
    "elements of rows looked up under a condition": Case(
        "y[p,j] = A[I[p],j] * x[j] if I[p] != -1",
        lambda A, x: torch.cat([A[ROWS] * x, A.new_zeros(1, 5)]),
        {"A": (4, 5)},
        {"x": (5,)},
        {"I": torch.tensor([0, 2, 2, 3, -1]), "y": es.Format("dense", fill=0)},
    ),
    "rows looked up": Case(
        "y[p] = sum[j](A[I[p],j] * x[j])",
        lambda A, x: A[ROWS] @ x,
        {"A": (4, 5)},
        {"x": (5,)},
        {"I": ROWS},
    ),
    "beside lookups": Case(
        "y[i] = sum[j](A[i,j] * x[J[j]])",
        lambda A, x: A @ x[torch.tensor([0, 2, 2, 1, 0])],
        {"A": (4, 5)},
        {"x": (3,)},
        {"J": torch.tensor([0, 2, 2, 1, 0])},
    ),
    "neighbours": Case("y[i,j] = A[i+1,j] * A[i,j]", lambda A: A[1:] * A[:-1], {"A": (4, 5)}),
    "neighbours of rows": Case(
        "y[i] = sum[j](A[i,j] * A[i,j+2])", lambda A: (A[:, :-2] * A[:, 2:]).sum(1), {"A": (4, 5)}
    ),
    "shifted": Case("y[i,j] = A[i+1,j] * A[i+1,j]", lambda A: A[1:] ** 2, {"A": (4, 5)}),
    "diagonal": Case("y[i] = A[i,i] * A[i,i]", lambda A: A.diag() ** 2, {"A": (4, 4)}),
    "softmax": Case(
        "let m[i] = max[j](A[i,j]); let e[i,j] = exp(A[i,j] - m[i]); "
        "let z[i] = sum[j](e[i,j]); y[i,j] = e[i,j] / z[i]",
        lambda A: A.softmax(1),
        {"A": (4, 5)},
    ),
}


def draw(case: Case, layout: str, dtype: torch.dtype) -> tuple[list[Tensor], list[Tensor]]:
    """The arguments that gradients are by, for the statements and for PyTorch."""
    mine, theirs = [], []
    for shape in case.sparse.values():
        theirs.append(matrix(*shape).to(dtype).requires_grad_())
        mine.append(theirs[-1].detach().to_sparse(layout=LAYOUTS[layout]).requires_grad_())
    for shape in case.dense.values():
        theirs.append(floats(*shape).to(dtype).requires_grad_())
        mine.append(theirs[-1].detach().clone().requires_grad_())
    return mine, theirs


def stored(gradient: Tensor, of: Tensor) -> Tensor:
    """The part of a dense gradient that is by stored elements."""
    return gradient * (of.to_dense() != 0)


def compare_gradients(case: Case, layout: str, dtype: torch.dtype) -> None:
    """And, in f64, second derivatives."""
    mine, theirs = draw(case, layout, dtype)
    names = [*case.sparse, *case.dense]
    y = es.evaluate(case.text, **dict(zip(names, mine, strict=True)), **case.others)
    expected = case.expected(*theirs)
    torch.testing.assert_close(y, expected)
    weights = torch.randn(expected.shape, generator=RNG, dtype=torch.float64).to(dtype)
    found, whole = (
        torch.autograd.grad((result * weights).sum(), arguments, create_graph=True)
        for arguments, result in ((mine, y), (theirs, expected))
    )
    for given, one, other in zip(mine, found, whole, strict=True):
        is_sparse = given.layout is not torch.strided
        assert (one.layout, one.shape, one.dtype) == (given.layout, given.shape, dtype)
        assert not is_sparse or one._nnz() == given._nnz()
        torch.testing.assert_close(
            one.to_dense(), stored(other, given.detach()) if is_sparse else other
        )
    if dtype is torch.float64:
        compare_second_derivatives(mine, theirs, found, whole)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("name", CASES)
def test_gradients_by_stored_values(name: str, layout: str) -> None:
    compare_gradients(CASES[name], layout, torch.float64)


@pytest.mark.parametrize("name", ["matrix", "functions", "looked up"])
def test_gradients_in_f32(name: str) -> None:
    compare_gradients(CASES[name], "csr", torch.float32)


def compare_second_derivatives(
    mine: list[Tensor], theirs: list[Tensor], found: tuple[Tensor, ...], whole: tuple[Tensor, ...]
) -> None:
    """Of the squares of all elements of gradients."""
    is_sparse = [one.layout is not torch.strided for one in mine]
    norm = sum((one.to_dense() ** 2).sum() for one in found)
    expected = sum(
        ((stored(one, given.detach()) if sparse else one) ** 2).sum()
        for one, given, sparse in zip(whole, mine, is_sparse, strict=True)
    )
    assert isinstance(norm, Tensor)
    assert isinstance(expected, Tensor)
    if not expected.requires_grad:
        return
    second = torch.autograd.grad(norm, mine, allow_unused=True)
    wanted = torch.autograd.grad(expected, theirs, allow_unused=True)
    for given, one, other, sparse in zip(mine, second, wanted, is_sparse, strict=True):
        if one is None or other is None:
            assert not any(rest.to_dense().any() for rest in (one, other) if rest is not None)
            continue
        torch.testing.assert_close(
            one.to_dense(), stored(other, given.detach()) if sparse else other
        )


@pytest.mark.parametrize("layout", ["csr", "coo"])
def test_leaves_accumulate_as_those_of_torch_sparse_mm(layout: str) -> None:
    dense, B = matrix(4, 5), floats(5, 3)
    grads = []
    for multiply in (
        torch.sparse.mm,
        lambda A, B: es.evaluate("C[i,n] = sum[k](A[i,k] * B[k,n])", A=A, B=B),
    ):
        A = dense.to_sparse(layout=LAYOUTS[layout]).requires_grad_()
        # Neither dense operand is stored row after row.
        right = B.T.contiguous().T.requires_grad_()
        for _ in range(2):
            (multiply(A, right) ** 2).sum().backward()
        assert A.grad is not None
        assert right.grad is not None
        assert A.grad.layout is A.layout
        grads.append((A.grad.to_dense(), right.grad))
    torch.testing.assert_close(*grads)


@pytest.mark.parametrize("is_leaf", [True, False])
def test_elements_at_the_same_coordinates(is_leaf: bool) -> None:
    """Each has the gradient by their sum; of a leaf they are added up, as PyTorch does."""
    place = torch.tensor([[2, 0, 2, 2], [1, 0, 1, 0]])
    B = floats(3, 2)
    grads = []
    for multiply in (
        torch.sparse.mm,
        lambda A, B: es.evaluate("C[i,n] = sum[k](A[i,k] * B[k,n])", A=A, B=B),
    ):
        values = torch.tensor([1.0, 2.0, 3.0, 4.0], dtype=torch.float64, requires_grad=True)
        given = values.detach() if is_leaf else values
        A = torch.sparse_coo_tensor(place, given, (3, 3))
        by = A.requires_grad_() if is_leaf else values
        (gradient,) = torch.autograd.grad((multiply(A, B) ** 2).sum(), by)
        grads.append(gradient.to_dense())
    torch.testing.assert_close(*grads)


@pytest.mark.parametrize("layout", ["csr", "csc"])
def test_compressed_tensors_made_of_values(layout: str) -> None:
    values, x = floats(3).requires_grad_(), floats(4)
    parts = (torch.tensor([0, 2, 2, 3]), torch.tensor([0, 3, 1]))
    make = torch.sparse_csr_tensor if layout == "csr" else torch.sparse_csc_tensor
    shape = (3, 4) if layout == "csr" else (4, 3)
    lines = torch.tensor([0, 0, 2])
    row, column = (lines, parts[1]) if layout == "csr" else (parts[1], lines)
    A = make(*parts, values * 2, shape)
    y = es.evaluate("y[i] = sum[j](A[i,j] * x[j])", A=A, x=x[: shape[1]])
    (gradient,) = torch.autograd.grad((y * y).sum(), values)
    torch.testing.assert_close(gradient, 4 * y.detach()[row] * x[column])


@pytest.mark.parametrize("layout", LAYOUTS)
def test_nothing_stored_at_all(layout: str) -> None:
    for shape in ((3, 4), (0, 4), (3, 0)):
        A = torch.zeros(shape, dtype=torch.float64).to_sparse(layout=LAYOUTS[layout])
        A.requires_grad_()
        x = torch.ones(shape[1], dtype=torch.float64, requires_grad=True)
        y = es.evaluate("y[i] = sum[j](A[i,j] * x[j])", A=A, x=x)
        found, by_x = torch.autograd.grad(y.sum(), (A, x))
        assert (found.layout, found.shape, found.values().shape) == (A.layout, shape, (0,))
        assert not by_x.any()


def test_tensors_of_three_dimensions() -> None:
    dense, x = matrix(3, 4, 5), floats(5).requires_grad_()
    T = dense.to_sparse().requires_grad_()
    y = es.evaluate("y[i] = sum[j,k](T[i,j,k] * x[k])", T=T, x=x)
    (gradient,) = torch.autograd.grad(y.sum(), T)
    torch.testing.assert_close(gradient.to_dense(), stored(x.detach().expand(3, 4, 5), dense))


def test_what_is_not_asked_for_has_none() -> None:
    """Of either operand alone; nothing is kept where gradients are off."""
    text = "C[i,j] = A[i,j] * B[i,j]"
    a, b = matrix(4, 5), matrix(4, 5)
    A, B = a.to_sparse_csr().requires_grad_(), b.to_sparse_csr()
    es.evaluate(text, A=A, B=B).sum().backward()
    torch.testing.assert_close(A.grad.to_dense(), stored(b, a))
    x = floats(4, 5).requires_grad_()
    es.evaluate(text, A=a.to_sparse_csr(), B=x).sum().backward()
    torch.testing.assert_close(x.grad, a)
    with torch.no_grad():
        C = es.evaluate(text, A=A, B=x)
    assert not C.requires_grad
    torch.testing.assert_close(C, a * x.detach())


def test_gradients_of_half_types() -> None:
    values = torch.tensor([1.5, -2.0, 3.0], dtype=torch.bfloat16)
    A = torch.sparse_coo_tensor(torch.tensor([[0, 0, 1], [0, 2, 1]]), values, (2, 3))
    A = A.coalesce().requires_grad_()
    x = torch.tensor([1.0, 2.0, 4.0], dtype=torch.bfloat16)
    (gradient,) = torch.autograd.grad(
        es.evaluate("y[i] = sum[j](A[i,j] * x[j])", A=A, x=x).sum(), A
    )
    assert gradient.dtype is torch.bfloat16
    assert gradient.values().tolist() == [1, 4, 2]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: torch.eye(4).to_sparse_bsr((2, 2)), "A: a sparse tensor of layout sparse_bsr"),
        (
            lambda: torch.sparse_coo_tensor([[0, 1]], torch.ones(2, 4), (4, 4)),
            "A: a sparse tensor of layout sparse_coo that is no matrix of single elements",
        ),
    ],
)
def test_blocks_have_no_gradient(make: Callable[[], Tensor], message: str) -> None:
    with pytest.raises(ArgumentError, match=re.escape(message)):
        es.evaluate("y[i] = sum[j](A[i,j])", A=make().requires_grad_())


def test_errors_say_what_is_given() -> None:
    A = torch.eye(3).to_sparse_csr().requires_grad_()
    with pytest.raises(KernelError, match="different sizes, 3 and 4"):
        es.evaluate("y[i] = sum[j](A[i,j] * x[j])", A=A, x=torch.ones(4))
    with pytest.raises(IndexOutOfRangeError):
        es.evaluate("y[p] = A[I[p],I[p]]", A=A, I=torch.tensor([0, 3]))
    place = torch.tensor([[1, 0, 1], [0, 2, 0]])
    B = torch.sparse_coo_tensor(place, torch.ones(3), (2, 3), is_coalesced=True).requires_grad_()
    with pytest.raises(ArgumentError, match="B: the sparse tensor says that it is coalesced"):
        es.evaluate("y[i] = sum[j](B[i,j])", B=B)
    with pytest.raises(ArgumentError, match="only dense results have gradients"):
        es.evaluate("C[i,j] = A[i,j] * 2", A=A, C=es.Format("csr"))
    with pytest.raises(ArgumentError, match=r"needs a gradient.*detach"):
        es.asarray(A)


@es.function(associative=True, commutative=True)
def joined(a, b):
    """Chances of either."""
    return a + b + a * b


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("y[i] = larger[j](x[i,j])", "'larger' has no derivative: reduce by max"),
        ("y[i] = joined[j](x[i,j])", "'joined' has no derivative: reduce by sum, prod, max or min"),
        (
            "let z[i] = sum[j](x[i,j]); z[i] joined= x[i,j]; y[i] = z[i]",
            "'joined' has no derivative: reduce by sum, prod, max or min",
        ),
    ],
)
def test_reductions_without_a_gradient(text: str, message: str) -> None:
    """The error names the statement, and what to do instead."""
    x = torch.rand((3, 4), generator=RNG).requires_grad_()
    y = es.evaluate(text, x=x, **({"joined": joined} if "joined" in text else {}))
    with pytest.raises(CompileError, match=re.escape(message)) as raised:
        y.sum().backward()
    assert text in str(raised.value)
