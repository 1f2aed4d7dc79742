"""Columns of features: hashes, crosses and parts are TensorFlow's; modules look up what they say.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from compiled_models import compiled
from ember.columns import (
    BucketizedColumn,
    Column,
    Columns,
    CrossedColumn,
    HashedColumn,
    IdentityColumn,
    Jagged,
    NumericColumn,
    Texts,
    VocabularyColumn,
    cross_buckets,
    fingerprints,
    hash_buckets,
    join_shards,
    library,
    split,
)
from ember.errors import (
    ArgumentError,
    CompilerNotFoundError,
    IndexOutOfRangeError,
    OffsetsError,
)
from ember.torch.capture.backend import ember_backend, listening
from torch import Tensor
from torch.nn import functional

RECORDED = json.loads((Path(__file__).parent / "tensorflow_hashes.json").read_text())
LOOKUPS = json.loads((Path(__file__).parent / "tensorflow_columns.json").read_text())
MOST = 2**63 - 1


def text_of(length: int) -> bytes:
    """The text of a length that was recorded, of bytes of all values."""
    return bytes((length * 131 + i * i * 7 + 13 * i) % 256 for i in range(length))


TEXTS = [text_of(length) for length in RECORDED["lengths"]]


def test_hashes_of_texts() -> None:
    assert hash_buckets(TEXTS, MOST).tolist() == RECORDED["fast"]
    strong = hash_buckets(TEXTS, MOST, key=tuple(RECORDED["key"]))
    assert strong.tolist() == RECORDED["strong"]


def test_hashes_of_integers() -> None:
    numbers = RECORDED["integers"]
    assert hash_buckets(numbers, MOST).tolist() == RECORDED["of_integers"]
    assert (fingerprints(numbers) == fingerprints(list(map(str, numbers)))).all()
    key = (3, 2**64 - 1)
    assert (fingerprints(numbers, key) == fingerprints(list(map(str, numbers)), key)).all()
    draw = np.random.default_rng(3)
    for dtype in (np.int8, np.uint16, np.int32, np.int64):
        drawn = draw.integers(np.iinfo(dtype).min, np.iinfo(dtype).max, 300, dtype)
        assert (fingerprints(drawn) == fingerprints(list(map(str, drawn.tolist())))).all()


def test_shapes_and_kinds_of_what_is_hashed() -> None:
    numbers = np.arange(6).reshape(2, 3)
    found = hash_buckets(numbers, 10)
    assert found.shape == (2, 3)
    assert found.dtype == np.int64
    # Views, as columns of a larger array.
    assert (hash_buckets(numbers.T, 10) == found.T).all()
    as_tensor = hash_buckets(torch.from_numpy(numbers), 10)
    assert torch.equal(as_tensor, torch.from_numpy(found))
    words = np.array([["0", "1", "2"], ["3", "4", "5"]])
    for one in (words, words.astype(object), words.astype(bytes)):
        assert (hash_buckets(one, 10) == found).all()
    assert hash_buckets(["naïve"], MOST) == hash_buckets(["naïve".encode()], MOST)
    assert hash_buckets([], 10).tolist() == []
    jagged = hash_buckets(Jagged.of([[1], [], [2, 3]]), 10)
    assert jagged.to_list() == [[found[0, 1]], [], [found[0, 2], found[1, 0]]]


def test_hashes_of_tensors_are_captured() -> None:
    table = torch.randn(50, 4)

    def rows(numbers: Tensor) -> Tensor:
        places = hash_buckets(numbers, 50) + hash_buckets(numbers, 50, key=(3, 2**64 - 1)) // 50
        return functional.embedding(places, table).sum(-1)

    numbers = torch.tensor([[2**62, -5], [0, 7]])
    run = torch.compile(rows, backend=ember_backend, fullgraph=True, options={"raises": True})
    torch.testing.assert_close(run(numbers), rows(numbers))
    assert hash_buckets(numbers.T, 50).tolist() == hash_buckets(numbers.T.numpy(), 50).tolist()
    with pytest.raises(ArgumentError, match="these are float32"):
        hash_buckets(torch.zeros(3), 9)


def test_crosses() -> None:
    first = Jagged.of([["a", "b"], [], ["c"], [""]])
    second = Jagged.of([[1, 2], [3], [-4, 5], [7]])
    third = Jagged.of([["x"], ["y"], ["z", ""], ["w"]])
    for buckets, expected in RECORDED["crosses"].items():
        assert cross_buckets([first, second, third], int(buckets)).to_list() == expected
    assert cross_buckets([second, first], 77).to_list() == RECORDED["cross_of_two"]
    assert cross_buckets([Jagged.of([]), Jagged.of([])], 5).to_list() == []


@pytest.mark.parametrize(
    ("separator", "text", "parts"),
    [
        (",", "", [""]),
        (",", ",", ["", ""]),
        (",", ",a,,", ["", "a", "", ""]),
        (",", "ab", ["ab"]),
        ("--", "a--b---", ["a", "b", "-"]),
        ("é", "aéb", ["a", "b"]),
        (b"\0", b"a\0\xff\0", ["a", b"\xff", ""]),
        ("", "", []),
        ("", "\n", []),
        ("", " a\t b ", ["a", "b"]),
        ("", "ab", ["ab"]),
    ],
)
def test_parts(separator: Any, text: Any, parts: list[Any]) -> None:
    found = split([text, "x", text], separator)
    expected = list(Texts.of(parts))
    assert found.to_list() == [expected, [b"x"], expected]
    # The parts are texts of their own.
    assert (fingerprints(found.values) == fingerprints(list(found.values))).all()


def test_dense_features_miss_values() -> None:
    numbers = np.array([[3, -1, -2], [-1, -1, -1], [0, 1, 2]])
    assert Jagged.dense(numbers).to_list() == [[3, -2], [], [0, 1, 2]]
    words = np.array([["a", ""], ["", ""], ["", "b"]])
    assert Jagged.dense(words).to_list() == [[b"a"], [], [b"b"]]
    assert Jagged.dense(["a", "", "b"]).to_list() == [[b"a"], [], [b"b"]]
    assert Jagged.dense(torch.zeros(0, 3, dtype=torch.int64)).to_list() == []
    assert Jagged.dense(np.zeros((2, 0), np.int64)).to_list() == [[], []]


def test_buckets_of_numbers() -> None:
    column = BucketizedColumn([-1.5, 0.0, 0.1, 3.0], dimension=2)
    values = [np.nan, -np.inf, np.inf, -2.0, -1.5, 0.0, -0.0, 0.1, 0.05, 3.0, 4.0]
    expected = [4, 0, 4, 0, 1, 2, 2, 3, 2, 4, 4]
    # 0.1 is the float32 nearest to it, which lies above the float64.
    for dtype, of_a_tenth in ((np.float32, 3), (np.float64, 2)):
        expected[7] = of_a_tenth
        ids, offsets = column.ids(np.array(values, dtype))
        assert ids.tolist() == expected
        assert offsets.tolist() == list(range(12))
    ids, offsets = column.ids(torch.tensor([[-2, 3], [0, 100]]))
    assert ids.tolist() == [0, 4, 2, 4]
    assert offsets.tolist() == [0, 2, 4]
    assert column.ids(torch.zeros(0, 2))[1].tolist() == [0]
    assert column.ids(torch.zeros(2, 0))[1].tolist() == [0, 0, 0]


def ids_of(column: Column, feature: Any) -> list[list[int]]:
    return column.jagged_ids(feature).to_list()


def test_ids_that_are_given() -> None:
    feature = np.array([[3, -1, -2], [0, 9, 4]])
    assert ids_of(IdentityColumn(10, 2), feature) == [[3], [0, 9, 4]]
    # -1 is missing; -2 is a number that is no id.
    assert ids_of(IdentityColumn(5, 2, default=1), feature) == [[3, 1], [0, 1, 4]]
    assert ids_of(IdentityColumn(5, 2, default=1), Jagged.of([[-1, 7], []])) == [[1, 1], []]
    with pytest.raises(IndexOutOfRangeError, match="id 9 of row 1 is out of range"):
        IdentityColumn(9, 2).ids(feature)
    with pytest.raises(ArgumentError, match="these are texts"):
        IdentityColumn(9, 2).ids(["a"])


def test_words_of_a_list() -> None:
    words = ["red", "green", "blau\0"]
    feature = np.array([["green", "", "red"], ["blau\0", "gelb", "red"]], object)
    assert ids_of(VocabularyColumn(words, 2), feature) == [[1, 0], [2, 0]]
    assert ids_of(VocabularyColumn(words, 2, default=1), feature) == [[1, 0], [2, 1, 0]]
    other = 3 + int(hash_buckets(["gelb"], 4)[0])
    column = VocabularyColumn(words, 2, others=4)
    assert column.weight.shape == (7, 2)
    assert ids_of(column, feature) == [[1, 0], [2, other, 0]]
    assert ids_of(VocabularyColumn([10, -3], 2), torch.tensor([[-3, 4], [-1, 10]])) == [[1], [0]]
    assert ids_of(VocabularyColumn([10, -1], 2), Jagged.of([[-1], []])) == [[1], []]
    assert ids_of(VocabularyColumn(words, 2), []) == []


FEATURES: dict[str, Any] = {
    "age": np.array([17.5, 40.0, np.nan, 25.0], np.float32),
    "user": np.array([[3, -1], [-1, -1], [7, 9], [2**40, -2]]),
    "tags": split(["a,b,c", "", "a", "c,c"], ","),
    "both": [["de", "fr", "", "de"], np.array([1, 2, 3, 1])],
}


def drawn_columns() -> Columns:
    torch.manual_seed(5)
    return Columns(
        age=BucketizedColumn([18, 25, 35], dimension=8),
        user=HashedColumn(100, dimension=8, key=(1, 2)),
        tags=HashedColumn(50, dimension=4, combiner="sum"),
        both=CrossedColumn(30, dimension=8),
    )


def test_modules_combine_rows() -> None:
    columns = drawn_columns()
    ids = columns.ids(FEATURES)
    found = columns(ids)
    assert found.shape == (4, 28)
    parts = []
    for name, column in columns.columns.items():
        values, offsets = ids[name]
        for row, (start, end) in enumerate(pairwise(offsets.tolist())):
            rows = column.weight[values[start:end]]
            combined = rows.sum(0) if name == "tags" else rows.sum(0) / max(end - start, 1)
            parts.append((name, row, combined))
    width = 0
    for name, column in columns.columns.items():
        dimension = column.weight.shape[1]
        expected = torch.stack([combined for one, _, combined in parts if one == name])
        torch.testing.assert_close(found[:, width : width + dimension], expected)
        width += dimension
    # Nothing is there, and -2 is a value.
    assert ids["user"][1].tolist() == [0, 1, 1, 3, 5]
    assert ids["both"][1].tolist() == [0, 1, 2, 2, 3]


@pytest.mark.parametrize("weighted", [False, True])
def test_columns_are_one_kernel(weighted: bool) -> None:
    columns = drawn_columns()
    run = compiled(columns)
    features = dict(FEATURES)
    if weighted:
        features["tags"] = Jagged.weighted(FEATURES["tags"], [[1, 2, 0.5], [3], [-1], [1, 4]])
        features["user"] = Jagged.weighted(FEATURES["user"], np.arange(8).reshape(4, 2))
    ids = columns.ids(features)
    with listening() as heard, torch.no_grad():
        torch.testing.assert_close(run(ids), columns(ids))
    (report,) = heard.reports
    assert sum(len(part.call.kernels()) for part in report.compiled) == 1
    for each in (run, columns):
        each(ids).sum().backward()
    gradients = [column.weight.grad for column in columns.columns.values()]
    columns.zero_grad()
    columns(ids).sum().backward()
    for column, twice in zip(columns.columns.values(), gradients, strict=True):
        torch.testing.assert_close(2 * column.weight.grad, twice)


def column_of(table: list[list[float]], **options: Any) -> Column:
    column = IdentityColumn(len(table), len(table[0]), **options)
    column.weight.data = torch.tensor(table)
    return column


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("combiner", ["mean", "sum", "sqrtn"])
def test_rows_are_combined_as_tensorflow_does(combiner: str, weighted: bool) -> None:
    """Of weights that are not above 0, all but sums leave the ids out; a row may have none left."""
    column = column_of(LOOKUPS["table"], combiner=combiner)
    feature = Jagged.of(LOOKUPS["ids"])
    if weighted:
        feature = Jagged.weighted(feature, LOOKUPS["weights"])
    expected = torch.tensor(LOOKUPS["combined"][combiner + ", weighted" * weighted])
    ids = column.ids(feature)
    assert len(ids) == 2 + (weighted or combiner == "sqrtn")
    for run in (column, compiled(column)):
        torch.testing.assert_close(run(*ids), expected, rtol=1e-6, atol=1e-6)


def test_columns_without_a_table_count() -> None:
    column = IdentityColumn(11, None)
    assert not list(column.parameters())
    feature = Jagged.of(LOOKUPS["ids"])
    assert column(*column.ids(feature)).tolist() == LOOKUPS["counts"]
    weighted = Jagged.weighted(feature, LOOKUPS["weights"])
    assert column(*column.ids(weighted)).tolist() == LOOKUPS["summed weights"]
    for run in (column, compiled(column)):
        for wrong in (11, -1, -11):
            with pytest.raises(IndexError):
                run(torch.tensor([3, wrong]), torch.tensor([0, 1, 2]))
    # Nothing at all, and no rows.
    assert not column(*column.ids(Jagged.of([[], []]))).any()
    assert column(*column.ids(Jagged.of([]))).shape == (0, 11)


@pytest.mark.parametrize("strategy", ["mod", "div"])
def test_tables_of_shards(strategy: str) -> None:
    shards, expected = LOOKUPS["shards"][strategy]
    table = join_shards([torch.tensor(one).view(-1, 1) for one in shards], strategy)
    assert table.view(-1).tolist() == expected
    assert join_shards([torch.ones(2, 3)], strategy).shape == (2, 3)


def test_weights_go_with_their_values() -> None:
    """Of what is missing in a dense feature, through hashes, crosses and lists of words."""
    dense = Jagged.weighted(np.array([[5, -1], [7, 8]]), [[1, 2], [3, 4]])
    assert dense.to_list() == [[5], [7, 8]]
    assert dense.weights is not None
    assert dense.weights.tolist() == [1, 3, 4]
    ids = HashedColumn(10, 2, combiner="sum").ids(dense)
    assert ids[2].tolist() == [1, 3, 4]
    words = VocabularyColumn(["a", "b"], 2, combiner="sum")
    assert words.ids(Jagged.weighted(["b", "x", "a"], torch.arange(3).half()))[2].tolist() == [0, 2]
    crossed = cross_buckets([Jagged.of([["a", "b"]]), Jagged.of([[1]])], 9)
    found = Jagged.weighted(crossed, [0.5, 2])
    assert IdentityColumn(9, 2, combiner="sum").ids(found)[2].tolist() == [0.5, 2]


def test_numbers() -> None:
    columns = Columns(
        price=NumericColumn(mean=2, deviation=4),
        place=NumericColumn(2, mean=[1, 0]),
        user=HashedColumn(9, None),
    )
    ids = columns.ids(
        {"price": [4, 2], "place": np.array([[1.5, 2], [3, 4]]), "user": np.array([3, -1])}
    )
    for run in (columns, compiled(columns)):
        found = run(ids)
        assert found[:, :3].tolist() == [[0.5, 0.5, 2], [0, 2, 4]]
        assert found[:, 3:].sum(1).tolist() == [1, 0]


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: hash_buckets([1], 0), "there are 0 buckets"),
        (lambda: hash_buckets([1.5], 9), "text 0 is 1.5, of type float"),
        (lambda: hash_buckets(np.array([1.5]), 9), "these are float64"),
        (lambda: hash_buckets("abc", 9), "this is 'abc' alone"),
        (lambda: hash_buckets(3, 9), "this is 3 alone"),
        (lambda: split("a,b", ","), "one alone"),
        (lambda: hash_buckets([2**64], 9), "text 0"),
        (lambda: hash_buckets(["a", 3], 9), "text 1 is 3, of type int"),
        (lambda: hash_buckets(["\ud800"], 9), "cannot be encoded"),
        (lambda: hash_buckets(np.array([2**63], np.uint64), 9), "past int64"),
        (lambda: hash_buckets(["a"], 9, key=(-1, 0)), "no unsigned word"),
        (lambda: cross_buckets([], 9), "one feature at the least"),
        (lambda: cross_buckets([Jagged.of([[1]]), Jagged.of([])], 9), r"\[0, 1\] rows"),
        (lambda: Jagged.weighted([1, 2], [1.0]), r"\[2\] have weights of shape \[1\]"),
        (lambda: Jagged.weighted(np.ones((2, 3), int), np.ones((3, 2))), r"shape \[3, 2\]"),
        (lambda: Jagged.weighted(np.ones((2, 3), int), np.ones(6)), r"shape \[6\]"),
        (lambda: Jagged.weighted(np.ones((2, 1), int), [[1.0], []]), "different lengths"),
        (lambda: Jagged.weighted(Jagged.of([[1, 2], [3]]), [[1.0], [2, 3]]), "2 values and 1"),
        (lambda: Jagged.weighted(Jagged.of([[1, 2]]), [[1.0], [2]]), "1 rows .* 2 lists"),
        (lambda: Jagged.weighted(Jagged.of([[1, 2]]), [1.0]), "2 values .* shape"),
        (lambda: Jagged(np.arange(2), np.array([0, 2]), np.ones((2, 1))), "2 values .* shape"),
        (lambda: Jagged.weighted([1, 2], ["a", "b"]), "weights are numbers"),
        (lambda: cross_buckets([Jagged.weighted([1], [1.0])], 9), "those of combinations"),
        (lambda: join_shards([torch.ones(2, 1), torch.ones(4, 1)]), r"6 rows .*\[3, 3\]"),
        (lambda: join_shards([torch.ones(2, 1), torch.ones(2, 2)]), "rows of one length"),
        (lambda: join_shards([], "div"), "rows of one length"),
        (lambda: join_shards([torch.ones(2, 1)], "rows"), "one of mod, div"),
        (lambda: NumericColumn(2, mean=[1, 2, 3]), "mean is of shape"),
        (lambda: NumericColumn(deviation=0), "deviation is 0"),
        (lambda: NumericColumn(2).ids(np.zeros(3)), "of 2 numbers a row"),
        (lambda: BucketizedColumn([2, 1], 4), "do not increase"),
        (lambda: BucketizedColumn([float("nan")], 4), "do not increase"),
        (lambda: HashedColumn(0, 4), "no elements"),
        (lambda: HashedColumn(4, 4, combiner="max"), "one of mean, sum"),
        (lambda: BucketizedColumn([1], 4).ids(torch.tensor(1.0)), "dimension for the batch"),
        (lambda: VocabularyColumn(["a", "a"], 4), "listed twice"),
        (lambda: VocabularyColumn(["a"], 4, default=1), "default is 1"),
        (lambda: VocabularyColumn(["a"], 4, default=0, others=1), "no others"),
        (lambda: VocabularyColumn(["a"], 4).ids([3]), "words are texts"),
        (lambda: IdentityColumn(3, 4, default=3), "default is 3"),
        (lambda: drawn_columns().ids({"age": FEATURES["age"]}), "no feature 'user', 'tags'"),
        (lambda: drawn_columns().ids(FEATURES | {"user": [1.5]}), "feature 'user': text 0"),
        (lambda: drawn_columns().ids(FEATURES | {"age": np.zeros(3)}), "numbers of rows"),
    ],
)
def test_errors(call: Any, words: str) -> None:
    with pytest.raises(ArgumentError, match=words):
        call()


def test_values_of_any_type() -> None:
    offsets = torch.tensor([0, 2, 3], dtype=torch.int32)
    for values in ([3, 1, 2], np.array([3, 1, 2], np.int16), torch.tensor([3, 1, 2]).int()):
        found = IdentityColumn(5, 2).ids(Jagged(values, offsets))
        assert [one.dtype for one in found] == [torch.int64] * 2
        assert found[0].tolist() == [3, 1, 2]
    with pytest.raises(ArgumentError, match="these are float64"):
        Jagged(np.zeros(3), offsets)


def test_wrong_offsets() -> None:
    for offsets, words in (([0, 2, 1], "decrease at row 1"), ([1, 3], "begin at 0"), ([], "one")):
        with pytest.raises(OffsetsError, match=words):
            Jagged(np.arange(3), np.array(offsets, np.int64))


def test_no_library(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(library, "program_folders", lambda: [tmp_path / "bin"])
    library.library.cache_clear()
    with pytest.raises(CompilerNotFoundError, match=f"{tmp_path}/lib/libember_columns.so: build"):
        hash_buckets([1], 9)
    monkeypatch.undo()
    assert hash_buckets([1], 9).shape == (1,)
