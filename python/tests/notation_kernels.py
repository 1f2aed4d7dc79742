"""Many statements as the entries of one library.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import re
import subprocess
from collections.abc import Iterable, Sequence

from ember.compiler import Options, find_tool, load_program
from ember.kernel import Entry

Statement = tuple[str, Sequence[str]]


def program(text: str, options: Iterable[str]) -> str:
    """The module that evaluates a statement."""
    command = [str(find_tool("emberc")), f"--notation={text}", *options, "--emit=cin"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, f"{text} {list(options)}\n{done.stderr}"
    return done.stdout


def compile_all(statements: Sequence[Statement], opt_level: int = 3) -> list[Entry]:
    """The entry of each statement with its options for arrays, of one library."""
    maps, functions = [], []
    for number, (text, options) in enumerate(statements):
        module = re.sub(r"#(map\d*)\b", rf"#\1_{number}_", program(text, options))
        maps += [line for line in module.splitlines() if line.startswith("#map")]
        begin, end = module.index("  func.func"), module.rindex("}")
        functions.append(module[begin:end].replace("@kernel(", f"@kernel{number}(", 1))
    whole = "\n".join([*maps, "module {", *functions, "}"])
    library = load_program(whole, Options(opt_level=opt_level))
    return [library.entry(f"kernel{number}") for number in range(len(statements))]
