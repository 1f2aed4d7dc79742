"""backend="ember": products of one-hot rows are lookups, and sums over them scatters.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import random
from collections.abc import Callable

import pytest
import torch
import torch.nn.functional as functional
from compiled_models import check_function, compiled
from drawn_cases import SEED
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
    "counts": lambda T, R, i, j: one_hot(i.view(-1, 3), ROWS).sum(1).to(T.dtype) @ T + R[0],
    "weights": lambda T, R, i, j: (
        (one_hot(i.view(-1, 3), ROWS) * R[j.view(-1, 3), :1]).sum(1) @ T + R[0]
    ),
    "weights of counts": lambda T, R, i, j: (
        (R[j[:100], :1] * one_hot(i.view(-1, 3), ROWS).sum(1)) @ T + R[0]
    ),
    "weights of compared": lambda T, R, i, j: (
        ((i.view(-1, 3, 1) == torch.arange(ROWS)) * R[j.view(-1, 3), :1]).sum(1) @ T + R[0]
    ),
    "added to zeros": lambda T, R, i, j: (
        torch.zeros(100, ROWS, dtype=T.dtype).scatter_add(1, i.view(-1, 3), R[j.view(-1, 3), 0]) @ T
        + R[0]
    ),
    "each its own table": lambda T, R, i, j: (
        torch.einsum("be,ebd->bd", one_hot(i[:LENGTH], ROWS).to(T), T[:, :, None] * R[0])
        * R[j[:LENGTH]]
    ).sum(1),
    "each its own table of compared": lambda T, R, i, j: (
        torch.einsum(
            "be,dbe->bd",
            (i[:LENGTH, None] == torch.arange(ROWS)).to(T),
            T.t() * R[0, :, None, None],
        )
        * R[j[:LENGTH]]
    ).sum(1),
    "matrices": lambda T, R, i, j: (
        torch.einsum("be,edf,bd->bf", one_hot(i, ROWS).to(T), T[:, :, None] * R[0], R[j]) + R[1]
    ),
    "matrices of compared": lambda T, R, i, j: (
        torch.einsum(
            "be,edf,bd->bf", (i[:, None] == torch.arange(ROWS)).to(T), T[:, :, None] * R[0], R[j]
        )
        + R[1]
    ),
    "bmm": lambda T, R, i, j: (
        torch.bmm(one_hot(i.view(-1, 3), ROWS).to(T), T.expand(100, -1, -1)).sum(1) + R[0]
    ),
    "numbers": lambda T, R, i, j: ((one_hot(i, ROWS).to(T.dtype) @ T[:, 0])[:, None] * R[j]).sum(1),
    "sums of numbers": lambda T, R, i, j: R[j, 0] @ one_hot(i, ROWS).to(T.dtype) + T[:, 0],
    "sums of numbers of compared": lambda T, R, i, j: (
        R[j, 0] @ (i[:, None] == torch.arange(ROWS)).double() + T[:, 0]
    ),
    "sums with weights": lambda T, R, i, j: (one_hot(i, ROWS) * R[j, 1:2]).T @ R[j] + T,
    "sums of bags": lambda T, R, i, j: (
        torch.einsum(
            "bkn,bkd,bk->dn",
            one_hot(i.view(-1, 3), ROWS).to(T),
            R[j.view(-1, 3)],
            R[j.view(-1, 3), 0],
        ).t()
        + T
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
    left = [name for name in remaining if "one_hot" in name or "class_" in name]
    # Statements compare places with no number of classes that only the run knows.
    assert not left or (spelling == "all numbers" and dynamic)


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


@pytest.mark.parametrize("name", [name for name in {**SPELLINGS, **BAGS} if "compared" in name])
def test_places_without_class(name: str) -> None:
    """What is compared with all classes, and is none, has zeros."""
    table, rows, i, j = given()
    i[3], i[9] = -1, ROWS
    spelling = {**SPELLINGS, **BAGS}[name]
    assert check_function(spelling, table, rows, i, j, dynamic=name in SPELLINGS).covered("")


@pytest.mark.parametrize("wrong", [-1, ROWS])
@pytest.mark.parametrize("name", ["weights", "added to zeros", "each its own table", "matrices"])
def test_wrong_places_of_letters(name: str, wrong: int) -> None:
    table, rows, i, j = given()
    i[7] = wrong
    with pytest.raises(RuntimeError):
        BAGS[name](table, rows, i, j)
    with pytest.raises(RuntimeError):
        compiled(BAGS[name], dynamic=False)(table, rows, i, j)


NO_ROWS: dict[str, Spelling] = {
    "weights of classes": lambda T, R, i, j: ((one_hot(i, ROWS) * T[:, 0]) @ T * R[j]).sum(1),
    "which classes bags have": lambda T, R, i, j: (
        one_hot(i.view(-1, 3), ROWS).sum(1).bool().double() @ T + R[0]
    ),
    "whole weights": lambda T, R, i, j: (
        (one_hot(i, ROWS) * R[j, :1] * 3).long().double() @ T * R[j]
    ).sum(1),
    "classes of the result": lambda T, R, i, j: (
        torch.einsum("be,ed->bed", one_hot(i, ROWS).to(T), T).sum(1) * R[j]
    ),
    "more places than classes": lambda T, R, i, j: (
        torch.zeros(3, ROWS, dtype=T.dtype).scatter_add(1, i.view(3, 100), R[j, 0].view(3, 100))
        @ T
        * R[j[:3]]
    ),
    "onto ones": lambda T, R, i, j: (
        torch.ones(100, ROWS, dtype=T.dtype).scatter_add(1, i.view(-1, 3), R[j, 0].view(-1, 3)) @ T
        + R[0]
    ),
    "written": lambda T, R, i, j: (
        torch.zeros(100, ROWS, dtype=T.dtype).scatter(1, i.view(-1, 3), R[j, 0].view(-1, 3)) @ T
        + R[0]
    ),
}


@pytest.mark.parametrize("name", NO_ROWS)
def test_what_is_no_product_of_one_hot_rows(name: str) -> None:
    heard = check_function(NO_ROWS[name], *given(), dynamic=False)
    assert not any(report.reordered for report in heard.reports)


@pytest.mark.parametrize("number", range(5))
def test_drawn_letters(number: int) -> None:
    """Products of one-hot rows and of what has any letters, as torch.einsum computes them."""
    draw = random.Random(f"{SEED} {number}")
    sizes = {"a": 4, "b": 3, "z": 5, "d": 6, "f": 2}
    shape = draw.choice(("a", "ab"))
    operands = [
        "".join(draw.sample("abzdf", draw.randint(1, 3))) for _ in range(draw.randint(1, 2))
    ]
    known = sorted(set(shape + "z").union(*operands))
    result = "".join(draw.sample(known, draw.randint(0, min(3, len(known)))))
    is_compared, has_weights, is_summed = (draw.random() < 0.5 for _ in range(3))
    generator = torch.Generator().manual_seed(number)
    places = torch.randint(5, [sizes[one] for one in shape], generator=generator)
    whole = torch.randn(places.shape, generator=generator, dtype=torch.float64)
    others = [
        torch.randn([sizes[one] for one in own], generator=generator, dtype=torch.float64)
        for own in operands
    ]

    def function(places: Tensor, whole: Tensor, *others: Tensor) -> Tensor:
        hot = (places[..., None] == torch.arange(5)) if is_compared else one_hot(places, 5)
        hot = hot * whole[..., None] if has_weights else hot.to(whole.dtype)
        own = shape + "z"
        if is_summed and len(shape) == 2:
            hot, own = hot.sum(1), "az"
        kept = "".join(one for one in result if one in own or any(one in of for of in operands))
        product = torch.einsum(f"{','.join((own, *operands))}->{kept}", hot, *others)
        return product * whole.sum()

    check_function(function, places, whole, *others, dynamic=draw.choice((False, True)))


def test_weights_that_change() -> None:
    """What is written to after the weights were taken is not in them."""

    def function(table: Tensor, weights: Tensor, i: Tensor) -> Tensor:
        own = weights * 1
        hot = one_hot(i, ROWS) * own[:, None]
        own.mul_(2)
        return (hot @ table * own[:, None]).sum(1)

    table, rows, i, j = given()
    run = compiled(function, dynamic=False)
    with torch.no_grad():
        torch.testing.assert_close(run(table, rows[j, 0], i), function(table, rows[j, 0], i))


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
