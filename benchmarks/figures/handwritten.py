"""Programs of figure 19 written by hand: a configuration of the unit and the core's code, by class.

Each takes the arguments of the class's program in workloads.py. The unit's part is a configuration
in the tmu dialect, whose queues the mapping divides; the core's part are loops over tokens that
keep sums in registers, go from one case to the next without testing for others, and use values of
tokens as they come (paper, section 8.3).

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import math
from collections.abc import Mapping

LANES = 8
VECTOR = 16


class Row:
    """A row of so many elements, as vectors of which each lane loads a part."""

    def __init__(self, elements: int) -> None:
        self.elements = elements
        self.vector = min(VECTOR, elements)
        self.width = self.vector // LANES
        self.count = math.ceil(elements / self.vector)
        self.type = f"vector<{self.vector}xf32>"
        self.types = ", ".join([self.type] * self.count)
        self.memref = f"memref<?x{elements}xf32>"

    def layer(self, parent: str, rows: Mapping[str, tuple[str, str]]) -> str:
        """The layer %elements of all lanes in %parent: stream %NAMEl of lane l is of the captured
        memory and the stream of rows' positions that `rows` has for NAME."""
        part = "f32" if self.width == 1 else f"vector<{self.width}xf32>"
        text = ""
        for lane in range(LANES):
            text += f"""
    %first{lane} = arith.constant {lane * self.width} : index
    %unit{lane}, %e{lane}, %steps{lane} = tmu.set_dns_tu %first{lane} to %length
        step %stride in %{parent}"""
        for lane in range(LANES):
            for name, (memory, row) in rows.items():
                text += f"""
    %{name}row{lane} = tmu.set_fwd_str %unit{lane}, %{row}
        : !slc.stream<index> -> !slc.stream<index>
    %{name}at{lane} = tmu.set_alu_str %unit{lane}, add %{name}row{lane}, %e{lane}
        : !slc.stream<index>, !slc.stream<index> -> !slc.stream<index>
    %{name}{lane} = tmu.set_mem_str %unit{lane}, %{memory}[%{name}at{lane}] level llc
        : {self.memref}, !slc.stream<index> -> !slc.stream<{part}>"""
        units = ", ".join(f"%unit{lane}" for lane in range(LANES))
        return f"""
    %length = arith.constant {self.elements} : index
    %stride = arith.constant {self.vector} : index{text}
    %elements = tmu.set_lockstep_layer {units}"""

    def operand(self, name: str, token: int) -> str:
        """Each step of %elements pushes a vector of streams %NAMEl."""
        part = "f32" if self.width == 1 else f"vector<{self.width}xf32>"
        streams = ", ".join(f"%{name}{lane}" for lane in range(LANES))
        types = ", ".join([f"!slc.stream<{part}>"] * LANES)
        return f"""
    tmu.set_operand %elements, ite, ({streams}) for {token} : ({types}) -> {self.type}"""

    def each(self, line: str, separator: str = "\n") -> str:
        """`line` for each vector, with k for its number."""
        return separator.join(line.replace("{k}", str(k)) for k in range(self.count))

    def columns(self) -> str:
        """Constants %columnk, where vectors begin."""
        return "\n".join(
            f"  %column{k} = arith.constant {k * self.vector} : index" for k in range(self.count)
        )

    def pops(self, name: str, token: int) -> str:
        """Pops the row's vectors %NAMEk."""
        return self.each(
            f"""
      %{name}slot{{k}} = ring.wait %data for {token} : !ring.data<64> -> !ring.slot<{self.type}>
      %{name}{{k}} = ring.load %{name}slot{{k}} : !ring.slot<{self.type}>
      ring.release %{name}slot{{k}} : !ring.slot<{self.type}>""",
            "",
        )

    def stores(self, name: str, row: str) -> str:
        """Stores vectors %NAME#k, and of the last one what the row has."""
        text = ""
        for k in range(self.count):
            left = min(self.vector, self.elements - k * self.vector)
            if left == self.vector:
                text += f"""
    vector.store %{name}#{k}, %out[%{row}, %column{k}] : {self.memref}, {self.type}"""
            else:
                text += f"""
    %tail = vector.constant_mask [{left}] : vector<{self.vector}xi1>
    vector.maskedstore %out[%{row}, %column{k}], %tail, %{name}#{k}
        : {self.memref}, vector<{self.vector}xi1>, {self.type}"""
        return text

    def prefetches(self, row: str) -> str:
        """Has the lines of a row of the result come while it is computed."""
        return self.each(
            f"    memref.prefetch %out[%{row}, %column{{k}}], write, locality<3>, data"
            f" : {self.memref}"
        )


# Segments and lookups in them, which every class but two begins with.
SEGMENTS = """
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c{elements} = arith.constant {elements} : index
    %segment, %s, %segments = tmu.set_dns_tu %c0 to %count step %c1
    %next = tmu.set_alu_str %segment, add %s, %c1
        : !slc.stream<index>, index -> !slc.stream<index>
    %begin = tmu.set_mem_str %segment, %offsets[%s] nontemporal
        : memref<?xi32>, !slc.stream<index> -> !slc.stream<i32>
    %end = tmu.set_mem_str %segment, %offsets[%next] nontemporal
        : memref<?xi32>, !slc.stream<index> -> !slc.stream<i32>
    %from = tmu.set_cast_str %segment, %begin : !slc.stream<i32> to !slc.stream<index>
    %to = tmu.set_cast_str %segment, %end : !slc.stream<i32> to !slc.stream<index>
    %outer = tmu.set_single_layer %segment
    %lookup, %p, %lookups = tmu.set_rng_tu %from to %to step %c1 in %outer
    %id = tmu.set_mem_str %lookup, %ids[%p] nontemporal
        : memref<?xi32>, !slc.stream<index> -> !slc.stream<i32>
    %index = tmu.set_cast_str %lookup, %id : !slc.stream<i32> to !slc.stream<index>
    %row = tmu.set_alu_str %lookup, mul %index, %c{elements}
        : !slc.stream<index>, index -> !slc.stream<index>"""

# For each token 0 a segment, until there is none: `lookup` is run for each token 1 behind it, with
# the vectors %ak of the sums so far, and yields %bk.
LOOPS = """
func.func private @loops({parameters}, %data: !ring.data<64>, %tokens: !ring.tokens<2>)
    attributes {{ring.half = #ring.half<compute>}} {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1 : i64
  %none = arith.constant -1 : index
  %zero = arith.constant dense<0.0> : {type}
{columns}
  %first, %any = ring.pop %tokens : !ring.tokens<2>
  %last:2 = scf.while (%more = %any, %before = %none) : (i1, index) -> (i1, index) {{
    scf.condition(%more) %more, %before : i1, index
  }} do {{
  ^bb0(%more: i1, %before: index):
    %segment = arith.addi %before, %c1 : index
{prefetches}
{begin}
    %sums:{results} = scf.while ({zeros}) : ({types}) -> ({types}, i64, i1) {{
      %token, %further = ring.pop %tokens : !ring.tokens<2>
      %case = ring.token_id %token in %tokens : !ring.tokens<2>
      %isLookup = arith.cmpi eq, %case, %one : i64
      %goes = arith.andi %further, %isLookup : i1
      scf.condition(%goes) {accumulators}, %token, %further : {types}, i64, i1
    }} do {{
    ^bb0({arguments}, %token: i64, %further: i1):
{lookup}
      scf.yield {sums} : {types}
    }}
{stores}
    scf.yield %sums#{further}, %segment : i1, index
  }}
  return
}}
"""


def _loops(row: Row, parameters: str, lookup: str, begin: str = "") -> str:
    return LOOPS.format(
        parameters=parameters,
        type=row.type,
        types=row.types,
        columns=row.columns(),
        prefetches=row.prefetches("segment"),
        begin=begin,
        results=row.count + 2,
        further=row.count + 1,
        zeros=row.each("%a{k} = %zero", ", "),
        accumulators=row.each("%a{k}", ", "),
        arguments=row.each(f"%a{{k}}: {row.type}", ", "),
        lookup=lookup,
        sums=row.each("%b{k}", ", "),
        stores=row.stores("sums", "segment"),
    )


def bags(elements: int) -> str:
    """Sums of rows, for workloads.bags."""
    row = Row(elements)
    lookup = row.pops("v", 1) + row.each(
        f"\n      %b{{k}} = arith.addf %a{{k}}, %v{{k}} : {row.type}"
    )
    return f"""
func.func @run(%table: {row.memref}, %indices: memref<?xi32>, %offsets: memref<?xi32>,
               %out: {row.memref}) {{
  %c0 = arith.constant 0 : index
  %count = memref.dim %out, %c0 : {row.memref}
  tmu.program captures(%count = %count : index, %offsets = %offsets : memref<?xi32>,
                       %ids = %indices : memref<?xi32>, %rows = %table : {row.memref})
      compute @loops(%out : {row.memref}) {{
{SEGMENTS.format(elements=elements)}
    %inner = tmu.set_bcast_layer %lookup
{row.layer("inner", {"v": ("rows", "row")})}
    tmu.set_control_token %outer, ite, 0
    tmu.set_control_token %elements, end, 1 announced
{row.operand("v", 1)}
  }}
  return
}}
{_loops(row, f"%out: {row.memref}", lookup)}"""


def aggregation(elements: int) -> str:
    """Sums of rows times weights, which tokens carry, for workloads.aggregation."""
    row = Row(elements)
    lookup = (
        f"""
      %weight = ring.token_value %token in %tokens : !ring.tokens<2> -> f32
      %w = vector.broadcast %weight : f32 to {row.type}"""
        + row.pops("v", 1)
        + row.each(f"\n      %b{{k}} = math.fma %v{{k}}, %w, %a{{k}} : {row.type}")
    )
    return f"""
func.func @run(%table: {row.memref}, %columns: memref<?xi32>, %offsets: memref<?xi32>,
               %values: memref<?xf32>, %out: {row.memref}) {{
  %c0 = arith.constant 0 : index
  %count = memref.dim %out, %c0 : {row.memref}
  tmu.program captures(%count = %count : index, %offsets = %offsets : memref<?xi32>,
                       %ids = %columns : memref<?xi32>, %values = %values : memref<?xf32>,
                       %rows = %table : {row.memref})
      compute @loops(%out : {row.memref}) {{
{SEGMENTS.format(elements=elements)}
    %weight = tmu.set_mem_str %lookup, %values[%p] nontemporal
        : memref<?xf32>, !slc.stream<index> -> !slc.stream<f32>
    %inner = tmu.set_bcast_layer %lookup
{row.layer("inner", {"v": ("rows", "row")})}
    tmu.set_control_token %outer, ite, 0
    tmu.set_control_token %elements, end, 1 announced value %weight : !slc.stream<f32>
{row.operand("v", 1)}
  }}
  return
}}
{_loops(row, f"%out: {row.memref}", lookup)}"""


def messages(elements: int) -> str:
    """Rows of neighbours times what they have in common with the vertex's, which the core itself
    loads, for workloads.messages."""
    row = Row(elements)
    assert elements % row.vector == 0, "rows of messages are whole vectors"
    own = row.each(
        f"    %own{{k}} = vector.load %own[%segment, %column{{k}}] : {row.memref}, {row.type}"
    )
    products = f"\n      %d0 = arith.mulf %own0, %v0 : {row.type}" + "".join(
        f"\n      %d{k} = math.fma %own{k}, %v{k}, %d{k - 1} : {row.type}"
        for k in range(1, row.count)
    )
    lookup = (
        row.pops("v", 1)
        + products
        + f"""
      %dot = vector.reduction <add>, %d{row.count - 1} fastmath<reassoc> : {row.type} into f32
      %w = vector.broadcast %dot : f32 to {row.type}"""
        + row.each(f"\n      %b{{k}} = math.fma %v{{k}}, %w, %a{{k}} : {row.type}")
    )
    return f"""
func.func @run(%table: {row.memref}, %columns: memref<?xi32>, %offsets: memref<?xi32>,
               %own: {row.memref}, %out: {row.memref}) {{
  %c0 = arith.constant 0 : index
  %count = memref.dim %out, %c0 : {row.memref}
  tmu.program captures(%count = %count : index, %offsets = %offsets : memref<?xi32>,
                       %ids = %columns : memref<?xi32>, %rows = %table : {row.memref})
      compute @loops(%own, %out : {row.memref}, {row.memref}) {{
{SEGMENTS.format(elements=elements)}
    %inner = tmu.set_bcast_layer %lookup
{row.layer("inner", {"v": ("rows", "row")})}
    tmu.set_control_token %outer, ite, 0
    tmu.set_control_token %elements, end, 1 announced
{row.operand("v", 1)}
  }}
  return
}}
{_loops(row, f"%own: {row.memref}, %out: {row.memref}", lookup, own)}"""


def scores(elements: int) -> str:
    """Distances of heads plus relations from tails, for workloads.triples."""
    row = Row(elements)
    streams = ""
    for name, array in (("head", "heads"), ("type", "types"), ("tail", "tails")):
        streams += f"""
    %{name}id = tmu.set_mem_str %sample, %{array}[%s] nontemporal
        : memref<?xi32>, !slc.stream<index> -> !slc.stream<i32>
    %{name}index = tmu.set_cast_str %sample, %{name}id : !slc.stream<i32> to !slc.stream<index>
    %{name}row = tmu.set_alu_str %sample, mul %{name}index, %c{elements}
        : !slc.stream<index>, index -> !slc.stream<index>"""
    rows = {
        "h": ("entities", "headrow"),
        "r": ("relations", "typerow"),
        "t": ("entities", "tailrow"),
    }
    pops = "".join(
        f"""
      %{name}slot = ring.wait %data for 0 : !ring.data<64> -> !ring.slot<{row.type}>
      %{name} = ring.load %{name}slot : !ring.slot<{row.type}>
      ring.release %{name}slot : !ring.slot<{row.type}>"""
        for name in rows
    )
    return f"""
func.func @run(%entities: {row.memref}, %relations: {row.memref}, %heads: memref<?xi32>,
               %types: memref<?xi32>, %tails: memref<?xi32>, %out: memref<?xf32>) {{
  %c0 = arith.constant 0 : index
  %count = memref.dim %out, %c0 : memref<?xf32>
  tmu.program captures(%count = %count : index, %heads = %heads : memref<?xi32>,
                       %types = %types : memref<?xi32>, %tails = %tails : memref<?xi32>,
                       %entities = %entities : {row.memref},
                       %relations = %relations : {row.memref})
      compute @distances(%out : memref<?xf32>) {{
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c{elements} = arith.constant {elements} : index
    %sample, %s, %samples = tmu.set_dns_tu %c0 to %count step %c1{streams}
    %outer = tmu.set_bcast_layer %sample
{row.layer("outer", rows)}
    tmu.set_control_token %elements, end, 0 announced
{"".join(row.operand(name, 0) for name in rows)}
  }}
  return
}}

func.func private @distances(%out: memref<?xf32>, %data: !ring.data<64>, %tokens: !ring.tokens)
    attributes {{ring.half = #ring.half<compute>}} {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %vectors = arith.constant {row.count} : index
  %zero = arith.constant dense<0.0> : {row.type}
  %last = scf.while (%sample = %c0) : (index) -> index {{
    %token, %more = ring.pop %tokens : !ring.tokens
    scf.condition(%more) %sample : index
  }} do {{
  ^bb0(%sample: index):
    %squares = scf.for %k = %c0 to %vectors step %c1 iter_args(%a = %zero) -> ({row.type}) {{{pops}
      %sum = arith.addf %h, %r : {row.type}
      %distance = arith.subf %sum, %t : {row.type}
      %b = math.fma %distance, %distance, %a : {row.type}
      scf.yield %b : {row.type}
    }}
    %square = vector.reduction <add>, %squares fastmath<reassoc> : {row.type} into f32
    %norm = math.sqrt %square : f32
    %score = arith.negf %norm : f32
    memref.store %score, %out[%sample] : memref<?xf32>
    %next = arith.addi %sample, %c1 : index
    scf.yield %next : index
  }}
  return
}}
"""


def gather(block: int, elements: int) -> str:
    """Blocks of rows, for workloads.attention: the unit stores them itself. All blocks of all
    queries are one loop and all rows of a block another, as they are one after the other."""
    length = block * elements
    keys = f"memref<?x{elements}xf32>"
    out = f"memref<?x{8 * block}x{elements}xf32>"
    lanes = ""
    for lane in range(LANES):
        lanes += f"""
    %first{lane} = arith.constant {2 * lane} : index
    %unit{lane}, %e{lane}, %steps{lane} = tmu.set_dns_tu %first{lane} to %length
        step %stride in %inner"""
    for lane in range(LANES):
        lanes += f"""
    %fromrow{lane} = tmu.set_fwd_str %unit{lane}, %from : !slc.stream<index> -> !slc.stream<index>
    %from{lane} = tmu.set_alu_str %unit{lane}, add %fromrow{lane}, %e{lane}
        : !slc.stream<index>, !slc.stream<index> -> !slc.stream<index>
    %v{lane} = tmu.set_mem_str %unit{lane}, %keys[%from{lane}] level l2
        : {keys}, !slc.stream<index> -> !slc.stream<vector<2xf32>>
    %torow{lane} = tmu.set_fwd_str %unit{lane}, %to : !slc.stream<index> -> !slc.stream<index>
    %to{lane} = tmu.set_alu_str %unit{lane}, add %torow{lane}, %e{lane}
        : !slc.stream<index>, !slc.stream<index> -> !slc.stream<index>
    tmu.set_store_str %unit{lane}, %v{lane}, %out[%to{lane}] nontemporal
        : !slc.stream<vector<2xf32>>, {out}, !slc.stream<index>"""
    units = ", ".join(f"%unit{lane}" for lane in range(LANES))
    return f"""
func.func @run(%keys: {keys}, %blocks: memref<?x8xi32>, %out: {out}) {{
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %queries = memref.dim %out, %c0 : {out}
  %count = arith.muli %queries, %c8 : index
  tmu.program captures(%count = %count : index, %blocks = %blocks : memref<?x8xi32>,
                       %keys = %keys : {keys}, %out = %out : {out}) compute @nothing() {{
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %length = arith.constant {length} : index
    %stride = arith.constant {VECTOR} : index
    %block, %b, %all = tmu.set_dns_tu %c0 to %count step %c1
    %id = tmu.set_mem_str %block, %blocks[%b] nontemporal
        : memref<?x8xi32>, !slc.stream<index> -> !slc.stream<i32>
    %index = tmu.set_cast_str %block, %id : !slc.stream<i32> to !slc.stream<index>
    %from = tmu.set_alu_str %block, mul %index, %length
        : !slc.stream<index>, index -> !slc.stream<index>
    %to = tmu.set_alu_str %block, mul %b, %length
        : !slc.stream<index>, index -> !slc.stream<index>
    %inner = tmu.set_bcast_layer %block{lanes}
    %elements = tmu.set_lockstep_layer {units}
  }}
  return
}}

func.func private @nothing(%data: !ring.data<8>, %tokens: !ring.tokens)
    attributes {{ring.half = #ring.half<compute>}} {{
  %token, %more = ring.pop %tokens : !ring.tokens
  return
}}
"""
