//===- Options.td - Options of emberc ----------------------*- tablegen -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

include "ember/Driver/Options.td"

def output : JoinedOrSeparate<["-"], "o">, MetaVarName<"FILE">,
    HelpText<"Where to write; a kernel library FILE.so gets a manifest FILE.json. "
             "Default for text: standard output">;
defm notation : Value<"notation",
    "Compile a statement in index notation instead of a file, such as "
    "'y[i] = sum[j](A[i,j] * x[j])'", "STATEMENT">;
defm taco : Value<"taco",
    "Compile a command line of TACO's tool instead: an expression, formats, types and relations "
    "of a schedule, such as '\"x(i)=B(i,j)*c(j)\" -f=B:ss -s=reorder(j,i)'", "COMMAND">;
defm type : Value<"type",
    "The type of an array's elements in the notation; others are of f32, or "
    "i64 if they are the index of something. Sizes that are known may stand before it: "
    "A:?x64xf32. Rows of A:?x64xf32:strided may lie apart", "ARRAY:TYPE">;
defm format : Value<"format",
    "How an array of the notation is stored: csr, csc, dcsr, dcsc, coo, csf, bitmap, or "
    "levels such as dense,compressed@1,0; with i32 positions and coordinates A:csr:i32",
    "ARRAY:FORMAT">;
defm fill : Value<"fill",
    "What elements of an array are that are not stored (default: 0), A:missing for "
    "none; A:0:unstored where no element that is stored is that", "ARRAY:NUMBER">;
defm schedule : Value<"schedule",
    "How statements are computed: reorder(i, k, j), split(j, j0, j1, 16), fuse(i, j, f), "
    "precompute(EXPRESSION over j), parallelize(i); those of several statements are "
    "separated by ;",
    "RELATIONS">;
defm density : Value<"density",
    "What part of an array is stored, as far as the order of loops depends on it", "ARRAY:NUMBER">;
defm size : Value<"size",
    "How long dimensions of an array are, as far as the order of loops depends on it",
    "ARRAY:NxN">;
defm order : Value<"order",
    "With --emit=sam: the variables of a statement, the outermost loop first (default: the first "
    "order that all formats allow)", "i,k,j">;
defm empty : Value<"empty",
    "With --emit=sam: fibers without a value keep a zero (default), or drop with their "
    "coordinates", "keep|drop">;
defm gallop : Value<"gallop",
    "With --emit=sam: variables whose intersecters tell scanners which coordinate they need next",
    "i,k">;
defm bitvector : Value<"bitvector",
    "With --emit=sam: variables that are joined by words of bits, and how many a word has",
    "i:64,k:16">;
def transpose : Flag<["--"], "transpose">,
    HelpText<"With --emit=sam: copy tensors with their levels in another order where no order "
             "of loops suits all">;
defm functions : Value<"functions",
    "A file of cin.functions that the notation may call by name", "FILE">;
defm emit : Value<"emit",
    "What to write, one of the stages below (default: lib)", "STAGE">;
def counts : Flag<["--"], "counts">,
    HelpText<"With the notation's kernel another one, kernel_counts, that counts "
             "the positions that arrays in a format are going to need at most">;
defm gradient : Value<"gradient",
    "With the notation's kernel another one, kernel_gradient, that takes the gradients of "
    "arrays that it assigns to, and gives those by others, such as out:W,w. Given again, "
    "kernel_gradient2 is of that one", "ARRAYS:ARRAYS">;
def only_gradient : Flag<["--"], "only-gradient">,
    HelpText<"Of kernels of gradients the last one, without those that it is made of">;
defm group : Value<"group",
    "An array of places that statements scatter to, or a row of one of several dimensions, such as "
    "edges[1], of which edges_1 is the name. What comes to one place is reduced in one go: "
    "kernels also take ARRAY_offsets and ARRAY_order, the elements grouped by their places, and "
    "OTHER_by_ARRAY, other places in that order (--cin-group-scatters)", "ARRAY">;
defm compact : Value<"compact",
    "An array that statements assign to where a condition holds of its last index. What they "
    "assign is stored without gaps: kernels also take ARRAY_count, and store there how many "
    "positions that is (cin.compact)", "ARRAY">;
def approximate : Flag<["--"], "approximate">,
    HelpText<"Sines and cosines of the notation may be approximated, as embed.score's are">;
def explain : Flag<["--"], "explain">,
    HelpText<"Write which coordinates loops of statements visit, and why, as JSON">;
def locations : Flag<["--"], "locations">,
    HelpText<"Write programs with the line and column of the input that each "
             "operation comes from">;

def grp_code : OptionGroup<"code">, HelpText<"CODE">;
defm target : Value<"target",
    "What to compile for, one of the targets below (default: the first)",
    "TARGET">;
defm profile : Value<"profile",
    "At -O4, for targets with compute programs: order cases by what ember-run --stats=FILE "
    "counted", "FILE">;
def opt_level : Joined<["-"], "O">, MetaVarName<"0..4">,
    HelpText<"Optimisation level of every pipeline (default: 3)">;
defm vector_length : Value<"vector-length",
    "Elements of a vector (default: what the registers hold)", "N">;
defm cpu : Value<"mcpu",
    "Processor to generate code for, of this or another architecture (default: "
    "the target that the program names, or native, this one)", "NAME">;
defm triple : Value<"mtriple",
    "What that processor runs, such as aarch64-linux-gnu (default: this "
    "machine's, or that of the processor)", "TRIPLE">;
defm prefetch_distance : Value<"prefetch-distance",
    "Lookups a prefetch runs ahead; 0 for no prefetches. What is not set of "
    "prefetches is chosen by the length of rows and what is done with them",
    "N">;
defm prefetch_lines : Value<"prefetch-lines",
    "Cache lines at the beginning of a row that are prefetched, at most", "N">;
defm prefetch_level : Value<"prefetch-level",
    "The cache, 1 to 3, that rows are prefetched into", "N">;
defm prefetch_min_table : Value<"prefetch-min-table",
    "The smallest table whose rows are prefetched", "BYTES">;
defm stream_min_output : Value<"stream-min-output",
    "The smallest output whose rows are written past the caches; 0 for none "
    "(default)", "BYTES">;
defm most_threads : Value<"most-threads",
    "Threads that loops run on at most: what pays on more is left out "
    "(default: any number)", "N">;
defm dataflow : Value<"dataflow",
    "Whether statements that pass tiles to each other become sweeps (--fuse-einsum-dag): auto for "
    "tiles that second-level caches of processors hold, off (default), or the machine of a file in JSON, as ember-dag "
    "takes it, each of whose clusters has its part of the SRAM", "auto|off|FILE">;
def share_loops : Flag<["--"], "share-loops">,
    HelpText<"Make one function of loops that are alike: errors do not say which "
             "array is meant">;
def no_unroll : Flag<["--"], "no-unroll">,
    HelpText<"Keep loops over rows of known length">;
def no_strip_rows : Flag<["--"], "no-strip-rows">,
    HelpText<"Sum rows that are longer than the registers in one go">;
defm queue_capacity : Value<"queue-capacity",
    "Operands and tokens that queues hold (default: chosen by the "
    "size of operands)", "N">;

def print_tables : Flag<["--"], "print-tables">,
    HelpText<"Print the stages and targets there are as JSON">;

def no_cache : Flag<["--"], "no-cache">,
    HelpText<"Neither read nor fill the cache of kernels">;
defm cache_dir : Value<"cache-dir",
    "Folder of the cache (default: $EMBER_CACHE_DIR, $XDG_CACHE_HOME/ember or "
    "~/.cache/ember); $EMBER_CACHE_SIZE bounds it (default: 1G)", "DIR">;
def print_cache_path : Flag<["--"], "print-cache-path">,
    HelpText<"Print where in the cache the library is instead of copying it to "
             "FILE; without a usable cache, write FILE and print that">;
