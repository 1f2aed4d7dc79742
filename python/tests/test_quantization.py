"""ember.quantize_tables: values within what the formats round, states, updates and errors.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import copy
from contextlib import nullcontext
from typing import Any

import ember
import pytest
import torch
import torch.ao.nn.quantized as nnq
from ember.torch.quantize.row_encoding import FORMATS, decode, encode, format_of, rows_of
from ember.torch.quantize.rows import QuantizedEmbedding, rows_kernel
from ember.torch.quantize.tables import QuantizedEmbeddingBag, bag_kernel, quantize_tables
from torch import Tensor, nn

ROWS, LENGTH = 40, 9
OFFSETS = torch.tensor([0, 3, 3, 10])


def table(scale: float = 1.0) -> Tensor:
    return torch.randn(ROWS, LENGTH, generator=torch.Generator().manual_seed(0)) * scale


def indices(count: int = 16) -> Tensor:
    return torch.randint(ROWS, (count,), generator=torch.Generator().manual_seed(1))


def bag(mode: str = "sum", **options: Any) -> nn.EmbeddingBag:
    return nn.EmbeddingBag(ROWS, LENGTH, mode=mode, _weight=table(), **options)


def steps(encoding: str, values: Tensor) -> Tensor:
    """The most that a number may be away from what stands for it."""
    if encoding in ("int8", "int4"):
        extent = values.amax(1, keepdim=True) - values.amin(1, keepdim=True)
        levels = {"int8": 255, "int4": 15}[encoding]
        # Half a step, and what the scale and the bias are rounded by.
        parameter = {"int8": 2.0**-24, "int4": 2.0**-11}[encoding]
        return extent / levels / 2 + parameter * (extent + values.abs().amax(1, keepdim=True))
    if encoding.startswith("mxfp8"):
        # Half a step, relative and of the smallest; the largest is 1.75 times a power of two.
        fraction, smallest = {
            "mxfp8_e4m3": (2.0**-4, 2.0**-18),
            "mxfp8_e5m2": (2.0**-3, 2.0**-32),
        }[encoding]
        blocks = nn.functional.pad(values, (0, -values.shape[1] % 32)).unflatten(1, (-1, 32))
        power = torch.exp2(blocks.abs().amax(2).log2().floor())
        power = power.repeat_interleave(32, 1)[:, : values.shape[1]]
        beyond = (values.abs() - 1.75 * power).clamp(min=0)
        return torch.maximum(values.abs() * fraction + power * smallest, beyond)
    relative, smallest = {
        "e4m3": (2.0**-4, 2.0**-10),
        "e5m2": (2.0**-3, 2.0**-17),
        "bf16": (2.0**-8, 0.0),
        "f16": (2.0**-11, 2.0**-25),
    }[encoding]
    return values.abs() * relative + smallest


@pytest.mark.parametrize("scale", [1.0, 1e-3, 30.0])
@pytest.mark.parametrize("encoding", FORMATS)
def test_encoded_rows_are_near(encoding: str, scale: float) -> None:
    form, values = format_of(encoding), table(scale)
    rows = encode(values, form)
    assert rows.shape == (ROWS, form.row_bytes(LENGTH))
    decoded = decode(rows, form, LENGTH)
    assert bool(((decoded - values).abs() <= steps(encoding, values)).all())
    # What stands for numbers stands for what it decodes to.
    assert bool(
        ((decode(encode(decoded, form), form, LENGTH) - decoded).abs() <= 0.01 * scale).all()
    )


@pytest.mark.parametrize("layout", ["byte", "4bit"])
def test_rows_are_laid_out_as_pytorchs(layout: str) -> None:
    values = table()[:, :8]
    packed = getattr(torch.ops.quantized, f"embedding_bag_{layout}_prepack")(values)
    unpacked = getattr(torch.ops.quantized, f"embedding_bag_{layout}_unpack")(packed)
    form = format_of({"byte": "int8", "4bit": "int4"}[layout])
    torch.testing.assert_close(decode(packed, form, 8), unpacked)
    assert encode(values, form).shape == packed.shape


def test_rows_of_one_value() -> None:
    values = torch.full((3, LENGTH), 0.375)
    for encoding in FORMATS:
        form = format_of(encoding)
        torch.testing.assert_close(decode(encode(values, form), form, LENGTH), values)


@pytest.mark.parametrize("disabled", [False, True], ids=["kernel", "disabled"])
@pytest.mark.parametrize("mode", ["sum", "mean", "max"])
@pytest.mark.parametrize("encoding", FORMATS)
def test_bags(encoding: str, mode: str, disabled: bool) -> None:
    bag_kernel.cache_clear()
    for options in ({}, {"include_last_offset": True}, {"padding_idx": 3}):
        plain = bag(mode, **options)
        quantized = QuantizedEmbeddingBag(plain, encoding)
        expected = copy.deepcopy(plain)
        expected.weight.data = quantized.dequantized()
        places = indices(10)
        places[4] = 3
        with torch.no_grad():
            for arguments in ((places, OFFSETS), (places.int(), OFFSETS.int())):
                wanted = expected(*arguments)
                if disabled:
                    with ember.disabled():
                        found = quantized(*arguments)
                else:
                    found = quantized(*arguments)
                torch.testing.assert_close(found, wanted)
            torch.testing.assert_close(quantized(places.view(2, 5)), expected(places.view(2, 5)))
    assert bag_kernel.cache_info().misses > 0


def test_sample_weights() -> None:
    quantized = quantize_tables(bag())
    weights = torch.rand(10)
    expected = nn.functional.embedding_bag(
        indices(10), quantized.dequantized(), OFFSETS, mode="sum", per_sample_weights=weights
    )
    torch.testing.assert_close(quantized(indices(10), OFFSETS, weights), expected)
    with pytest.raises(ember.ArgumentError, match="per_sample_weights are for sums"):
        quantize_tables(bag("mean"))(indices(10), OFFSETS, weights)


class Model(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.user = bag()
        self.items = nn.ModuleList([bag("mean"), self.user])
        self.top = nn.Linear(3 * LENGTH, 2)

    def forward(self, indices: Tensor, offsets: Tensor) -> Tensor:
        rows = [one(indices, offsets) for one in (self.user, *self.items)]
        return self.top(torch.cat(rows, 1))


def test_models() -> None:
    model = Model().eval()
    whole = copy.deepcopy(model)
    assert quantize_tables(model, "int8") is model
    assert model.user is model.items[1]
    assert not model.user.training
    with torch.no_grad():
        expected = model(indices(10), OFFSETS)
        torch.testing.assert_close(expected, whole(indices(10), OFFSETS), atol=0.05, rtol=0.05)
        torch._dynamo.reset()
        run = torch.compile(model, backend="ember", dynamic=True, fullgraph=True)
        torch.testing.assert_close(run(indices(10), OFFSETS), expected)


def test_states_and_updates() -> None:
    quantized, other = quantize_tables(bag()), quantize_tables(bag("sum"))
    other.update_(table(2.0))
    assert not torch.equal(other.rows, quantized.rows)
    torch.testing.assert_close(other.dequantized(), table(2.0), atol=0.02, rtol=0)
    quantized.load_state_dict(other.state_dict())
    torch.testing.assert_close(quantized(indices(10), OFFSETS), other(indices(10), OFFSETS))
    with pytest.raises(ember.ArgumentError, match="the table has to be"):
        quantized.update_(table()[:3])


def test_what_cannot_be_quantised() -> None:
    with pytest.raises(ember.ArgumentError, match="no row format 'int2'; there are: int8"):
        quantize_tables(bag(), "int2")
    with pytest.raises(ember.ArgumentError, match=r"must be an nn\.Module, not a function"):
        quantize_tables(lambda indices: indices, "int8")  # type: ignore[arg-type]
    model = Model()
    model.user.max_norm = 1.0
    with pytest.raises(ember.ArgumentError, match=r"user: a table that max_norm"):
        quantize_tables(model)
    assert isinstance(model.items[0], nn.EmbeddingBag)
    values = table()
    values[2, 2] = torch.inf
    with pytest.raises(ember.ArgumentError, match="infinities"):
        encode(values, FORMATS["int8"])
    with pytest.raises(ember.ArgumentError, match="too large"):
        encode(table(1e6), FORMATS["int4"])


def test_wrong_indices() -> None:
    quantized = quantize_tables(bag())
    wrong = indices(10)
    wrong[7] = ROWS
    with pytest.raises(IndexError, match="'weight'"):
        quantized(wrong, OFFSETS)
    with pytest.raises(ember.ArgumentError, match="1-D with offsets"):
        quantized(wrong)


@pytest.mark.parametrize("disabled", [False, True], ids=["kernel", "disabled"])
@pytest.mark.parametrize("encoding", FORMATS)
def test_lookups(encoding: str, disabled: bool, caplog: pytest.LogCaptureFixture) -> None:
    rows_kernel.cache_clear()
    quantized = quantize_tables(
        nn.Embedding(ROWS, LENGTH, _weight=table(), padding_idx=3), encoding
    )
    assert isinstance(quantized, QuantizedEmbedding)
    made = (
        indices(),
        indices(12).view(2, 2, 3).int(),
        indices(0),
        indices(8)[::2].short(),
        indices(1),
    )
    for places in made:
        with ember.disabled() if disabled else nullcontext():
            found = quantized(places)
        torch.testing.assert_close(found, quantized.dequantized()[places.long()])
    assert rows_kernel.cache_info().currsize == (0 if disabled else 2)
    assert "left to PyTorch" not in caplog.text
    with pytest.raises(IndexError), ember.disabled() if disabled else nullcontext():
        quantized(indices() + ROWS)


def test_lookups_are_taken_when_asked_for() -> None:
    model = nn.Sequential(nn.Embedding(ROWS, LENGTH), bag()).eval()
    quantize_tables(model)
    assert type(model[0]) is nn.Embedding
    model = quantize_tables(nn.Sequential(model[0]).eval(), "int4", lookups=True)
    assert isinstance(model[0], QuantizedEmbedding)
    assert not model[0].training
    assert repr(model[0]) == f"QuantizedEmbedding({ROWS}, {LENGTH}, int4)"
    with pytest.raises(ember.ArgumentError, match="1: a table that max_norm"):
        quantize_tables(
            nn.Sequential(nn.Embedding(2, 2), nn.Embedding(2, 2, max_norm=1.0)), lookups=True
        )


def pytorchs(dtype: torch.dtype) -> Tensor:
    """A table that PyTorch has quantised, with a scale and a zero point for each row."""
    draw = torch.Generator().manual_seed(5)
    scales = torch.rand(ROWS, generator=draw) / 10 + 0.01
    zeros = torch.randint(5, (ROWS,), generator=draw).float()
    return torch.quantize_per_channel(table()[:, :8], scales, zeros, 0, dtype)


@pytest.mark.filterwarnings("ignore::UserWarning:torch.*", "ignore:.*quantize_per:UserWarning")
@pytest.mark.parametrize("dtype", [torch.quint8, torch.quint4x2], ids=str)
def test_pytorchs_quantised_modules_keep_their_numbers(dtype: torch.dtype) -> None:
    weight = pytorchs(dtype)
    bags = nnq.EmbeddingBag(ROWS, 8, mode="sum", include_last_offset=True, dtype=dtype)
    bags.set_weight(weight)
    taken = quantize_tables(nn.Sequential(bags).eval())[0]
    assert isinstance(taken, QuantizedEmbeddingBag)
    arguments = indices(10), OFFSETS
    torch.testing.assert_close(taken(*arguments), bags(*arguments))
    torch.testing.assert_close(
        taken(*arguments, torch.arange(10.0)), bags(*arguments, torch.arange(10.0))
    )
    lookup = nnq.Embedding(ROWS, 8, dtype=dtype)
    lookup.set_weight(weight)
    rows = quantize_tables(lookup)
    assert isinstance(rows, QuantizedEmbedding)
    torch.testing.assert_close(rows(indices()), lookup(indices()))


@pytest.mark.filterwarnings("ignore:.*quantize_per:UserWarning")
def test_pytorchs_modules_that_have_no_format() -> None:
    weight = torch.quantize_per_channel(
        table()[:, :3], torch.ones(ROWS), torch.zeros(ROWS), 0, torch.quint4x2
    )
    with pytest.raises(ember.ArgumentError, match="do not fill bytes of two"):
        rows_of(weight)
    weight = torch.quantize_per_tensor(table(), 0.1, 0, torch.quint8)
    with pytest.raises(ember.ArgumentError, match="has no row format"):
        rows_of(weight)


def test_numbers_too_large_for_halves() -> None:
    with pytest.raises(ember.ArgumentError, match="too large for f16"):
        encode(table(1e6), FORMATS["f16"])
    assert encode(table(1e6), FORMATS["bf16"]).dtype is torch.bfloat16
