"""backend="ember": bags and lookups, one by one and side by side in one kernel.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import copy
from collections.abc import Callable, Sequence
from typing import Any

import ember
import pytest
import torch
import torch.nn.functional as functional
from compiled_models import check_function
from ember.torch.capture.backend import listening
from torch import Tensor, nn

ROWS, BAGS = (30, 7, 50), 6


pytestmark = pytest.mark.usefixtures("fresh_dynamo")


def compiled(function: Callable[..., Any]) -> Callable[..., Any]:
    return torch.compile(function, backend="ember", dynamic=True)


def kinds(function: Callable[..., Any], *arguments: Any) -> list[str]:
    """The kinds of kernels for the function, whose values are those of PyTorch."""
    with listening() as heard:
        result = compiled(function)(*arguments)
    torch.testing.assert_close(result, function(*arguments), equal_nan=True)
    parts = [part for report in heard.reports for part in report.compiled]
    assert not any(part.call.failed for part in parts), "PyTorch has computed it"
    return [part.kind for part in parts]


def check_gradients_of(
    leaves: Sequence[Tensor], function: Callable[..., Tensor], *arguments: Any
) -> None:
    """The gradients of the sum of what the function computes are eager's."""
    found, right = (
        torch.autograd.grad(run(*arguments).sum(), leaves) for run in (compiled(function), function)
    )
    torch.testing.assert_close(found, right)


class Inputs:
    """Indices and offsets for several tables, of bags of other sizes each."""

    def __init__(self, bags: int = BAGS, seed: int = 0, index: torch.dtype = torch.int64) -> None:
        draw = torch.Generator().manual_seed(seed)
        sizes = [torch.randint(0, 5, (bags,), generator=draw) for _ in ROWS]
        self.offsets = [(size.cumsum(0) - size).to(index) for size in sizes]
        self.indices = [
            torch.randint(0, rows, (int(size.sum()),), generator=draw).to(index)
            for rows, size in zip(ROWS, sizes, strict=True)
        ]
        self.equal = [torch.randint(0, rows, (bags, 3), generator=draw) for rows in ROWS]
        self.single = [torch.randint(0, rows, (bags,), generator=draw) for rows in ROWS]
        self.dense = torch.randn(bags, 5, generator=draw)


class Bags(nn.Module):
    """Several tables' bags, with their lengths, in modes."""

    def __init__(self, modes: tuple[str, ...] = ("sum", "mean", "sum"), **options: Any) -> None:
        super().__init__()
        self.bags = nn.ModuleList(
            nn.EmbeddingBag(rows, 4 * (k + 1), mode=mode, **options)
            for k, (rows, mode) in enumerate(zip(ROWS, modes, strict=True))
        )

    def forward(self, indices: list[Tensor], offsets: list[Tensor], dense: Tensor) -> Tensor:
        rows = [bag(*one) for bag, *one in zip(self.bags, indices, offsets, strict=True)]
        return torch.cat([dense, *rows], dim=1).relu()


@pytest.mark.parametrize(
    "modes", [("sum", "sum", "sum"), ("sum", "mean", "max")], ids=["sums", "mixed"]
)
@pytest.mark.parametrize("index", [torch.int64, torch.int32], ids=str)
def test_concatenated(modes: tuple[str, ...], index: torch.dtype) -> None:
    model, inputs = Bags(modes), Inputs(index=index)
    arguments = inputs.indices, inputs.offsets, inputs.dense
    assert kinds(model, *arguments) == ["bags"]
    run = compiled(model)
    for found, right in zip(
        torch.autograd.grad(run(*arguments).sum(), [*model.parameters()]),
        torch.autograd.grad(model(*arguments).sum(), [*model.parameters()]),
        strict=True,
    ):
        torch.testing.assert_close(found, right)


@pytest.mark.parametrize("dtype", [torch.float64, torch.float16, torch.bfloat16], ids=str)
def test_types(dtype: torch.dtype) -> None:
    model, inputs = Bags().to(dtype), Inputs()
    arguments = inputs.indices, inputs.offsets, inputs.dense.to(dtype)
    assert kinds(model, *arguments) == ["bags"]


def test_gradcheck() -> None:
    model, inputs = Bags().double(), Inputs()
    run = compiled(model)
    torch.autograd.gradcheck(
        lambda dense, *_: run(inputs.indices, inputs.offsets, dense),
        (inputs.dense.double().requires_grad_(), *model.parameters()),
        fast_mode=True,
    )


def test_batches_need_no_other_graph() -> None:
    model = Bags()
    with listening() as heard:
        run = compiled(model)
        # Sizes that are equal by chance, none, or one, are cases of their own for torch.compile.
        for bags in (16, 23, 17, 64):
            lookups = [bags * (k + 2) for k in range(len(ROWS))]
            indices = [
                torch.randint(0, rows, (count,)) for rows, count in zip(ROWS, lookups, strict=True)
            ]
            offsets = [torch.arange(0, count, count // bags) for count in lookups]
            arguments = indices, offsets, torch.randn(bags, 5)
            torch.testing.assert_close(run(*arguments), model(*arguments))
    assert len(heard.reports) == 1


def test_stacked_bags_of_equal_size() -> None:
    tables = [nn.Parameter(torch.randn(rows, 8)) for rows in ROWS]
    inputs = Inputs()

    def function(indices: list[Tensor]) -> Tensor:
        rows = [
            functional.embedding_bag(one, table, mode="mean")
            for one, table in zip(indices, tables, strict=True)
        ]
        return torch.stack(rows, dim=1)

    assert kinds(function, inputs.equal) == ["bags"]
    check_gradients_of(tables, function, inputs.equal)


def test_rows_and_reduced_rows() -> None:
    tables = [nn.Embedding(rows, 8) for rows in ROWS]
    inputs = Inputs()

    def function(single: list[Tensor], equal: list[Tensor]) -> Tensor:
        rows = [table(one) for table, one in zip(tables, single, strict=True)]
        rows += [
            tables[0](equal[0]).sum(1),
            tables[1].weight[equal[1]].mean(dim=1),
            tables[2](equal[2]).mean(-2),
        ]
        return torch.cat(rows, -1)

    assert kinds(function, inputs.single, inputs.equal) == ["bags"]
    weights = [table.weight for table in tables]
    check_gradients_of(weights, function, inputs.single, inputs.equal)


def test_sample_weights() -> None:
    tables = [nn.Parameter(torch.randn(rows, 8)) for rows in ROWS]
    inputs = Inputs()
    weights = [torch.rand(len(one), requires_grad=True) for one in inputs.indices]

    def function(indices: list[Tensor], offsets: list[Tensor], weights: list[Tensor]) -> Tensor:
        return torch.cat(
            [
                functional.embedding_bag(one, table, start, mode="sum", per_sample_weights=weight)
                for one, start, table, weight in zip(indices, offsets, tables, weights, strict=True)
            ],
            dim=1,
        )

    arguments = inputs.indices, inputs.offsets, weights
    assert kinds(function, *arguments) == ["bags"]
    check_gradients_of([*tables, *weights], function, *arguments)


def test_bag_with_other_uses_stays_one() -> None:
    tables = [nn.Parameter(torch.randn(rows, 8)) for rows in ROWS]
    inputs = Inputs()

    def function(indices: list[Tensor]) -> Tensor:
        rows = [
            functional.embedding_bag(one, table, mode="sum")
            for one, table in zip(indices, tables, strict=True)
        ]
        return torch.cat(rows, 1) + rows[0].sum()

    assert sorted(kinds(function, inputs.equal)) == ["bag", "bags"]


@pytest.mark.parametrize(
    ("modes", "options"),
    [
        (("sum", "mean", "sum"), {"padding_idx": 0}),
        (("mean", "mean", "mean"), {"padding_idx": 2}),
        (("sum", "max", "mean"), {"padding_idx": 1}),
    ],
    ids=str,
)
@pytest.mark.parametrize("equal", [False, True], ids=["offsets", "equal"])
def test_padding(modes: tuple[str, ...], options: dict[str, Any], equal: bool) -> None:
    model, inputs = Bags(modes, **options), Inputs()
    # Bags of nothing but padding, too.
    for one in (*inputs.indices, *inputs.equal):
        one[: len(one) // 2] = options["padding_idx"]
    arguments = inputs.indices, inputs.offsets, inputs.dense
    if equal:
        arguments = inputs.equal, [None] * len(ROWS), inputs.dense  # type: ignore[assignment]
    assert kinds(model, *arguments) == ["bags"]
    if "max" in modes:
        return
    run = compiled(model)
    for found, right in zip(
        torch.autograd.grad(run(*arguments).sum(), [*model.parameters()]),
        torch.autograd.grad(model(*arguments).sum(), [*model.parameters()]),
        strict=True,
    ):
        torch.testing.assert_close(found, right)


def test_options_that_are_arguments_are_fixed() -> None:
    inputs, table = Inputs(), torch.randn(ROWS[0], 8)
    indices, offsets = inputs.indices[0], inputs.offsets[0]

    def bags(padding: int, indices: Tensor, offsets: Tensor) -> Tensor:
        return functional.embedding_bag(indices, table, offsets, padding_idx=padding)

    run = compiled(bags)
    for padding in (3, 4):
        with listening() as heard:
            result = run(padding, indices, offsets)
        torch.testing.assert_close(result, bags(padding, indices, offsets))
        # Another number needs another kernel.
        assert [part.kind for report in heard.reports for part in report.compiled] == ["bag"]


def test_max_norm_changes_the_table() -> None:
    bag = nn.EmbeddingBag(30, 8, mode="sum", max_norm=1.0)
    twin = copy.deepcopy(bag)
    indices = torch.randint(0, 30, (4, 3))
    assert kinds(bag, indices) == ["bag"]
    torch.testing.assert_close(bag.weight, (twin(indices), twin.weight)[1])


def test_max_norm_stands_in_the_way() -> None:
    """A lookup that would be read after the table has changed."""
    table = torch.randn(30, 8) * 9

    def function(indices: Tensor) -> Tensor:
        rows = functional.embedding(indices, table)
        bags = functional.embedding_bag(indices, table, mode="sum", max_norm=1.0)
        return rows.sum(1) + bags

    before, indices = table.clone(), torch.randint(0, 30, (4, 3))
    result = compiled(function)(indices)
    table.copy_(before)
    torch.testing.assert_close(result, function(indices))


@pytest.mark.parametrize(
    "function",
    [
        lambda table, indices: functional.embedding(indices, table).sum(1),
        lambda table, indices: functional.embedding(indices, table).mean(dim=-2),
        lambda table, indices: functional.embedding(indices, table).amax(1),
        lambda table, indices: functional.embedding(indices, table).max(dim=1)[0],
        lambda table, indices: functional.embedding(indices, table, padding_idx=2).sum(1),
        lambda table, indices: functional.embedding_bag(indices, table, mode="max"),
    ],
)
@pytest.mark.parametrize("lookups", [3, 0])
def test_reduced_rows(function: Callable[..., Tensor], lookups: int) -> None:
    table = torch.randn(30, 8, dtype=torch.float64, requires_grad=True)
    indices = torch.randint(0, 30, (5, lookups))
    run = compiled(function)
    try:
        expected = function(table, indices)
    except (RuntimeError, IndexError) as error:
        with pytest.raises((type(error), torch._dynamo.exc.TorchRuntimeError)):
            run(table, indices)
        return
    torch.testing.assert_close(run(table, indices), expected, equal_nan=True)
    assert kinds(function, table.detach(), indices) == ["bag"]
    gradients = [torch.autograd.grad(one(table, indices).sum(), table) for one in (run, function)]
    torch.testing.assert_close(*gradients, equal_nan=True)


# Padded histories: the rows of what a user has seen, and a mask (bags, lookups, 1) for its places.
HISTORIES: dict[str, Callable[[Tensor, Tensor, Tensor], Tensor]] = {
    "floats": lambda rows, mask, _: (rows * mask.float()).sum(1) / mask.float().sum(1),
    "used_twice": lambda rows, mask, _: (lambda m: (m * rows).sum(1) / m.sum(1).clamp(min=1))(
        mask.to(rows.dtype)
    ),
    "mask": lambda rows, mask, _: (rows * mask).sum(1),
    "mask_of_two": lambda rows, mask, _: (rows * mask[..., 0].unsqueeze(2)).sum(1),
    "whole_numbers": lambda rows, mask, _: (rows * mask.long()).sum(dim=1),
    "weights": lambda rows, _, weights: (rows * weights).sum(-2),
}


@pytest.mark.parametrize("name", HISTORIES)
def test_masked_histories(name: str) -> None:
    table = torch.randn(20, 8, requires_grad=True)

    def function(indices: Tensor, weights: Tensor) -> Tensor:
        rows = functional.embedding(indices, table)
        return HISTORIES[name](rows, (indices > 4).unsqueeze(-1), weights)

    indices = torch.randint(1, 20, (5, 6))
    indices[:, 0] = 7
    weights = torch.randn(5, 6, 1, requires_grad=True)
    assert kinds(function, indices, weights) == ["bag"]
    wanted = [table, weights] if name == "weights" else [table]
    run = compiled(function)
    for found, right in zip(
        torch.autograd.grad(run(indices, weights).sin().sum(), wanted),
        torch.autograd.grad(function(indices, weights).sin().sum(), wanted),
        strict=True,
    ):
        torch.testing.assert_close(found, right)
    with torch.no_grad():
        for batch in (indices, indices.flip(0), indices[1:], indices):
            given = torch.randn(len(batch), 6, 1)
            torch.testing.assert_close(run(batch, given), function(batch, given))
    with pytest.raises(IndexError):
        run(indices + 20, weights)
    with ember.disabled():
        torch.testing.assert_close(run(indices, weights), function(indices, weights))


def test_factors_that_are_no_weights() -> None:
    """A factor for a whole row, or for elements."""
    table, indices = torch.randn(20, 8), torch.randint(20, (5, 6))

    def rows(factor: Tensor) -> Callable[[Tensor], Tensor]:
        return lambda indices: (functional.embedding(indices, table) * factor).sum(1)

    assert "bag" not in kinds(rows(torch.randn(6, 1)), indices)
    assert "bag" not in kinds(rows(torch.randn(5, 1, 1)), indices)
    assert "bag" not in kinds(rows(torch.randn(5, 6, 8)), indices)
    assert "bag" not in kinds(rows(torch.randn(5, 6, 1).double()), indices)


def test_columns_of_a_batch() -> None:
    """Each table's indices are a column of one tensor, of another layout in every call."""
    tables = [torch.randn(rows, 8) for rows in ROWS]
    bag = nn.EmbeddingBag(9, 4, mode="sum", include_last_offset=True)

    def function(batch: Tensor, words: Tensor, ends: Tensor) -> Tensor:
        rows = [functional.embedding(batch[:, k], table) for k, table in enumerate(tables)]
        return torch.cat([*rows, bag(words, ends)], 1)

    with torch.no_grad(), listening() as heard:
        run = compiled(function)
        for bags in (4, 3):
            draw = torch.randint(7, (len(ROWS), bags))
            words, ends = torch.randint(9, (18,)), torch.arange(0, 2 * bags + 1, 2)
            for batch in (draw.t(), draw.t().contiguous(), torch.cat([draw, draw]).t()):
                for given in (words, words[::2]):
                    torch.testing.assert_close(
                        run(batch, given, ends), function(batch, given, ends)
                    )
        call = heard.reports[0].compiled[0].call
        assert call.kernels()
        call.reference = None  # type: ignore[assignment]
        torch.testing.assert_close(run(batch, words, ends), function(batch, words, ends))
    assert [part.kind for part in heard.reports[0].compiled] == ["bags"]
    batch[2, 1] = 7
    with pytest.raises(IndexError, match=r"index 7 at position 2 of .* size 7"):
        run(batch, words, ends)


@pytest.mark.parametrize("index", [torch.int32, torch.int64])
@pytest.mark.parametrize("value", [torch.float64, torch.float32, torch.float16, torch.bfloat16])
def test_rows_beside_bags(value: torch.dtype, index: torch.dtype) -> None:
    """One row for each example, as of a user's number, between bags; kept bit for bit."""
    inputs = Inputs()
    tables = [torch.randn(rows, 8).to(value) for rows in ROWS]
    bag, rows, others = inputs.equal[0], *(one.to(index) for one in inputs.single[1:])

    def side_by_side(bag: Tensor, rows: Tensor, others: Tensor) -> Tensor:
        return torch.cat(
            [
                functional.embedding(rows, tables[1]),
                functional.embedding_bag(bag, tables[0], mode="max"),
                functional.embedding(others, tables[2]),
            ],
            1,
        )

    assert kinds(side_by_side, bag, rows, others) == ["bags"]
    found, expected = (run(bag, rows, others) for run in (compiled(side_by_side), side_by_side))
    torch.testing.assert_close(found, expected, rtol=0, atol=0)
    others = others.clone()
    others[2] = ROWS[2]
    with pytest.raises(IndexError, match=f"index {ROWS[2]} at position 2"):
        compiled(side_by_side)(bag, rows, others)


@pytest.mark.parametrize("place", range(3))
@pytest.mark.parametrize("value", [float("nan"), float("inf"), -float("inf")])
def test_maximum_of_rows_with_special_values(place: int, value: float) -> None:
    table, indices = torch.randn(30, 8), torch.arange(15).view(5, 3)
    table[indices[2, place], 4] = value
    for function in (
        lambda: functional.embedding(indices, table).amax(1),
        lambda: functional.embedding(indices, table).max(1)[0],
        lambda: torch.cat([functional.embedding(indices, table).amax(1)] * 2, 1),
    ):
        torch.testing.assert_close(compiled(function)(), function(), equal_nan=True)


def test_result_of_another_type() -> None:
    table, indices = torch.randn(30, 8), torch.randint(0, 30, (5, 3))

    def function(indices: Tensor) -> Tensor:
        rows = functional.embedding(indices, table)
        return rows.sum(1, dtype=torch.float64)

    assert kinds(function, indices) == []
    assert kinds(lambda: torch.cat([function(indices), function(indices + 0)], 1)) == []


@pytest.mark.parametrize("table", range(3))
def test_index_out_of_range(table: int) -> None:
    model, inputs = Bags(), Inputs()
    inputs.indices[table][-1] = ROWS[table]
    arguments = inputs.indices, inputs.offsets, inputs.dense
    with pytest.raises((IndexError, RuntimeError)) as eager:
        model(*arguments)
    with pytest.raises(eager.type, match=rf"index {ROWS[table]} .*self\.bags\.{table}\.weight"):
        compiled(model)(*arguments)


@pytest.mark.parametrize(
    ("place", "offset", "message"),
    [
        (0, 1, "the first one has to be 0, but is 1"),
        (3, -1, "they decrease, from [0-9]+ at 2 to -1"),
        (BAGS - 1, 90, "the last one is 90, past the [0-9]+ indices"),
    ],
)
def test_wrong_offsets(place: int, offset: int, message: str) -> None:
    """PyTorch has an error for some, and reads beside the indices by others."""
    model, inputs = Bags(), Inputs()
    inputs.offsets[1][place] = offset
    run = compiled(model)
    for gradients in (True, False):
        with torch.set_grad_enabled(gradients), pytest.raises(ember.OffsetsError, match=message):
            run(inputs.indices, inputs.offsets, inputs.dense)
    assert issubclass(ember.OffsetsError, RuntimeError)


@pytest.mark.parametrize("options", [{}, {"padding_idx": 0}, {"padding_idx": -2}], ids=str)
@pytest.mark.parametrize("mode", ["sum", "mean", "max"])
def test_exported_programs(mode: str, options: dict[str, Any]) -> None:
    """torch.export writes operators that have the bags as the first of four results."""
    bag, indices = nn.EmbeddingBag(30, 8, mode=mode, **options), torch.randint(0, 30, (5, 4))
    exported = torch.export.export(bag, (indices,)).module()
    assert kinds(exported, indices) == ["bag"]
    torch.testing.assert_close(compiled(exported)(indices), bag(indices))


def test_exported_tables_side_by_side() -> None:
    model, inputs = Bags(), Inputs()
    arguments = inputs.indices, inputs.offsets, inputs.dense
    exported = torch.export.export(model, arguments).module()
    assert kinds(exported, *arguments) == ["bags"]
    torch.testing.assert_close(compiled(exported)(*arguments), model(*arguments))


def beside(one: Tensor, other: Tensor, indices: Tensor, given: Tensor) -> Tensor:
    first, second = (functional.embedding_bag(indices, table) for table in (one, other))
    return torch.cat([given, first, second, given], 1)


def tables_beside(bags: int) -> tuple[Tensor, Tensor, Tensor]:
    return torch.randn(9, 5), torch.randn(9, 3), torch.randint(9, (bags, 4))


def test_columns_beside_tables() -> None:
    """What is no table's is copied by the kernel, wherever it lies, and has gradients."""
    run = compiled(beside)
    for given in (torch.randn(6, 7), torch.randn(7, 6).t(), torch.randn(6, 20)[:, 3:10]):
        arguments = (*tables_beside(6), given)
        assert kinds(beside, *arguments) == ["bags"]
        for _ in range(3):
            torch.testing.assert_close(run(*arguments), beside(*arguments))
        wanted = [one.requires_grad_() for one in (*arguments[:2], given.detach())]
        arguments = (*wanted[:2], arguments[2], wanted[2])
        for found, right in zip(
            torch.autograd.grad(run(*arguments).sin().sum(), wanted),
            torch.autograd.grad(beside(*arguments).sin().sum(), wanted),
            strict=True,
        ):
            torch.testing.assert_close(found, right)


def test_other_rows_beside_tables() -> None:
    """More or fewer of them than bags are PyTorch's error, in calls that are repeated, too."""
    run = compiled(beside)
    *tables, given = (*tables_beside(6), torch.randn(6, 7))
    for _ in range(3):
        run(*tables, given)
    for rows in (5, 8):
        with pytest.raises(RuntimeError) as eager:
            beside(*tables, torch.randn(rows, 7))
        with pytest.raises(eager.type):
            run(*tables, torch.randn(rows, 7))


# Of rows that are looked up by a column of indices each, and others.
BESIDE: dict[str, Callable[[Tensor, Tensor, Tensor, Tensor], Tensor]] = {
    "cat": lambda T, U, i, d: torch.cat([T[i[:, 0]], U[i[:, 1]], d], dim=-1),
    "concat": lambda T, U, i, d: torch.concat((U[i[:, 0],], d, T[i[:, 1]]), axis=1),
    "index_select": lambda T, U, i, d: torch.cat(
        [one.index_select(0, at) for one, at in zip((T, U), i.unbind(1), strict=True)] + [d], 1
    ),
    "hstack": lambda T, U, i, d: torch.hstack([d, functional.embedding(i[:, 0], T), U[i[:, 1]]]),
    "column_stack": lambda T, U, i, d: torch.column_stack([T[i[:, 0]], U[i[:, 1]], d]),
    "nested": lambda T, U, i, d: torch.cat([torch.cat([T[i[:, 0]], U[i[:, 1]]], 1), d], 1),
    "with a bag": lambda T, U, i, d: torch.hstack([functional.embedding_bag(i, T), d, U[i[:, 1]]]),
}


@pytest.mark.parametrize("name", BESIDE)
def test_spellings_of_rows_side_by_side(name: str) -> None:
    draw = torch.Generator().manual_seed(1)
    indices = torch.randint(7, (30, 2), generator=draw)
    others = [torch.randn(rows, 6, generator=draw) for rows in (7, 9, 30)]
    heard = check_function(BESIDE[name], *others[:2], indices, others[2])
    assert heard.kinds() == {"bags"}
    assert len(heard.reports[0].compiled) == 1
    assert not any("cat" in one or "stack" in one for one in heard.reports[0].remaining)


def test_what_is_no_row_beside_others() -> None:
    """Rows by a mask, or by a list, of more dimensions; stacks of rows that lie side by side."""

    def function(T: Tensor, indices: Tensor, mask: Tensor) -> Tensor:
        i, j = indices
        pairs = [torch.cat([T[one], T[two]], 1) for one, two in ((i, j), (j, i))]
        stacked = torch.stack(pairs, 1).flatten(1)
        blocks = torch.stack([T.view(7, 2, 3)[i], T.view(7, 2, 3)[j]], 1).flatten(1)
        return torch.cat([stacked, blocks, T[mask], T[[2]].expand(5, 6)], 1)

    draw = torch.Generator().manual_seed(1)
    table, indices = torch.randn(7, 6, generator=draw), torch.randint(7, (2, 5), generator=draw)
    mask = torch.tensor([1, 1, 0, 1, 1, 0, 1]).bool()
    torch.testing.assert_close(
        compiled(function)(table, indices, mask), function(table, indices, mask)
    )


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float64, torch.int64])
@pytest.mark.parametrize("doubles", [False, True])
def test_weights_of_another_type(dtype: torch.dtype, doubles: bool) -> None:
    def function(table: Tensor, indices: Tensor, offsets: Tensor, weights: Tensor) -> Tensor:
        bags = functional.embedding_bag(
            indices, table, offsets, mode="sum", per_sample_weights=weights
        )
        return bags * 2 if doubles else bags

    arguments = torch.randn(7, 4), torch.tensor([1, 2, 3]), torch.tensor([0, 2]), torch.ones(3)
    run = compiled(function)
    torch.testing.assert_close(run(*arguments), function(*arguments))
    for one in (function, run):
        with pytest.raises(RuntimeError, match="same type"):
            one(*arguments[:3], arguments[3].to(dtype))
