# The lit configuration of Ember's tests: programs, substitutions and features.
# Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Substitutions beside lit's own (%s, %S, %t, ...):
#   %python   the Python that runs lit (NumPy is there)
#   %npy      makes, prints and compares .npy files: scripts/npy.py
#   %shared   the folder of graphs and histograms; tests that read it say REQUIRES: shared-data
#   %mutations   how many damaged programs to try: $EMBER_MUTATIONS, else 300; if $EMBER_TEST_SEED
#                draws others each time, 120 (quick: 50)
#   %seed        that seed, or 1
#   %times       how often a program is compiled that has to be the same each time
#   %ember_src, %ember_obj, %ember_lib   source, build and library folders
# Features: shared-data, mounts (disks of a test's own), asan, avx2, avx512, neon, and long_tests
# (absent under ./run test --quick).
import os
import platform
import shutil
import subprocess
import sys
from pathlib import Path

import lit.formats
import lit.util

config.name = "Ember"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test"]
config.excludes = ["Inputs", "CMakeLists.txt"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = os.path.join(config.ember_obj_root, "test")

source = Path(config.ember_src_root)
objects = Path(config.ember_obj_root)

config.environment["PATH"] = os.path.pathsep.join(
    [str(objects / "bin"), config.llvm_tools_dir, os.environ.get("PATH", "")]
)
# Tests never read or fill the user's kernel cache.
config.environment["EMBER_CACHE_DIR"] = str(objects / "test" / "kernel-cache")
# In a container, a checkout may belong to another user than the one who tests it.
config.environment["EMBER_CACHE_SHARED"] = "1"
config.environment["EMBER_BIN_DIR"] = str(objects / "bin")
config.environment["PYTHONPATH"] = str(source / "python")
for name in ("ASAN_OPTIONS", "UBSAN_OPTIONS", "TSAN_OPTIONS", "HOME", "XDG_CACHE_HOME"):
    if name in os.environ:
        config.environment[name] = os.environ[name]
if config.ember_sanitize:
    config.available_features.add("asan")
    # LLVM's own libraries are not instrumented: its allocators would mark memory for the sanitizer
    # and use it without telling, and its signal stack is not the sanitizer's to free.
    config.environment["ASAN_OPTIONS"] = ":".join(
        ["detect_leaks=0:allow_user_poisoning=0:use_sigaltstack=0"]
        + [options for options in [os.environ.get("ASAN_OPTIONS")] if options]
    )
    config.environment["ASAN_SYMBOLIZER_PATH"] = os.path.join(
        config.llvm_tools_dir, "llvm-symbolizer"
    )

shared = Path(os.environ.get("EMBER_DATA", source.parent / "shared" / "data"))
if shared.is_dir():
    config.available_features.add("shared-data")

mount = ["unshare", "--map-root-user", "--mount", "mount", "-t", "tmpfs", "none", "/mnt"]
if shutil.which("unshare") and subprocess.run(mount, capture_output=True).returncode == 0:
    config.available_features.add("mounts")

if "EMBER_QUICK" not in os.environ:
    config.available_features.add("long_tests")


def cpu_flags() -> set[str]:
    """The names of the host's instruction sets, as Linux lists them."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return set()
    names = [line.split(":")[1] for line in lines if line.startswith(("flags", "Features"))]
    return set(" ".join(names).split())


flags = cpu_flags()
if "avx2" in flags:
    config.available_features.add("avx2")
if "avx512f" in flags:
    config.available_features.add("avx512")
if platform.machine() == "aarch64":
    config.available_features.add("neon")

config.substitutions.append(("%python", f"'{sys.executable}'"))
config.substitutions.append(("%npy", f"'{sys.executable}' '{source / 'scripts' / 'npy.py'}'"))
config.substitutions.append(("%shared", str(shared)))
seed = os.environ.get("EMBER_TEST_SEED", "")
mutations = "50" if "long_tests" not in config.available_features else "120" if seed else "300"
config.substitutions.append(("%mutations", os.environ.get("EMBER_MUTATIONS", mutations)))
config.substitutions.append(("%seed", seed or "1"))
config.substitutions.append(("%times", "3" if seed else "6"))
config.substitutions.append(("%ember_src", str(source)))
config.substitutions.append(("%ember_obj", str(objects)))
config.substitutions.append(("%ember_lib", str(objects / "lib")))
