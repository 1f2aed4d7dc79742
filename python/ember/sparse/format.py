"""How arrays are stored: a kind of level for each dimension, and what is not stored.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import math
import re
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Final, Literal

import numpy as np

from ember.embed_programs import RowFormat
from ember.errors import ArgumentError
from ember.row_types import ENCODINGS, PARAMETERS
from ember.tables import TABLES

_NAMES = {row["name"]: row["spelled"] for row in TABLES["formats"]}
_INDICES = {f"i{bits}": np.dtype(f"int{bits}") for bits in (8, 16, 32, 64)}
#: The fill of arrays in which what is not stored has no value.
MISSING: Final = "missing"
_KINDS = ("dense", "compressed", "singleton", "bitmap")


@dataclass(frozen=True)
class Level:
    """One level: its kind, the dimension it is of, and what is known of its coordinates.

    A dense level has all coordinates, and a bitmap booleans that say which of them are stored. A
    compressed level has segments of coordinates; a singleton one coordinate for each position of
    the level above it.
    """

    kind: str
    dimension: int
    ordered: bool = True
    unique: bool = True

    @property
    def is_listed(self) -> bool:
        """Whether its coordinates are stored."""
        return self.kind in ("compressed", "singleton")

    @property
    def arrays(self) -> tuple[str, ...]:
        """What the arrays that store it are called."""
        names = {
            "compressed": ("positions", "coordinates"),
            "singleton": ("coordinates",),
            "bitmap": ("mask",),
        }
        return names.get(self.kind, ())


@dataclass(frozen=True)
class Format:
    """How an array is stored.

    name: csr, csc, dcsr, dcsc, coo, csf, bitmap, dense, or a level for each dimension, such as
    "dense,compressed(unordered)", with the dimensions of the levels behind @ where these are in
    another order: "dense,compressed@1,0". A type of positions and coordinates may follow, as in
    "csr:i32". Rows of bytes have an encoding in place of levels: "int8", "int4:f32:leading"; see
    es.Encoded.
    fill: what is not stored, "missing" for no value at all; of a dense result, what it holds where
    nothing is assigned to it.
    shape, dtype: of a result, where statements do not say; dtype is what np.dtype takes.
    """

    name: str = "dense"
    fill: float | Literal["missing"] | None = field(default=None, compare=False)
    shape: tuple[int, ...] | None = field(default=None, kw_only=True)
    dtype: Any = field(default=None, kw_only=True)
    # The fill as it is compared: 0.0 and -0.0 are different fills, and all NaN are one.
    _fill_key: Any = field(default=None, init=False, repr=False)

    def __post_init__(self) -> None:
        if not isinstance(self.name, str):
            raise ArgumentError(f"a format has a name such as 'csr', not {self.name!r}")
        if self.shape is not None:
            object.__setattr__(self, "shape", _sizes_of(self.shape))
            if any(size < 0 for size in self.shape):
                raise ArgumentError(f"the shape {self.shape} has a negative size")
        if self.dtype is not None:
            try:
                object.__setattr__(self, "dtype", np.dtype(self.dtype))
            except TypeError:
                raise ArgumentError(f"{self.dtype!r} is no type of elements of NumPy") from None
        if isinstance(self.fill, str) and (self.fill != MISSING or self.is_dense or self.encoding):
            what = (
                f"{self.fill!r} is no number" if self.fill != MISSING else "no element is missing"
            )
            raise ArgumentError(f"a fill of format {self.name!r}: {what}")
        if self.fill is not None and not isinstance(self.fill, str):
            object.__setattr__(self, "fill", _number_of(self.fill))
        if self.fill is not None:
            object.__setattr__(self, "_fill_key", _key_of(self.fill))
        if self.encoding is not None:
            return
        if self.name.count(":") > 1 or (":" in self.name and self.index_name not in _INDICES):
            known = ", ".join(_INDICES)
            raise ArgumentError(f"the indices of format {self.name!r} are of none of {known}")

    @property
    def encoding(self) -> RowFormat | None:
        """How rows of bytes are encoded; None for other arrays. Raises ArgumentError."""
        return _encoding(self.name)

    @property
    def index_name(self) -> str:
        """The type of positions and coordinates as the compiler spells it."""
        if self.encoding is not None:
            return "i64"
        return self.name.partition(":")[2].strip() or "i64"

    @property
    def index(self) -> np.dtype:
        """The type of positions and coordinates."""
        return _INDICES[self.index_name]

    @property
    def is_dense(self) -> bool:
        """Whether it is an ordinary array."""
        return self.name.strip() == "dense"

    @property
    def is_missing(self) -> bool:
        """Whether what is not stored has no value."""
        return self.fill == MISSING

    def levels(self, rank: int) -> tuple[Level, ...]:
        """The levels of an array of so many dimensions, outermost first; raises ArgumentError."""
        name = "dense" if self.encoding is not None else self.name.partition(":")[0].strip()
        return _levels(name, rank)

    def fill_of(self, dtype: np.dtype) -> Any:
        """What is not stored, as an element; 0 where it is missing. Raises ArgumentError."""
        fill = 0 if self.fill is None or self.fill == MISSING else self.fill
        try:
            with np.errstate(over="ignore"):
                element = dtype.type(fill)
        except (OverflowError, ValueError):
            element = None
        is_same = element is not None and (
            element == fill or dtype.kind not in "biu" or math.isnan(fill)
        )
        if not is_same:
            raise ArgumentError(f"the fill {fill} is no {dtype}")
        return element


def _sizes_of(shape: Any) -> tuple[int, ...]:
    """A shape as it is given; raises ArgumentError."""
    try:
        sizes = tuple(int(size) for size in shape)
        is_whole = all(size == given for size, given in zip(sizes, shape, strict=True))
    except (TypeError, ValueError, OverflowError):
        is_whole = False
    if not is_whole:
        raise ArgumentError(f"a shape is a tuple of sizes, not {shape!r}")
    return sizes


def _number_of(fill: Any) -> float:
    """A fill that is a number, of any library; raises ArgumentError."""
    try:
        number = fill.item() if hasattr(fill, "item") else fill
    except (RuntimeError, ValueError):
        number = None
    if not isinstance(number, int | float):
        raise ArgumentError(f"a fill is a number, or 'missing', not {fill!r}")
    return number


def _key_of(fill: Any) -> Any:
    """What is equal for fills that are the same."""
    if fill != fill:
        return "nan"
    return (0, math.copysign(1, fill)) if fill == 0 else fill


@cache
def format_named(name: str) -> Format:
    """The format of a name that says all of it."""
    return Format(name)


@cache
def _encoding(name: str) -> RowFormat | None:
    """The encoding that a name stands for: "int8", "int4:f32:leading"; None for other names."""
    word, *rest = (part.strip() for part in name.split(":"))
    encoding = ENCODINGS.get(word)
    if encoding is None:
        return None
    leading = rest[-1:] == ["leading"]
    given = rest[:-1] if leading else rest
    parameters = given[0] if given else encoding.usual_parameters or None
    known = [
        row.name for row in PARAMETERS.values() if (row.block_length == 0) == encoding.is_integer
    ]
    fits = parameters in known or (parameters is None and not encoding.is_integer)
    if len(given) > 1 or not fits:
        raise ArgumentError(
            f"{name!r} is no encoding of rows: beside elements of {word} there may be "
            + " or ".join(known)
        )
    return RowFormat(word, parameters, leading)


@cache
def _levels(name: str, rank: int) -> tuple[Level, ...]:
    """The levels that a name stands for."""
    spelled = _NAMES.get(name, ())
    text = (spelled[rank - 1] if 0 < rank <= len(spelled) else None) if spelled else name
    parts, _, order = (text or "").partition("@")
    words = [part.strip() for part in parts.split(",")]
    try:
        dimensions = [int(one) for one in order.split(",")] if order else list(range(rank))
        levels = tuple(_level(*one) for one in zip(words, dimensions, strict=True))
    except ValueError:
        levels = ()
    if len(levels) != rank or sorted(dimensions) != list(range(rank)):
        known = ", ".join(_NAMES)
        raise ArgumentError(
            f"{name!r} is no format of {rank} dimension{'s' * (rank != 1)}: expected {known}, or a "
            "level for each dimension, such as 'dense,compressed@1,0'"
        )
    return levels


def _level(word: str, dimension: int) -> Level:
    """A level as it is spelled; raises ValueError."""
    match = re.fullmatch(r"(\w+)(?:\(([\w ]*)\))?", word)
    marks = set((match[2] or "").split()) if match else set()
    if not match or match[1] not in _KINDS or marks - {"unordered", "nonunique"}:
        raise ValueError(word)
    return Level(match[1], dimension, "unordered" not in marks, "nonunique" not in marks)
