"""Kernel libraries of hand-written programs, called with NumPy arrays over the C ABI.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import gc
import itertools
import sys
import threading
import time
import weakref
from pathlib import Path
from typing import Any

import ember
import numpy as np
import pytest
import torch
from ember import native

PROGRAM = """
func.func @scale(%x: memref<?x3xf32> {ember.name = "x"}, %factor: f32 {ember.name = "factor"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %rows = memref.dim %x, %c0 : memref<?x3xf32>
  scf.for %i = %c0 to %rows step %c1 {
    scf.for %j = %c0 to %c3 step %c1 {
      %v = memref.load %x[%i, %j] : memref<?x3xf32>
      %s = arith.mulf %v, %factor : f32
      memref.store %s, %x[%i, %j] : memref<?x3xf32>
    }
  }
  return
}

func.func @iota(%n: index) -> (memref<?xi32>, index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = memref.alloc(%n) : memref<?xi32>
  scf.for %i = %c0 to %n step %c1 {
    %v = arith.index_cast %i : index to i32
    memref.store %v, %r[%i] : memref<?xi32>
  }
  return %r, %n : memref<?xi32>, index
}

func.func @sum(%x: memref<?xf64>) -> f64 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  %n = memref.dim %x, %c0 : memref<?xf64>
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (f64) {
    %v = memref.load %x[%i] : memref<?xf64>
    %a = arith.addf %acc, %v : f64
    scf.yield %a : f64
  }
  return %sum : f64
}

func.func @copy(
    %from: memref<?xf32> {ember.name = "from"}, %to: memref<?xf32> {ember.name = "to"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %to, %c0 : memref<?xf32>
  scf.for %i = %c0 to %n step %c1 {
    %v = memref.load %from[%i] : memref<?xf32>
    memref.store %v, %to[%i] : memref<?xf32>
  }
  return
}
"""


def load(text: str, way: str, **options: Any) -> ember.Library:
    """The library of a program whose calls are made by compiled code, or in Python."""
    found = ember.load_program(text, ember.Options(**options))
    if way == "compiled":
        assert native.Call is not None, "ember_calls is not built for this Python"
        return found
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(native, "Call", None)
        return ember.Library(found.path)


WAYS = ("compiled", "python")


@pytest.fixture(
    scope="module", params=itertools.product(("cpu", "dae-threads"), WAYS), ids="-".join
)
def library(request: pytest.FixtureRequest) -> ember.Library:
    target, way = request.param
    return load(PROGRAM, way, target=target)


def test_the_manifest_describes_the_entries(library: ember.Library) -> None:
    assert set(library.entries) == {"scale", "iota", "sum", "copy"}
    x, factor = library.entry("scale").parameters
    assert (x.name, x.kind, x.dtype, x.shape, x.writable) == ("x", "memref", "f32", (None, 3), True)
    assert (factor.name, factor.kind, factor.dtype) == ("factor", "scalar", "f32")
    source, target = library.entry("copy").parameters
    assert (source.writable, target.writable) == (False, True)


def test_arrays_are_updated_in_place(library: ember.Library) -> None:
    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    assert library.entry("scale")(x, 2.5) is None
    np.testing.assert_array_equal(x, np.arange(6, dtype=np.float32).reshape(2, 3) * 2.5)


@pytest.mark.parametrize("n", [0, 1, 1000])
def test_results_come_back(library: ember.Library, n: int) -> None:
    array, size = library.entry("iota")(n)
    np.testing.assert_array_equal(array, np.arange(n, dtype=np.int32))
    assert size == n
    assert library.entry("sum")(np.ones(n)) == n


def test_arguments_are_checked(library: ember.Library) -> None:
    scale = library.entry("scale")
    x = np.zeros((2, 3), np.float32)
    for arguments, message in (
        ((x,), "takes 2 arguments"),
        ((x.astype(np.float64), 1.0), "x must be float32"),
        ((x[0], 1.0), "x must have 2 dimensions"),
        ((np.zeros((3, 2), np.float32).T, 1.0), "x must be contiguous"),
        (([[1.0, 2.0, 3.0]], 1.0), "x is written to"),
        ((x, "two"), "factor must be a number"),
        ((np.zeros((2, 4), np.float32), 1.0), "x"),
    ):
        with pytest.raises(ember.ArgumentError, match=message):
            scale(*arguments)
    read_only = x.copy()
    read_only.flags.writeable = False
    with pytest.raises(ember.ArgumentError, match="read-only"):
        scale(read_only, 1.0)


def test_outputs_that_overlap_inputs_are_refused(library: ember.Library) -> None:
    memory = np.arange(10, dtype=np.float32)
    with pytest.raises(ember.ArgumentError, match=r"(?s)'from'.*'to'|'to'.*'from'"):
        library.entry("copy")(memory[1:], memory[:-1])
    library.entry("copy")(memory[5:], memory[:5])
    np.testing.assert_array_equal(memory, [5, 6, 7, 8, 9, 5, 6, 7, 8, 9])


def test_reading_past_an_array_is_an_error(library: ember.Library) -> None:
    with pytest.raises(ember.IndexOutOfRangeError, match="'from'"):
        library.entry("copy")(np.zeros(3, np.float32), np.zeros(4, np.float32))


def test_an_unknown_entry_is_named(library: ember.Library) -> None:
    with pytest.raises(ember.ArgumentError, match=r"'none'.*scale"):
        library.entry("none")


def test_queues_are_configured_and_checked() -> None:
    library = ember.load_program(PROGRAM, ember.Options(target="dae-threads"))
    for capacity, schedule in ((1, "deterministic"), (1, "threads"), (64, "threads")):
        library.configure(capacity, schedule)
        to = np.zeros(100, np.float32)
        library.entry("copy")(np.arange(100, dtype=np.float32), to)
        np.testing.assert_array_equal(to, np.arange(100))
    with pytest.raises(ember.ArgumentError, match="schedule"):
        library.configure(1, "magic")
    with pytest.raises(ember.ArgumentError, match="queue_capacity"):
        library.configure(0)


def test_a_library_without_a_manifest_is_refused(tmp_path: Path) -> None:
    (tmp_path / "k.so").write_bytes(b"not a library")
    with pytest.raises(ember.CompileError, match=r"k\.so"):
        ember.Library(tmp_path / "k.so")


TYPES_PROGRAM = """
func.func @scale(%x: memref<?xbf16> {ember.name = "x"}, %factor: bf16, %other: f16) -> f16 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %x, %c0 : memref<?xbf16>
  scf.for %i = %c0 to %n step %c1 {
    %v = memref.load %x[%i] : memref<?xbf16>
    %s = arith.mulf %v, %factor : bf16
    memref.store %s, %x[%i] : memref<?xbf16>
  }
  %twice = arith.addf %other, %other : f16
  return %twice : f16
}

func.func @count(%bytes: memref<?xi8> {ember.name = "bytes"}) -> i64 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i64
  %n = memref.dim %bytes, %c0 : memref<?xi8>
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (i64) {
    %v = memref.load %bytes[%i] : memref<?xi8>
    %w = arith.extui %v : i8 to i64
    %a = arith.addi %acc, %w : i64
    scf.yield %a : i64
  }
  return %sum : i64
}
"""


@pytest.fixture(scope="module", params=WAYS)
def types_library(request: pytest.FixtureRequest) -> ember.Library:
    return load(TYPES_PROGRAM, request.param)


def test_half_types_come_as_arrays_tensors_and_numbers(types_library: ember.Library) -> None:
    scale = types_library.entry("scale")
    tensor = torch.tensor([1.0, -3.0], dtype=torch.bfloat16)
    assert scale(tensor, 0.5, 1.25) == 2.5
    assert tensor.tolist() == [0.5, -1.5]
    array = np.array([1.0, -3.0], "bfloat16")
    scale(array, 2, 0)
    assert array.tolist() == [2.0, -6.0]
    with pytest.raises(ember.ArgumentError, match="x must be bfloat16, not float16"):
        scale(np.zeros(1, np.float16), 2, 0)
    with pytest.raises(ember.ArgumentError, match="must be a number"):
        scale(array, "2", 0)


def test_bytes_are_taken_by_their_bits(types_library: ember.Library) -> None:
    count = types_library.entry("count")
    assert count(np.array([255, 1], np.uint8)) == 256
    assert count(np.array([-1, 1], np.int8)) == 256
    assert count(torch.tensor([255, 1], dtype=torch.uint8)) == 256
    assert count(torch.tensor([448.0]).to(torch.float8_e4m3fn)) == 0x7E
    assert count(torch.tensor([1.0]).to(torch.float8_e5m2)) == 0x3C
    with pytest.raises(ember.ArgumentError, match="bytes must be int8, not int16"):
        count(np.zeros(1, np.int16))


def test_first_arguments_are_bound(library: ember.Library) -> None:
    copy = library.entry("copy")
    source, target = np.arange(3, dtype=np.float32), np.zeros(3, np.float32)
    bound = copy.bind(source)
    for _ in range(2):
        source += 1
        bound(target)
        np.testing.assert_array_equal(target, source)
    copy.bind(source, target)()
    with pytest.raises(ember.ArgumentError, match="takes 2 arguments, not 3"):
        bound(target, target)
    with pytest.raises(ember.ArgumentError, match="takes 2 arguments, not 3"):
        copy.bind(source, target, target)
    with pytest.raises(ember.ArgumentError, match="from must be float32"):
        copy.bind(np.zeros(3))
    with pytest.raises(ember.IndexOutOfRangeError):
        bound(np.zeros(4, np.float32))
    bound(target)


@pytest.mark.parametrize("wrap", [np.asarray, torch.from_numpy], ids=["numpy", "torch"])
def test_arrays_are_read_in_place(library: ember.Library, wrap: Any) -> None:
    memory = np.zeros((2, 3), np.float32)
    memory[:] = 2
    library.entry("scale")(wrap(memory), 3)
    np.testing.assert_array_equal(memory, np.full((2, 3), 6))
    for array, message in (
        (wrap(memory.astype(np.float64)), "x must be float32, not float64"),
        (wrap(memory)[0], "x must have 2 dimensions, not 1"),
        (wrap(memory)[:, :2], "x must be contiguous"),
    ):
        with pytest.raises(ember.ArgumentError, match=message):
            library.entry("scale")(array, 1.0)


def test_tensors_that_need_a_gradient_are_refused(library: ember.Library) -> None:
    with pytest.raises(RuntimeError, match="requires grad"):
        library.entry("scale")(torch.ones(2, 3, requires_grad=True), 1.0)


def test_tensors_that_are_not_plain_are_read_right(library: ember.Library) -> None:
    scale = library.entry("scale")
    parameter = torch.nn.Parameter(torch.ones(2, 3), requires_grad=False)
    scale(parameter, 2.0)
    assert parameter.tolist() == [[2.0] * 3] * 2
    # The imaginary part of a conjugate is stored without its sign.
    negated = torch.complex(torch.zeros(4), torch.ones(4)).conj().imag
    assert negated.is_neg()
    target = np.zeros(4, np.float32)
    with pytest.raises((ember.ArgumentError, RuntimeError, TypeError)):
        library.entry("copy")(negated, target)
    for tensor in (torch.ones(2, 3).to_sparse(), torch.ones(2, 3, device="meta")):
        with pytest.raises((ember.ArgumentError, RuntimeError, TypeError)):
            scale(tensor, 2.0)
    scale(torch.ones(5, 3)[::2][:1], 2.0)
    scale(np.ones((1, 3), np.float32)[:, ::1], 2.0)
    scale(np.ones((0, 3), np.float32), 2.0)


def test_bytes_in_another_order_are_refused(library: ember.Library) -> None:
    swapped = np.arange(3, dtype=np.float32).astype(np.dtype(np.float32).newbyteorder())
    with pytest.raises(ember.ArgumentError, match=r"from must be float32, not [<>]f4"):
        library.entry("copy")(swapped, np.zeros(3, np.float32))


STRIDED_PROGRAM = """
func.func @first(%x: memref<?xf32, strided<[?], offset: ?>> {ember.name = "x"}) -> f32 {
  %c0 = arith.constant 0 : index
  %v = memref.load %x[%c0] : memref<?xf32, strided<[?], offset: ?>>
  return %v : f32
}

func.func @spread(%x: memref<?xf32, strided<[?], offset: ?>> {ember.name = "x"}, %n: i32,
                  %out: memref<?xf32> {ember.name = "out"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %end = arith.index_cast %n : i32 to index
  scf.for %i = %c0 to %end step %c1 {
    %v = memref.load %x[%i] : memref<?xf32, strided<[?], offset: ?>>
    memref.store %v, %out[%i] : memref<?xf32>
  }
  return
}
"""


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("wrap", [np.asarray, torch.from_numpy], ids=["numpy", "torch"])
def test_strided_arrays_are_read_in_place(way: str, wrap: Any) -> None:
    spread = load(STRIDED_PROGRAM, way).entry("spread")
    out = np.zeros(3, np.float32)
    spread(wrap(np.arange(12, dtype=np.float32))[1::4], 3, out)
    np.testing.assert_array_equal(out, [1, 5, 9])
    with pytest.raises(ember.ArgumentError, match="out must be contiguous"):
        spread(wrap(np.zeros(3, np.float32)), 3, wrap(np.zeros(6, np.float32))[::2])


@pytest.mark.parametrize("way", WAYS)
def test_strides_between_elements_are_refused(way: str) -> None:
    library = load(STRIDED_PROGRAM, way)
    packed = np.zeros(3, np.dtype([("flag", np.int8), ("value", np.float32)]))["value"]
    with pytest.raises(ember.ArgumentError, match="x has strides of"):
        library.entry("first")(packed)
    with pytest.raises(ember.ArgumentError, match="x has strides of"):
        library.entry("spread")(packed, 3, np.zeros(3, np.float32))


def test_options_reach_the_compiler(tmp_path: Path) -> None:
    profile = tmp_path / "profile.json"
    profile.write_text('{"control_queue": {"by_program": {}}}')
    decoupled = {"target": "dae-threads", "opt_level": 4}
    libraries = [
        ember.load_program(PROGRAM, ember.Options(**options))
        for options in (
            {},
            {"prefetch_distance": 0},
            {"prefetch_distance": 3},
            {"prefetch_lines": 3},
            {"prefetch_level": 3},
            {"prefetch_min_table": 3},
            {"stream_min_output": 3},
            {"unroll": False},
            {"strip_rows": False},
            {"cpu": "generic"},
            decoupled,
            decoupled | {"profile": profile},
        )
    ]
    assert len({library.path for library in libraries}) == len(libraries)
    assert libraries[9].manifest["cpu"] == "generic"
    for library in libraries:
        source, target = np.arange(40, dtype=np.float32), np.zeros(40, np.float32)
        library.entry("copy")(source, target)
        np.testing.assert_array_equal(source, target)
    profile.write_text('{"control_queue": {"by_program": {}}} ')
    again = ember.load_program(PROGRAM, ember.Options(**decoupled, profile=profile))
    assert again.path != libraries[-1].path
    for options, message in (
        ({"prefetch_distance": -1}, "prefetch_distance must be from 0 to 1048576, not -1"),
        ({"prefetch_level": 4}, "prefetch_level must be from 1 to 3, not 4"),
        ({"profile": profile}, "profile needs target 'dae-threads'"),
    ):
        with pytest.raises(ember.ArgumentError, match=message):
            ember.Options(**options)
    with pytest.raises(ember.ArgumentError, match="cannot read the profile"):
        ember.load_program(PROGRAM, ember.Options(**decoupled, profile=tmp_path / "none"))
    with pytest.raises(ember.CompileError, match="abacus"):
        ember.load_program(PROGRAM, ember.Options(cpu="abacus"))


def test_calls_are_freed_with_what_they_keep(library: ember.Library) -> None:
    class Array(np.ndarray):
        """Can be watched."""

    source = Array((3,), np.float32)
    watched = weakref.ref(source)
    bound = library.entry("copy").bind(source)
    del source
    gc.collect()
    assert watched() is not None
    bound(np.zeros(3, np.float32))
    del bound
    gc.collect()
    assert watched() is None


def test_calls_leave_references_as_they_were(library: ember.Library) -> None:
    copy, source, target = library.entry("copy"), np.zeros(3, np.float32), torch.zeros(3)
    other = np.zeros(3, np.float64)

    def call_all() -> None:
        for _ in range(100):
            copy(source, target)
            copy(source.tolist() and np.asarray(source), target)
            with pytest.raises(ember.ArgumentError):
                copy(other, target)
            with pytest.raises(ember.ArgumentError):
                copy(source)
            with pytest.raises(TypeError):
                copy.bind()(source, target=target)

    call_all()
    counts = [sys.getrefcount(one) for one in (source, target, other, copy, None)]
    call_all()
    after = [sys.getrefcount(one) for one in (source, target, other, copy, None)]
    assert all(abs(now - before) < 10 for now, before in zip(after, counts, strict=True))


def test_other_threads_run_during_a_call(library: ember.Library) -> None:
    n = 1 << 24
    source, target = np.zeros(n, np.float32), np.zeros(n, np.float32)
    copy = library.entry("copy")
    seen: list[float] = []
    stop = threading.Event()

    def watch() -> None:
        while not stop.is_set():
            seen.append(time.perf_counter())
            time.sleep(0.0005)

    thread = threading.Thread(target=watch)
    thread.start()
    try:
        # On a busy machine, the other thread may not get a turn during one call.
        for _ in range(100):
            started = time.perf_counter()
            copy(source, target)
            ended = time.perf_counter()
            if any(started < moment < ended for moment in seen):
                break
        else:
            pytest.fail("no other thread ran during any call")
    finally:
        stop.set()
        thread.join()


def test_scalars_keep_their_bits() -> None:
    program = """
    func.func @same(%i: i32, %n: index, %f: f32, %h: f16) -> (i32, index, f32, f16) {
      return %i, %n, %f, %h : i32, index, f32, f16
    }"""
    same = ember.load_program(program, ember.Options()).entry("same")
    assert same(-7, -(2**40), -1.5, 0.25) == (-7, -(2**40), -1.5, 0.25)


def test_arrays_that_cannot_be_written_are_read(library: ember.Library) -> None:
    copy = library.entry("copy")
    source, target = np.arange(3, dtype=np.float32), np.zeros(3, np.float32)
    source.flags.writeable = False
    copy(source, target)
    np.testing.assert_array_equal(target, source)
    copy(source[:0], target[:0])
    copy(source[1:], target[:1])
    np.testing.assert_array_equal(target, [1, 1, 2])
