"""Bad input: the exception types of PyTorch, messages that say what is wrong, nothing corrupted.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from typing import Any

import ember
import pytest
import torch
import torch.nn.functional as functional
from compiled_bags import CompiledBags
from ember.compiler import Options

CALLS = {target: CompiledBags(Options(target=target)) for target in ("cpu", "dae-threads")}
TARGETS = pytest.mark.parametrize("call", CALLS.values(), ids=CALLS.keys())
WEIGHT = torch.randn(10, 16)
INDICES = torch.tensor([3, 1, 4, 1])
OFFSETS = torch.tensor([0, 2])


def bag(**changes: Any) -> dict[str, Any]:
    """Arguments of a good call, with changes."""
    return {"input": INDICES, "weight": WEIGHT, "offsets": OFFSETS, "mode": "sum"} | changes


BAD_CALLS = {
    "no offsets": bag(offsets=None),
    "offsets of rank 2": bag(offsets=OFFSETS.view(1, 2)),
    "offsets with a 2-D input": bag(input=INDICES.view(2, 2)),
    "input of rank 3": bag(input=INDICES.view(1, 2, 2), offsets=None),
    "float input": bag(input=INDICES.float()),
    "float offsets": bag(offsets=OFFSETS.float()),
    "bool input": bag(input=INDICES.bool(), offsets=OFFSETS.bool()),
    "narrow input alone": bag(input=INDICES.view(2, 2).to(torch.int16), offsets=None),
    "input with empty bags only": bag(input=INDICES.view(4, 1)[:, :0], offsets=None),
    "table of rank 1": bag(weight=WEIGHT[0]),
    "unknown mode": bag(mode="median"),
    "table of integers": bag(weight=WEIGHT.int()),
    "sample weights of a maximum": bag(mode="max", per_sample_weights=torch.ones(4)),
    "index past the table of a maximum": bag(input=torch.tensor([3, 10, 4, 1]), mode="max"),
    "index past a half table": bag(input=torch.tensor([3, 10, 4, 1]), weight=WEIGHT.half()),
    "first offset of 2-D lists": bag(offsets=[0, 2]),
    "sample weights of another shape": bag(per_sample_weights=torch.ones(3)),
    "sample weights of another type": bag(per_sample_weights=torch.ones(4).double()),
    "sample weights of a mean": bag(mode="mean", per_sample_weights=torch.ones(4)),
    "padding past the table": bag(padding_idx=10),
    "padding before the table": bag(padding_idx=-11),
    "no offset at all": bag(offsets=OFFSETS[:0], include_last_offset=True),
    "first offset not 0": bag(offsets=torch.tensor([1, 2])),
    "offset past the indices": bag(offsets=torch.tensor([0, 5])),
    "last offset past the indices": bag(offsets=torch.tensor([0, 5]), include_last_offset=True),
    "offset past the indices, then back": bag(offsets=torch.tensor([0, 9, 4])),
    "index past the table": bag(input=torch.tensor([3, 10, 4, 1])),
    "index past a table stored by columns": bag(weight=WEIGHT[:3].t().contiguous().t()),
    "negative index": bag(input=torch.tensor([3, 1, 4, -1])),
    "index past the table beside padding": bag(input=torch.tensor([3, 10, 4, 1]), padding_idx=3),
    "index past an empty table": bag(weight=WEIGHT[:0]),
}


@TARGETS
@pytest.mark.parametrize("arguments", BAD_CALLS.values(), ids=BAD_CALLS.keys())
def test_the_exception_is_one_that_pytorch_raises(
    call: CompiledBags, arguments: dict[str, Any]
) -> None:
    with pytest.raises(Exception) as expected:  # noqa: PT011  (whatever PyTorch raises)
        functional.embedding_bag(**arguments)
    with pytest.raises(expected.type):
        call(**arguments)


@TARGETS
@pytest.mark.parametrize("index", [10, -1, 2**40, -(2**63)])
def test_a_bad_index_is_named(call: CompiledBags, index: int) -> None:
    indices = torch.tensor([0, 1, index, 3])
    with pytest.raises(ember.IndexOutOfRangeError) as error:
        call(indices, WEIGHT, OFFSETS, mode="sum")
    assert isinstance(error.value, IndexError)
    assert isinstance(error.value, RuntimeError)
    message = str(error.value)
    assert str(index) in message
    assert "'weight'" in message
    assert "'indices'" in message
    assert "position 2" in message


@TARGETS
def test_decreasing_offsets_are_named(call: CompiledBags) -> None:
    with pytest.raises(ember.OffsetsError, match=r"(?s)decrease.*3.*2"):
        call(INDICES, WEIGHT, torch.tensor([0, 3, 2]), mode="sum")


@TARGETS
def test_a_call_after_an_error_is_right(call: CompiledBags) -> None:
    for _ in range(3):
        with pytest.raises(IndexError):
            call(torch.tensor([99]), WEIGHT, OFFSETS[:1], mode="sum")
        actual = call(INDICES, WEIGHT, OFFSETS, mode="sum")
        expected = functional.embedding_bag(INDICES, WEIGHT, OFFSETS, mode="sum")
        torch.testing.assert_close(actual, expected)


def test_inputs_never_change() -> None:
    copies = [tensor.clone() for tensor in (INDICES, WEIGHT, OFFSETS)]
    with pytest.raises(IndexError):
        CALLS["cpu"](torch.tensor([1, 99]), WEIGHT, torch.tensor([0]), mode="mean")
    CALLS["cpu"](INDICES, WEIGHT, OFFSETS, mode="mean")
    for tensor, copy in zip((INDICES, WEIGHT, OFFSETS), copies, strict=True):
        assert torch.equal(tensor, copy)


@pytest.mark.parametrize(
    ("arguments", "what"),
    [
        (bag(weight=WEIGHT.to_sparse()), "sparse"),
        (
            bag(weight=WEIGHT.to("meta"), input=INDICES.to("meta"), offsets=OFFSETS.to("meta")),
            "meta",
        ),
    ],
)
def test_what_has_no_kernel_is_said(arguments: dict[str, Any], what: str) -> None:
    with pytest.raises(ember.UnsupportedError, match=what):
        CALLS["cpu"](**arguments)


@pytest.mark.parametrize(
    "options",
    [
        {"target": "tpu"},
        {"opt_level": 5},
        {"vector_length": 0},
        {"queue_capacity": 0, "target": "dae-threads"},
    ],
)
def test_options_are_checked(options: dict[str, Any]) -> None:
    module = torch.nn.EmbeddingBag(4, 4, mode="sum")
    with pytest.raises(ValueError, match=next(iter(options))):
        ember.compile(module, (INDICES[:2], OFFSETS[:1]), **options)


def test_what_needs_no_kernel_runs_in_pytorch_with_a_warning() -> None:
    def double(x: torch.Tensor) -> torch.Tensor:
        return x * 2

    def few_rows(indices: torch.Tensor) -> torch.Tensor:
        return torch.nn.functional.embedding(indices, WEIGHT).tanh()

    for function, argument, reason in (
        (double, torch.ones(3), "double has no embedding operation"),
        (few_rows, INDICES, "PyTorch looks up fewer than 16384 rows as fast"),
    ):
        with pytest.warns(RuntimeWarning, match=reason):
            kernel = ember.compile(function, (argument,))
        torch.testing.assert_close(kernel(argument), function(argument))
        with pytest.raises(ember.UnsupportedError, match=f"nothing to compile.*{reason}"):
            ember.compile(function, (argument,), raises=True)


def test_a_tensor_is_not_callable() -> None:
    with pytest.raises(ember.ArgumentError, match="Tensor"):
        ember.compile(WEIGHT, (INDICES,))  # type: ignore[arg-type]


def test_example_arguments_that_do_not_fit_are_refused_when_compiling() -> None:
    with pytest.raises(ValueError, match="offsets"):
        ember.compile(torch.nn.EmbeddingBag(10, 4, mode="sum"), (INDICES,))


@pytest.mark.parametrize("has_last", [False, True], ids=["open", "last"])
@pytest.mark.parametrize(
    "options",
    [
        {"mode": "max"},
        {"mode": "mean", "scale_grad_by_freq": True},
        {"mode": "sum", "weighted": True},
        {"mode": "sum", "weighted": True, "sparse": True},
    ],
    ids=str,
)
def test_no_bags_are_no_crash(options: dict[str, Any], has_last: bool) -> None:
    """PyTorch's own kernels end the process by some of these."""
    options = {"include_last_offset": has_last, **options}
    weights = torch.rand(3, requires_grad=True) if options.pop("weighted", False) else None
    module = torch.nn.EmbeddingBag(5, 4, **options)
    kernel = ember.compile(module)
    indices = torch.tensor([1, 4, 1])
    for offsets in (torch.tensor([0, 1, 3]), torch.zeros(int(has_last), dtype=torch.int64)):
        with torch.no_grad():
            kernel(indices, offsets, weights)
        module.zero_grad()
        bags = kernel(indices, offsets, weights)
        bags.sum().backward()
    assert bags.shape == (0, 4)
    assert module.weight.grad is not None
    assert not module.weight.grad.to_dense().any()
    assert module.weight.grad.is_sparse == options.get("sparse", False)


def test_bags_that_all_are_without_lookups_are_refused_after_others() -> None:
    module = torch.nn.EmbeddingBag(5, 4)
    kernel = ember.compile(module)
    for lookups in (2, 3):
        kernel(torch.ones(6, lookups, dtype=torch.int64))
    for run in (module, kernel):
        with pytest.raises(RuntimeError, match="step must be nonzero"):
            run(torch.ones(6, 0, dtype=torch.int64))
