"""Makes this interpreter's `import ember` find the checkout's python/ember.

In place of an editable install, which would build the package: a line that names the folder, and
the entry points, by which torch.compile finds backend="ember".

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import shutil
import sysconfig
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def main() -> None:
    """Writes both into the interpreter's folder of packages."""
    packages = Path(sysconfig.get_paths()["purelib"])
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    (packages / "ember.pth").write_text(f"{ROOT / 'python'}\n")
    for old in packages.glob("ember-*.dist-info"):
        shutil.rmtree(old)
    facts = packages / f"ember-{project['version']}.dist-info"
    facts.mkdir()
    (facts / "METADATA").write_text(
        f"Metadata-Version: 2.1\nName: ember\nVersion: {project['version']}\n"
    )
    (facts / "entry_points.txt").write_text(
        "".join(
            f"[{group}]\n" + "".join(f"{name} = {place}\n" for name, place in points.items())
            for group, points in project["entry-points"].items()
        )
    )


if __name__ == "__main__":
    main()
