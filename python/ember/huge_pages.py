"""Asks the system for huge pages under a table: fewer misses of the processor's page tables.

A lookup in a table of gigabytes reads a page that the processor has not seen for long, so it first
looks up where the page is. With pages of 2 MB that is found in its caches, with 4 kB often not.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import ctypes
import errno
import os
import warnings
from pathlib import Path
from typing import Any

from ember.dtypes import as_array
from ember.errors import ArgumentError

SETTINGS = Path("/sys/kernel/mm/transparent_hugepage")
# Linux's numbers of advice: use huge pages from now on; make those that are there huge now.
MADV_HUGEPAGE, MADV_COLLAPSE = 14, 25
COLLAPSE_ATTEMPTS = 3
# Bytes from which on memory that is new is advised for: as NumPy does with its own.
LARGE = 4 << 20


def advise_huge_pages(array: Any) -> int:
    """Asks for huge pages in the memory of a contiguous array or tensor; for how many bytes.

    Contents stay as they are. Pages in use are copied together at once, which takes about a second
    a gigabyte; what lies before the first and behind the last whole huge page stays as it is.
    Returns the bytes of whole huge pages. Warns (RuntimeWarning) with the reason, and returns 0,
    where the system refuses; warns where it takes the advice but cannot follow it now. Raises
    ArgumentError for what is not contiguous memory.
    """
    if not hasattr(array, "__array__"):
        raise ArgumentError(f"huge pages need an array or tensor, not a {type(array).__name__}")
    memory = as_array(array.detach() if hasattr(array, "detach") else array)
    if not memory.flags.c_contiguous and not memory.T.flags.c_contiguous:
        raise ArgumentError("huge pages are advised for contiguous arrays: this one is strided")
    page = _huge_page_bytes()
    if page is None:
        return _refused("this system has no transparent huge pages")
    if _chosen(SETTINGS / "enabled") == "never":
        return _refused(f"{SETTINGS / 'enabled'} is 'never': as root, write 'madvise' to it")
    start: int = memory.__array_interface__["data"][0]
    first = -(-start // page) * page
    size = (start + memory.nbytes) // page * page - first
    if size <= 0:
        return _refused(f"the array has no whole huge page of {page} bytes")
    if reason := _advise(first, size, MADV_HUGEPAGE):
        return _refused(reason)
    for _ in range(COLLAPSE_ATTEMPTS):
        reason = _advise(first, size, MADV_COLLAPSE)
        if reason != os.strerror(errno.EAGAIN):
            break
    if reason:
        warnings.warn(
            f"pages in use become huge later, if at all: the system cannot do it now ({reason})",
            RuntimeWarning,
            stacklevel=2,
        )
    return size


def advise_new(tensor: Any) -> None:
    """Asks for huge pages under a tensor of at least LARGE bytes that nothing was written to yet.

    A result of hundreds of megabytes is written in a third of the time: most of it goes to pages
    that the system hands out one by one. Without them it is what it was.
    """
    page = _huge_page_bytes()
    if page is None:
        return
    start: int = tensor.data_ptr()
    first = -(-start // page) * page
    size = (start + tensor.nbytes) // page * page - first
    if size > 0:
        _advise(first, size, MADV_HUGEPAGE)


def _huge_page_bytes() -> int | None:
    try:
        return int((SETTINGS / "hpage_pmd_size").read_text())
    except (OSError, ValueError):
        return None


def _chosen(setting: Path) -> str:
    """The word in brackets of a setting; empty if it cannot be read."""
    try:
        return setting.read_text().partition("[")[2].partition("]")[0]
    except OSError:
        return ""


def _advise(start: int, size: int, advice: int) -> str:
    """Gives advice on memory; empty, or why the system did not take it."""
    madvise = ctypes.CDLL(None, use_errno=True).madvise
    madvise.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)
    if madvise(start, size, advice) == 0:
        return ""
    return os.strerror(ctypes.get_errno())


def _refused(reason: str) -> int:
    """Warns that there are no huge pages; no bytes."""
    warnings.warn(f"no huge pages: {reason}", RuntimeWarning, stacklevel=3)
    return 0
