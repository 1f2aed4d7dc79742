"""Tables of numbers, which pandas shows if it is there.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from ember.errors import UnsupportedError


@dataclass(frozen=True)
class Table:
    """Rows, each with a value for each column."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return (dict(zip(self.columns, row, strict=True)) for row in self.rows)

    def __len__(self) -> int:
        return len(self.rows)

    def __str__(self) -> str:
        cells = [
            self.columns,
            *(
                tuple(f"{one:,.6g}" if isinstance(one, float) else str(one) for one in row)
                for row in self.rows
            ),
        ]
        widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
        lines = [
            "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
            for row in cells
        ]
        return "\n".join(lines)

    def to_dataframe(self) -> Any:
        """The same as a DataFrame of pandas; raises UnsupportedError without it."""
        try:
            import pandas
        except ImportError as error:
            raise UnsupportedError("to_dataframe needs pandas") from error
        return pandas.DataFrame(list(self.rows), columns=list(self.columns))
