"""Values and gradients against F.embedding_bag, over every mode, type, flag and odd size.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from dataclasses import dataclass
from platform import machine
from typing import Any

import ember
import pytest
import torch
import torch.nn.functional as functional
from compiled_bags import CompiledBags
from ember.compiler import Options
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor

TOLERANCE = {
    torch.float32: {"rtol": 1e-5, "atol": 1e-5},
    torch.float64: {"rtol": 1e-12, "atol": 1e-12},
    torch.float16: {"rtol": 1e-3, "atol": 1e-3},
    torch.bfloat16: {"rtol": 1e-2, "atol": 1e-2},
}
MODES = ("sum", "mean", "max")
LENGTHS = (1, 3, 16, 33, 64)
# Kept between examples, as one program would keep it: kernels are built once.
CALLS = {target: CompiledBags(Options(target=target)) for target in ("cpu", "dae-threads")}


@dataclass
class Case:
    """One call: the arguments of F.embedding_bag."""

    input: Tensor
    weight: Tensor
    options: dict[str, Any]


def table(rows: int, length: int, dtype: torch.dtype, layout: str, seed: int) -> Tensor:
    """A table (rows, length) that lies in memory in one of the ways PyTorch has."""
    generator = torch.Generator().manual_seed(seed)
    if layout == "columns":
        return torch.randn(length, rows, dtype=dtype, generator=generator).t()
    if layout == "rows apart":
        return torch.randn(rows, 2 * length + 1, dtype=dtype, generator=generator)[
            :, 1 : length + 1
        ]
    if layout == "every other":
        return torch.randn(rows, 2 * length, dtype=dtype, generator=generator)[:, ::2]
    if layout == "one row":
        return torch.randn(1, length, dtype=dtype, generator=generator).expand(rows, length)
    return torch.randn(rows, length, dtype=dtype, generator=generator)


def scattered(tensor: Tensor, apart: bool) -> Tensor:
    """The same values, every second element of a longer tensor when apart."""
    return torch.stack((tensor, tensor), -1)[..., 0] if apart else tensor


@st.composite
def cases(
    draw: st.DrawFn,
    layouts: tuple[str, ...],
    lengths: tuple[int, ...],
    dtypes: tuple[torch.dtype, ...] = tuple(TOLERANCE),
    modes: tuple[str, ...] = MODES,
) -> Case:
    dtype = draw(st.sampled_from(dtypes))
    index = draw(st.sampled_from([torch.int64, torch.int32]))
    offset = draw(st.sampled_from([torch.int64, torch.int32]))
    seed = draw(st.integers(0, 2**31))
    rows = draw(st.integers(1, 20))
    length = draw(st.sampled_from(lengths))
    mode = draw(st.sampled_from(modes))
    weight = table(rows, length, dtype, draw(st.sampled_from(layouts)), seed)
    options: dict[str, Any] = {"mode": mode}
    apart = draw(st.booleans())
    if draw(st.integers(0, 3)) == 0:
        bags, lookups = draw(st.integers(0, 5)), draw(st.integers(1, 5))
        indices = torch.tensor(
            draw(
                st.lists(st.integers(0, rows - 1), min_size=bags * lookups, max_size=bags * lookups)
            ),
            dtype=index,
        ).view(bags, lookups)
    else:
        sizes = draw(st.lists(st.integers(0, 5), max_size=6))
        total = sum(sizes)
        indices = torch.tensor(
            draw(st.lists(st.integers(0, rows - 1), min_size=total, max_size=total)), dtype=index
        )
        ends = torch.tensor([0, *sizes], dtype=offset).cumsum(0, dtype=offset)
        has_last = draw(st.booleans())
        options["offsets"] = scattered(ends if has_last else ends[:-1], apart)
        options["include_last_offset"] = has_last
        bags = len(sizes)
        if not has_last and bags == 0:
            indices = indices[:0]
    if bags and draw(st.booleans()):
        options["padding_idx"] = draw(st.integers(-rows, rows - 1))
    if mode == "sum" and draw(st.booleans()):
        weights = torch.randn(
            indices.shape, dtype=dtype, generator=torch.Generator().manual_seed(seed + 1)
        )
        options["per_sample_weights"] = scattered(weights, apart)
    return Case(scattered(indices, apart), weight, options)


def reference(case: Case) -> Tensor:
    """PyTorch's result; of half types by its f64, which rounds once, as kernels do."""
    if case.weight.element_size() > 2:
        return functional.embedding_bag(case.input, case.weight, **case.options)
    options = dict(case.options)
    if "per_sample_weights" in options:
        options["per_sample_weights"] = options["per_sample_weights"].double()
    result = functional.embedding_bag(case.input, case.weight.double(), **options)
    return result.to(case.weight.dtype)


def check(call: CompiledBags, case: Case) -> None:
    expected = reference(case)
    actual = call(case.input, case.weight, **case.options)
    torch.testing.assert_close(actual, expected, **TOLERANCE[case.weight.dtype])


@given(cases(("whole",), LENGTHS))
def test_cpu_agrees_with_pytorch(case: Case) -> None:
    check(CALLS["cpu"], case)


@given(cases(("columns", "rows apart", "every other", "one row"), (1, 33)))
def test_cpu_agrees_on_tables_that_are_not_contiguous(case: Case) -> None:
    check(CALLS["cpu"], case)


@given(cases(("whole", "rows apart", "columns"), (3, 32)))
def test_dae_threads_agrees_with_pytorch(case: Case) -> None:
    check(CALLS["dae-threads"], case)


@pytest.mark.parametrize("opt_level", [0, 1, 2, 3, 4])
@pytest.mark.parametrize("target", ["cpu", "dae-threads"])
@pytest.mark.parametrize("mode", MODES)
def test_every_opt_level_agrees(target: str, opt_level: int, mode: str) -> None:
    call = CompiledBags(Options(target=target, opt_level=opt_level))
    indices = torch.tensor([3, 1, 4, 1, 5, 9, 2, 6, 5])
    options: dict[str, Any] = {"mode": mode, "offsets": torch.tensor([0, 0, 4, 8])}
    for length in (7, 32):
        check(call, Case(indices, table(10, length, torch.float32, "whole", 1), options))


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
@pytest.mark.parametrize("cpu", [None, "x86-64-v2"] if machine() == "x86_64" else [None])
def test_rows_longer_than_the_registers(cpu: str | None, dtype: torch.dtype) -> None:
    """A segment is read strip by strip; x86-64-v2 has 16 registers of 16 bytes."""
    call = CompiledBags(Options(cpu=cpu))
    indices = torch.tensor([3, 1, 4, 1, 5, 9, 2, 6, 5])
    for mode, length in (("sum", 1030), ("mean", 160), ("max", 603)):
        options: dict[str, Any] = {"mode": mode, "offsets": torch.tensor([0, 0, 4, 8])}
        check(call, Case(indices, table(10, length, dtype, "whole", 6), options))


@pytest.mark.parametrize("mode", ["sum", "mean"])
@pytest.mark.parametrize("length", [16, 64])
def test_outputs_past_the_caches(mode: str, length: int) -> None:
    call = CompiledBags(Options(stream_min_output=1))
    options: dict[str, Any] = {"mode": mode, "offsets": torch.arange(0, 3000, 3)}
    indices = torch.arange(3000) % 10
    for dtype in (torch.float32, torch.float16):
        check(call, Case(indices, table(10, length, dtype, "whole", 7), options))


@pytest.mark.parametrize("capacity", [1, 2, 7, 1000])
def test_every_queue_capacity_agrees(capacity: int) -> None:
    call = CompiledBags(Options(target="dae-threads", queue_capacity=capacity))
    indices = torch.arange(50) % 10
    options: dict[str, Any] = {"mode": "mean", "offsets": torch.tensor([0, 20, 20, 43])}
    check(call, Case(indices, table(10, 20, torch.float32, "whole", 2), options))


@pytest.mark.parametrize("mode", MODES)
def test_rows_of_infinities_and_nan_are_padding(mode: str) -> None:
    weight = table(4, 16, torch.float32, "whole", 3)
    weight[1, ::2] = torch.inf
    weight[1, 1::2] = torch.nan
    options: dict[str, Any] = {"mode": mode, "offsets": torch.tensor([0, 3, 5]), "padding_idx": 1}
    check(CALLS["cpu"], Case(torch.tensor([0, 1, 2, 1, 1, 3]), weight, options))


def test_weighted_padding_ignores_the_weight_of_padding() -> None:
    weight = table(4, 16, torch.float32, "whole", 4)
    options: dict[str, Any] = {
        "mode": "sum",
        "offsets": torch.tensor([0]),
        "padding_idx": -4,
        "per_sample_weights": torch.tensor([torch.nan, 2.0, torch.inf]),
    }
    check(CALLS["cpu"], Case(torch.tensor([0, 3, 0]), weight, options))


def test_signed_zeros_and_huge_values() -> None:
    weight = torch.tensor([[-0.0] * 8, [3e38] * 8, [-3e38] * 8, [1e-45] * 8])
    options: dict[str, Any] = {"mode": "sum", "offsets": torch.tensor([0, 1, 3, 5])}
    check(CALLS["cpu"], Case(torch.tensor([0, 1, 2, 1, 1, 3, 3]), weight, options))


def test_indices_past_the_last_offset_are_in_no_bag() -> None:
    weight = table(4, 16, torch.float64, "whole", 5)
    call = CALLS["cpu"]
    ends = torch.tensor([0, 1, 3])
    whole = call(torch.tensor([0, 1, 2]), weight, ends, mode="mean", include_last_offset=True)
    longer = call(torch.tensor([0, 1, 2, 99]), weight, ends, mode="mean", include_last_offset=True)
    torch.testing.assert_close(whole, longer, rtol=0, atol=0)


@pytest.mark.parametrize("bags", [0, 3])
def test_nothing_to_look_up(bags: int) -> None:
    for rows in (0, 5):
        weight = torch.randn(rows, 8)
        offsets = torch.zeros(bags, dtype=torch.int64)
        result = CALLS["cpu"](torch.empty(0, dtype=torch.int64), weight, offsets, mode="sum")
        assert result.shape == (bags, 8)
        assert not result.any()


def test_rows_of_length_zero() -> None:
    for _ in range(20):
        table = torch.randn(3, 0, requires_grad=True)
        result = CALLS["cpu"](torch.tensor([0, 1]), table, torch.tensor([0, 1]), mode="sum")
        assert result.shape == (2, 0)
        result.sum().backward()
        assert table.grad is not None
        assert table.grad.shape == (3, 0)
    with pytest.raises((IndexError, RuntimeError)):
        CALLS["cpu"](torch.tensor([0, 3]), torch.randn(3, 0), torch.tensor([0, 1]), mode="sum")


def test_narrow_integers_are_widened_as_in_pytorch() -> None:
    weight = table(4, 16, torch.float32, "whole", 6)
    options: dict[str, Any] = {"mode": "sum", "offsets": torch.tensor([0, 2])}
    check(CALLS["cpu"], Case(torch.tensor([0, 3, 1], dtype=torch.int8), weight, options))


@pytest.mark.parametrize(
    ("mode", "dtype"), [("sum", torch.float32), ("max", torch.bfloat16)], ids=["sum", "max"]
)
def test_calls_that_repeat_are_like_the_first(mode: str, dtype: torch.dtype) -> None:
    """A second call takes a shorter way; what differs between calls must not be mixed up."""
    call = CompiledBags(Options())
    weights = [table(rows, length, dtype, "whole", 11) for rows, length in ((9, 8), (5, 8), (9, 4))]
    indices, ends = torch.tensor([0, 3, 4, 4, 1, 2]), torch.tensor([0, 2, 2, 6])
    for _ in range(2):
        for weight in (*weights, weights[0].t().contiguous().t()):
            for one in (indices, indices.int(), indices.repeat_interleave(2)[::2]):
                options: dict[str, Any] = {"mode": mode}
                check(call, Case(one.view(2, 3), weight, options))
                check(call, Case(one, weight, options | {"offsets": ends[:-1]}))
                options |= {"offsets": ends, "include_last_offset": True}
                check(call, Case(one, weight, options))
                for padding in (0, 4, -1):
                    check(call, Case(indices, weight, options | {"padding_idx": padding}))
                if mode == "sum":
                    sample_weights = torch.randn(6).to(dtype)
                    check(call, Case(one, weight, options | {"per_sample_weights": sample_weights}))


def test_errors_of_calls_that_repeat_are_those_of_the_first() -> None:
    weight, ends = table(5, 8, torch.float32, "whole", 12), torch.tensor([0, 2])
    for arguments in (
        (torch.tensor([0, 5]), ends),
        (torch.tensor([0, 1]), torch.tensor([1, 2])),
        (torch.tensor([0, 1]), torch.tensor([0, 3])),
        (torch.tensor([0, 1]), torch.tensor([0, 2, 1])),
        (torch.tensor([0, 1]), torch.tensor([], dtype=torch.int64)),
        (torch.tensor([0.0, 1.0]), ends),
        (torch.tensor([[0, 1]]), ends),
        ([0, 1], ends),
        (torch.tensor([0, 1]), [0, 2]),
    ):
        call, errors = CompiledBags(Options()), []
        for _ in range(2):
            with pytest.raises(Exception) as error:  # noqa: PT011  (the same both times)
                call(arguments[0], weight, arguments[1], mode="sum", include_last_offset=True)
            errors.append((error.type, str(error.value)))
            call(torch.tensor([0, 1]), weight, ends, mode="sum", include_last_offset=True)
        assert errors[0] == errors[1]
    call = CompiledBags(Options())
    for weights in (torch.ones(2), torch.ones(3), torch.ones(2, dtype=torch.float64)):
        options: dict[str, Any] = {"per_sample_weights": weights, "mode": "sum"}
        if weights.shape == (2,) and weights.dtype is torch.float32:
            call(torch.tensor([0, 1]), weight, ends[:1], **options)
        else:
            with pytest.raises((ValueError, RuntimeError)):
                call(torch.tensor([0, 1]), weight, ends[:1], **options)


def gradients(call: Any, case: Case, sparse: bool, by_frequency: bool) -> list[Tensor | None]:
    """The gradients of table and sample weights of a sum of squares."""
    weight = case.weight.clone().requires_grad_()
    options = dict(case.options, sparse=sparse, scale_grad_by_freq=by_frequency)
    sample_weights = options.get("per_sample_weights")
    if sample_weights is not None:
        options["per_sample_weights"] = sample_weights = sample_weights.clone().requires_grad_()
    result = call(case.input, weight, **options)
    (result * result).sum().backward()
    table_gradient = weight.grad.to_dense() if sparse else weight.grad
    return [table_gradient, None if sample_weights is None else sample_weights.grad]


@given(cases(("whole",), (3, 16), (torch.float32, torch.float64)), st.booleans(), st.booleans())
def test_gradients_agree(case: Case, sparse: bool, by_frequency: bool) -> None:
    if not case.input.numel():
        return
    weighted = "per_sample_weights" in case.options
    # PyTorch has no sparse or scaled gradient for these.
    if sparse and (weighted or case.options.get("padding_idx") is not None):
        sparse = False
    if case.options["mode"] == "max":
        sparse = by_frequency = False
    by_frequency = by_frequency and not weighted and not sparse
    expected = gradients(functional.embedding_bag, case, sparse, by_frequency)
    actual = gradients(CALLS["cpu"], case, sparse, by_frequency)
    for mine, theirs in zip(actual, expected, strict=True):
        torch.testing.assert_close(mine, theirs, **TOLERANCE[case.weight.dtype])


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_gradients_of_half_tables_are_pytorchs(mode: str, dtype: torch.dtype) -> None:
    options: dict[str, Any] = {"mode": mode, "offsets": torch.tensor([0, 2])}
    case = Case(torch.tensor([0, 3, 1]), table(4, 16, dtype, "whole", 6), options)
    results: list[Any] = []
    for call in (functional.embedding_bag, CALLS["cpu"], CALLS["cpu"]):
        try:
            results.append(gradients(call, case, False, False)[0])
        except RuntimeError as error:  # PyTorch has no such gradient on the cpu
            results.append(str(error))
    for result in results[1:]:
        if isinstance(results[0], str):
            assert result == results[0]
        else:
            torch.testing.assert_close(result, results[0], **TOLERANCE[dtype])


def test_gradients_of_calls_that_repeat() -> None:
    call, indices = CompiledBags(Options()), torch.tensor([0, 4, 2, 2])
    weight = table(5, 8, torch.float32, "whole", 13)
    for _ in range(2):
        for mode in MODES:
            for padding in (None, 2):
                options: dict[str, Any] = {"mode": mode, "padding_idx": padding}
                ragged = options | {"offsets": torch.tensor([0, 1, 4]), "include_last_offset": True}
                cases = [Case(indices.view(2, 2), weight, options), Case(indices, weight, ragged)]
                if mode == "sum":
                    weights = torch.randn(2, 2)
                    one = Case(
                        indices.view(2, 2), weight, options | {"per_sample_weights": weights}
                    )
                    cases.append(one)
                for case in cases:
                    mine = gradients(call, case, False, False)
                    theirs = gradients(functional.embedding_bag, case, False, False)
                    for actual, expected in zip(mine, theirs, strict=True):
                        torch.testing.assert_close(actual, expected)
        with pytest.raises(ember.IndexOutOfRangeError):
            call(indices + 3, weight.requires_grad_(), torch.tensor([0, 1]), mode="sum")
        weight = weight.detach()


@pytest.mark.parametrize("mode", MODES)
def test_gradcheck(mode: str) -> None:
    weight = table(5, 3, torch.float64, "whole", 7).requires_grad_()
    indices, offsets = torch.tensor([0, 4, 2, 2]), torch.tensor([0, 3, 3])

    def bag(weight: Tensor) -> Tensor:
        return CALLS["cpu"](indices, weight, offsets, mode=mode, padding_idx=4)

    assert torch.autograd.gradcheck(bag, (weight,), fast_mode=True)


def test_gradient_with_indices_past_the_last_offset() -> None:
    weight = table(5, 3, torch.float64, "whole", 8).requires_grad_()
    sample_weights = torch.randn(5, dtype=torch.float64, requires_grad=True)
    indices, ends = torch.tensor([0, 4, 2, 2, 1]), torch.tensor([0, 3, 4])

    def bag(weight: Tensor, sample_weights: Tensor) -> Tensor:
        return CALLS["cpu"](
            indices,
            weight,
            ends,
            mode="sum",
            per_sample_weights=sample_weights,
            include_last_offset=True,
        )

    assert torch.autograd.gradcheck(bag, (weight, sample_weights), fast_mode=True)


@pytest.mark.parametrize("norm_type", [1.0, 2.0])
def test_max_norm_renormalises_the_table(norm_type: float) -> None:
    mine, theirs = (table(6, 16, torch.float32, "whole", 9) for _ in range(2))
    indices, offsets = torch.tensor([0, 2, 5]), torch.tensor([0, 1])
    options: dict[str, Any] = {"mode": "sum", "max_norm": 1.0, "norm_type": norm_type}
    actual = CALLS["cpu"](indices, mine, offsets, **options)
    expected = functional.embedding_bag(indices, theirs, offsets, **options)
    torch.testing.assert_close(actual, expected, **TOLERANCE[torch.float32])
    torch.testing.assert_close(mine, theirs, rtol=0, atol=0)
