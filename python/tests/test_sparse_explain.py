"""Explanations: facts of the compiler, as text, as a page and as pictures.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import subprocess
import sys
import xml.etree.ElementTree
from pathlib import Path

import ember.sparse as es
import numpy as np
import pytest
from ember.errors import CompileError
from ember.sparse.venn import SKIPPED, VISITED, can_be_drawn, venn_svg

ROOT = Path(__file__).resolve().parents[2]


def logical(format: str) -> es.Array:
    return es.asarray(np.eye(4, dtype=np.bool_), format)


def test_regions_have_reasons() -> None:
    """What is skipped is what the result holds already."""
    x = es.asarray(np.eye(4, dtype=np.float32))
    (loop,) = es.explain("y[i] = A[i,j] * B[i,j]", A=x, B=x).loops
    assert (loop.variable, loop.reduces, loop.set) == ("j", "add", "A ∩ B")
    reasons = {region.stored: (region.visited, region.reason) for region in loop.regions}
    assert reasons[("A", "B")] == (True, "A * B may be anything")
    assert reasons[("B",)] == (False, "0 * B = 0, the identity of add")
    assert [point.walked for point in loop.lattice] == [("A", "B")]


def test_fills_of_results_decide() -> None:
    """Another fill than that of the expression: everything is visited."""
    a = logical("csf")
    text = "C[i,j] = A[i,j] & B[i,j]"
    inner = es.explain(text, A=a, B=a, C=es.Format("csf")).loops[-1]
    assert inner.set == "A ∩ B"
    assert "false = false, the fill of C" in {r.stored: r.reason for r in inner.regions}[("A",)]
    inner = es.explain(text, A=a, B=a, C=es.Format("csf", fill=1)).loops[-1]
    assert inner.set == "U"
    assert "the fill of C is true" in {r.stored: r.reason for r in inner.regions}[()]


def test_all_that_is_shown() -> None:
    """Loops inside of each other, lattice points, and what is not decoupled."""
    found = es.explain(
        "C[i,j] = (A[i,j] | B[i,j]) & D[i,j]",
        A=logical("csr"),
        B=logical("dcsr"),
        D=logical("csr"),
        C=es.Format("csr"),
    )
    text = str(found)
    assert "  for j in D ∩ (A \N{UNION} B)" in text
    assert "skipped: A and B: (A | B) & false = false, the fill of C" in text
    assert "while there is more of A and D: D ∩ A" in text
    assert any("scf.while" in remark for remark in found.remarks)
    assert "func.func @kernel" in found.program
    assert "all coordinates are visited" in str(es.explain("y[i] = x[i]", x=np.ones(3)))
    with pytest.raises(CompileError, match="1:11"):
        es.explain("y[i] = x[j", x=np.ones(3))


def test_pages_are_whole(tmp_path: Path) -> None:
    """Text is escaped, and pictures are XML."""
    a = logical("csr")
    found = es.explain("C[i,j] = A[i,j] < B[i,j]", A=a, B=a, C=es.Format("csr"))
    page = found.save(tmp_path / "page.html").read_text()
    assert "A[i,j] &lt; B[i,j]" in page
    assert page.count("<svg") == len(found.loops) == 1
    assert "http" not in page.replace("http://www.w3.org/2000/svg", "")
    assert found._repr_html_() in page
    picture = xml.etree.ElementTree.fromstring(venn_svg(found.loops[0]))
    assert picture.tag == "{http://www.w3.org/2000/svg}svg"


@pytest.mark.parametrize(
    ("text", "count"), [("A[i,j]", 1), ("A[i,j] & B[i,j]", 2), ("A[i,j] & B[i,j] & D[i,j]", 3)]
)
def test_pictures_of_intersections(text: str, count: int) -> None:
    """One region of all is coloured."""
    arrays = {name: logical("csr") for name in "ABD"[:count]}
    (loop,) = es.explain(f"C[i,j] = {text}", **arrays, C=es.Format("csr")).loops
    picture = venn_svg(loop)
    assert picture.count(VISITED) == 1
    assert picture.count(SKIPPED) == 2**count - 1


def test_more_operands_have_no_picture() -> None:
    """They are a table alone."""
    arrays = {name: logical("csr") for name in "ABDE"}
    text = "C[i,j] = A[i,j] | B[i,j] | D[i,j] | E[i,j]"
    found = es.explain(text, **arrays, C=es.Format("csr"))
    assert not can_be_drawn(found.loops[0].operands)
    assert "<svg" not in found._repr_html_()
    assert found._repr_html_().count("<tr>") == 16


def test_pictures_of_the_page_are_those_of_the_compiler() -> None:
    """Drawn anew by scripts/algebra.py."""
    command = [sys.executable, str(ROOT / "scripts" / "algebra.py"), "--check"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_functions_of_users() -> None:
    """They are given as to evaluate."""

    @es.function(annihilator=0)
    def twice(x, y):  # type: ignore[no-untyped-def]
        return 2 * x * y

    a = es.asarray(np.eye(3), "csr")
    explained = es.explain("y[i] = twice(A[i,j], B[i,j])", A=a, B=a, twice=twice)
    assert "in A \u2229 B" in str(explained)
    assert "twice" in str(explained)
