"""New processes that have PyTorch at once: forked from one that has imported it, and nothing else.

Importing PyTorch takes most of the time of a short program. Ember is not imported beforehand, so
a program finds what its own variables say.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import atexit
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

# Reads a program a line, and writes its exit status. What forks has one thread, as it has computed
# nothing; what is forked ends as any interpreter does.
SERVER = """
import json, os, sys, types
import torch, torch._dynamo
paths = sys.path[1:]
while line := sys.stdin.readline():
    wanted = json.loads(line)
    if child := os.fork():
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
        continue
    for number, name in enumerate((os.devnull, wanted["out"], wanted["errors"])):
        os.dup2(os.open(name, os.O_RDWR | os.O_CREAT), number)
    os.chdir(wanted["folder"])
    os.environ.clear()
    os.environ.update(wanted["variables"])
    sys.argv = ["-c", *wanted["arguments"]]
    given = os.environ.get("PYTHONPATH", "")
    sys.path[:] = ["", *filter(None, given.split(os.pathsep)), *paths]
    sys.modules["__main__"] = main = types.ModuleType("__main__")
    exec(compile(wanted["program"], "<string>", "exec"), vars(main))
    break
"""


@cache
def _server() -> "subprocess.Popen[str]":
    """The process that forks; one for a process of tests."""
    without_path = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    process = subprocess.Popen(
        [sys.executable, "-c", SERVER],
        env=without_path,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    atexit.register(process.communicate)
    return process


def run_python(
    program: str, folder: Path, variables: Mapping[str, str], arguments: Sequence[object] = ()
) -> "subprocess.CompletedProcess[str]":
    """As `python -c program` in a folder, with these environment variables alone.

    Variables that PyTorch reads when it is imported are not seen by it.
    """
    server = _server()
    assert server.stdin is not None
    assert server.stdout is not None
    with tempfile.TemporaryDirectory() as place:
        files = {name: str(Path(place, name)) for name in ("out", "errors")}
        wanted = {
            "program": program,
            "folder": str(folder),
            "variables": dict(variables),
            "arguments": [*map(str, arguments)],
            **files,
        }
        server.stdin.write(json.dumps(wanted) + "\n")
        server.stdin.flush()
        status = int(server.stdout.readline())
        out, errors = (Path(file).read_text() for file in files.values())
    return subprocess.CompletedProcess(["python", "-c", program], status, out, errors)
