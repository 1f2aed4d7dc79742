"""An explanation of a statement as HTML, with Venn diagrams where they can be drawn.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from html import escape

from ember.sparse.explanation import Explanation, Loop, Region, describe_point
from ember.sparse.venn import LINE, SKIPPED, VISITED, can_be_drawn, venn_svg

_STYLE = f"""
.ember-explanation {{ font: 15px/1.45 system-ui, sans-serif; color: #1d2433; max-width: 62rem; }}
.ember-explanation pre {{ background: #f3f4f7; padding: .7rem .9rem; border-radius: 8px;
  overflow-x: auto; font: 13px/1.5 ui-monospace, monospace; }}
.ember-explanation .loop {{ display: flex; flex-wrap: wrap; gap: .3rem 1.4rem;
  align-items: flex-start; border-left: 3px solid {LINE};
  padding: .2rem 0 .2rem 1.1rem; margin: 1.1rem 0; }}
.ember-explanation h3 {{ margin: 0 0 .5rem; font-size: 1.05rem; flex-basis: 100%; }}
.ember-explanation table {{ border-collapse: collapse; }}
.ember-explanation td {{ padding: .2rem .8rem .2rem 0; vertical-align: top; text-align: left; }}
.ember-explanation .mark {{ display: inline-block; width: .85em; height: .85em; border-radius: 3px;
  border: 1px solid {LINE}; margin-right: .45em; vertical-align: -1px; }}
.ember-explanation code {{ font: 13px ui-monospace, monospace; }}
.ember-explanation ol {{ margin: .6rem 0 0; padding-left: 1.3rem; }}
"""


def body_of(explanation: Explanation) -> str:
    """The explanation as a part of a page."""
    loops = "".join(map(_loop, explanation.loops))
    if not explanation.loops:
        loops = "<p>No loop walks an array in a format: all coordinates are visited.</p>"
    remarks = "".join(f"<li>{escape(remark)}</li>" for remark in explanation.remarks)
    decoupled = f"<ul>{remarks}</ul>" if remarks else "<p>Everything is decoupled.</p>"
    return (
        f'<div class="ember-explanation"><style>{_STYLE}</style>'
        f"<pre>{escape(explanation.text)}</pre>{loops}"
        f"<details><summary>Loops</summary><pre>{escape(explanation.program)}</pre></details>"
        f"<h3>Decoupling</h3>{decoupled}</div>"
    )


def page_of(explanation: Explanation) -> str:
    """The explanation as a page of its own."""
    return (
        '<!DOCTYPE html><html lang="en"><head><meta charset="utf-8">'
        f"<title>{escape(explanation.text)}</title>"
        '<meta name="viewport" content="width=device-width">'
        "<style>body { margin: 2rem auto; padding: 0 1.2rem; max-width: 64rem; }</style>"
        f"</head><body>{body_of(explanation)}</body></html>\n"
    )


def _loop(loop: Loop) -> str:
    picture = f"<div>{venn_svg(loop)}</div>" if can_be_drawn(loop.operands) else ""
    ordered = sorted(loop.regions, key=lambda region: -len(region.stored))
    rows = "".join(map(_region, ordered))
    points = "".join(f"<li>{escape(describe_point(point))}</li>" for point in loop.lattice)
    indent = 1.6 * loop.depth
    return (
        f'<div class="loop" style="margin-left: {indent:g}rem"><h3>{escape(loop.title)}</h3>'
        f"{picture}<div><table>{rows}</table><ol>{points}</ol></div></div>"
    )


def _region(region: Region) -> str:
    colour = VISITED if region.visited else SKIPPED
    verb = "visited" if region.visited else "skipped"
    return (
        f'<tr><td><span class="mark" style="background: {colour}"></span>{verb}</td>'
        f"<td>{escape(region.name)}</td><td><code>{escape(region.reason)}</code></td></tr>"
    )
