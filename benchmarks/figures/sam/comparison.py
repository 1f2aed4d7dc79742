"""A table of words: what is published, what is ours, and why they differ.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import csv
from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True)
class Row:
    """A line of the table."""

    what: str
    published: str
    ours: str
    why: str = ""


@dataclass
class Comparison:
    """rows in their order; notes say what they are. Written as a figure is."""

    name: str
    title: str
    rows: list[Row]
    notes: list[str] = field(default_factory=list)

    def write(self, folder: Path) -> list[Path]:
        """Writes NAME.csv, NAME.md and NAME.png; without matplotlib, the first two."""
        folder.mkdir(parents=True, exist_ok=True)
        files = [folder / f"{self.name}.csv", folder / f"{self.name}.md"]
        with files[0].open("w", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(["what", "published", "ours", "why"])
            writer.writerows([row.what, row.published, row.ours, row.why] for row in self.rows)
        files[1].write_text(self.table())
        try:
            files.append(self._draw(folder / f"{self.name}.png"))
        except ImportError:
            self.notes.append("no plot: matplotlib is not installed")
        return files

    def table(self) -> str:
        """The rows as markdown."""
        lines = [f"# {self.title}", "", *self.notes, ""]
        lines += ["| | published | ours | why |", "|---|---|---|---|"]
        for row in self.rows:
            lines.append(f"| {row.what} | {row.published} | {row.ours} | {row.why} |")
        return "\n".join(lines) + "\n"

    def _draw(self, file: Path) -> Path:
        from matplotlib.figure import Figure

        heads = ("", "published", "ours", "why")
        cells = [(row.what, row.published, row.ours, row.why) for row in self.rows]
        longest = [max(len(row[k]) for row in (heads, *cells)) for k in range(4)]
        total = sum(longest)
        figure = Figure(figsize=(max(6.0, 0.085 * total), 0.8 + 0.26 * len(cells)))
        axes = figure.subplots()
        axes.axis("off")
        axes.set_title(self.title, fontsize=10)
        widths = [length / total for length in longest]
        drawn = axes.table(
            cellText=[list(cell) for cell in cells],
            colLabels=list(heads),
            colWidths=widths,
            cellLoc="left",
            loc="center",
        )
        drawn.auto_set_font_size(False)
        drawn.set_fontsize(8)
        for (index, column), cell in drawn.get_celld().items():
            if index > 0 and column == 2:
                differs = cells[index - 1][1] not in ("", cells[index - 1][2])
                cell.set_facecolor("#fff3d6" if differs else "#e7f5e9")
        figure.savefig(file, dpi=150, bbox_inches="tight")
        return file
