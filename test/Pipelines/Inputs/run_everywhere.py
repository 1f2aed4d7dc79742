"""Runs every function of programs in every way ember-run has, and says what they print.

    run_everywhere.py TABLE.npy INDICES.npy OUT.npy N PROGRAM...

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import re
import subprocess
import sys
from pathlib import Path

*arrays, count = sys.argv[1:5]
outputs = []
for program in sys.argv[5:]:
    for entry in re.findall(r"func\.func @(\w+)", Path(program).read_text()):
        for options in ([], ["--target=cpu"], ["--target=dae-threads"]):
            command = ["ember-run", program, f"--entry={entry}", "--print=2", *options]
            command += [f"@{array}" for array in arrays] + [count]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            assert done.returncode == 0, f"{command}: {done.stderr}"
            outputs.append(done.stdout.strip())
values = set(outputs)
print(f"{len(outputs)} runs, {len(values)} value: {' '.join(values)}")
