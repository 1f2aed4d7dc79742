"""Where Ember's programs and its compiled module may be.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import sys
from pathlib import Path

from ember import configuration


def program_folders() -> list[Path]:
    """$EMBER_BIN_DIR, the installed package's bin, the checkout's build/bin: first come first."""
    named = configuration.text("EMBER_BIN_DIR")
    return [
        *([Path(named)] if named else []),
        *(folder / "bin" for folder in _package_folders()),
        _build() / "bin",
    ]


def module_folders() -> list[Path]:
    """The counterparts of program_folders for modules."""
    named = configuration.text("EMBER_BIN_DIR")
    return [
        *([Path(named).parent / "lib"] if named else []),
        *_package_folders(),
        _build() / "lib",
    ]


def include_folder() -> Path:
    """Where the headers for C and C++ programs are: ember/Runtime/*.h.

    The installed package's, else the checkout's.
    """
    folders = [folder / "include" for folder in _package_folders()]
    folders.append(Path(__file__).resolve().parents[2] / "runtime" / "include")
    return next((one for one in folders if (one / "ember").is_dir()), folders[-1])


def machine_folder() -> Path:
    """Where the files of simulated machines are: the installed package's, else the checkout's."""
    folders = [folder / "machines" for folder in _package_folders()]
    folders.append(Path(__file__).resolve().parents[2] / "sim" / "machines")
    return next((one for one in folders if one.is_dir()), folders[-1])


def _package_folders() -> list[Path]:
    """The package's folders: an editable install has one for what it has built."""
    return [Path(folder) for folder in sys.modules["ember"].__path__]


def _build() -> Path:
    """The build folder, if the package is that of a checkout."""
    return Path(__file__).resolve().parents[2] / "build"
