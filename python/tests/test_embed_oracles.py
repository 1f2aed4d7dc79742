"""Embed kernels against the operators of PyTorch and SciPy that compute the same.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from pathlib import Path

import ember
import numpy as np
import pytest
import scipy.io
import scipy.sparse
import torch
import torch.nn.functional as functional
from embed_values import BLOCK, FLOAT8, SCALES
from ember.datasets.locality import data_folder
from ember.embed_programs import SDDMM, Bag, Gather, Message, RowFormat, SpMM, array, program

TARGETS = ("cpu", "dae-threads")
HALVES = {"f16": torch.float16, "bf16": torch.bfloat16}
MODES = ("sum", "mean", "max")
ROWS, LENGTH = 40, 18
LOOKUPS = torch.tensor([3, 3, 7, 0, 39, 12, 7, 7, 5, 1, 2, 30, 31, 32, 33])
OFFSETS = torch.tensor([0, 2, 2, 9, 14, 15])
PADDING = 7


def kernel(operation: object, target: str) -> ember.kernel.Entry:
    """The compiled function of one operation."""
    text = program(operation)  # type: ignore[arg-type]
    return ember.load_program(text, ember.Options(target=target)).entry("kernel")


def bag(value: str, mode: str, *, out: str | None = None, **options: object) -> Bag:
    """Bags of one table of rows of fixed length."""
    row_format = options.get("row_format")
    table = array(value, None, LENGTH)
    if isinstance(row_format, RowFormat):
        table = array("i8", None, row_format.row_bytes(LENGTH))
    return Bag(
        tables=(table,),
        indices=array("i64", None),
        segments=array("i64", None),
        out=array(out or value, None, LENGTH),
        reduction=mode,
        **options,  # type: ignore[arg-type]
    )


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("value", HALVES)
def test_half_types_are_summed_in_f32_and_rounded_once(value: str, mode: str, target: str) -> None:
    """As PyTorch's fast path does; the sums are of 30 rows, so that f16 sums would differ."""
    table = torch.randn(ROWS, LENGTH).to(HALVES[value])
    indices = torch.randint(0, ROWS, (150,))
    offsets = torch.arange(0, 151, 30)
    out = torch.empty(5, LENGTH, dtype=HALVES[value])
    kernel(bag(value, mode), target)(table, indices, offsets, out)
    wide = functional.embedding_bag(
        indices, table.double(), offsets, mode=mode, include_last_offset=True
    )
    half_ulp = torch.finfo(HALVES[value]).eps / 2
    torch.testing.assert_close(out.double(), wide, rtol=1.01 * half_ulp, atol=1e-5)
    expected = functional.embedding_bag(
        indices, table, offsets, mode=mode, include_last_offset=True
    )
    # PyTorch may add in another order, and multiplies by a rounded reciprocal for the mean.
    ulp = 0.0 if mode == "max" else 2 * half_ulp
    torch.testing.assert_close(out, expected, rtol=ulp, atol=ulp / 100)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("mode", MODES)
def test_padding_is_no_part_of_a_bag(mode: str, target: str) -> None:
    """Also where the row holds NaN, and where a bag holds nothing else."""
    table = torch.randn(ROWS, LENGTH)
    table[PADDING] = torch.nan
    indices = torch.cat([LOOKUPS, torch.tensor([PADDING, PADDING])])
    offsets = torch.cat([OFFSETS, torch.tensor([17])])
    out = torch.empty(6, LENGTH)
    kernel(bag("f32", mode, padded=True), target)(table, indices, offsets, PADDING, out)
    expected = functional.embedding_bag(
        indices, table, offsets, mode=mode, include_last_offset=True, padding_idx=PADDING
    )
    torch.testing.assert_close(out, expected)


@pytest.mark.parametrize("target", TARGETS)
def test_max_meets_nan_as_pytorch_does(target: str) -> None:
    table = torch.tensor([[1.0], [torch.nan], [3.0], [-torch.inf]]).repeat(1, LENGTH)
    indices = torch.tensor([1, 2, 2, 1, 0, 1, 2, 3])
    offsets = torch.tensor([0, 2, 4, 7, 8])
    out = torch.empty(4, LENGTH)
    kernel(bag("f32", "max"), target)(table, indices, offsets, out)
    expected = functional.embedding_bag(
        indices, table, offsets, mode="max", include_last_offset=True
    )
    torch.testing.assert_close(out, expected, equal_nan=True)


QUANTIZED = {
    "byte": (RowFormat("int8", "f32"), torch.ops.quantized.embedding_bag_byte_rowwise_offsets),
    "4bit": (RowFormat("int4", "f16"), torch.ops.quantized.embedding_bag_4bit_rowwise_offsets),
}


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("layout", QUANTIZED)
def test_quantized_rows_are_fbgemms(layout: str, weighted: bool, target: str) -> None:
    row_format, operator = QUANTIZED[layout]
    prepack = getattr(torch.ops.quantized, f"embedding_bag_{layout}_prepack")
    packed = prepack(torch.randn(ROWS, LENGTH))
    assert packed.shape == (ROWS, row_format.row_bytes(LENGTH))
    weights = torch.randn(len(LOOKUPS)) if weighted else None
    expected = operator(
        packed, LOOKUPS, OFFSETS, mode=0, per_sample_weights=weights, include_last_offset=True
    )
    out = torch.empty(len(OFFSETS) - 1, LENGTH)
    options = {"weights": array("f32", None)} if weighted else {}
    run = kernel(bag("f32", "sum", row_format=row_format, **options), target)
    run(packed, LOOKUPS, OFFSETS, *([weights] if weighted else []), out)
    torch.testing.assert_close(out, expected, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("out", ["f32", "f64", "f16", "bf16"])
@pytest.mark.parametrize(
    ("encoding", "dtype"), [("e4m3", torch.float8_e4m3fn), ("e5m2", torch.float8_e5m2)]
)
def test_every_8_bit_float_is_decoded(
    encoding: str, dtype: torch.dtype, out: str, target: str
) -> None:
    """All 256 of them, NaN and subnormal numbers too, from a tensor of their type."""
    table = torch.arange(256, dtype=torch.uint8).view(dtype)[:, None]
    lookup = Gather(
        source=array("i8", None, 1),
        blocks=array("i64", None, None),
        out=array(out, None, None, 1),
        row_format=RowFormat(encoding),
    )
    types = {"f32": torch.float32, "f64": torch.float64, **HALVES}
    values = torch.empty(1, 256, 1, dtype=types[out])
    kernel(lookup, target)(table, torch.arange(256)[None], values)
    torch.testing.assert_close(
        values[0], table.float().to(types[out]), rtol=0, atol=0, equal_nan=True
    )
    assert (
        table.float().isnan().sum()
        == np.isnan(np.arange(256, dtype=np.uint8).view(FLOAT8[encoding]).astype(np.float32)).sum()
    )


@pytest.mark.parametrize("opt_level", range(5))
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("leading", [False, True])
@pytest.mark.parametrize("out", ["f32", "f64"])
@pytest.mark.parametrize("encoding", FLOAT8)
def test_every_8_bit_float_of_a_block_is_scaled(
    encoding: str, out: str, leading: bool, target: str, opt_level: int
) -> None:
    """All 256 floats by all 256 scales, to the bit: 2^-127, 2^127 and NaN among them."""
    every = np.arange(256, dtype=np.uint8)
    elements = np.tile(every, (256, 1))
    scales = np.repeat(every[:, None], 256 // BLOCK, 1)
    form = RowFormat(encoding, "f8E8M0FNU", leading)
    table = np.concatenate([scales, elements] if leading else [elements, scales], 1)
    assert table.shape[1] == form.row_bytes(256)
    lookup = Gather(
        source=array("i8", None, None),
        blocks=array("i64", None, None),
        out=array(out, None, None, None),
        row_format=form,
    )
    options = ember.Options(target=target, opt_level=opt_level)
    entry = ember.load_program(program(lookup), options).entry("kernel")
    wide = {"f32": np.float32, "f64": np.float64}[out]
    values = np.empty((1, 256, 256), wide)
    entry(table, np.arange(256)[None], values)
    compute = np.float32 if out == "f32" else np.float64
    with np.errstate(over="ignore", invalid="ignore"):
        expected = elements.view(FLOAT8[encoding]).astype(compute) * every.view(SCALES).astype(
            compute
        ).reshape(-1, 1)
    assert np.isnan(expected[255]).all()
    assert expected[0, 0x38 if encoding == "e4m3" else 0x3C] == 2.0**-127
    np.testing.assert_array_equal(values[0], expected)


GRAPHS = ("cora", "citeseer", "pubmed")


def adjacency(name: str) -> scipy.sparse.csr_matrix:
    """A citation graph, or a random one with as many rows, empty ones among them."""
    file = data_folder() / "graphs" / f"{name}.mtx"
    if name == "random":
        return scipy.sparse.random(500, 700, 0.004, "csr", np.float32, random_state=0)
    if not Path(file).exists():
        pytest.skip(f"no graph {file}")
    return scipy.sparse.csr_matrix(scipy.io.mmread(file)).astype(np.float32)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("name", ["random", *GRAPHS])
def test_graph_operations_on_graphs(name: str, target: str) -> None:
    """spmm (csr and coo), sddmm and message passing on whole graphs."""
    matrix = adjacency(name)
    rows, columns = matrix.shape
    ids, values = array("i32", None), array("f32", None)
    wide = array("f32", None, LENGTH)
    features = np.random.default_rng(0).standard_normal((columns, LENGTH)).astype(np.float32)
    targets = np.random.default_rng(1).standard_normal((rows, LENGTH)).astype(np.float32)
    out = np.full((rows, LENGTH), np.nan, np.float32)

    spmm = SpMM(rows=ids, columns=ids, values=values, dense=wide, out=wide)
    kernel(spmm, target)(matrix.indptr, matrix.indices, matrix.data, features, out)
    np.testing.assert_allclose(out, matrix @ features, rtol=1e-4, atol=1e-4)
    expected = (matrix @ features) / np.maximum(np.diff(matrix.indptr), 1)[:, None]
    mean = SpMM(
        rows=ids, columns=ids, values=values, dense=wide, out=wide, graph="coo", reduction="mean"
    )
    coo = matrix.tocoo()
    kernel(mean, target)(coo.row, coo.col, coo.data, features, out)
    np.testing.assert_allclose(out, expected, rtol=1e-4, atol=1e-4)

    shared = {"rows": ids, "columns": ids, "values": values, "left": wide, "right": wide}
    edges = np.full(matrix.nnz, np.nan, np.float32)
    sampled = kernel(SDDMM(**shared, out=values), target)
    sampled(matrix.indptr, matrix.indices, matrix.data, targets, features, edges)
    products = (targets[coo.row] * features[coo.col]).sum(1) * coo.data
    np.testing.assert_allclose(edges, products, rtol=1e-4, atol=1e-4)
    message = Message(**shared, out=wide, messages=wide, activation="sigmoid")
    fused = kernel(message, target)
    fused(matrix.indptr, matrix.indices, matrix.data, targets, features, features, out)
    sigmoid = 1 / (1 + np.exp(-(targets[coo.row] * features[coo.col]).sum(1, dtype=np.float64)))
    attention = scipy.sparse.csr_matrix((sigmoid * coo.data, matrix.indices, matrix.indptr))
    attention.resize(matrix.shape)
    np.testing.assert_allclose(out, attention @ features, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("length", [0, 1025, 4097])
@pytest.mark.parametrize("mode", MODES)
def test_rows_of_any_length(mode: str, length: int, target: str) -> None:
    """None is too long; of rows without elements nothing is left to do."""
    table = torch.randn(ROWS, length)
    rows = array("f32", None, None)
    bags = Bag(
        tables=(rows,),
        indices=array("i64", None),
        segments=array("i64", None),
        out=rows,
        reduction=mode,
    )
    out = torch.empty(len(OFFSETS) - 1, length)
    kernel(bags, target)(table, LOOKUPS, OFFSETS, out)
    if length:
        expected = functional.embedding_bag(
            LOOKUPS, table, OFFSETS, mode=mode, include_last_offset=True
        )
        torch.testing.assert_close(out, expected)
