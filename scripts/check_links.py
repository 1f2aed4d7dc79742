"""Checks that relative links and anchors in the Markdown files of the repository lead somewhere.

    check_links.py [FILE...]      default: every Markdown file that git knows or would add

Exit status 1 when a link leads nowhere. Links to other sites are not followed.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import re
import subprocess
import sys
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
LINK = re.compile(r"!?\[[^\]\[]*(?:\[[^\]]*\][^\]\[]*)*\]\(([^)\s]+)(?:\s+\"[^\"]*\")?\)")
FENCE = re.compile(r"^(```|~~~).*?^\1", re.MULTILINE | re.DOTALL)
CODE = re.compile(r"`[^`\n]*`")
HEADING = re.compile(r"^#{1,6}\s+(.*?)\s*#*$", re.MULTILINE)
ANCHOR = re.compile(r"<a (?:id|name)=\"([^\"]+)\"")


def prose(text: str) -> str:
    """The text without its blocks of code."""
    return FENCE.sub("", text)


@cache
def anchors(path: Path) -> frozenset[str]:
    """The anchors of a page: its headings as web pages spell them, and those that it names."""
    text = prose(path.read_text())
    found: dict[str, int] = {}
    names = set(ANCHOR.findall(text))
    for heading in HEADING.findall(text):
        plain = re.sub(r"[`*]|\(https?:[^)]*\)", "", heading).strip().lower()
        name = re.sub(r"[^\w\- ]", "", plain).replace(" ", "-")
        count = found.get(name, 0)
        found[name] = count + 1
        names.add(name if count == 0 else f"{name}-{count}")
    return frozenset(names)


def broken_links(path: Path) -> list[str]:
    """The links of a page that lead nowhere, each with its reason."""
    broken = []
    for target in LINK.findall(CODE.sub("", prose(path.read_text()))):
        if re.match(r"[a-z][a-z+.-]*:", target):
            continue
        file, _, anchor = target.partition("#")
        destination = (path.parent / file).resolve() if file else path
        if not destination.exists():
            broken.append(f"{target}: no such file")
        elif anchor and destination.suffix == ".md" and anchor not in anchors(destination):
            broken.append(f"{target}: no such heading")
    return broken


def main() -> int:
    files = [Path(name).resolve() for name in sys.argv[1:]]
    if not files:
        command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "--", "*.md"]
        listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
        files = [ROOT / name for name in listed.stdout.splitlines() if (ROOT / name).exists()]
    count = 0
    for file in files:
        for problem in broken_links(file):
            count += 1
            name = file.relative_to(ROOT) if file.is_relative_to(ROOT) else file
            print(f"error: {name}: {problem}")
    print(f"links of {len(files)} pages: {count} broken")
    return 1 if count else 0


if __name__ == "__main__":
    sys.exit(main())
