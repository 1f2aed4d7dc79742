"""backend="ember": products of one-hot rows are lookups, and sums over them scatters.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from collections.abc import Callable

import pytest
import torch
import torch.nn.functional as functional
from compiled_models import check_function, compiled
from ember.torch.capture.backend import listening
from torch import Tensor

pytestmark = pytest.mark.usefixtures("fresh_dynamo")

ROWS, LENGTH, LOOKUPS = 50, 12, 300
# Of a table, other rows, and places of either.
Spelling = Callable[[Tensor, Tensor, Tensor, Tensor], Tensor]
one_hot = functional.one_hot
LOOKED_UP: dict[str, Spelling] = {
    "to": lambda T, R, i, j: ((one_hot(i, ROWS).to(T.dtype) @ T) * R[j]).sum(1),
    "size": lambda T, R, i, j: ((one_hot(i, T.shape[0]).double() @ T) * R[j]).sum(1),
    "mm": lambda T, R, i, j: (torch.mm(one_hot(i, num_classes=ROWS).type_as(T), T) * R[j]).sum(1),
    "method": lambda T, R, i, j: (one_hot(i, ROWS).to(T).matmul(T) * R[j]).sum(1),
    "linear": lambda T, R, i, j: (functional.linear(one_hot(i, ROWS).to(T), T.t()) * R[j]).sum(1),
    "einsum": lambda T, R, i, j: (
        torch.einsum("nd,bn->bd", T, one_hot(i, ROWS).type(T.dtype)) * R[j]
    ).sum(1),
    "turned": lambda T, R, i, j: ((T.T @ one_hot(i, ROWS).to(T.dtype).mT).t() * R[j]).sum(1),
    "layer": lambda T, R, i, j: (functional.linear(one_hot(i, ROWS).to(T), T.t(), R[0]) * R[j]).sum(
        1
    ),
    "three": lambda T, R, i, j: torch.einsum("bn,nd,bd->b", one_hot(i, ROWS).to(T), T, R[j]),
    "compared": lambda T, R, i, j: ((i[:, None] == torch.arange(ROWS)).to(T) @ T * R[j]).sum(1),
    "all numbers": lambda T, R, i, j: (
        torch.arange(0, T.shape[0])[None].eq(i.view(-1, 1)).double() @ T * R[j]
    ).sum(1),
    "both": lambda T, R, i, j: _both(one_hot(i, ROWS).to(T.dtype), T, R[j]),
}
SCATTERED: dict[str, Spelling] = {
    "t": lambda T, R, i, j: one_hot(i, ROWS).to(T.dtype).t() @ R[j] + T,
    "T": lambda T, R, i, j: one_hot(i, ROWS).T.to(T.dtype) @ R[j] + T,
    "transpose": lambda T, R, i, j: one_hot(i, ROWS).transpose(0, 1).double().matmul(R[j]) + T,
    "einsum": lambda T, R, i, j: torch.einsum("en,ed->nd", one_hot(i, ROWS).to(T.dtype), R[j]) + T,
    "compared": lambda T, R, i, j: (torch.arange(ROWS)[:, None] == i).to(T) @ R[j] + T,
    "compared and turned": lambda T, R, i, j: (
        torch.eq(i.unsqueeze(1), torch.arange(ROWS)).t().double() @ R[j] + T
    ),
    "turned": lambda T, R, i, j: (R[j].t() @ one_hot(i, ROWS).to(T.dtype)).t() + T,
}
# Of rows whose length stays.
BAGS: dict[str, Spelling] = {
    "bags": lambda T, R, i, j: (one_hot(i.view(-1, 3), ROWS).to(T.dtype) @ T).sum(1) + R[0],
    "bags of compared": lambda T, R, i, j: (
        ((i.view(-1, 3, 1) == torch.arange(ROWS)).to(T.dtype) @ T).sum(1) + R[0]
    ),
    "einsum of bags": lambda T, R, i, j: (
        torch.einsum("bkn,nd->dbk", one_hot(i.view(-1, 3), ROWS).to(T.dtype), T).sum(2).t() + R[0]
    ),
}
SPELLINGS = {**LOOKED_UP, **{f"sums, {name}": one for name, one in SCATTERED.items()}}
CASES = [(name, is_dynamic) for name in SPELLINGS for is_dynamic in (False, True)]


def _both(rows: Tensor, table: Tensor, others: Tensor) -> Tensor:
    return (rows @ table * others).sum() + rows.t() @ others


def given() -> tuple[Tensor, ...]:
    draw = torch.Generator().manual_seed(1)
    tables = [torch.randn(ROWS, LENGTH, generator=draw, dtype=torch.float64) for _ in range(2)]
    places = [torch.randint(ROWS, (LOOKUPS,), generator=draw) for _ in range(2)]
    return *tables, *places


@pytest.mark.parametrize(("spelling", "dynamic"), [*CASES, *((name, False) for name in BAGS)])
def test_values_and_gradients(spelling: str, dynamic: bool) -> None:
    heard = check_function({**SPELLINGS, **BAGS}[spelling], *given(), dynamic=dynamic)
    assert heard.covered("")
    assert all(report.reordered for report in heard.reports)
    remaining = {name for report in heard.reports for name in report.remaining}
    assert not any("one_hot" in name for name in remaining)


@pytest.mark.parametrize("wrong", [-1, ROWS])
def test_wrong_places(wrong: int) -> None:
    """What is no class is an error, as in PyTorch, counted from the end, too."""
    table, rows, i, j = given()
    i[7] = wrong
    for spelling in LOOKED_UP["to"], SCATTERED["t"]:
        with pytest.raises(RuntimeError, match="out of range"):
            compiled(spelling)(table, rows, i, j)


@pytest.mark.parametrize("wrong", [-1, ROWS])
def test_wrong_places_alone(wrong: int) -> None:
    """What has no kernel by itself raises the same as eager, and takes no places, too."""
    table, _, i, _ = given()
    run = compiled(lambda T, i: one_hot(i, ROWS).to(T.dtype) @ T)
    torch.testing.assert_close(run(table, i), table[i])
    torch.testing.assert_close(run(table, i[:0]), table[:0])
    i[7] = wrong
    with pytest.raises(RuntimeError, match="Class values"):
        run(table, i)


@pytest.mark.parametrize("name", [name for name in SPELLINGS if "compared" in name])
def test_places_without_class(name: str) -> None:
    """What is compared with all classes, and is none, has zeros."""
    table, rows, i, j = given()
    i[3], i[9] = -1, ROWS
    assert check_function(SPELLINGS[name], table, rows, i, j).covered("")


@pytest.mark.parametrize("dynamic", [None, True])
@pytest.mark.parametrize("side", ["rows", "sums"])
def test_no_classes(side: str, dynamic: bool | None) -> None:
    """Where there are none, all rows are zeros, and there are no sums: not an error."""

    def function(matrix: Tensor, i: Tensor, classes: int) -> Tensor:
        hot = (i[:, None] == torch.arange(classes)).to(matrix.dtype)
        return (hot.t() if side == "sums" else hot) @ matrix

    run = compiled(function, dynamic=dynamic)
    for classes in (300, 200, 0):
        i = torch.randint(classes or 1, (5000,))
        matrix = torch.randn(5000 if side == "sums" else classes, 64, requires_grad=True)
        expected = function(matrix, i, classes)
        (wanted,) = torch.autograd.grad(expected.sum(), matrix)
        found = run(matrix, i, classes)
        torch.testing.assert_close(found, expected, rtol=1e-4, atol=1e-4)
        torch.testing.assert_close(torch.autograd.grad(found.sum(), matrix)[0], wanted)


@pytest.mark.parametrize(
    "numbers",
    [
        lambda: torch.arange(ROWS, 2 * ROWS),
        lambda: torch.arange(2 * ROWS)[::2],
        lambda: torch.arange(ROWS, dtype=torch.float64),
        lambda: torch.arange(ROWS).view(10, 5).t().reshape(-1),
    ],
)
def test_what_is_compared_with_other_numbers(numbers: Callable[[], Tensor]) -> None:
    """Rows are not one-hot then, or others."""
    heard = check_function(
        lambda T, R, i, j: ((i[:, None] == numbers()).double() @ T * R[j]).sum(1), *given()
    )
    assert not any(report.reordered for report in heard.reports)


def test_changed_places() -> None:
    """Places that change before they are used are not those of the rows."""

    def function(T: Tensor, R: Tensor, i: Tensor, j: Tensor) -> Tensor:
        i = i.clone()
        rows = one_hot(i, ROWS).to(T.dtype)
        i.zero_()
        return ((rows @ T) * R[j]).sum(1) + i

    check_function(function, *given())


@pytest.mark.parametrize("name", ["to", "compared"])
def test_changed_rows(name: str) -> None:
    """One-hot rows that are changed, if only through a view of them, are others."""

    def function(T: Tensor, R: Tensor, i: Tensor, j: Tensor) -> Tensor:
        made = one_hot(i, ROWS) if name == "to" else i[:, None] == torch.arange(ROWS)
        rows = made.to(T.dtype)
        rows.t()[3] = 7
        return ((rows @ T) * R[j]).sum(1)

    check_function(function, *given())


def test_places_of_32_bits_alone() -> None:
    table, _, i, _ = given()
    run = compiled(lambda T, i: (i[:, None] == torch.arange(ROWS)).to(T.dtype) @ T)
    torch.testing.assert_close(run(table, i.int()), table[i])


def test_without_a_number_of_classes() -> None:
    def function(T: Tensor, R: Tensor, i: Tensor, j: Tensor) -> Tensor:
        rows = one_hot(i).to(T.dtype)
        return ((rows @ T[: rows.shape[1]]) * R[j]).sum(1)

    check_function(function, *given())


def test_reorders() -> None:
    """The option leaves them, and autocast, which makes products of another type."""
    arguments = given()
    spelling = LOOKED_UP["to"]
    with listening() as heard:
        found = compiled(spelling, reorders=False)(*arguments)
    torch.testing.assert_close(found, spelling(*arguments))
    arguments = *(one.float() for one in arguments[:2]), *arguments[2:]
    with listening() as also_heard, torch.autocast("cpu", torch.bfloat16):
        found = compiled(lambda *given: spelling(*given) * 1.0)(*arguments)
        torch.testing.assert_close(found, spelling(*arguments))
    assert not any(report.reordered for report in (*heard.reports, *also_heard.reports))
