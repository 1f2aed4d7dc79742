"""Huge pages under tables: what is advised, and what is said where they are not to be had.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import re
import warnings
from pathlib import Path
from typing import Any

import ember
import numpy as np
import pytest
import torch
from ember import huge_pages
from ember import sparse as es

MEGABYTE = 1 << 20


def huge_bytes(start: int, end: int) -> int:
    """The bytes in huge pages of the mappings that overlap these addresses."""
    total, inside = 0, False
    for line in Path("/proc/self/smaps").read_text().splitlines():
        if place := re.match(r"([0-9a-f]+)-([0-9a-f]+) ", line):
            inside = int(place[1], 16) < end and int(place[2], 16) > start
        elif inside and line.startswith("AnonHugePages:"):
            total += 1024 * int(line.split()[1])
    return total


def advised(address: int) -> bool:
    """Whether huge pages are advised for the mapping at an address."""
    inside = False
    for line in Path("/proc/self/smaps").read_text().splitlines():
        if place := re.match(r"([0-9a-f]+)-([0-9a-f]+) ", line):
            inside = int(place[1], 16) <= address < int(place[2], 16)
        elif inside and line.startswith("VmFlags:"):
            return "hg" in line.split()
    return False


def test_pages_in_use_become_huge() -> None:
    table = torch.arange(16 * MEGABYTE, dtype=torch.int32)
    before = table.clone()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        advised = ember.advise_huge_pages(table)
    assert torch.equal(table, before)
    if caught:
        pytest.skip(f"not to be had here: {caught[0].message}")
    assert 60 * MEGABYTE <= advised <= 64 * MEGABYTE
    assert advised % (2 * MEGABYTE) == 0
    assert huge_bytes(table.data_ptr(), table.data_ptr() + 64 * MEGABYTE) >= advised


def test_large_results_are_in_huge_pages() -> None:
    table = torch.ones(MEGABYTE, 16)
    if "[never]" in (huge_pages.SETTINGS / "enabled").read_text():
        pytest.skip("this system has none")
    result = es.evaluate("y[i,j] = 2 * x[i,j]", x=table)
    start, size = result.data_ptr(), result.nbytes
    assert torch.equal(result, 2 * table)
    # Pages that are huge are so many at once, or the system had none left.
    inside = [page for page in range(start, start + size, 2 * MEGABYTE) if advised(page)]
    assert len(inside) >= size // (2 * MEGABYTE) - 2
    small = es.evaluate("y[i,j] = 2 * x[i,j]", x=table[:1000])
    assert torch.equal(small, 2 * table[:1000])


@pytest.mark.parametrize("setting", ["always madvise [never]", None], ids=["never", "missing"])
def test_a_system_without_them_is_said(
    setting: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(huge_pages, "SETTINGS", tmp_path)
    if setting:
        (tmp_path / "enabled").write_text(setting)
        (tmp_path / "hpage_pmd_size").write_text("2097152")
    with pytest.warns(RuntimeWarning, match="no huge pages: .*(never|no transparent)"):
        assert ember.advise_huge_pages(np.zeros(4 * MEGABYTE)) == 0


def test_advice_that_is_not_followed_at_once_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    reasons = {huge_pages.MADV_HUGEPAGE: "", huge_pages.MADV_COLLAPSE: "Invalid argument"}
    monkeypatch.setattr(huge_pages, "_huge_page_bytes", lambda: 2 * MEGABYTE)
    monkeypatch.setattr(huge_pages, "_chosen", lambda _: "madvise")
    monkeypatch.setattr(huge_pages, "_advise", lambda _start, _size, advice: reasons[advice])
    with pytest.warns(RuntimeWarning, match="later.*Invalid argument"):
        assert ember.advise_huge_pages(np.zeros(4 * MEGABYTE, np.uint8)) > 0
    reasons[huge_pages.MADV_HUGEPAGE] = "Cannot allocate memory"
    with pytest.warns(RuntimeWarning, match="no huge pages: Cannot allocate memory"):
        assert ember.advise_huge_pages(np.zeros(4 * MEGABYTE, np.uint8)) == 0


def test_a_small_array_has_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(huge_pages, "_huge_page_bytes", lambda: 2 * MEGABYTE)
    monkeypatch.setattr(huge_pages, "_chosen", lambda _: "madvise")
    with pytest.warns(RuntimeWarning, match="no whole huge page"):
        assert ember.advise_huge_pages(torch.nn.Parameter(torch.zeros(10))) == 0


@pytest.mark.parametrize(
    ("array", "message"), [(np.zeros((4, 4))[:, ::2], "strided"), ([1.0, 2.0], "not a list")]
)
def test_what_is_not_contiguous_memory_is_refused(array: Any, message: str) -> None:
    with pytest.raises(ember.ArgumentError, match=message):
        ember.advise_huge_pages(array)
