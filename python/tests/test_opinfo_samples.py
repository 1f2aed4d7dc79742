"""PyTorch's own samples of embedding operations give, compiled, what PyTorch gives.

A seed draws a third of them. EMBER_SAMPLE_TESTS=types takes every type (half an hour), not f32
alone.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import os
import random
import warnings
from collections import Counter
from collections.abc import Mapping
from contextlib import nullcontext
from typing import Any

import pytest
import torch
from drawn_cases import SEED
from ember.torch.capture.sparse_mode import Product, SparseProducts
from ember.torch.graph.costs import LEAST_LOOKUPS, LEAST_TABLE_BYTES
from ember.torch.settings import Settings
from operator_samples import KERNEL, Sample, check, compiled, operators, sample_of, samples
from torch import Tensor

pytestmark = [
    pytest.mark.timeout(600),
    pytest.mark.filterwarnings("ignore:index_reduce.. is in beta"),
    pytest.mark.filterwarnings("ignore:Sparse CSR tensor support is in beta"),
]

EXHAUSTIVE = os.environ.get("EMBER_SAMPLE_TESTS") == "types"
BAG = "nn.functional.embedding_bag"
TYPES = {"f32": torch.float32, "f64": torch.float64, "bf16": torch.bfloat16, "f16": torch.float16}
# Operations that are no region by themselves: PyTorch computes them, whatever the sample.
ALONE = [
    ("gather", ""),
    ("sparse.mm", "reduce"),
    ("sparse.sampled_addmm", ""),
]
# What becomes of the samples with sparse matrices within ember.sparse_products, by type.
SPARSE = {
    ("sparse.mm", "reduce"): {KERNEL: 16},
    ("sparse.sampled_addmm", ""): {KERNEL: 1, "nothing to multiply": 7},
}
# Scatter operations onto a tensor that has values already.
SCATTERS = [
    ("index_add", ""),
    *(("index_reduce", variant) for variant in ("prod", "mean", "amin", "amax")),
    ("scatter_add", ""),
    *(("scatter_reduce", variant) for variant in ("sum", "prod", "mean", "amin", "amax")),
]
# Samples whose index is as wide as what is scattered, of one variant and type.
KERNELS_ONTO = {"index_add": 3, "index_reduce": 4, "scatter_add": 3, "scatter_reduce": 9}


def of_types(*operations: tuple[str, str]) -> list[Any]:
    """The operations with the types that are tested: f32 unless all are asked for."""
    return [
        pytest.param(name, variant, dtype, id=f"{name}-{variant}-{dtype}")
        for name, variant in operations
        for dtype in TYPES
        # The samples of lengths are those of offsets.
        if EXHAUSTIVE or (dtype == "f32" and variant != "lengths")
    ]


def taken(found: list[Sample]) -> list[Sample]:
    """The samples that a run takes: all, or a third that the seed draws."""
    if not SEED:
        return found
    return random.Random(f"{SEED} {len(found)}").sample(found, -(-len(found) // 3))


def agree(counted: Counter[str], expected: Mapping[str, int]) -> bool:
    """Whether these are the outcomes of all samples, or may be those of some."""
    return counted <= Counter(expected) if SEED else counted == expected


def outcomes(found: list[Sample], record: Any, roundings: int = 0) -> Counter[str]:
    """What became of the samples that a run takes, each checked; also kept with the result."""
    counted = Counter(check(one, roundings) for one in taken(found))
    for outcome, count in counted.items():
        print(f"{count} samples: {outcome}")
        record(outcome, count)
    return counted


@pytest.mark.parametrize(("name", "variant", "dtype"), of_types((BAG, "")))
def test_bags(name: str, variant: str, dtype: str, record_property: Any) -> None:
    found = list(samples(operators()[name, variant], TYPES[dtype]))
    assert len(found) >= 49
    assert agree(outcomes(found, record_property), {KERNEL: len(found)})


@pytest.mark.parametrize(
    ("name", "variant", "dtype"),
    of_types(("_segment_reduce", "lengths"), ("_segment_reduce", "offsets")),
)
def test_segments(name: str, variant: str, dtype: str, record_property: Any) -> None:
    found = list(samples(operators()[name, variant], TYPES[dtype]))
    # PyTorch rounds each of up to 5 sums to a half type.
    counted = outcomes(found, record_property, roundings=5)
    expected = {KERNEL: len(found)}
    if variant == "lengths":
        along = (
            "its lengths are those of dimension 1; statements take lengths along the first "
            "dimension, and offsets along any"
        )
        expected = {KERNEL: 50, along: 40}
    assert agree(counted, expected)


@pytest.mark.parametrize(("name", "variant", "dtype"), of_types(*ALONE))
def test_what_is_no_region_by_itself(
    name: str, variant: str, dtype: str, record_property: Any
) -> None:
    operator = operators()[name, variant]
    if TYPES[dtype] not in operator.dtypes:
        pytest.skip(f"PyTorch has no {name} of {dtype}")
    found = list(samples(operator, TYPES[dtype]))
    assert agree(outcomes(found, record_property), {"no pattern": len(found)})


@pytest.mark.parametrize(("name", "variant", "dtype"), of_types(*SPARSE))
def test_products_with_sparse_matrices(
    name: str, variant: str, dtype: str, record_property: Any
) -> None:
    operator = operators()[name, variant]
    if TYPES[dtype] not in operator.dtypes:
        pytest.skip(f"PyTorch has no {name} of {dtype}")
    counted = Counter(map(outcome_of_product, samples(operator, TYPES[dtype])))
    for outcome, count in counted.items():
        record_property(outcome, count)
    assert counted == SPARSE[name, variant]


def outcome_of_product(sample: Sample) -> str:
    """KERNEL, or why there is none; the result and the gradients are PyTorch's either way."""
    heard: list[Product] = []
    mode = SparseProducts(Settings(raises=True), heard.append)
    found = []
    for context in (mode, nullcontext()):
        arguments = sample.copies(requires_grad=True)
        with context:
            result = sample.call(*arguments)
        result.sum().backward()
        found.append([result.detach().to_dense(), *(one.grad for one in arguments)])
    torch.testing.assert_close(*found, equal_nan=True)
    (product,) = heard
    if product.call is None:
        return product.reason
    if product.call.kernels():
        return KERNEL
    assert any(0 in one.shape for one in sample.tensors)
    return "nothing to multiply"


FEW = "PyTorch looks up fewer than 16384 rows as fast"
# Why PyTorch computes lookups of the samples' few rows. Those of index_select are along other
# dimensions, or of numbers; one of embedding is of a single index.
FEW_ROWS = {
    "index_select": {"no pattern": 3},
    "nn.functional.embedding": {
        FEW: 6,
        "max_norm changes the rows that are looked up": 3,
        "no pattern": 1,
    },
}


@pytest.mark.parametrize(("name", "variant", "dtype"), of_types(*((name, "") for name in FEW_ROWS)))
def test_lookups(name: str, variant: str, dtype: str, record_property: Any) -> None:
    found = list(samples(operators()[name, variant], TYPES[dtype]))
    assert agree(outcomes(found, record_property), FEW_ROWS[name])


def many(made: Any, operator: Any) -> Sample:
    """A sample of embedding with as many lookups, in as large a table, as pay for a kernel."""
    table, (indices,) = made.input, made.args
    places = indices.reshape(-1).repeat(-(-LEAST_LOOKUPS // indices.numel()))
    copies = -(-LEAST_TABLE_BYTES // table.nbytes)

    def call(table: Tensor, places: Tensor) -> Any:
        return operator.op(table.repeat(copies, 1), places, **made.kwargs)

    return Sample(call, [table, places])


@pytest.mark.parametrize("dtype", ["f32", "f64"])
def test_many_lookups(dtype: str, record_property: Any) -> None:
    operator = operators()["nn.functional.embedding", ""]
    torch.manual_seed(0)
    made = list(operator.sample_inputs("cpu", TYPES[dtype], requires_grad=False))
    # Sparse gradients do not go through the repetition of the table.
    found = [many(one, operator) for one in made if not {"max_norm", "sparse"} & one.kwargs.keys()]
    assert agree(outcomes(found, record_property), {KERNEL: len(found)})
    assert len(found) >= 6


@pytest.mark.parametrize(("name", "variant", "dtype"), of_types(*SCATTERS))
def test_scatters_onto_values(name: str, variant: str, dtype: str, record_property: Any) -> None:
    found = list(samples(operators()[name, variant], TYPES[dtype]))
    counted = outcomes(found, record_property)
    kernels = KERNELS_ONTO[name]
    assert counted[KERNEL] <= kernels if SEED else counted[KERNEL] == kernels
    assert "no pattern" not in counted
    assert counted.total() == len(taken(found))


def of_rows(operator: Any, made: Any, onto: bool) -> Sample | None:
    """The sample's source by whole rows, as message passing has it; None for scalars.

    onto: to a tensor of values, with what the sample has of a factor; otherwise into new zeros.
    """
    _, index, source, *others = made.args
    if source.dim() == 0 or made.input.dim() == 0:
        return None
    size = made.input.shape[0]
    # Of an index that has an element for each of the source, the first ones are those of rows.
    edges = min(index.numel(), source.shape[0])
    rows, source = index.flatten()[:edges] % size, source[:edges]
    keywords = dict(made.kwargs)
    if "include_self" in keywords:
        keywords["include_self"] = onto
    repeats = not operator.name.startswith("index_")

    def call(rows: Tensor, source: Tensor, *values: Tensor) -> Any:
        index = rows.view(-1, *[1] * (source.dim() - 1)).expand_as(source) if repeats else rows
        base = values[0] if values else source.new_zeros((size, *source.shape[1:]))
        return operator.op(base, 0, index, source, *others, **keywords)

    values = [torch.rand(size, *source.shape[1:]).to(source.dtype)] if onto else []
    return Sample(call, [rows, source, *values])


# The least number of samples that kernels compute, into zeros and onto values, of those there are.
OF_ROWS = {
    ("index_add", ""): (3, 3),
    ("index_reduce", "mean"): (4, 4),
    ("index_reduce", "amax"): (4, 4),
    ("scatter_add", ""): (6, 6),
    ("scatter_reduce", "sum"): (18, 18),
    ("scatter_reduce", "mean"): (18, 0),
    ("scatter_reduce", "amax"): (18, 18),
}


@pytest.mark.parametrize("onto", [False, True], ids=["zeros", "values"])
@pytest.mark.parametrize(("name", "variant", "dtype"), of_types(*OF_ROWS))
def test_scatters_of_rows(
    name: str, variant: str, dtype: str, onto: bool, record_property: Any
) -> None:
    operator = operators()[name, variant]
    torch.manual_seed(0)
    made = list(operator.sample_inputs("cpu", TYPES[dtype], requires_grad=False))
    found = [one for one in (of_rows(operator, each, onto) for each in made) if one is not None]
    # PyTorch rounds each of up to 5 sums to a half type.
    counted = outcomes(found, record_property, roundings=5)
    assert SEED or counted[KERNEL] >= OF_ROWS[name, variant][onto]
    assert "no pattern" not in counted


@pytest.mark.filterwarnings("ignore:An output with one or more elements was resized")
@pytest.mark.parametrize(
    "name", ["nn.functional.embedding", "gather", "index_select", "index_add", "scatter_add"]
)
def test_what_pytorch_refuses(name: str) -> None:
    operator = operators()[name, ""]
    refused = 0
    for wrong in operator.error_inputs("cpu"):
        one = sample_of(operator, wrong.sample_input)
        try:
            one.call(*one.copies())
        except Exception as expected:
            # What torch.compile itself finds while it captures, it wraps in a RuntimeError.
            kinds = (type(expected), torch._dynamo.exc.TorchRuntimeError)
            with pytest.raises(kinds):
                compiled(one.call)(*one.copies())
            refused += 1
    assert refused


def test_gradients_by_differences() -> None:
    checked = 0
    for one in samples(operators()[BAG, ""], torch.float64, requires_grad=True):
        run = compiled(one.call)
        tensors = one.copies(requires_grad=True)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            if run(*tensors).requires_grad:
                checked += torch.autograd.gradcheck(run, tensors, fast_mode=True)
    assert checked >= 32
