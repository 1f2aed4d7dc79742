"""backend="ember": whatever is computed from looked-up rows and reduced, by the table alone.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import re
from collections.abc import Callable
from typing import Any
from unittest import mock

import pytest
import torch
import torch.nn.functional as functional
from compiled_models import check_forward, check_function, compiled
from ember.torch.capture.backend import listening
from torch import Tensor

pytestmark = pytest.mark.usefixtures("fresh_dynamo")

ROWS, LENGTH = 50, 12


def draw(*sizes: int, seed: int = 0) -> Tensor:
    generator = torch.Generator().manual_seed(seed + len(sizes))
    return torch.randn(*sizes, generator=generator, dtype=torch.float64)


def places(*sizes: int, seed: int = 1) -> Tensor:
    generator = torch.Generator().manual_seed(seed + len(sizes))
    return torch.randint(ROWS, sizes, generator=generator)


def second_order(table: Tensor, index: Tensor) -> Tensor:
    """Products of all pairs of fields, as factorisation machines add them up."""
    rows = functional.embedding(index, table)
    total = rows.sum(1)
    return 0.5 * (total * total - (rows * rows).sum(1)).sum(1)


def second_order_by_powers(table: Tensor, index: Tensor) -> Tensor:
    rows = table[index]
    return rows.sum(dim=1).pow(2).sub(rows.pow(2).sum(dim=1)).sum(dim=-1, keepdim=True) / 2


def interest(table: Tensor, index: Tensor) -> Tensor:
    """Attention of a sample's first item over its history, as deep interest networks have it."""
    history, item = table[index[:, 1:]], table[index[:, 0]]
    weights = torch.softmax((history * item.unsqueeze(1)).sum(-1) / LENGTH**0.5, dim=1)
    return (weights.unsqueeze(2) * history).sum(1)


def cosines(table: Tensor, index: Tensor) -> Tensor:
    return functional.cosine_similarity(table[index[:, 0]], table[index[:, 1]])


def all_cosines(table: Tensor, index: Tensor) -> Tensor:
    rows = functional.normalize(table[index], dim=2)
    return (rows[:, :1] * rows).sum(-1)


def edges(table: Tensor, index: Tensor) -> Tensor:
    """GATv2's weights of edges, by heads."""
    both = table[index[:, 0]] + table[index[:, 1]]
    return (functional.leaky_relu(both, 0.2).view(-1, 3, 4) * table[:3, 2:6]).sum(-1)


def edges_of_heads(table: Tensor, index: Tensor) -> Tensor:
    rows = table.view(-1, 3, 4)
    both = rows[index[:, 0]] + rows[index[:, 1]]
    return (functional.leaky_relu(both, 0.2) * rows[:1]).sum(-1)


def distances(table: Tensor, index: Tensor) -> Tensor:
    return (table[index].unsqueeze(2) - table[:7]).norm(dim=-1)


def mixed(table: Tensor, index: Tensor) -> Tensor:
    """Experts' outputs, weighted by gates."""
    gates = table[:, 0][index].softmax(-1)
    return torch.einsum("bk,bkd->bd", gates, table[index])


CASES = [
    second_order,
    second_order_by_powers,
    interest,
    cosines,
    all_cosines,
    edges,
    edges_of_heads,
    distances,
    mixed,
]


@pytest.mark.parametrize("function", CASES)
def test_values_and_gradients(function: Callable[..., Tensor]) -> None:
    heard = check_function(function, draw(ROWS, LENGTH), places(30, 6), dynamic=True)
    assert heard.kinds() & {"statements", "row_score"}


def test_what_is_detached_has_no_gradient() -> None:
    table, index = draw(ROWS, LENGTH), places(30)

    def function(table: Tensor, other: Tensor, index: Tensor) -> Tensor:
        return (table[index].detach() * other[index] * (table[index] > 0)).sum(1)

    check_function(function, table, table + 1, index, dynamic=True)


def _product(one: Tensor, other: Tensor) -> Tensor:
    return (one * other).sum(1)


@pytest.mark.parametrize(
    "function",
    [
        # A row that has a gradient by another use than lookups that leave it out.
        lambda w, i: functional.embedding(i, w, padding_idx=3) @ w[3],
        lambda w, i: _product(functional.embedding(i, w, padding_idx=3), w[i]),
        lambda w, i: _product(
            functional.embedding(i, w, padding_idx=3), functional.embedding(i, w, padding_idx=5)
        ),
        lambda w, i: _product(
            functional.embedding(i, w, padding_idx=3), functional.embedding(i, w, padding_idx=3)
        ),
        lambda w, i: functional.embedding(i, w.view(ROWS, LENGTH), padding_idx=3).square().sum(1),
    ],
)
def test_rows_without_gradients(function: Callable[..., Tensor]) -> None:
    index = torch.tensor([3, 5, 3, 1, 2, 3, 5])
    check_function(function, draw(ROWS, LENGTH), index, dynamic=True)


# What PyTorch makes the gradient of a table of, where that is no sum of those of rows.
OPTIONS: list[dict[str, Any]] = [
    {"sparse": True},
    {"scale_grad_by_freq": True},
    {"sparse": True, "padding_idx": 3},
]


def turned(w: Tensor, i: Tensor, **options: Any) -> Tensor:
    """Rows at indices that are views, and computed ones."""
    one = functional.embedding(i[:, :1].flip(1), w, **options)
    other = functional.embedding(i.view(-1, 3, 2)[..., 0], w, **options)
    return torch.matmul(other, one.transpose(1, 2)).squeeze(2)


BY_ROWS = [
    lambda w, i, **options: functional.embedding(i, w, **options).square().sum(-1),
    lambda w, i, **options: torch.einsum(
        "bd,bkd->bk", functional.embedding(i[:, 0], w, **options), functional.embedding(i, w)
    ),
    lambda w, i, **options: functional.embedding(i, w, **options).exp().sum(1) @ w[0],
    turned,
]


@pytest.mark.parametrize("options", OPTIONS, ids=str)
@pytest.mark.parametrize("function", BY_ROWS)
def test_gradients_by_rows(function: Callable[..., Tensor], options: dict[str, Any]) -> None:
    """PyTorch makes the table's gradient of that of the rows, which a kernel computes."""
    index = places(9, 6)
    index[4, 0] = 3
    run = compiled(lambda w: function(w, index, **options))
    gradients = []
    with listening() as heard:
        for one in (run, lambda w: function(w, index, **options)):
            table = draw(ROWS, LENGTH).requires_grad_()
            one(table).cos().sum().backward()
            assert table.grad is not None
            gradients.append(table.grad)
    ours, expected = gradients
    assert ours.is_sparse == expected.is_sparse
    torch.testing.assert_close(ours.to_dense(), expected.to_dense())
    assert sum(len(part.call.kernels()) for part in heard.reports[0].compiled) == 2


def test_tables_that_need_no_gradient_of_rows() -> None:
    """Only what is needed is looked up: the kernel reads the tables themselves."""
    frozen, table, index = draw(ROWS, LENGTH), draw(ROWS, LENGTH).requires_grad_(), places(30)

    def function(one: Tensor, other: Tensor) -> Tensor:
        rows = functional.embedding(index, one, sparse=True)
        return (rows * functional.embedding(index, other)).sum(-1)

    result = compiled(function)(frozen, table)
    with mock.patch.object(torch, "embedding", side_effect=AssertionError):
        result.sum().backward()
    assert table.grad is not None
    expected = torch.zeros(ROWS, LENGTH, dtype=torch.float64).index_add_(0, index, frozen[index])
    torch.testing.assert_close(table.grad, expected)


def test_gradients_of_what_is_computed_without_them_and_split() -> None:
    def function(table: Tensor, index: Tensor) -> Tensor:
        rows = table[index]
        with torch.no_grad():
            left, right = table[index].chunk(2, 1)
        return (rows * torch.cat([left, right], 1)).sum(1)

    check_function(function, draw(ROWS, LENGTH), places(30))


@pytest.mark.parametrize(
    "function",
    [
        lambda w, i: _product(*w[i].chunk(2, 1)),
        lambda w, i: _product(*w[i].split([4, 8], 1)[1].unflatten(1, (2, 4)).unbind(1)),
        lambda w, i: (w[i] * w[0]).max(1).values,
        lambda w, i: w[i].min(1)[0] * w[i].sum(1),
        lambda w, i: torch.cat([w[i], w[i + 1] * 2], 1).amax(1),
        # One behind another, and shown otherwise, within others, and as few as one.
        lambda w, i: torch.cat([w[i], w[i + 1] * 2], 1).unflatten(0, (5, 6)).transpose(1, 2).sum(1),
        lambda w, i: torch.cat([w[i], torch.cat([w[i] * 2, w[i + 1][:, 3:]], 1)], 1).sum(1),
        lambda w, i: torch.cat([w[i][:, :1], w[i + 1]], 1).sum(1) + w[i].sum(1),
        # Rows by a part of what a result or a sum counts.
        lambda w, i: w[i].unsqueeze(1).expand(-1, 3, -1).reshape(90, -1) @ w[1],
        lambda w, i: (w[i].reshape(15, 24) * w[:24, 0]).sum(1),
        lambda w, i: (w[i].flip(1) * w[i].repeat(1, 2)[:, LENGTH:]).sum(1),
        lambda w, i: torch.where((w[i] > 0) & ~(w[i + 1] > 0), w[i], 0.0).sum(1),
        lambda w, i: (w[i] > 0).any(1) * w[i].prod(1),
        # Elements that are repeated are the index of nothing.
        lambda w, i: w[i].sum(1, keepdim=True).expand(-1, 5).exp().sum(1),
        lambda w, i: w[i].sum(1, keepdim=True).expand(-1, 5).softmax(1),
        lambda w, i: w[i].unsqueeze(1).expand(-1, 4, -1).sum((1, 2)),
        lambda w, i: w[i][:, :1].log_softmax(1) + w[i].sum(1, keepdim=True),
        lambda w, i: functional.linear(w[i], w[:1], w[0, :1]),
    ],
)
def test_one_kernel(function: Callable[..., Tensor]) -> None:
    heard = check_function(function, draw(ROWS, LENGTH), places(30) % (ROWS - 1))
    assert heard.covered("") > 1


@pytest.mark.parametrize("dynamic", [False, True], ids=["static", "dynamic"])
def test_rows_that_lie_apart(dynamic: bool) -> None:
    """Heads are columns of a matrix: they are read where they lie, and not by PyTorch."""

    def function(rows: Tensor, index: Tensor) -> Tensor:
        return (rows.view(ROWS, 3, LENGTH).transpose(0, 1)[:, index] * 2).square().sum(2)

    index = places(30)
    for rows in (draw(ROWS, 3 * LENGTH), draw(ROWS, 6 * LENGTH)[:, : 3 * LENGTH]):
        torch._dynamo.reset()
        run = compiled(function, dynamic=dynamic)
        with listening() as heard:
            torch.testing.assert_close(run(rows, index), function(rows, index))
        calls = [part.call for report in heard.reports for part in report.compiled]
        assert calls
        for call in calls:
            call.reference = mock.Mock(side_effect=AssertionError)
        torch.testing.assert_close(run(rows, index), function(rows, index))


@pytest.mark.parametrize(
    "function",
    [
        lambda x, i: x[i, :, i % 7].square().sum(1),
        lambda x, i: x[:, i % 5, :, i % 3].square().sum(-1),
        lambda x, i: x[i.view(6, 5), ..., i[:5] % 3].sin().sum((1, 2, 3)),
        lambda x, i: x[i[:, None], :, i % 7].square().sum((2, 3)),
        lambda x, i: (x[i, 2, :, i % 3] * x[i, :5, 1, i % 3].sum(1, keepdim=True)).sum(1),
    ],
)
def test_indices_of_dimensions_that_lie_apart(function: Callable[..., Tensor]) -> None:
    """Their dimensions stand in front of all others."""
    heard = check_function(function, draw(ROWS, 5, 7, 3), places(30))
    assert heard.covered("") > 1


def test_writes_to_dimensions_that_lie_apart() -> None:
    def function(x: Tensor, index: Tensor) -> Tensor:
        zeros = x.new_zeros(4, ROWS, 3, ROWS)
        indices = [None, index, None, index.flip(0)]
        found: Tensor = torch.ops.aten.index_put.default(zeros, indices, x * 2, True)
        return found

    heard = check_function(function, draw(30, 4, 3), places(30))
    assert heard.covered("") > 1


FUNCTIONS = {
    "celu": lambda x: functional.celu(x, 0.25),
    "elu": lambda x: functional.elu(x, 0.5),
    "gelu": lambda x: functional.gelu(x, approximate="tanh"),
    "expm1": lambda x: x.clamp(max=5).expm1(),
    "hardswish": functional.hardswish,
    "hardtanh": functional.hardtanh,
    "log1p": lambda x: x.abs().log1p(),
    "logaddexp": lambda x: torch.logaddexp(x, 2 * x),
    "logsigmoid": functional.logsigmoid,
    "mish": functional.mish,
    "norm": lambda x: x.norm(3, dim=1, keepdim=True),
    "selu": functional.selu,
    "silu": functional.silu,
    "softplus": lambda x: functional.softplus(x, 2.0, 5.0),
    "std": lambda x: x.std(1, keepdim=True),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_of_numbers_of_any_size(name: str) -> None:
    """Gradients are finite where a branch that is not taken is not, and small numbers are kept."""
    sizes = torch.tensor(
        [1000.0, -1000.0, 0.0, 1e-9, -1e-9, 0.3, -3.0, 3.0, 30.0], dtype=torch.float64
    )
    table = sizes[:, None] * torch.tensor([1.0, 1.0, 1.0, 0.5], dtype=torch.float64)

    def function(table: Tensor, index: Tensor) -> Tensor:
        return FUNCTIONS[name](table[index]).sum(1)  # type: ignore[no-untyped-call]

    heard = check_function(function, table, torch.arange(len(table)), rtol=1e-12, atol=1e-25)
    assert heard.covered("") > 1


def test_numbers_of_a_transposed_table_that_has_gradients() -> None:
    table, index = draw(LENGTH, ROWS).t().requires_grad_(), places(30)

    def function(table: Tensor, index: Tensor) -> Tensor:
        return (table[index] > 0).sum(1) * 0.5

    torch.testing.assert_close(compiled(function)(table, index), function(table, index))


def test_the_gradient_of_one_number_is_a_kernels(monkeypatch: pytest.MonkeyPatch) -> None:
    def gradients(*arguments: object) -> None:
        pytest.fail("PyTorch's gradient")

    monkeypatch.setattr("ember.torch.calls.region_call.gradients_of_reference", gradients)
    check_function(lambda w, i: (w[i] * w[i]).sum(1), draw(ROWS, LENGTH), places(30)[:1])


def test_one_place_that_is_computed() -> None:
    def function(table: Tensor, index: Tensor) -> Tensor:
        rows = torch.take_along_dim(table, index.reshape(-1, 1), 0)
        return rows.exp2().sum(1)

    for place in range(3):
        check_function(function, draw(3, 1), torch.tensor([place]), dynamic=False)


def test_gradients_of_products_of_one_element() -> None:
    index = places(30)

    def function(table: Tensor, row: Tensor, index: Tensor) -> Tensor:
        return torch.einsum("bkd,d->bk", table[index].unsqueeze(1), row).prod(1)

    # PyTorch computes transposed tables, of which the kernel's gradient would not read anything.
    tables = [draw(LENGTH, ROWS).t(), draw(LENGTH, seed=7)]
    outcomes = []
    for run in (compiled(function), function):
        given = [one.detach().requires_grad_(number == 0) for number, one in enumerate(tables)]
        run(*given, index).sum().backward()
        outcomes.append(given[0].grad)
    torch.testing.assert_close(*outcomes)


def test_writes_to_a_view_that_pytorch_computed() -> None:
    def function(table: Tensor, index: Tensor) -> Tensor:
        rows = table[index]
        numbers = torch.einsum("bd,be->bde", rows, rows).sum(-1).flatten(0, 1)
        numbers.masked_fill_(numbers > 0.5, 0.25)
        return numbers

    table, index = draw(LENGTH, ROWS).t().requires_grad_(), places(30)
    run = compiled(function, dynamic=False)
    torch.testing.assert_close(run(table, index), function(table, index))


def test_gradients_of_steps_are_zeros() -> None:
    def function(table: Tensor, other: Tensor, index: Tensor) -> Tensor:
        product = torch.linalg.vecdot(table[index], other[index])
        return functional.normalize(product, p=1, dim=1).floor().sum(-1)

    index = places(30)[:1, None]
    check_function(function, draw(ROWS, LENGTH), draw(ROWS, LENGTH, seed=7), index)


def add(x: Tensor, source: Tensor, target: Tensor) -> Tensor:
    return x.new_zeros(ROWS, LENGTH).index_put((target,), x[source], accumulate=True)


def test_other_numbers_of_rows_than_places() -> None:
    """What PyTorch says of sizes that do not agree is said, of its arguments."""
    x = draw(ROWS, LENGTH)
    run = compiled(add, dynamic=True)
    arguments = x, places(30), places(30, seed=5)
    torch.testing.assert_close(run(*arguments), add(*arguments))
    for numbers in ((3, 4), (4, 3)):
        arguments = x, *map(places, numbers)
        with pytest.raises(RuntimeError) as eager:
            add(*arguments)
        with pytest.raises(eager.type, match=re.escape(str(eager.value))):
            run(*arguments)


@pytest.mark.parametrize("reduction", ["sum", "amax"])
def test_errors_name_what_is_combined(reduction: str) -> None:
    def function(x: Tensor, source: Tensor, target: Tensor) -> Tensor:
        rows = x[source] * 2
        places = target[:, None].expand_as(rows)
        most = torch.zeros_like(x).scatter_reduce(0, places, rows, reduction, include_self=False)
        return most if reduction == "sum" else most + 1

    x, source = draw(ROWS, LENGTH), places(30)
    check_function(function, x, source, places(30, seed=3))
    run = compiled(function)
    run(x, source, source)
    wrong = source.clone()
    wrong[7] = ROWS
    with pytest.raises(IndexError, match=f"{ROWS} at position 7 of 'target' .*'most'"):
        run(x, source, wrong)


# With how many steps there are.
TABLES_THAT_ARE_COMPUTED: dict[str, tuple[Callable[[Tensor], Tensor], int]] = {
    "squares": (lambda table: table * table, 1),
    "several steps": (lambda table: (table * 2 + 1).clamp(-1, 1), 3),
    "divided by norms": (lambda table: table / table.norm(dim=1, keepdim=True), 2),
    "without the mean row": (lambda table: table - table.mean(0), 1),
    "views": (lambda table: (table + 1).view(-1, 3, LENGTH // 3).flatten(1), 1),
}


@pytest.mark.parametrize("name", TABLES_THAT_ARE_COMPUTED)
def test_tables_that_are_computed(name: str) -> None:
    """Where few rows are looked up, only these are computed, but for what is of all rows."""
    compute, steps = TABLES_THAT_ARE_COMPUTED[name]

    def function(table: Tensor, index: Tensor) -> Tensor:
        rows = compute(table)
        return (rows[index[0]] - rows[index[1]]).abs().sum(1)

    few, most = (
        check_function(function, draw(ROWS, LENGTH), places(2, lookups), dynamic=False).covered("")
        for lookups in (5, ROWS)
    )
    assert few == most + steps


def test_tables_of_slow_functions() -> None:
    """PyTorch takes a third of a kernel's time for all rows of a softmax."""

    def function(scores: Tensor, label: Tensor) -> Tensor:
        return -scores.log_softmax(-1).gather(1, label[:, None]).squeeze(1)

    heard = check_function(function, draw(ROWS, LENGTH), places(ROWS) % LENGTH)
    assert not heard.covered("")


@pytest.mark.parametrize("offsets", [None, torch.tensor([0, 0, 4])])
def test_tables_of_bags_that_are_computed(offsets: Tensor | None) -> None:
    """The second order of a factorisation machine by bags of rows, and of their squares."""

    def function(table: Tensor, index: Tensor) -> Tensor:
        sums, squares = (
            functional.embedding_bag(index, one, offsets, mode="sum")
            for one in (table, table * table)
        )
        return 0.5 * (sums * sums - squares).sum(1)

    index = places(2, 3) if offsets is None else places(9)
    assert check_function(function, draw(ROWS, LENGTH), index).covered("statements") == 7
    assert check_forward(function, [(draw(ROWS, LENGTH), index)]).covered("statements") == 7


def test_tables_that_are_computed_of_what_changes_afterwards() -> None:
    """The bag by itself is a kernel then."""

    def function(table: Tensor, index: Tensor) -> Tensor:
        step = torch.ones(LENGTH, dtype=table.dtype)
        shifted = table + step
        step.add_(1)
        return functional.embedding_bag(index, shifted, mode="sum") * step

    heard = check_function(function, draw(ROWS, LENGTH), places(2, 3))
    assert [part.kind for part in heard.reports[0].compiled] == ["bag"]
    assert heard.covered("bag") == 1


@pytest.mark.parametrize("margin", [0.0, 0.3])
def test_functions_that_change_what_they_make(margin: float) -> None:
    """PyTorch's loss of cosines computes in the memory of what it has made."""

    def function(table: Tensor, index: Tensor, signs: Tensor) -> Tensor:
        rows = table[index]
        return functional.cosine_embedding_loss(*rows, signs, margin, reduction="none")

    signs = places(30) % 2 * 2 - 1
    heard = check_function(function, draw(ROWS, LENGTH), places(2, 30, seed=3), signs)
    assert heard.kinds() == {"statements"}
    assert not heard.left()


def test_lookups_in_parts_of_a_table() -> None:
    """Parts are read where they are made: places out of their bounds are within the table's."""

    def function(table: Tensor, index: Tensor) -> Tensor:
        parts = table.chunk(2)
        rows = torch.cat([part[at, None] for part, at in zip(parts, index, strict=True)], 1)
        return rows.sum(1).square().sum(-1)

    index = places(2, 30) // 2
    assert check_function(function, draw(ROWS, LENGTH), index).covered("") >= 6
    index[0, 4] = ROWS // 2
    with pytest.raises(IndexError):
        compiled(function)(draw(ROWS, LENGTH), index)


def test_one_of_several_results_that_are_read_elsewhere() -> None:
    """PyTorch sorts the other ends of edges, and so takes both ends out of their tensor."""

    def function(table: Tensor, edges: Tensor) -> Tensor:
        source, target = edges.unbind(0)
        weights = target.argsort(stable=True).double()
        return table.index_add(0, target, table[source] * weights[:, None])

    heard = check_function(function, draw(ROWS, LENGTH), places(2, 30))
    assert heard.kinds() == {"statements"}
    assert not heard.left()
