"""What a figure is made into: a plot, its numbers, and a table beside what is published.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import csv
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

#: Of numbers in CSV: cycles stay whole.
DIGITS = 7


@dataclass
class Bar:
    """One number of a figure: of a group on the axis, and of a series.

    why: what the difference to the published number comes from, if there is something to say.
    """

    group: str
    series: str
    ours: float
    published: float | None = None
    why: str = ""


@dataclass
class Figure:
    """bars in their order; notes say what the numbers are, and why they differ.

    is_log: the axis of numbers is logarithmic. axis: of lines in place of bars, what their groups,
    which are numbers then, are; on a logarithmic axis.
    """

    name: str
    title: str
    unit: str
    bars: list[Bar]
    notes: list[str] = field(default_factory=list)
    is_log: bool = False
    axis: str = ""

    def write(self, folder: Path) -> list[Path]:
        """Writes NAME.csv, NAME.md, NAME.png and NAME.svg; without matplotlib, the first two."""
        folder.mkdir(parents=True, exist_ok=True)
        files = [folder / f"{self.name}.csv", folder / f"{self.name}.md"]
        with files[0].open("w", newline="") as file:
            writer = csv.writer(file)
            explains = any(bar.why for bar in self.bars)
            writer.writerow(["group", "series", "ours", "published", *["why"] * explains])
            for bar in self.bars:
                published = "" if bar.published is None else f"{bar.published:.{DIGITS}g}"
                words = [bar.group, bar.series, f"{bar.ours:.{DIGITS}g}", published]
                writer.writerow([*words, *[bar.why] * explains])
        files[1].write_text(self.table())
        try:
            files += self._draw(folder)
        except ImportError:
            self.notes.append("no plot: matplotlib is not installed")
        return files

    def table(self) -> str:
        """The numbers as markdown."""
        lines = [f"# {self.title}", "", *self.notes, ""]
        explains = any(bar.why for bar in self.bars)
        lines += [
            f"| | {self.unit} | published | ours | ours / published |" + " why |" * explains,
            "|---|---|---|---|---|" + "---|" * explains,
        ]
        for bar in self.bars:
            published = "" if bar.published is None else f"{bar.published:.2f}"
            ratio = "" if not bar.published else f"{bar.ours / bar.published:.2f}"
            line = f"| {bar.group} | {bar.series} | {published} | {bar.ours:.2f} | {ratio} |"
            lines.append(line + f" {bar.why} |" * explains)
        return "\n".join(lines) + "\n"

    def _draw(self, folder: Path) -> list[Path]:
        import matplotlib

        matplotlib.use("Agg")
        from matplotlib import pyplot

        groups = list(dict.fromkeys(bar.group for bar in self.bars))
        series = list(dict.fromkeys(bar.series for bar in self.bars))
        figure, axes = pyplot.subplots(figsize=(max(6.0, 0.9 * len(groups) + 2), 4))
        width = 0.8 / len(series)
        for number, name in enumerate(series):
            if self.axis:
                self._draw_line(axes, name, f"C{number % 10}")
            else:
                self._draw_series(axes, groups, name, number * width - 0.4 + width / 2, width)
        if any(bar.published is not None for bar in self.bars):
            axes.plot([], [], "kx" if self.axis else "k_", markersize=10, label="published")
        if self.axis:
            axes.set_xscale("log")
            axes.set_xlabel(self.axis)
        else:
            axes.set_xticks(range(len(groups)), groups, rotation=30, ha="right")
        if self.is_log:
            axes.set_yscale("log")
        axes.set_ylabel(self.unit)
        axes.set_title(self.title, fontsize=10)
        axes.legend(fontsize=8, loc="upper left", bbox_to_anchor=(1.01, 1))
        axes.grid(axis="both" if self.axis else "y", alpha=0.3)
        files = [folder / f"{self.name}.{kind}" for kind in ("png", "svg")]
        for file in files:
            figure.savefig(file, dpi=150, bbox_inches="tight")
        pyplot.close(figure)
        return files

    def _draw_series(
        self, axes: Any, groups: list[str], name: str, shift: float, width: float
    ) -> None:
        bars = {bar.group: bar for bar in self.bars if bar.series == name}
        places = [place for place, group in enumerate(groups) if group in bars]
        shown = [bars[groups[place]] for place in places]
        axes.bar(
            [place + shift for place in places], [bar.ours for bar in shown], width, label=name
        )
        published = [
            (place + shift, bar.published)
            for place, bar in zip(places, shown, strict=True)
            if bar.published is not None
        ]
        if published:
            axes.plot(*zip(*published, strict=True), "k_", markersize=10)

    def _draw_line(self, axes: Any, name: str, colour: str) -> None:
        bars = [bar for bar in self.bars if bar.series == name]
        places = [float(bar.group) for bar in bars]
        axes.plot(places, [bar.ours for bar in bars], "o-", markersize=4, color=colour, label=name)
        published = [(float(bar.group), bar.published) for bar in bars if bar.published is not None]
        if published:
            axes.plot(*zip(*published, strict=True), "x", color=colour, markersize=8)
