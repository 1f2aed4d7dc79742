"""backend="ember": gathers of blocks, and products with them, as block-sparse attention has them.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from collections.abc import Callable
from typing import Any

import ember
import pytest
import torch
from compiled_models import Heard, check_function, compiled
from ember.errors import IndexOutOfRangeError
from ember.torch.capture.backend import listening
from torch import Tensor

HEADS, BLOCKS, SIZE, LENGTH, WINDOWS, EACH = 3, 6, 4, 8, 5, 2

Function = Callable[..., Any]


pytestmark = pytest.mark.usefixtures("fresh_dynamo")


def randn(*sizes: int, dtype: torch.dtype = torch.float32) -> Tensor:
    draw = torch.Generator().manual_seed(sum(sizes))
    return torch.randn(*sizes, generator=draw, dtype=torch.float64).to(dtype)


def keys(batch: int = 2, dtype: torch.dtype = torch.float32) -> Tensor:
    """Rows of all tokens in all heads, cut from the columns of one matrix."""
    return randn(batch, BLOCKS * SIZE, HEADS, LENGTH, dtype=dtype).transpose(1, 2)


def queries(batch: int = 2, rows: int = SIZE, dtype: torch.dtype = torch.float32) -> Tensor:
    return randn(batch, HEADS, WINDOWS, rows, LENGTH, dtype=dtype)


def weights(batch: int = 2, dtype: torch.dtype = torch.float32) -> Tensor:
    return randn(batch, HEADS, WINDOWS, SIZE, EACH * SIZE, dtype=dtype)


def numbers(batch: int = 2, each: int = EACH, dtype: torch.dtype = torch.int64) -> Tensor:
    draw = torch.Generator().manual_seed(batch)
    shape = (batch, HEADS, WINDOWS, each)
    return torch.randint(BLOCKS, shape, generator=draw).to(dtype)


def blocked(rows: Tensor) -> Tensor:
    return rows.view(rows.shape[0], HEADS, BLOCKS, SIZE, LENGTH)


# Ways to gather blocks (batch, heads, windows, blocks of a window, rows, length).


def by_gather(rows: Tensor, index: Tensor) -> Tensor:
    flat = index.reshape(*index.shape[:2], -1)[..., None, None]
    found = torch.gather(blocked(rows), 2, flat.expand(-1, -1, -1, SIZE, LENGTH))
    return found.view(*index.shape, SIZE, LENGTH)


def by_take(rows: Tensor, index: Tensor) -> Tensor:
    flat = index.reshape(*index.shape[:2], -1, 1, 1)
    found = torch.take_along_dim(blocked(rows), flat, 2)
    return found.view(*index.shape, SIZE, LENGTH)


def by_pairs(rows: Tensor, index: Tensor) -> Tensor:
    batches = torch.arange(rows.shape[0])[:, None, None, None]
    heads = torch.arange(HEADS).view(-1, 1, 1)
    return blocked(rows)[batches, heads, index]


def by_index(rows: Tensor, index: Tensor) -> Tensor:
    return blocked(rows)[:, :, index[0, 0]]


def by_last(rows: Tensor, index: Tensor) -> Tensor:
    return blocked(rows)[..., index[0, 0], :, :]


WAYS = [by_gather, by_take, by_pairs, by_index, by_last]


def flat(gathered: Tensor) -> Tensor:
    """All rows of a window's blocks."""
    return gathered.flatten(3, 4)


# Products with what is gathered in one of these ways.


def scores(way: Function) -> Function:
    return lambda k, i, q: torch.matmul(q, flat(way(k, i)).transpose(-1, -2))


def scores_by_letters(way: Function) -> Function:
    return lambda k, i, q: torch.einsum("bhwqd,bhwktd->bhwqkt", q, way(k, i))


def joined_scores_by_letters(way: Function) -> Function:
    return lambda k, i, q: torch.einsum("bhwkd, bhwqd -> bhwqk", flat(way(k, i)), q)


def values(way: Function) -> Function:
    return lambda v, i, p: p @ flat(way(v, i))


def values_by_letters(way: Function) -> Function:
    return lambda v, i, p: torch.einsum(
        "bhwqkt,bhwktd->bhwqd", p.unflatten(-1, (EACH, SIZE)), way(v, i)
    )


SCORES = [scores, scores_by_letters, joined_scores_by_letters]
VALUES = [values, values_by_letters]


def kinds(heard: Heard) -> list[str]:
    """Of all regions, in order."""
    return [part.kind for report in heard.reports for part in report.compiled]


@pytest.mark.parametrize("dynamic", [False, True], ids=["static", "dynamic"])
@pytest.mark.parametrize("way", WAYS)
def test_gathers(way: Function, dynamic: bool) -> None:
    heard = check_function(lambda k, i: way(k, i) * 2, keys(), numbers(), dynamic=dynamic)
    assert kinds(heard) == ["rows"]


@pytest.mark.parametrize("dynamic", [False, True], ids=["static", "dynamic"])
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("product", SCORES)
def test_scores(product: Function, way: Function, dynamic: bool) -> None:
    heard = check_function(product(way), keys(), numbers(), queries(), dynamic=dynamic)
    assert kinds(heard) == ["statements"]


@pytest.mark.parametrize("dynamic", [False, True], ids=["static", "dynamic"])
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("product", VALUES)
def test_values(product: Function, way: Function, dynamic: bool) -> None:
    heard = check_function(product(way), keys(), numbers(), weights(), dynamic=dynamic)
    assert kinds(heard) == ["statements"]


@pytest.mark.parametrize("dtype", [torch.float64, torch.float16, torch.bfloat16])
def test_types(dtype: torch.dtype) -> None:
    fused = dtype == torch.float64
    # Gradients of half types are sums in another order.
    tolerance = {} if fused else {"rtol": 2e-2, "atol": 2e-2}
    given = keys(dtype=dtype), numbers()
    assert kinds(check_function(lambda k, i: by_gather(k, i) * 2, *given)) == ["rows"]
    heard = check_function(scores(by_gather), *given, queries(dtype=dtype), **tolerance)
    assert kinds(heard) == ["statements" if fused else "rows"]
    heard = check_function(values(by_gather), *given, weights(dtype=dtype), **tolerance)
    assert kinds(heard) == ["statements" if fused else "rows"]


@pytest.mark.parametrize("dtype", [torch.int64, torch.int32])
def test_integers(dtype: torch.dtype) -> None:
    given = torch.arange(keys().numel(), dtype=dtype).view_as(keys()), numbers()
    run = compiled(by_gather, dynamic=False)
    with listening() as heard:
        assert torch.equal(run(*given), by_gather(*given))
    assert kinds(Heard(heard.reports)) == ["rows"]


def test_groups_of_other_sizes() -> None:
    """Of fewer heads than there are, and in the next call of all: one graph for both."""

    def function(k: Tensor, i: Tensor) -> Tensor:
        return torch.gather(k, 1, i[:, :, None, None].expand(-1, -1, SIZE, LENGTH))

    run = compiled(function, dynamic=True)
    k, i = randn(9, BLOCKS, SIZE, LENGTH), numbers(9).flatten(1)
    for first in (9, 7):
        torch.testing.assert_close(run(k, i[:first]), function(k, i[:first]))


def test_narrow_numbers() -> None:
    index = numbers(dtype=torch.int32)
    assert kinds(check_function(values(by_pairs), keys(), index, weights())) == ["statements"]


def test_rows_of_each_batch() -> None:
    """Blocks of one row: what a mask of blocks is gathered by."""

    def function(mask: Tensor, index: Tensor) -> Tensor:
        places = index.flatten(1).unsqueeze(-1).expand(-1, -1, SIZE)
        return torch.gather(mask, 1, places).view(*index.shape[:3], -1).exp()

    assert kinds(check_function(function, randn(2, BLOCKS, SIZE), numbers())) == ["rows"]


def test_one_matrix_of_blocks() -> None:
    """Heads and batches counted into the numbers of the blocks, and torch.bmm."""

    def function(k: Tensor, i: Tensor, q: Tensor) -> Tensor:
        gathered = k.reshape(-1, SIZE, LENGTH)[i].view(len(i), -1, LENGTH)
        return torch.bmm(q, gathered.transpose(1, 2))

    index = torch.randint(24, (7, EACH), generator=torch.Generator().manual_seed(0))
    heard = check_function(function, keys(), index, randn(7, SIZE, LENGTH))
    assert kinds(heard) == ["statements"]


def attention(k: Tensor, v: Tensor, i: Tensor, q: Tensor) -> Tensor:
    """Windows apart, with the first, last and own blocks beside the gathered ones."""
    gathered = [flat(by_gather(one, i)) for one in (k, v)]
    inner, edge = [], []
    for one, rows in zip(gathered, (blocked(k), blocked(v)), strict=True):
        sides = [rows[:, :, :-3], rows[:, :, 1:-2], one[:, :, 1:4]]
        inner.append(torch.cat(sides, dim=3))
        edge.append(torch.cat([rows[:, :, 0], rows[:, :, -1], one[:, :, 0]], dim=2))
    found = []
    for (keys, values), rows in ((inner, q[:, :, 1:4]), (edge, q[:, :, 0])):
        weights = torch.matmul(rows, keys.transpose(-1, -2)).mul(0.5).softmax(-1)
        found.append(torch.matmul(weights, values))
    return found[0] + found[1].unsqueeze(2)


# Of a table, lists of its rows, and one place in each list.
OF_LISTS: dict[str, Function] = {
    "index": lambda T, i, at: T[i][torch.arange(i.shape[0]), at],
    "gather": lambda T, i, at: torch.nn.functional.embedding(i, T).gather(
        1, at[:, None, None].expand(-1, 1, LENGTH)
    )[:, 0],
    "take_along_dim": lambda T, i, at: torch.take_along_dim(T[i], at.view(-1, 1, 1), 1)[:, 0] * 2,
}


@pytest.mark.parametrize(
    ("name", "first"), [("index", 0), ("index", -1), ("gather", 0), ("take_along_dim", -1)]
)
def test_rows_of_lists_that_are_looked_up(name: str, first: int) -> None:
    """Those alone are looked up that are asked for, and the last ones by numbers from the end."""
    table, index = randn(20, LENGTH), torch.arange(60).view(12, 5) * 7 % 20
    function, places = OF_LISTS[name], torch.arange(12) % 5 + first
    heard = check_function(function, table, index, places)
    assert heard.covered("rows") >= 2
    assert not heard.left()
    with pytest.raises(IndexError):
        compiled(OF_LISTS["index"])(table, index, places + 4)


@pytest.mark.parametrize("dynamic", [False, True], ids=["static", "dynamic"])
def test_windows_of_gathered_and_other_blocks(dynamic: bool) -> None:
    heard = check_function(attention, keys(), keys() * 2, numbers(), queries(), dynamic=dynamic)
    assert set(kinds(heard)) == {"statements"}
    assert not heard.left()
    (graph,) = ember.explain(
        attention, keys(), keys() * 2, numbers(), queries(), dynamic=dynamic
    ).graphs
    assert not {"gather", "cat"} & set(graph.others)


def test_blocks_beside_gathered_ones() -> None:
    """Without a product they are gathered into one tensor."""

    def function(k: Tensor, i: Tensor) -> Tensor:
        return torch.cat([blocked(k)[:, :, -2], flat(by_gather(k, i))[:, :, 1]], 2).exp()

    heard = check_function(function, keys(), numbers())
    assert kinds(heard) == ["rows"]
    assert heard.covered("rows") >= 3


def test_what_is_read_twice() -> None:
    """Blocks that are read twice are not gathered for either."""

    def function(k: Tensor, i: Tensor, q: Tensor) -> Tensor:
        gathered = flat(by_gather(k, i))
        return torch.matmul(q, gathered.transpose(-1, -2)) + gathered.mean()

    assert kinds(check_function(function, keys(), numbers(), queries())) == ["statements"]


@pytest.mark.parametrize("rows", [1, 24, 25, 40])
@pytest.mark.parametrize("dynamic", [False, True], ids=["static", "dynamic"])
def test_queries(rows: int, dynamic: bool) -> None:
    """Products with more rows than pay are PyTorch's."""
    heard = check_function(
        scores(by_gather), keys(), numbers(), queries(rows=rows), dynamic=dynamic
    )
    assert kinds(heard) == ["statements" if rows <= 24 else "rows"]


def test_batches_of_all_sizes() -> None:
    run = compiled(scores(by_gather), dynamic=True)
    with listening() as heard:
        for batch in (2, 7, 11, 9):
            given = keys(batch), numbers(batch), queries(batch)
            torch.testing.assert_close(run(*given), scores(by_gather)(*given))
    # As many batches as blocks of a window were a coincidence.
    assert kinds(Heard(heard.reports)) == ["statements"] * 2


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(("batch", "each"), [(0, 2), (2, 0)])
def test_nothing_to_gather(way: Function, batch: int, each: int) -> None:
    if not batch and way is not by_pairs:
        pytest.skip("PyTorch does not know the size that it is to find")
    given = keys(batch), numbers(batch, each), queries(batch)
    run, eager = compiled(scores_by_letters(way), dynamic=False), scores_by_letters(way)
    torch.testing.assert_close(run(*given), eager(*given))


@pytest.mark.parametrize("product", [scores, lambda way: lambda k, i, q: way(k, i) * 2])
@pytest.mark.parametrize("wrong", [-BLOCKS - 1, BLOCKS, 1 << 62])
@pytest.mark.parametrize("way", WAYS)
def test_wrong_numbers(way: Function, wrong: int, product: Function) -> None:
    index = numbers()
    index[0, 0, 1, 1] = wrong
    given = keys(), index, queries()
    if way is by_take:
        # It takes what is left of numbers when they are divided by that of all blocks.
        torch.testing.assert_close(compiled(product(way))(*given), product(way)(*given))
        return
    with pytest.raises(IndexOutOfRangeError, match=str(wrong)):
        compiled(product(way), dynamic=False)(*given)


@pytest.mark.parametrize("product", [scores, lambda way: lambda k, i, q: way(k, i) * 2])
def test_numbers_from_the_end(product: Function) -> None:
    """PyTorch lets indices, unlike those of gather, be negative."""
    index = numbers() - BLOCKS
    for way in (by_pairs, by_index):
        torch._dynamo.reset()
        run = compiled(product(way), dynamic=False)
        outcomes = []
        for each in (run, product(way)):
            k = keys().requires_grad_()
            result = each(k, index, queries())
            result.square().sum().backward()
            outcomes.append((result, k.grad))
        torch.testing.assert_close(*outcomes)


def test_second_derivatives() -> None:
    given = [
        keys(1, torch.float64).requires_grad_(),
        queries(1, dtype=torch.float64).requires_grad_(),
    ]
    run = compiled(lambda k, q: scores(by_gather)(k, numbers(1), q), dynamic=False)
    assert torch.autograd.gradcheck(run, given, fast_mode=True)
    assert torch.autograd.gradgradcheck(run, given, fast_mode=True)


def selected(k: Tensor, i: Tensor, q: Tensor) -> Tensor:
    windows, each = i.shape[2:]
    gathered = blocked(k).index_select(2, i[0, 0].flatten())
    gathered = gathered.view(len(k), HEADS, windows, each * SIZE, LENGTH)
    return torch.matmul(q, gathered.transpose(-1, -2))


def test_selected_blocks() -> None:
    """PyTorch's index_select is as fast; a product behind it reads the blocks where they are."""
    for each in (EACH, 256):
        given = keys(), numbers(2, each), queries()
        heard = check_function(selected, *given, dynamic=False, rtol=1e-4, atol=1e-4)
        assert kinds(heard) == ["statements"]


def left(function: Function, *arguments: Any) -> list[str]:
    """Why there is no kernel for the function, whose values are those of PyTorch."""
    with listening() as heard:
        result = compiled(function, dynamic=False)(*arguments)
    torch.testing.assert_close(result, function(*arguments))
    assert not any(report.compiled for report in heard.reports)
    return [one.reason for report in heard.reports for one in report.left]


def test_selected_blocks_alone() -> None:
    reasons = left(lambda k, i: blocked(k).index_select(2, i), keys(), torch.tensor([3, 1]))
    assert reasons == ["PyTorch copies whole blocks as fast; no product with few rows follows"]


def test_changed_in_between() -> None:
    def function(k: Tensor, i: Tensor, q: Tensor) -> Tensor:
        k = k.clone()
        gathered = flat(by_gather(k, i))
        k.mul_(2)
        return torch.matmul(q, gathered.transpose(-1, -2)) + k.mean()

    given = keys().contiguous(), numbers(), queries()
    with listening() as heard:
        torch.testing.assert_close(compiled(function, dynamic=False)(*given), function(*given))
    found = Heard(heard.reports)
    # What is looked up before is not read again behind the change.
    assert kinds(found) == ["rows"]
    assert "changes a tensor in place between its operations" in found.left()[0]


def test_changed_before() -> None:
    """What is changed before a factor is computed from it is none of the product's inputs."""

    def function(k: Tensor, i: Tensor, q: Tensor) -> Tensor:
        gathered = flat(by_gather(k, i))
        rows = q * 2
        rows += 1
        return torch.matmul(rows, gathered.transpose(-1, -2))

    assert kinds(check_function(function, keys(), numbers(), queries())) == ["statements"]


@pytest.mark.parametrize(
    "function",
    [
        lambda k, i: torch.gather(blocked(k), 2, i[:, :, :2, :, None].expand(-1, -1, -1, -1, 3)),
        lambda k, i: torch.gather(blocked(k)[..., 0, 0], 2, i.flatten(2)),
        lambda k, i: torch.take_along_dim(blocked(k), i.reshape(2, HEADS, 10, 1, 1), 2)[0, 0, 0],
        lambda k, i: blocked(k)[:, i[0, 0, 0] % HEADS, 2:],
        lambda k, i: blocked(k)[torch.tensor([1, 0]).view(-1, 1, 1, 1), 0, i],
        lambda k, i: blocked(k)[torch.arange(2).flip(0).view(2, 1, 1, 1), 0, i],
    ],
)
def test_other_gathers(function: Function) -> None:
    """Parts of blocks, elements, other orders: right, whether a kernel computes them or not."""
    given = keys(), numbers()
    torch.testing.assert_close(compiled(function, dynamic=False)(*given), function(*given))
