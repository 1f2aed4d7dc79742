"""PyTorch's own sample inputs of its operators, run compiled and compared with eager.

The samples ship with PyTorch, for its own tests: torch.testing._internal. They are made when they
are asked for, not on import, because they take seconds and set PyTorch up for its own tests.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

import torch
from ember.torch.capture.backend import ember_backend, listening
from ember.torch.report.report import Report
from torch import Tensor
from torch.utils._pytree import tree_flatten, tree_unflatten

# What stands for a sample that a kernel computed, among the reasons of the others.
KERNEL = "kernel"


@dataclass
class Sample:
    """A call of an operator: a function of its tensors, everything else fixed."""

    call: Callable[..., Any]
    tensors: list[Tensor]
    renormalises: bool = False

    def copies(self, requires_grad: bool = False) -> list[Tensor]:
        """The tensors anew, lying in memory as they do."""
        return [_copy(tensor, requires_grad) for tensor in self.tensors]


@cache
def operators() -> dict[tuple[str, str], Any]:
    """PyTorch's descriptions of its operators, by name and variant."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from torch.testing._internal.common_methods_invocations import op_db
    return {(one.name, one.variant_test_name): one for one in op_db}


def samples(operator: Any, dtype: torch.dtype, requires_grad: bool = False) -> Iterator[Sample]:
    """The operator's samples of that type; the same ones each time.

    requires_grad: without those whose gradient in PyTorch is none, as with scale_grad_by_freq.
    """
    torch.manual_seed(0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        made = list(operator.sample_inputs("cpu", dtype, requires_grad=requires_grad))
    for one in made:
        yield sample_of(operator, one)


def sample_of(operator: Any, made: Any) -> Sample:
    """A SampleInput of PyTorch's."""
    values, spec = tree_flatten(((made.input, *made.args), made.kwargs))
    places = [place for place, value in enumerate(values) if isinstance(value, Tensor)]
    function = operator.op
    if operator.name == "index_select":
        # Where another test imported PyTorch Geometric, torch.index_select is a function of its,
        # which refuses numbers without a dimension.
        function = torch.ops.aten.index_select

    def call(*tensors: Tensor) -> Any:
        given = list(values)
        for place, tensor in zip(places, tensors, strict=True):
            given[place] = tensor
        arguments, keywords = tree_unflatten(given, spec)
        return function(*arguments, **keywords)

    return Sample(call, [values[place] for place in places], "max_norm" in made.kwargs)


def compiled(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function compiled anew, for all sizes; a kernel that cannot be built is an error."""
    torch._dynamo.reset()
    run: Callable[..., Any] = torch.compile(
        function, backend=ember_backend, dynamic=True, options={"raises": True}
    )

    def called(*tensors: Tensor) -> Any:
        # A sample's numbers are as if they were written in the program.
        with torch._dynamo.config.patch(specialize_int=True):
            return run(*tensors)

    return called


def check(sample: Sample, roundings: int = 0) -> str:
    """The compiled call is as the call; returns KERNEL, or why there was none.

    Compared are the result and what becomes of the arguments, which the call may change, and, if
    there is a region, the gradients. roundings: to half types, of numbers as large as the
    arguments', that eager makes and a kernel does not.
    """
    ours, expected = sample.copies(), sample.copies()
    with listening() as heard, torch.no_grad():
        result = compiled(sample.call)(*ours)
        other = sample.call(*expected)
        tolerance = {}
        if roundings and other.dtype in (torch.float16, torch.bfloat16):
            largest = max(float(one.abs().max()) for one in expected if one.is_floating_point())
            one_rounding = torch.finfo(other.dtype).eps * largest
            tolerance = {"atol": roundings * one_rounding, "rtol": 2 * one_rounding / largest}
        torch.testing.assert_close(result, other, equal_nan=True, **tolerance)
    torch.testing.assert_close(ours, expected, equal_nan=True)
    # PyTorch's own gradient does not know that the table was changed in between.
    if any(report.compiled for report in heard.reports) and not sample.renormalises:
        check_gradients(sample)
    return _outcome(heard.reports)


def check_gradients(sample: Sample) -> None:
    """The gradients of all floating arguments are eager's."""
    gradients: list[list[Tensor | None]] = []
    for run in (compiled(sample.call), sample.call):
        arguments = sample.copies(requires_grad=True)
        result = run(*arguments)
        draw = torch.Generator().manual_seed(1)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            result.backward(torch.randn(result.shape, generator=draw).to(result.dtype))
        gradients.append([one.grad for one in arguments if one.is_floating_point()])
    torch.testing.assert_close(*gradients)
    assert any(one is not None for one in gradients[1])


def _copy(tensor: Tensor, requires_grad: bool) -> Tensor:
    tensor = tensor.detach()
    if tensor.layout is not torch.strided:
        one = tensor.clone()
    else:
        one = torch.empty_strided(tensor.shape, tensor.stride(), dtype=tensor.dtype)
        one.copy_(tensor)
    return one.requires_grad_(requires_grad and one.is_floating_point())


def _outcome(reports: list[Report]) -> str:
    """KERNEL if a kernel ran, else the reason why none did."""
    calls = [part.call for report in reports for part in report.compiled]
    if calls and all(call.kernels() for call in calls):
        return KERNEL
    if calls:
        return "no kernel for tensors as these"
    reasons = [left.reason for report in reports for left in report.left]
    return reasons[0] if reasons else "no pattern"
