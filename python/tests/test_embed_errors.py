"""Errors of embed kernels: sizes that do not fit together, and values that lead nowhere.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from collections.abc import Sequence

import ember
import numpy as np
import pytest
from ember.embed_programs import (
    SDDMM,
    Bag,
    BlockScores,
    BlockValues,
    Gather,
    Message,
    Operation,
    RowFormat,
    Score,
    SpMM,
    array,
    program,
)
from numpy.typing import NDArray

IDS = array("i64", None)
VECTOR = array("f32", None)
ROWS = array("f32", None, None)
BYTES = array("i8", None, None)


def f32(*shape: int) -> NDArray[np.float32]:
    return np.zeros(shape, np.float32)


def ids(*values: int) -> NDArray[np.int64]:
    return np.array(values, np.int64)


def bag(kind: str = "offsets") -> Bag:
    return Bag(tables=(ROWS,), indices=IDS, segments=IDS, segment_kind=kind, out=ROWS)


WEIGHTED = Bag(tables=(ROWS,), indices=IDS, segments=IDS, weights=VECTOR, out=ROWS)
FIXED = Bag(tables=(array("f32", None, 2),), indices=IDS, segments=IDS, out=ROWS)
INT8 = Bag(
    tables=(BYTES,), indices=IDS, segments=IDS, out=ROWS, row_format=RowFormat("int8", "f32")
)
TABLES = Bag(tables=(array("f32", None, 2),) * 2, indices=IDS, segments=IDS, out=ROWS)
CSR = SpMM(rows=IDS, columns=IDS, dense=ROWS, out=ROWS)
COO = SpMM(rows=IDS, columns=IDS, values=VECTOR, dense=ROWS, out=ROWS, graph="coo")
SAMPLED = SDDMM(rows=IDS, columns=IDS, left=ROWS, right=ROWS, out=VECTOR)
MESSAGE = Message(rows=IDS, columns=IDS, left=ROWS, right=ROWS, messages=ROWS, out=ROWS)
ELEMENTWISE = Message(
    rows=IDS, columns=IDS, left=ROWS, right=ROWS, messages=ROWS, out=ROWS, vector=True
)
SCORE = Score(
    entities=ROWS, relations=ROWS, heads=IDS, types=IDS, tails=IDS, out=VECTOR, model="complex"
)
ALL_TAILS = Score(entities=ROWS, relations=ROWS, heads=IDS, types=IDS, out=ROWS, norm=1)
BLOCKS = array("i64", None, None)
GATHER = Gather(source=ROWS, blocks=BLOCKS, out=array("f32", None, None, None), block_size=2)
SCORES = BlockScores(queries=ROWS, keys=ROWS, blocks=BLOCKS, out=ROWS, block_size=2)
VALUES = BlockValues(scores=ROWS, values=ROWS, blocks=BLOCKS, out=ROWS, block_size=2)

TABLE, PAIR, OUT = f32(4, 2), ids(1, 3), f32(2, 2)
ENDS = ids(0, 1, 2)
ONE = ids(0)
BLOCK = np.zeros((1, 1), np.int64)

# An operation, its arguments, and the error they meet.
CASES: Sequence[tuple[Operation, Sequence[NDArray], str]] = (
    (
        bag(),
        (TABLE, PAIR, ids(0, 2), OUT),
        "bag: there are not as many offsets as the bags of all tables",
    ),
    (bag("open_offsets"), (TABLE, PAIR, ids(0), OUT), "bag: there are not as many open_offsets as"),
    (bag("lengths"), (TABLE, PAIR, ids(2), OUT), "bag: there are not as many lengths as"),
    (bag(), (TABLE, ids(1, 4), ENDS, OUT), "index 4 at position 1 of 'indices' is out of range"),
    (bag(), (TABLE, ids(1, -1), ENDS, OUT), "index -1 at position 1 of 'indices' is out of range"),
    (
        bag(),
        (TABLE, PAIR, ids(0, 2, 1), OUT),
        "offsets decrease: 'offsets'[1] is 2 but 'offsets'[2] is 1",
    ),
    (bag(), (TABLE, PAIR, ids(0, 1, 3), OUT), "index 3 at position 2 of 'offsets' is out of range"),
    (bag("open_offsets"), (TABLE, PAIR, ids(2, 1), OUT), "offsets decrease: 'offsets'[0] is 2"),
    (
        bag("open_offsets"),
        (TABLE, PAIR, ids(0, 3), OUT),
        "index 3 at position 1 of 'offsets' is out of",
    ),
    (
        bag("lengths"),
        (TABLE, PAIR, ids(1, 2), OUT),
        "the lengths of lengths add up to more than there are indices",
    ),
    (bag("lengths"), (TABLE, PAIR, ids(2, -1), OUT), "a length of lengths is negative"),
    (WEIGHTED, (TABLE, PAIR, ENDS, f32(3), OUT), "bag: there are not as many weights as indices"),
    (
        bag(),
        (TABLE, PAIR, ENDS, f32(2, 3)),
        "bag: the rows of the table are not as long as the result",
    ),
    (
        FIXED,
        (TABLE, PAIR, ENDS, f32(2, 3)),
        "bag: the rows of the result are not as long as those of the",
    ),
    (
        INT8,
        (np.zeros((4, 9), np.int8), PAIR, ENDS, OUT),
        "bag: the rows of the table are not as long",
    ),
    (
        TABLES,
        (TABLE, TABLE, PAIR, ids(0, 1, 2), f32(1, 5)),
        "bag: the rows of the result are not as long",
    ),
    (CSR, (ids(0, 1), ONE, TABLE, OUT), "spmm: there is not one position more than there are rows"),
    (CSR, (ids(0, 1, 1), ids(4), TABLE, OUT), "index 4 at position 0 of 'columns' is out of range"),
    (CSR, (ids(0, 1, 1), ONE, f32(4, 3), OUT), "spmm: the rows of the table are not as long as"),
    (COO, (ENDS, PAIR, f32(2), TABLE, OUT), "spmm: edges have not as many rows as columns"),
    (COO, (PAIR, PAIR, f32(3), TABLE, OUT), "spmm: there are not as many values as edges"),
    (COO, (ids(2), ONE, f32(1), TABLE, OUT), "is out of range for dimension 0 of 'out' of size 2"),
    (SAMPLED, (ENDS, PAIR, OUT, f32(4, 3), f32(2)), "sddmm: left and right rows differ in length"),
    (
        SAMPLED,
        (ENDS, PAIR, OUT, TABLE, f32(3)),
        "sddmm: the result is not as long as there are edges",
    ),
    (
        MESSAGE,
        (ENDS, PAIR, OUT, f32(4, 3), TABLE, OUT),
        "message: left and right rows differ in length",
    ),
    (
        MESSAGE,
        (ENDS, PAIR, OUT, TABLE, f32(4, 3), OUT),
        "message: the rows of the result are not as long as",
    ),
    (
        MESSAGE,
        (ENDS, PAIR, TABLE, TABLE, TABLE, OUT),
        "message: there are not as many left rows as rows of the",
    ),
    (
        ELEMENTWISE,
        (ENDS, PAIR, OUT, TABLE, f32(4, 3), f32(2, 3)),
        "message: left rows are not as long as messages",
    ),
    (SCORE, (f32(4, 3), f32(4, 3), ONE, ONE, ONE, f32(1)), "score: rows of complex numbers must"),
    (
        SCORE,
        (TABLE, f32(4, 4), ONE, ONE, ONE, f32(1)),
        "score: the rows of entities and relations do",
    ),
    (SCORE, (TABLE, TABLE, ONE, PAIR, ONE, f32(1)), "score: there are not as many types as heads"),
    (SCORE, (TABLE, TABLE, ONE, ONE, PAIR, f32(1)), "score: there are not as many tails as heads"),
    (SCORE, (TABLE, TABLE, ONE, ONE, ONE, f32(2)), "score: there are not as many scores as heads"),
    (
        SCORE,
        (TABLE, TABLE, ONE, ids(4), ONE, f32(1)),
        "index 4 at position 0 of 'types' is out of range",
    ),
    (
        ALL_TAILS,
        (TABLE, TABLE, ONE, ONE, f32(1, 3)),
        "score: there are not as many columns of scores as",
    ),
    (
        GATHER,
        (TABLE, BLOCK, f32(2, 2, 2)),
        "gather: the result has not as many entries as there are",
    ),
    (GATHER, (TABLE, BLOCK, f32(1, 3, 2)), "gather: the result has no row for each gathered one"),
    (GATHER, (TABLE, BLOCK, f32(1, 2, 3)), "gather: the rows of the table are not as long as the"),
    (
        GATHER,
        (TABLE, BLOCK + 2, f32(1, 2, 2)),
        "is out of range for dimension 0 of 'source' of size 4",
    ),
    # Twice this number, the first row of the block, is 0 in 64 bits.
    (
        GATHER,
        (TABLE, np.full((1, 1), -(2**63)), f32(1, 2, 2)),
        "is out of range for dimension 0 of 'source' of size 4",
    ),
    (SCORES, (OUT, f32(4, 3), BLOCK, OUT), "block_scores: queries and keys differ in length"),
    (SCORES, (TABLE, TABLE, BLOCK, TABLE), "block_scores: queries do not fill the rows of blocks"),
    (
        SCORES,
        (OUT, TABLE, BLOCK, TABLE),
        "block_scores: there are not as many rows of scores as queries",
    ),
    (
        SCORES,
        (OUT, TABLE, BLOCK, f32(2, 3)),
        "block_scores: there is no score for each gathered key",
    ),
    (
        VALUES,
        (OUT, TABLE, BLOCK, f32(2, 3)),
        "block_values: the rows of the result are not as long as",
    ),
    (
        VALUES,
        (OUT, TABLE, BLOCK, TABLE),
        "block_values: there are not as many rows of the result as of",
    ),
    (VALUES, (TABLE, TABLE, BLOCK, TABLE), "block_values: scores do not fill the rows of blocks"),
    (
        VALUES,
        (f32(2, 3), TABLE, BLOCK, OUT),
        "block_values: there is no score for each gathered row",
    ),
)
# One library holds all operations; entries are called by their numbers.
OPERATIONS = tuple(dict.fromkeys(operation for operation, _, _ in CASES))


@pytest.fixture(scope="module", params=["cpu", "dae-threads"])
def library(request: pytest.FixtureRequest) -> ember.Library:
    text = "".join(program(operation, f"k{k}") for k, operation in enumerate(OPERATIONS))
    return ember.load_program(text, ember.Options(target=request.param))


@pytest.mark.parametrize(("operation", "arguments", "message"), CASES)
def test_arguments_that_do_not_fit_are_named(
    operation: Operation, arguments: Sequence[NDArray], message: str, library: ember.Library
) -> None:
    entry = library.entry(f"k{OPERATIONS.index(operation)}")
    # Nothing overlaps what is written.
    fresh = [argument.copy() for argument in arguments]
    with pytest.raises(ember.KernelError) as error:
        entry(*fresh)
    assert message in str(error.value)


def test_a_program_that_is_wrong_says_where() -> None:
    wrong = SpMM(rows=IDS, columns=IDS, dense=array("f32", None, 4), out=array("f32", None, 5))
    with pytest.raises(ember.CompileError) as error:
        ember.load_program(program(wrong), ember.Options())
    first, *_ = str(error.value).splitlines()
    assert first == (
        "<stdin>:6:8: error: 'embed.spmm' op the row of the table is 4 but what a row of outs "
        "needs is 5"
    )
