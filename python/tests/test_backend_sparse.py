"""Products with sparse matrices by kernels: ember.compile, ember.sparse_products, ember.explain.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import ember
import pytest
import torch
from ember.torch.capture.backend import ember_backend, listening
from ember.torch.capture.sparse_mode import Product, SparseProducts
from ember.torch.settings import Settings
from sparse_matrices import (
    BF16,
    COLUMNS,
    F16,
    F32,
    F64,
    LENGTH,
    ROWS,
    coo,
    csc,
    csr,
    dense,
    numbers,
    repeated,
)
from torch import Tensor, nn
from torch.autograd import gradcheck, gradgradcheck

pytestmark = [
    pytest.mark.usefixtures("fresh_dynamo"),
    pytest.mark.filterwarnings("ignore::UserWarning:torch.*", "ignore:Sparse"),
]


def products(function: Callable[..., Any], *arguments: Any) -> tuple[Any, list[Product]]:
    """The result of a function by kernels, and the products that it had."""
    heard: list[Product] = []
    with SparseProducts(Settings(raises=True), heard.append):
        return function(*arguments), heard


def check(function: Callable[..., Any], *arguments: Any, **tolerance: float) -> None:
    """All products of the function are by kernels, and the result is PyTorch's."""
    result, heard = products(function, *arguments)
    assert heard
    for product in heard:
        assert product.call is not None, product.reason
        assert product.call.kernels()
    torch.testing.assert_close(result, function(*arguments), **tolerance)


def left(function: Callable[..., Any], *arguments: Any) -> str:
    """Why the function's only product is left to PyTorch, whose result or error is the same."""
    heard: list[Product] = []
    outcomes: list[Any] = []
    for context in (nullcontext(), SparseProducts(Settings(raises=True), heard.append)):
        try:
            with context:
                outcomes.append(function(*arguments))
        except (RuntimeError, TypeError) as error:
            outcomes.append(f"{type(error)}: {error}")
    if isinstance(outcomes[1], str):
        assert outcomes[0] == outcomes[1]
    else:
        torch.testing.assert_close(*outcomes)
    (product,) = heard
    assert product.call is None
    return product.reason


SPELLINGS: dict[str, Callable[[Tensor, Tensor], Tensor]] = {
    "torch.sparse.mm": torch.sparse.mm,
    "@": lambda a, x: a @ x,
    "torch.mm": torch.mm,
    "matmul": lambda a, x: torch.matmul(input=a, other=x),
    "method": lambda a, x: a.mm(mat2=x),
}


@pytest.mark.parametrize("spelling", SPELLINGS)
@pytest.mark.parametrize("made", [csr, coo, csc, repeated])
def test_spellings(made: Callable[[], Tensor], spelling: str) -> None:
    check(SPELLINGS[spelling], made(), numbers(COLUMNS, LENGTH))


@pytest.mark.parametrize("made", [csr, coo, csc, repeated])
def test_on_the_right(made: Callable[[], Tensor]) -> None:
    for spelling in ("@", "torch.mm", "torch.sparse.mm"):
        check(SPELLINGS[spelling], numbers(3, ROWS), made())
    x = numbers(2, ROWS, dtype=F64).requires_grad_()
    matrix = made().to(F64)
    assert gradcheck(by_kernels(lambda x: x @ matrix), (x,), fast_mode=True)


@pytest.mark.parametrize("made", [csr, coo, csc, repeated])
def test_matrices_that_come_again(made: Callable[[], Tensor]) -> None:
    """What is kept of a matrix is its places: values may be others each time."""
    x = numbers(COLUMNS, LENGTH).requires_grad_()
    matrices = [made(), made() * 2, made()]
    mode = SparseProducts(Settings(raises=True))
    for matrix in matrices:
        gradients = []
        for context in (mode, nullcontext()):
            x.grad = None
            with context:
                (matrix @ x).square().sum().backward()
            gradients.append(x.grad)
        torch.testing.assert_close(*gradients)


@pytest.mark.parametrize(
    ("made", "dtype"),
    [(csr, F64), (csc, F64), (coo, F64), (coo, BF16), (coo, F16), (repeated, F16)],
)
def test_types(made: Callable[[torch.dtype], Tensor], dtype: torch.dtype) -> None:
    # PyTorch rounds every one of up to COLUMNS sums to a half type.
    eps = torch.finfo(dtype).eps
    tolerance = {"atol": 4 * COLUMNS * eps, "rtol": COLUMNS * eps}
    check(torch.sparse.mm, made(dtype), numbers(COLUMNS, LENGTH, dtype=dtype), **tolerance)


@pytest.mark.parametrize("index", [torch.int32, torch.int64], ids=str)
@pytest.mark.parametrize("dtype", [F32, F64, BF16, F16], ids=str)
@pytest.mark.parametrize("reduce", ["sum", "mean", "amax", "amin"])
def test_reductions(reduce: str, dtype: torch.dtype, index: torch.dtype) -> None:
    arguments = csr(dtype, index), numbers(COLUMNS, LENGTH, dtype=dtype), reduce
    check(torch.sparse.mm, *arguments)


@pytest.mark.parametrize("beta", [0, 1, 0.5])
@pytest.mark.parametrize("alpha", [1, -2])
@pytest.mark.parametrize("function", [torch.addmm, torch.sparse.addmm, Tensor.addmm])
def test_addmm(function: Callable[..., Tensor], alpha: float, beta: float) -> None:
    added = numbers(ROWS, LENGTH, seed=3)
    for one in (added,) if function is torch.sparse.addmm else (added, added[0], added[:, :1]):
        for made in (csr, coo):
            check(lambda *a: function(*a, beta=beta, alpha=alpha), one, made(), numbers(5, LENGTH))


@pytest.mark.parametrize("index", [torch.int32, torch.int64], ids=str)
@pytest.mark.parametrize("dtype", [F32, F64], ids=str)
def test_sampled(dtype: torch.dtype, index: torch.dtype) -> None:
    sides = numbers(ROWS, LENGTH, dtype=dtype), numbers(LENGTH, COLUMNS, dtype=dtype)
    for beta, alpha in ((1, 1), (0, 2), (0.5, -1)):
        check(
            lambda *a, beta=beta, alpha=alpha: torch.sparse.sampled_addmm(
                *a, beta=beta, alpha=alpha
            ),
            csr(dtype, index),
            *sides,
        )


def test_strides_of_the_dense_operand() -> None:
    rows = numbers(LENGTH, 2 * COLUMNS)
    check(torch.sparse.mm, csr(), rows[:, ::2].t())
    check(torch.sparse.mm, csr(), rows[0, :COLUMNS].view(-1, 1).expand(-1, 3))
    sides = numbers(LENGTH, ROWS).t(), numbers(COLUMNS, LENGTH).t()
    check(torch.sparse.sampled_addmm, csr(), *sides)


@pytest.mark.parametrize("layout", [torch.sparse_csr, torch.sparse_coo], ids=str)
@pytest.mark.parametrize(
    ("rows", "columns", "length"), [(0, 3, 2), (3, 0, 2), (3, 4, 0), (3, 4, 2)]
)
def test_nothing_stored(rows: int, columns: int, length: int, layout: torch.layout) -> None:
    matrix = torch.zeros(rows, columns).to_sparse(layout=layout)
    result, heard = products(torch.sparse.mm, matrix, torch.ones(columns, length))
    assert heard[0].call is not None
    torch.testing.assert_close(result, torch.zeros(rows, length))


def test_no_numbers_in_sampled() -> None:
    arguments = csr(), numbers(ROWS, 0), numbers(0, COLUMNS)
    result, _ = products(torch.sparse.sampled_addmm, *arguments)
    torch.testing.assert_close(result, csr())


def test_nan_in_maxima() -> None:
    x = numbers(COLUMNS, LENGTH)
    x[1, 2], x[0, 0] = torch.nan, torch.inf
    for reduce in ("amax", "amin", "sum", "mean"):
        result, _ = products(torch.sparse.mm, csr(), x, reduce)
        torch.testing.assert_close(result, torch.sparse.mm(csr(), x, reduce), equal_nan=True)


def by_kernels(function: Callable[..., Tensor]) -> Callable[..., Tensor]:
    def run(*arguments: Tensor) -> Tensor:
        return products(function, *arguments)[0]

    return run


def csr_of(values: Tensor) -> Tensor:
    made = csr(F64)
    return torch.sparse_csr_tensor(made.crow_indices(), made.col_indices(), values, made.shape)


def coo_of(values: Tensor) -> Tensor:
    return torch.sparse_coo_tensor(coo(F64).indices(), values, (ROWS, COLUMNS))


def repeated_of(values: Tensor) -> Tensor:
    return torch.sparse_coo_tensor(repeated()._indices(), values, (ROWS, COLUMNS))


@pytest.mark.parametrize(
    ("made", "reduce"),
    [
        (csr_of, None),
        (csr_of, "sum"),
        (csr_of, "mean"),
        (csr_of, "amax"),
        (csr_of, "amin"),
        (coo_of, None),
        (repeated_of, None),
    ],
)
def test_gradients(made: Callable[[Tensor], Tensor], reduce: str | None) -> None:
    def function(values: Tensor, x: Tensor) -> Tensor:
        return torch.sparse.mm(made(values), x, *([reduce] if reduce else []))

    values = (repeated(F64) if made is repeated_of else coo(F64))._values().clone()
    arguments = values.requires_grad_(), numbers(COLUMNS, 3, dtype=F64).requires_grad_()
    assert gradcheck(by_kernels(function), arguments, fast_mode=True)


@pytest.mark.parametrize("made", [csr, coo, repeated])
def test_gradients_are_pytorchs(made: Callable[[torch.dtype], Tensor]) -> None:
    found = []
    for run in (by_kernels(torch.sparse.mm), torch.sparse.mm):
        matrix = made(F64).requires_grad_()
        x = numbers(COLUMNS, LENGTH, dtype=F64).requires_grad_()
        run(matrix, x).square().sum().backward()
        assert matrix.grad is not None
        assert matrix.grad.layout is matrix.layout
        found.append((matrix.grad.to_dense(), x.grad))
    torch.testing.assert_close(*found)


@pytest.mark.parametrize("made", [csr, coo, csc, repeated])
@pytest.mark.parametrize(
    "function",
    [
        lambda a, x: a @ x,
        lambda a, x: a.t() @ (x @ numbers(LENGTH, ROWS, dtype=F64)).t(),
        lambda a, x: torch.addmm(numbers(1, LENGTH, dtype=F64), a, x),
    ],
)
def test_gradients_of_a_matrix_are_dense_where_pytorchs_are(
    made: Callable[[torch.dtype], Tensor], function: Callable[..., Tensor]
) -> None:
    found = []
    for run in (by_kernels(function), function):
        matrix = made(F64).requires_grad_()
        x = numbers(COLUMNS, LENGTH, dtype=F64).requires_grad_()
        run(matrix, x).square().sum().backward()
        assert matrix.grad is not None
        assert matrix.grad.layout is torch.strided
        found.append((matrix.grad, x.grad))
    torch.testing.assert_close(*found)


def test_products_with_a_matrix_made_of_values_that_learn() -> None:
    """Nobody sees the matrix's own gradient, so that products are kernels."""
    products: list[Product] = []
    values = coo(F64)._values().clone().requires_grad_()
    with SparseProducts(Settings(raises=True), products.append):
        (coo_of(values) @ numbers(COLUMNS, LENGTH, dtype=F64)).square().sum().backward()
    assert [product.reason for product in products] == [""]
    by_kernel, values.grad = values.grad, None
    (coo_of(values) @ numbers(COLUMNS, LENGTH, dtype=F64)).square().sum().backward()
    torch.testing.assert_close(by_kernel, values.grad)


def test_gradients_of_what_is_not_asked_for() -> None:
    x = numbers(COLUMNS, LENGTH, dtype=F64).requires_grad_()
    for matrix in (csr(F64), coo(F64), csc(F64)):
        assert gradcheck(by_kernels(lambda x, a=matrix: a @ x), (x,), fast_mode=True)


def test_gradients_of_addmm_and_sampled() -> None:
    added = numbers(ROWS, LENGTH, dtype=F64, seed=2).requires_grad_()
    x = numbers(COLUMNS, LENGTH, dtype=F64).requires_grad_()
    function = by_kernels(lambda a, x: torch.addmm(a, csr(F64), x, beta=0.5, alpha=2))
    assert gradcheck(function, (added, x), fast_mode=True)

    def sampled(values: Tensor, one: Tensor, other: Tensor) -> Tensor:
        matrix = csr_of(values)
        found = torch.sparse.sampled_addmm(matrix, one, other, beta=0.5, alpha=-2.0)
        return found.to_dense()

    values = csr(F64).values().clone().requires_grad_()
    other = numbers(LENGTH, COLUMNS, dtype=F64).requires_grad_()
    assert gradcheck(by_kernels(sampled), (values, added, other), fast_mode=True)


@pytest.mark.parametrize("layout", [torch.strided, torch.sparse_csr], ids=str)
def test_gradients_of_sampled_that_have_other_entries(layout: torch.layout) -> None:
    gradient = numbers(ROWS, COLUMNS, dtype=F64, seed=4).relu()
    gradient = gradient if layout is torch.strided else gradient.to_sparse_csr()
    found = []
    for run in (by_kernels(torch.sparse.sampled_addmm), torch.sparse.sampled_addmm):
        left = numbers(ROWS, LENGTH, dtype=F64).requires_grad_()
        right = numbers(LENGTH, COLUMNS, dtype=F64).requires_grad_()
        result = run(csr(F64), left, right)
        found.append(torch.autograd.grad(result, (left, right), gradient))
    torch.testing.assert_close(*found)


def test_second_gradients() -> None:
    x = numbers(COLUMNS, 2, dtype=F64).requires_grad_()
    assert gradgradcheck(by_kernels(lambda x: csr(F64) @ x.square()), (x,), fast_mode=True)


LEFT: dict[str, tuple[Callable[..., Any], Callable[[], list[Any]]]] = {
    "both operands are sparse": (torch.sparse.mm, lambda: [coo(), dense().t().to_sparse()]),
    "gradient of the matrix is a dense one": (
        lambda x, a: torch.mm(x, a.requires_grad_()).detach(),
        lambda: [numbers(3, ROWS), csr()],
    ),
    "a vector or a batch": (torch.matmul, lambda: [csr(), numbers(COLUMNS)]),
    "sizes do not agree": (torch.mm, lambda: [csr(), numbers(COLUMNS + 1, 2)]),
    "the reduction prod": (torch.sparse.mm, lambda: [csr(), numbers(COLUMNS, 2), "prod"]),
    "torch.float16 CSR": (torch.mm, lambda: [csr(F16), numbers(COLUMNS, 2, dtype=F16)]),
    "and torch.float64": (torch.mm, lambda: [csr(), numbers(COLUMNS, 2, dtype=F64)]),
    "torch.float32 COO": (torch.sparse.mm, lambda: [coo(), numbers(COLUMNS, 2), "sum"]),
    "blocks": (torch.mm, lambda: [dense()[:4, :4].to_sparse_bsr((2, 2)), numbers(4, 2)]),
    "it is given out": (
        lambda a, x: torch.mm(a, x, out=torch.zeros(ROWS, 2)),
        lambda: [csr(), numbers(COLUMNS, 2)],
    ),
    "batches of sparse matrices": (
        torch.sparse.sampled_addmm,
        lambda: [
            torch.stack([dense()] * 2).to_sparse_csr(),
            numbers(2, ROWS, 3),
            numbers(2, 3, COLUMNS),
        ],
    ),
    "not in CSR": (
        torch.sparse.sampled_addmm,
        lambda: [coo(), numbers(ROWS, 2), numbers(2, COLUMNS)],
    ),
}


@pytest.mark.parametrize("reason", LEFT)
def test_what_is_left_to_pytorch(reason: str) -> None:
    function, arguments = LEFT[reason]
    assert reason in left(function, *arguments())


def test_autocast_and_disabled_kernels() -> None:
    x = numbers(COLUMNS, 2)
    with torch.autocast("cpu", enabled=True):
        assert "autocast" in left(torch.mm, coo(), x)
    with ember.disabled():
        assert "disabled" in left(torch.mm, coo(), x)


def test_wrong_indices_are_errors() -> None:
    """PyTorch reads past the end of the matrix."""
    wrong = torch.sparse_csr_tensor(
        torch.tensor([0, 1]), torch.tensor([9]), torch.ones(1), (1, 2), check_invariants=False
    )
    with ember.sparse_products(), pytest.raises(IndexError, match="columns of the sparse matrix"):
        torch.mm(wrong, numbers(2, 2))


class Convolution(nn.Module):
    """A layer of a graph network: its matrix is an argument, or a buffer."""

    def __init__(self, adjacency: Tensor | None = None) -> None:
        super().__init__()
        self.register_buffer("adjacency", adjacency)
        self.linear = nn.Linear(LENGTH, LENGTH)

    def forward(self, x: Tensor, adjacency: Tensor | None = None) -> Tensor:
        matrix = self.adjacency if adjacency is None else adjacency
        return torch.relu(matrix @ self.linear(x))


def makes_its_own(places: Tensor, values: Tensor, x: Tensor) -> Tensor:
    matrix = torch.sparse_coo_tensor(places, values, (ROWS, COLUMNS))
    return matrix @ (x * 2) + 1


def its_own() -> tuple[Tensor, Tensor, Tensor]:
    places = repeated()._indices().clone()
    return places, numbers(places.shape[1]), numbers(COLUMNS, LENGTH)


@pytest.mark.parametrize("made", [csr, coo])
@pytest.mark.parametrize("is_buffer", [False, True])
def test_compile(is_buffer: bool, made: Callable[[], Tensor]) -> None:
    torch.manual_seed(0)
    model = Convolution(made() if is_buffer else None)
    arguments = [numbers(COLUMNS, LENGTH), *([] if is_buffer else [made()])]
    kernel = ember.compile(model, arguments)
    assert len(kernel.kernels()) == 1
    results = []
    for run in (kernel, model):
        model.zero_grad()
        result = run(*arguments)
        result.square().sum().backward()
        results.append((result.detach(), model.linear.weight.grad.clone()))  # type: ignore[union-attr]
    torch.testing.assert_close(*results)


def test_changed_values_are_seen() -> None:
    for made in (csr, coo):
        model = Convolution(made())
        kernel = ember.compile(model)
        x = numbers(COLUMNS, LENGTH)
        for factor in (1, 3):
            model.adjacency.values().mul_(factor)  # type: ignore[union-attr]
            torch.testing.assert_close(kernel(x), model(x))
        model.adjacency = repeated()
        torch.testing.assert_close(kernel(x), model(x))


def test_what_makes_sparse_tensors_has_kernels_from_the_second_call_on() -> None:
    kernel = ember.compile(makes_its_own)
    for _ in range(3):
        torch.testing.assert_close(kernel(*its_own()), makes_its_own(*its_own()))
    assert kernel.kernels()
    assert not ember.compile(makes_its_own).kernels()


def test_nothing_is_entered_without_sparse_tensors() -> None:
    entered = []

    class Entered(SparseProducts):
        def __enter__(self) -> "Entered":
            entered.append(self)
            super().__enter__()
            return self

    def plain(x: Tensor) -> Tensor:
        return x * 2

    kernel = ember.compile(plain)
    kernel._products = Entered()
    for _ in range(2):
        torch.testing.assert_close(kernel(numbers(3)), numbers(3) * 2)
    assert not entered


def test_torch_compile_captures_no_sparse_tensor() -> None:
    """What PyTorch allows: the backend does not get to see the product."""
    model = Convolution()
    run = torch.compile(model, backend=ember_backend)
    arguments = numbers(COLUMNS, LENGTH), csr()
    with listening() as heard:
        torch.testing.assert_close(run(*arguments), model(*arguments))
    assert not heard.reports
    mode = ember.sparse_products()
    with mode:
        torch.testing.assert_close(run(*arguments), model(*arguments))
    assert all(call.kernels() for call in mode.calls.values())
    assert mode.calls


def total(bag: nn.EmbeddingBag, indices: Tensor) -> Tensor:
    return torch.relu(bag(indices))


class Both(nn.Module):
    """A product, and a bag in a function of its own, which torch.compile captures."""

    def __init__(self) -> None:
        super().__init__()
        self.bag = nn.EmbeddingBag(6, LENGTH)

    def forward(self, matrix: Tensor, x: Tensor, indices: Tensor) -> Tensor:
        return matrix @ x + total(self.bag, indices)


def test_graphs_are_compiled_too() -> None:
    model = Both()
    arguments = csr(), numbers(COLUMNS, LENGTH), torch.randint(6, (ROWS, 3))
    kernel = ember.compile(model, arguments)
    torch.testing.assert_close(kernel(*arguments), model(*arguments))
    # The product, and the bag with its gradient.
    assert len(kernel.kernels()) == 3
    assert [part.kind for report in kernel.reports() for part in report.compiled] == ["bag"]


def test_explain() -> None:
    arguments = csr(), numbers(COLUMNS, LENGTH), torch.randint(6, (ROWS, 3))
    found = ember.explain(Both(), *arguments)
    assert [part.kind for part in found.compiled] == ["bag", "sparse_product"]
    assert found.sparse is not None
    (part,) = found.sparse.compiled
    assert part.libraries[0].is_file()
    assert part.place.endswith("return matrix @ x + total(self.bag, indices)")
    assert "sum of rows by the entries of a CSR matrix" in str(found)


def test_explain_of_what_ember_compiled() -> None:
    kernel = ember.compile(Both())
    found = ember.explain(kernel, csr(), numbers(COLUMNS, LENGTH), torch.randint(6, (ROWS, 3)))
    assert [part.kind for part in found.compiled] == ["bag", "sparse_product"]


def test_excluded() -> None:
    kernel = ember.compile(Convolution(csr()), excluded=["sparse_product"])
    x = numbers(COLUMNS, LENGTH)
    torch.testing.assert_close(kernel(x), kernel.original(x))
    assert not kernel.kernels()
    options = {"excluded": ["sparse_product"]}
    found = ember.explain(torch.mm, csr(), x, options=options)
    assert [part.reason for part in found.left] == ["sparse_product is excluded by the options"]


def test_explain_says_why() -> None:
    def function(matrix: Tensor, x: Tensor) -> Tensor:
        return torch.mv(matrix, x) + matrix @ x

    found = ember.explain(function, csr(), numbers(COLUMNS))
    assert [part.reason for part in found.left] == [
        "it is one with a vector or a batch; kernels know two matrices"
    ]
    assert found.left[0].operation == "sparse mm"


def test_explain_of_what_makes_sparse_tensors() -> None:
    found = ember.explain(makes_its_own, *its_own())
    assert [part.kind for part in found.compiled] == ["sparse_product"]
    assert ember.explain(lambda x: x + 1, numbers(3)).sparse is None


@pytest.mark.parametrize("is_buffer", [False, True])
def test_exports_say_what_pytorch_cannot_store(is_buffer: bool, tmp_path: Path) -> None:
    arguments = (numbers(COLUMNS, LENGTH), *([] if is_buffer else [csr()]))
    model = Convolution(csr() if is_buffer else None).eval()
    message = "the model's adjacency" if is_buffer else "argument 1"
    with pytest.raises(ember.EmberError, match=f"{message} is sparse.*index_add"):
        ember.export(model, arguments, folder=tmp_path / "export")


def test_threads_and_layouts_change_no_bit() -> None:
    x = numbers(COLUMNS, 40)
    before = ember.get_num_threads()
    found = []
    try:
        for threads in (1, 2):
            ember.set_num_threads(threads)
            for matrix in (csr(), coo(), csc()):
                found.append(products(torch.sparse.mm, matrix, x)[0])
    finally:
        ember.set_num_threads(before)
    for one in found[1:]:
        assert torch.equal(one, found[0])


def test_gradients_of_sums() -> None:
    added, x = (numbers(n, LENGTH, dtype=F64).requires_grad_() for n in (ROWS, COLUMNS))
    for made in (csr, coo):
        function = by_kernels(lambda a, x, made=made: torch.addmm(a, made(F64), x))
        assert gradcheck(function, (added, x), fast_mode=True)
        assert gradgradcheck(function, (added, x), fast_mode=True)
    values = csr(F64).values().clone().requires_grad_()

    def of_values(values: Tensor) -> Tensor:
        made = csr(F64)
        matrix = torch.sparse_csr_tensor(
            made.crow_indices(), made.col_indices(), values, made.shape
        )
        return torch.addmm(added, matrix, x)

    (found,) = torch.autograd.grad(by_kernels(of_values)(values).square().sum(), values)
    (expected,) = torch.autograd.grad(of_values(values).square().sum(), values)
    torch.testing.assert_close(found, expected)
