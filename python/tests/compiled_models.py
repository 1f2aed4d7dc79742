"""What tests share: compiled models and functions against eager ones, forward and in training.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import copy
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from ember.torch.capture.backend import ember_backend, listening
from ember.torch.report.report import Report
from torch import Tensor, nn

STEPS = 3


@dataclass
class Heard:
    """The reports of what was compiled for a model."""

    reports: list[Report]

    def kinds(self) -> set[str]:
        """Kinds of regions."""
        return {part.kind for report in self.reports for part in report.compiled}

    def covered(self, kind: str) -> int:
        """How many operations are in kernels of kinds that begin so, over all graphs."""
        return sum(
            len(part.operations)
            for report in self.reports
            for part in report.compiled
            if part.kind.startswith(kind)
        )

    def left(self) -> list[str]:
        """Why operations were left to PyTorch."""
        return [left.reason for report in self.reports for left in report.left]


def compiled(
    model: Callable[..., Any], dynamic: bool | None = True, **options: Any
) -> Callable[..., Any]:
    """The model compiled, for all sizes; a kernel that cannot be built is an error."""
    options.setdefault("raises", True)
    run: Callable[..., Any] = torch.compile(
        model, backend=ember_backend, dynamic=dynamic, options=options
    )
    return run


def check_forward(
    model: Callable[..., Any], batches: Sequence[tuple[Any, ...]], **tolerance: float
) -> Heard:
    """The compiled model is as the model on every batch, without gradients."""
    run = compiled(model)
    with listening() as heard, torch.no_grad():
        for batch in batches:
            torch.testing.assert_close(run(*batch), model(*batch), **tolerance)
    return Heard(heard.reports)


Loss = Callable[[Any, tuple[Any, ...]], Tensor]


def check_training(
    model: nn.Module,
    batches: Sequence[tuple[Any, ...]],
    loss: Loss,
    optimiser: Callable[[Any], torch.optim.Optimizer] = torch.optim.Adagrad,
    run_of: Callable[[nn.Module], Callable[..., Any]] = compiled,
    **tolerance: float,
) -> Heard:
    """A copy of the model, compiled, learns as the model does: STEPS steps on the batches in turn.

    loss: of a result and its batch. The gradients of all parameters are compared in each step,
    and the parameters afterwards.
    """
    other = copy.deepcopy(model)
    run = run_of(other)
    ours, eager = optimiser(other.parameters()), optimiser(model.parameters())
    with listening() as heard:
        for step in range(STEPS):
            batch = batches[step % len(batches)]
            losses = []
            for forward, steps in ((run, ours), (model, eager)):
                torch.manual_seed(step)
                steps.zero_grad()
                losses.append(loss(forward(*batch), batch))
                losses[-1].backward()
            torch.testing.assert_close(losses[0], losses[1], **tolerance)
            check_gradients(other, model, **tolerance)
            ours.step()
            eager.step()
    for name, parameter in model.named_parameters():
        torch.testing.assert_close(
            other.get_parameter(name), parameter, msg=_named(name, "after training"), **tolerance
        )
    return Heard(heard.reports)


def check_function(
    function: Callable[..., Tensor],
    *arguments: Tensor,
    dynamic: bool | None = None,
    **tolerance: float,
) -> Heard:
    """Results and gradients are eager's; each region ran a kernel.

    Gradients are those of all arguments in floating point.
    """
    outcomes = []
    with listening() as heard:
        for run in (compiled(function, dynamic=dynamic), function):
            given = [
                one.detach().requires_grad_() if one.is_floating_point() else one
                for one in arguments
            ]
            result = run(*given)
            draw = torch.Generator().manual_seed(1)
            result.backward(torch.randn(result.shape, generator=draw).to(result.dtype))
            gradients = [one.grad for one in given if one.is_floating_point()]
            outcomes.append((result, [one if one is None else one.to_dense() for one in gradients]))
    torch.testing.assert_close(*outcomes, **tolerance)  # type: ignore[arg-type]
    for report in heard.reports:
        assert all(part.call.kernels() for part in report.compiled)
    return Heard(heard.reports)


def check_gradients(one: nn.Module, other: nn.Module, **tolerance: float) -> None:
    """Both have the same gradients; not all of them are zero."""
    some = False
    for name, parameter in other.named_parameters():
        gradient, expected = one.get_parameter(name).grad, parameter.grad
        assert (gradient is None) == (expected is None), name
        if gradient is None or expected is None:
            continue
        assert gradient.is_sparse == expected.is_sparse, name
        gradient, expected = gradient.to_dense(), expected.to_dense()
        some = some or bool(expected.any())
        torch.testing.assert_close(
            gradient, expected, msg=_named(name, "has another gradient"), **tolerance
        )
    assert some, "all gradients are zero"


def _named(name: str, what: str) -> Callable[[str], str]:
    return lambda message: f"{name} {what}: {message}"
