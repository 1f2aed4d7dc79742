"""The table of PyTorch's operators as statements: PyTorch's own samples of each give what it gives.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import random
import re
from collections.abc import Iterator
from typing import Any

import pytest
import torch
from drawn_cases import SEED
from ember.compiler import Options, load_program
from ember.torch.graph.trace import trace
from ember.torch.translate.statements import Statements
from ember.torch.translate.table import translated_names
from ember.torch.translate.translation import translation_of
from operator_samples import operators, sample_of
from torch import Tensor
from torch.fx import Graph

pytestmark = [
    pytest.mark.timeout(600),
    pytest.mark.filterwarnings("ignore:.*degrees of freedom"),
    pytest.mark.filterwarnings("ignore:The reduce argument of torch.scatter"),
]

# Samples of an operator that kernels are built for.
MOST_SAMPLES = 4
# Operators that samples do not call, or that are no use alone: decompositions make them.
MADE = frozenset(
    (
        "aten::_to_copy",
        "aten::_unsafe_view",
        "aten::alias",
        "aten::as_strided",
        "aten::clone",
        "aten::copy",
        "aten::detach",
        "aten::empty",
        "aten::empty_permuted",
        "aten::full",
        "aten::full_like",
        "aten::lift_fresh_copy",
        "aten::scalar_tensor",
        "ember::bags",
        "aten::t",
        # Samples are not of those that are translated: reduced, of vectors, with numbers, one of
        # several results.
        "aten::addmm",
        "aten::cat",
        "aten::cummax",
        "aten::cummin",
        "aten::cumprod",
        "aten::cumsum",
        "aten::max",
        "aten::sort",
        "aten::split_with_sizes",
        "aten::std_mean",
        "aten::var_mean",
        "aten::min",
        "aten::bmm",
        "aten::mm",
        "aten::pow",
        # Ember's own, which tests of quantised tables call.
        "ember::quantized_rows",
    )
)
# PyTorch's names of them, and variants.
VARIANTS = {
    "index_reduce": [("index_reduce", one) for one in ("amax", "amin", "mean", "prod")],
    "scatter_reduce": [("scatter_reduce", one) for one in ("amax", "amin", "mean", "prod", "sum")],
    "segment_reduce": [("_segment_reduce", one) for one in ("lengths", "offsets")],
}
OPINFO = {
    "_log_softmax": ("log_softmax", ""),
    "_softmax": ("softmax", ""),
    "div": ("div", "no_rounding_mode"),
    "index": ("__getitem__", ""),
    **{
        name: (f"nn.functional.{name}", "")
        for name in (
            "celu",
            "elu",
            "embedding",
            "gelu",
            "hardsigmoid",
            "hardswish",
            "hardtanh",
            "leaky_relu",
            "mish",
            "relu",
            "softplus",
        )
    },
    "linalg_vector_norm": ("linalg.vector_norm", ""),
    "rsub": ("__rsub__", ""),
}

# Those of booleans alone.
LOGICAL = re.compile("all|any|(bitwise|logical)_(and|not|or|xor)")


def statements_of(call: Any, tensors: list[Tensor]) -> tuple[Statements, dict[str, Tensor]] | None:
    """The statements of a call, with the tensors that they read; None if it has none."""
    captured = Graph()
    inputs = [captured.placeholder(f"input{place}") for place in range(len(tensors))]
    for node, tensor in zip(inputs, tensors, strict=True):
        node.meta["val"] = tensor
    root = captured.call_function(call, tuple(inputs))
    try:
        found = translation_of(trace(root, [root], inputs))
    except Exception as error:
        # A mask's result has a size that only the run knows.
        if "nonzero" not in str(error):
            raise
        return None
    # Calls find out where masks hold.
    if not isinstance(found, Statements) or found.masks:
        return None
    by_node = dict(zip(inputs, tensors, strict=True))
    read = {found.inputs[node]: by_node[node] for node in found.read()}
    return found, {**read, **found.constants}


def evaluated(found: Statements, read: dict[str, Tensor], expected: Tensor) -> Tensor:
    """What the kernel of statements computes of tensors of these names."""
    result = torch.full_like(expected, 77, memory_format=torch.contiguous_format)
    kept = result.view([size for size in expected.shape if size != 1])
    entry = load_program(found.notation(), Options()).entry("kernel")
    arguments = {name: one if one.dim() else one.view(1) for name, one in read.items()}
    entry(*(arguments[one.name].contiguous() for one in entry.parameters[:-1]), kept)
    return result


def calls_of(name: str) -> Iterator[tuple[Any, list[Tensor]]]:
    """Calls by PyTorch's samples, with their tensors: those whose elements a kernel may read."""
    dtype = torch.bool if LOGICAL.fullmatch(name) else torch.float32
    for key in VARIANTS.get(name, [OPINFO.get(name, (name, ""))]):
        operator = operators().get(key)
        assert operator is not None, f"PyTorch has no samples of {key}"
        torch.manual_seed(0)
        for one in operator.sample_inputs("cpu", dtype):
            sample = sample_of(operator, one)
            expected = sample.call(*sample.copies())
            if isinstance(expected, Tensor) and expected.numel() and not sample.renormalises:
                yield sample.call, sample.tensors


def names() -> list[str]:
    return sorted(name.removeprefix("aten::") for name in translated_names() - MADE)


@pytest.mark.filterwarnings("ignore:index_reduce.. is in beta")
@pytest.mark.parametrize("name", names())
def test_samples(name: str) -> None:
    taken = []
    for call, tensors in calls_of(name):
        found = statements_of(call, tensors)
        if found is not None and found[1]:
            taken.append((call, tensors, *found))
    assert taken, "no sample is translated"
    if SEED and len(taken) > MOST_SAMPLES:
        taken = random.Random(SEED).sample(taken, MOST_SAMPLES)
    for call, tensors, statements, read in taken[:MOST_SAMPLES]:
        expected = call(*tensors)
        if any(not one.numel() for one in read.values()):
            continue
        found = evaluated(statements, read, expected)
        torch.testing.assert_close(found, expected, msg=f"{statements.text} of {read}")


# PyTorch lets a dimension of a tensor that has none be named.
OF_NUMBERS = {
    "flip": lambda x: x.flip(0),
    "roll": lambda x: x.roll(1),
    "sum": lambda x: x.sum(-1),
    "amax": lambda x: x.amax(0),
    "argmax": lambda x: x.argmax(0),
    "norm": lambda x: torch.linalg.vector_norm(x, dim=0),
    "variance": lambda x: x.var(0, correction=0),
    "softmax": lambda x: x.softmax(0),
    "squeeze": lambda x: x.squeeze(0),
    "unsqueeze": lambda x: x.unsqueeze(-1),
    "transpose": lambda x: x.transpose(0, -1),
    "permute": lambda x: x.permute(()),
    "expand": lambda x: x.expand(2, 3),
    "repeat": lambda x: x.repeat(2, 1),
    "flatten": lambda x: x.flatten(),
    "index_select": lambda x: x.index_select(0, torch.zeros(1, dtype=torch.int64)),
    "gather": lambda x: x.gather(-1, torch.tensor(0)),
    "index_add": lambda x: x.index_add(0, torch.zeros(1, dtype=torch.int64), torch.ones(())),
    "scatter_add": lambda x: x.scatter_add(0, torch.tensor(0), torch.ones(())),
    "cumsum": lambda x: x.cumsum(0),
    "cumprod": lambda x: x.cumprod(-1),
    "cummax": lambda x: x.cummax(0).values,
    "sort": lambda x: x.sort(0).values,
    "topk": lambda x: x.topk(1).values,
    "kthvalue": lambda x: x.kthvalue(1).values,
}


@pytest.mark.parametrize("name", OF_NUMBERS)
def test_dimensions_of_numbers(name: str) -> None:
    def call(x: Tensor) -> Tensor:
        return 2 * OF_NUMBERS[name](x * 3)

    number = torch.tensor(1.5)
    if (found := statements_of(call, [number])) is not None:
        expected = call(number)
        torch.testing.assert_close(evaluated(*found, expected), expected)


def test_views_of_nothing() -> None:
    def call(x: Tensor) -> Tensor:
        return 2 * x.unflatten(1, (-1, 2))

    nothing = torch.zeros(4, 0, 4)
    if (found := statements_of(call, [nothing])) is not None:
        torch.testing.assert_close(evaluated(*found, call(nothing)), call(nothing))
