"""Kernels on PyTorch's OpenMP threads: found, switched off, in forked processes and at once.

Each test has a process of its own: what PyTorch's threads do is the process's.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import os
import subprocess
import sys

import ember
import pytest
import torch
from ember import threads
from ember.team import Sharing, find_team

SETTING = """
import os, threading, time
import ember, numpy as np, torch
from ember import threads
from ember.compiler import Options, load_program
from ember.embed_programs import ENTRY, Bag, array, program

torch.set_num_threads(2)
draw = np.random.default_rng(5)
rows, ids = array("f32", None, 24), array("i64", None)
text = program(Bag(tables=(rows,), indices=ids, segments=ids, out=rows))
library = load_program(text, Options())
library.use_threads(2, work_of_thread=1)
table = draw.standard_normal((300, 24), np.float32)
indices, ends = draw.integers(0, 300, 2500), np.arange(0, 2501, 25)
out = np.empty((100, 24), np.float32)
expected = np.add.reduceat(table[indices].astype(np.float64), ends[:-1])
spread = torch.randn(512, 256)

def call():
    out = np.empty((100, 24), np.float32)
    library.entry(ENTRY)(table, indices, ends, out)
    np.testing.assert_allclose(out, expected, rtol=1e-4, atol=1e-4)
    return out

def call_often(times=200):
    first = call()
    for _ in range(times):
        torch.relu(spread)
        np.testing.assert_array_equal(call(), first)
"""


def run(script: str, **variables: str) -> str:
    """What a process prints that was set up as above."""
    environment = {k: v for k, v in os.environ.items() if not k.startswith("OMP_")}
    done = subprocess.run(
        [sys.executable, "-c", SETTING + script],
        env=environment | variables,
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_pytorchs_team_is_found() -> None:
    if "ATen parallel backend: OpenMP" not in torch.__config__.parallel_info():
        pytest.skip("PyTorch was built without OpenMP")
    assert find_team().team is not None


def test_results_are_the_same_between_pytorchs_operations() -> None:
    run("call_often()")


def test_bad_indices_are_named() -> None:
    run("""
call_often()
indices[[40, 1900]] = 300
for _ in range(50):
    torch.relu(spread)
    try:
        call()
    except ember.IndexOutOfRangeError as error:
        assert "position 40 of 'indices'" in str(error), error
    else:
        raise AssertionError("no error")
indices[[40, 1900]] = 0
expected[:] = np.add.reduceat(table[indices].astype(np.float64), ends[:-1])
call_often()
""")


def test_several_python_threads_at_once() -> None:
    run("""
errors = []
def caller():
    try:
        call_often(100)
    except BaseException as error:
        errors.append(error)
callers = [threading.Thread(target=caller) for _ in range(4)]
for one in callers: one.start()
for one in callers: one.join()
assert not errors, errors
""")


def test_other_numbers_of_threads() -> None:
    run("""
for number in (2, 1, 3, 2):
    torch.set_num_threads(number)
    call_often(40)
for number in (1, 5, 2):
    library.use_threads(number, work_of_thread=1)
    call_often(40)
""")


def test_forked_processes_have_no_team() -> None:
    """A region in one would wait for threads that are not there."""
    run("""
call_often()
child = os.fork()
if child == 0:
    import signal
    signal.alarm(60)
    try:
        for _ in range(100):
            call()
        new = load_program(text, Options(vector_length=4))
        new.use_threads(2, work_of_thread=1)
        for _ in range(100):
            new.entry(ENTRY)(table, indices, ends, out)
        assert threads.sharing().team is None
    except BaseException:
        os._exit(1)
    os._exit(0)
assert os.waitpid(child, 0)[1] == 0
call_often()
""")


def test_it_can_be_switched_off() -> None:
    printed = run("call_often(); print(threads.sharing().why_not)", EMBER_OPENMP="0")
    assert printed.strip() == "EMBER_OPENMP=0"


def test_doctor_says_whose_threads(capsys: pytest.CaptureFixture[str]) -> None:
    before = threads.sharing()
    try:
        threads.share(Sharing(None, "for a test"))
        ember.doctor()
        assert "processors; own ones: for a test" in capsys.readouterr().out
    finally:
        threads.share(before)
    if before.team:
        ember.doctor()
        assert "processors; PyTorch's while they are awake" in capsys.readouterr().out
