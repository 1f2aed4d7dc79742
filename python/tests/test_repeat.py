"""Calls of regions that compiled code repeats give what the first of them gave, or are looked into.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import gc
import weakref
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import ember
import pytest
import torch
import torch.nn.functional as functional
from ember import native
from ember.embed_programs import ENTRY, SpMM, array, program
from ember.torch.calls import statement_call
from ember.torch.calls.region_call import RegionCall
from ember.torch.capture.backend import ember_backend, listening
from torch import Tensor

ROWS, LENGTH, NODES, EDGES = 40, 16, 12, 30
Function = Callable[..., Tensor]

pytestmark = [
    pytest.mark.usefixtures("fresh_dynamo"),
    pytest.mark.skipif(native.Repeat is None, reason="ember_calls is not built for this Python"),
]


@pytest.fixture(autouse=True)
def _without_gradients() -> Iterator[None]:
    with torch.no_grad():
        yield


def indices(*shape: int, seed: int = 0, most: int = ROWS) -> Tensor:
    return torch.randint(most, shape, generator=torch.Generator().manual_seed(seed))


def bag(mode: str, **options: Any) -> Function:
    return lambda table, *given: functional.embedding_bag(
        given[0], table, *given[1:2], mode=mode, **options
    )


def weighted(table: Tensor, given: Tensor, offsets: Tensor, weights: Tensor) -> Tensor:
    return functional.embedding_bag(given, table, offsets, mode="sum", per_sample_weights=weights)


def reduced(table: Tensor, given: Tensor) -> Tensor:
    return functional.embedding(given, table).sum(1)


def side_by_side(table: Tensor, given: Tensor, offsets: Tensor) -> Tensor:
    bags = [functional.embedding_bag(given, one, offsets, mode="sum") for one in (table, table)]
    return torch.cat(bags, 1)


def equal_bags(table: Tensor, given: Tensor) -> Tensor:
    return torch.stack([functional.embedding_bag(given, table, mode=m) for m in ("sum", "mean")], 1)


def aggregation(x: Tensor, source: Tensor, target: Tensor) -> Tensor:
    return torch.zeros_like(x).index_add(0, target, x[source])


def weighted_aggregation(x: Tensor, source: Tensor, target: Tensor, weights: Tensor) -> Tensor:
    zeros = x.new_zeros(x.shape[0], x.shape[1])
    return zeros.index_add(0, target, x[source] * weights.unsqueeze(-1))


def own_rows(x: Tensor, target: Tensor) -> Tensor:
    return x.new_zeros(NODES, x.shape[1]).index_add(0, target, x)


def score(table: Tensor, first: Tensor, second: Tensor) -> Tensor:
    return (functional.embedding(first, table) * functional.embedding(second, table)).sum(-1)


def kept_score(table: Tensor, first: Tensor, second: Tensor) -> Tensor:
    return (table[first] * table[second]).sum(-1, keepdim=True)


TABLE = torch.rand(ROWS, LENGTH, generator=torch.Generator().manual_seed(7))
X = torch.rand(NODES, LENGTH, generator=torch.Generator().manual_seed(8))
OFFSETS = torch.tensor([0, 3, 3, 7])
FUNCTIONS: dict[str, tuple[Function, Callable[[int], tuple[Any, ...]]]] = {
    "sum": (bag("sum"), lambda n: (TABLE, indices(9 + n, seed=n), OFFSETS)),
    "mean": (bag("mean"), lambda n: (TABLE, indices(9 + n, seed=n), OFFSETS)),
    "max": (bag("max"), lambda n: (TABLE, indices(9 + n, seed=n), OFFSETS)),
    "last": (
        bag("sum", include_last_offset=True),
        lambda n: (TABLE, indices(9, seed=n), torch.tensor([0, 4, 4 + n, 9])),
    ),
    "padding": (bag("sum", padding_idx=3), lambda n: (TABLE, indices(9 + n, seed=n), OFFSETS)),
    "equal": (bag("mean"), lambda n: (TABLE, indices(3 + n // 4, 5, seed=n))),
    "weighted": (
        weighted,
        lambda n: (TABLE, indices(9, seed=n), OFFSETS, torch.arange(9) + 0.5 * n),
    ),
    "reduced": (reduced, lambda n: (TABLE, indices(3, 4, seed=n))),
    "bags": (side_by_side, lambda n: (TABLE, indices(9 + n, seed=n), OFFSETS)),
    "equal bags": (equal_bags, lambda n: (TABLE, indices(3 + n // 4, 5, seed=n))),
    "aggregation": (aggregation, lambda n: (X, *indices(2, EDGES + n, seed=n, most=NODES))),
    "weighted aggregation": (
        weighted_aggregation,
        lambda n: (X, *indices(2, 9, seed=n, most=NODES), torch.arange(9) + 0.5 * n),
    ),
    "own rows": (own_rows, lambda n: (TABLE + n, indices(ROWS, seed=n, most=NODES))),
    "score": (score, lambda n: (TABLE, *indices(2, 4 + n, seed=n))),
    "kept score": (kept_score, lambda n: (TABLE, *indices(2, 4 + n, seed=n))),
}
every_function = pytest.mark.parametrize("name", FUNCTIONS)


class Repeats:
    """Counts how compiled code answered for the one region of a function."""

    def __init__(self, name: str) -> None:
        function, self.arguments = FUNCTIONS[name]
        self.function = function
        self.run: Function = torch.compile(
            function, backend=ember_backend, dynamic=True, options={"raises": True}
        )
        with listening() as heard:
            self.check(0)
        self.check(1)
        ((part,),) = (report.compiled for report in heard.reports)
        self.call: RegionCall = part.call
        self.answered = self.left = 0
        real = self.call.remember, self.call._repeat
        assert real[1] is not None

        def counting(arguments: tuple[Any, ...], gradients: bool) -> Any:
            result = real[1](arguments, gradients)
            if result is NotImplemented:
                self.left += 1
            else:
                self.answered += 1
            return result

        self.call._repeat = counting
        # What is looked into stays the same.
        self.call.remember = lambda arguments: None  # type: ignore[method-assign]

    def inputs(self, number: int) -> tuple[Any, ...]:
        """What the region is called with in the call of that number."""
        seen: list[tuple[Any, ...]] = []
        repeat = self.call._repeat
        self.call._repeat = lambda arguments, gradients: seen.append(arguments) or NotImplemented
        self.check(number)
        self.call._repeat = repeat
        return seen[0]

    def check(self, number: int) -> None:
        """The call of that number is as the function's."""
        self.check_call(*self.arguments(number))

    def check_call(self, *arguments: Any) -> None:
        torch.testing.assert_close(self.run(*arguments), self.function(*arguments))


@every_function
def test_calls_are_repeated(name: str) -> None:
    repeats = Repeats(name)
    for number in range(2, 4):
        repeats.check(number)
    assert (repeats.answered, repeats.left) == (2, 0)


@every_function
def test_other_shapes_are_right(name: str) -> None:
    repeats = Repeats(name)
    for number in (4, 9, 5, 2, 30):
        if name not in ("last",):
            repeats.check(number)


@every_function
def test_gradients_are_seen(name: str) -> None:
    repeats = Repeats(name)
    call, inputs = repeats.call, repeats.inputs(2)
    tables = {
        id(one): one for one in inputs if isinstance(one, Tensor) and one.shape[1:] == (LENGTH,)
    }
    ((key, table),) = tables.items()
    table = table.clone().requires_grad_()
    inputs = tuple(table if id(one) == key else one for one in inputs)
    torch.testing.assert_close(call(*inputs), call.reference(*inputs))
    assert repeats.answered == 1
    with torch.enable_grad():
        found, expected = call(*inputs), call.reference(*inputs)
        weights = torch.rand(found.shape)
        torch.testing.assert_close(
            torch.autograd.grad(found, table, weights),
            torch.autograd.grad(expected, table, weights),
        )
    # By what autograd calls, with gradients off; maxima with gradients are PyTorch's.
    assert repeats.answered == (1 if name == "max" else 2)


@every_function
def test_bad_indices_are_the_same_errors(name: str) -> None:
    repeats = Repeats(name)
    call, inputs = repeats.call, repeats.inputs(2)
    tensors = (one for one in inputs if isinstance(one, Tensor))
    right = next(one for one in tensors if not one.is_floating_point())
    wrong = right.clone()
    wrong.view(-1)[1] = 10**6
    inputs = tuple(wrong if one is right else one for one in inputs)
    with pytest.raises((IndexError, RuntimeError)) as expected:
        call(*inputs)
    assert repeats.left == 1
    call._repeat = None
    with pytest.raises(expected.type) as found:
        call(*inputs)
    assert str(found.value) == str(expected.value)


@pytest.mark.parametrize("name", ["sum", "equal", "bags", "aggregation", "score"])
def test_regions_look_into_what_is_uncommon(name: str) -> None:
    """The region itself, whose arguments no guard has seen."""
    repeats = Repeats(name)
    call, arguments = repeats.call, repeats.inputs(2)
    expected = call.reference(*arguments)

    def check(change: Callable[[Tensor], Any], is_left: bool = True) -> None:
        before = repeats.left
        changed = tuple(
            change(one) if isinstance(one, Tensor) and one.is_floating_point() else one
            for one in arguments
        )
        torch.testing.assert_close(
            call(*changed), call.reference(*changed), check_dtype=not is_left
        )
        assert (repeats.left > before) == is_left

    check(torch.clone, is_left=False)
    check(torch.nn.Parameter, is_left=False)
    check(Tensor.double)
    check(lambda one: torch._neg_view(one.neg()))
    check(lambda one: one.t().contiguous().t())
    with ember.disabled():
        before = repeats.answered
        torch.testing.assert_close(call(*arguments), expected)
        assert repeats.answered == before


def test_options_of_a_compiled_module_may_change() -> None:
    module = torch.nn.EmbeddingBag(ROWS, LENGTH, mode="sum")
    kernel = ember.compile(module, (indices(3, 4),))
    changes: tuple[Callable[[], Any], ...] = (
        lambda: None,
        lambda: setattr(module, "mode", "mean"),
        lambda: setattr(module, "mode", "max"),
        lambda: setattr(module, "padding_idx", 3),
        lambda: setattr(module, "weight", torch.nn.Parameter(torch.rand(9, LENGTH + 1))),
        lambda: setattr(module, "mode", "sum"),
        lambda: setattr(module, "max_norm", 0.5),
        lambda: setattr(module, "max_norm", None),
        lambda: setattr(module, "include_last_offset", True),
        module.double,
    )
    for change in changes:
        change()
        for seed in range(4):
            rows = len(module.weight)
            last = [6, 9] if module.include_last_offset else [6]
            offsets = torch.tensor([0, 2, *last])
            for given in (
                (indices(3, 4, seed=seed, most=rows),),
                (indices(9, seed=seed, most=rows), offsets),
            ):
                torch.testing.assert_close(kernel(*given), module(*given))
    bag = kernel.__dict__["_ember_bags"].bags()[-1]
    assert bag.call._repeat is not None


def test_functorch_is_left_to_pytorch() -> None:
    repeats = Repeats("score")
    table, first, second = repeats.arguments(2)
    found = torch.func.vmap(lambda one: repeats.call.reference(one, first, second))(
        table.expand(2, -1, -1)
    )
    answered = repeats.answered

    def call(one: Tensor) -> Any:
        return repeats.call(one, first, second)

    torch.testing.assert_close(torch.func.vmap(call)(table.expand(2, -1, -1)), found)
    assert repeats.answered == answered


def test_edges_that_are_worth_grouping_are_grouped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(statement_call, "is_worth_grouping", lambda edges, *_: edges > 1000)
    monkeypatch.setattr(statement_call, "most_ungrouped", lambda length: 1000)
    repeats = Repeats("aggregation")
    (ends,) = indices(1, 5000, most=NODES)
    call = repeats.call

    def of(edges: int) -> tuple[Any, ...]:
        return tuple(
            ends[:edges] if isinstance(one, Tensor) and one.dtype is torch.int64 else one
            for one in repeats.inputs(2)
        )

    call._repeat = None
    del call.remember
    call._missed = 0
    few = of(100)
    for _ in range(3):
        torch.testing.assert_close(call(*few), call.reference(*few))
    assert call._repeat is not None
    assert call._repeat(few, False) is not NotImplemented
    assert call._repeat(of(5000), False) is NotImplemented


def test_changing_kinds_are_remembered_ever_more_rarely() -> None:
    repeats = Repeats("score")
    call = repeats.call
    del call.remember
    call._repeat, call._missed, made = None, 0, []
    original = call.repeat_for
    call.repeat_for = lambda arguments: made.append(1) or original(arguments)  # type: ignore[func-returns-value, method-assign]
    for number in range(100):
        kind = torch.int32 if number % 2 else torch.int64
        first, second = indices(2, 5).to(kind)
        call(TABLE, first, second)
    assert len(made) < 10


def test_several_threads() -> None:
    repeats = Repeats("sum")
    with ThreadPoolExecutor(4) as pool:
        results = list(pool.map(lambda n: repeats.run(*repeats.arguments(n % 9)), range(64)))
    for number, result in enumerate(results):
        torch.testing.assert_close(result, repeats.function(*repeats.arguments(number % 9)))


def spmm() -> Any:
    """The call of a kernel with rows, columns, dense and out."""
    edges, rows = array("i64", None), array("f32", None, LENGTH)
    operation = SpMM(
        rows=edges, columns=edges, graph="coo", values=None, dense=rows, out=rows, reduction="sum"
    )
    return ember.load_program(program(operation, kind="memref"), ember.Options()).entry(ENTRY)


def test_what_a_repeat_is_told_is_checked() -> None:
    kernel = spmm().common()
    rest = ((), (), (), 2, ((2, 0, 0), LENGTH), ((2, 0, 0), LENGTH))
    repeat = native.Repeat(kernel, 3, (0, 1, 2), *rest)
    target, source = indices(2, EDGES, most=NODES)
    result = repeat((target, source, X), False)
    torch.testing.assert_close(result, aggregation(X, source, target))
    for wrong in ((target, source), (target, source, X, X), (target, source, 1), (None,) * 3):
        assert repeat(wrong, False) is NotImplemented
    for wrong in ((), ((target, source, X),), ([target, source, X], False)):
        with pytest.raises(TypeError, match="takes a tuple"):
            repeat(*wrong)
    for sources in ((0, 1), (0, 1, 3), (0, 1, -1), (0, 1, (2, 99)), (0, 1, 2, 2)):
        with pytest.raises(ValueError, match=r"parameters|place|dimensions"):
            native.Repeat(kernel, 3, sources, *rest)
    for changed in (
        (((3, int),), *rest[1:]),
        ((), ((3, 0, 0, 1),), *rest[2:]),
        ((), (), ((3, 1),), *rest[3:]),
        ((), (), (), 3, *rest[4:]),
        (*rest[:4], ((2, -1, 0), LENGTH), rest[5]),
        (*rest[:5], (LENGTH,)),
    ):
        with pytest.raises(ValueError, match=r"parameters|place|dimensions"):
            native.Repeat(kernel, 3, (0, 1, 2), *changed)
    with pytest.raises(TypeError):
        native.Repeat(print, 3, (0, 1, 2), *rest)
    # A result of other sizes than the kernel writes.
    smaller = (*rest[:4], (2, LENGTH), rest[5])
    assert native.Repeat(kernel, 3, (0, 1, 2), *smaller)((target, source, X), False) is (
        NotImplemented
    )


def test_a_repeat_keeps_its_kernel_and_constants_only() -> None:
    kernel, constant = spmm().common(), indices(EDGES, most=NODES)
    repeat = native.Repeat(
        kernel, 2, (0, (constant,), 1), (), (), (), 1, ((1, 0, 0), LENGTH), ((1, 0, 0), LENGTH)
    )
    kept = weakref.ref(constant)
    source, expected = constant.clone(), indices(EDGES, most=NODES, seed=3)
    del kernel, constant
    gc.collect()
    torch.testing.assert_close(repeat((expected, X), False), aggregation(X, source, expected))
    del repeat
    gc.collect()
    assert kept() is None
