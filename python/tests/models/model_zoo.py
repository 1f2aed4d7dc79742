"""What the model zoo shares: models, compiled in both ways, against eager ones on several batches.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import copy
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import ember
import torch
from ember.torch.capture.backend import ember_backend
from torch import Tensor, nn

Batch = tuple[Any, ...]
# Both ways that users have, by their names; a kernel that cannot be built is an error.
WAYS: dict[str, Callable[[nn.Module], Callable[..., Any]]] = {
    "torch.compile": lambda model: torch.compile(
        model, backend=ember_backend, dynamic=True, options={"raises": True}
    ),
    "ember.compile": lambda model: ember.compile(model, raises=True),
}


@dataclass(frozen=True)
class ZooModel:
    """A model and batches of several sizes, each the arguments of a call.

    named: arguments by name, the same in each call.
    """

    make: Callable[[], nn.Module]
    batches: Callable[[], Sequence[Batch]]
    named: Mapping[str, Any] | None = None
    tolerance: float = 1e-4


def tensors_of(value: Any) -> Iterator[Tensor]:
    """The floating-point tensors in a result, in its order."""
    if isinstance(value, Tensor):
        if value.is_floating_point():
            yield value
    elif isinstance(value, Mapping):
        for one in value.values():
            yield from tensors_of(one)
    elif isinstance(value, list | tuple):
        for one in value:
            yield from tensors_of(one)


def _tracked(value: Any) -> Any:
    """The value with a leaf of its own for each floating-point tensor, which wants a gradient."""
    if isinstance(value, Tensor):
        return value.detach().clone().requires_grad_() if value.is_floating_point() else value
    if isinstance(value, dict):
        return {key: _tracked(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(_tracked(one) for one in value)
    return value


def _step(
    call: Callable[..., Any], model: nn.Module, batch: Batch, named: Mapping[str, Any]
) -> tuple[list[Tensor], dict[str, Tensor | None]]:
    """A call's results, and the gradients of the parameters and of the arguments."""
    model.zero_grad()
    torch.manual_seed(0)
    arguments = _tracked(batch)
    results = list(tensors_of(call(*arguments, **named)))
    draw = torch.Generator().manual_seed(1)
    loss = sum(
        (one * torch.randn(one.shape, generator=draw)).sum() for one in results if one.numel()
    )
    if isinstance(loss, Tensor) and loss.requires_grad:
        loss.backward()  # type: ignore[no-untyped-call]
    gradients = {name: parameter.grad for name, parameter in model.named_parameters()}
    gradients |= {f"argument {k}": one.grad for k, one in enumerate(tensors_of(arguments))}
    return [one.detach() for one in results], gradients


def check_zoo_model(case: ZooModel, way: str) -> None:
    """The compiled model has the eager one's results and gradients on every batch, and without
    gradients on the first again."""
    torch.manual_seed(0)
    eager = case.make()
    model = copy.deepcopy(eager)
    run = WAYS[way](model)
    named = case.named or {}
    batches = case.batches()
    for number, batch in enumerate(batches):
        expected, wanted = _step(eager, eager, batch, named)
        assert expected, "no result to compare"
        results, gradients = _step(run, model, batch, named)
        scale = {"rtol": case.tolerance, "atol": case.tolerance}
        where = f"batch {number} of {len(batches)}"
        torch.testing.assert_close(results, expected, msg=_at(where), **scale)
        for name, value in wanted.items():
            found = gradients[name]
            if value is None or found is None:
                # A gradient that is all zeros may be none.
                present = value if found is None else found
                assert present is None or not present.to_dense().any(), f"{name}, {where}"
                continue
            most = max(1.0, float(value.to_dense().abs().max())) if value.numel() else 1.0
            torch.testing.assert_close(
                found.to_dense() / most,
                value.to_dense() / most,
                msg=_at(f"gradient of {name}, {where}"),
                **scale,
            )
    with torch.no_grad():
        torch.manual_seed(0)
        again = list(tensors_of(eager(*batches[0], **named)))
        torch.manual_seed(0)
        torch.testing.assert_close(
            list(tensors_of(run(*batches[0], **named))), again, msg=_at("no gradients"), **scale
        )


def _at(where: str) -> Callable[[str], str]:
    return lambda message: f"{where}: {message}"
