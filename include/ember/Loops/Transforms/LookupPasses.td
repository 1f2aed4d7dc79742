//===- LookupPasses.td - Lookups on the CPU ----------------*- tablegen -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Passes that a kernel is right without, on loops that look rows up: what comes
// next is prefetched, and several lookups are done at a time.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_LOOPS_TRANSFORMS_LOOKUPPASSES_TD
#define EMBER_LOOPS_TRANSFORMS_LOOKUPPASSES_TD

include "mlir/Pass/PassBase.td"

def DescribeLookups : Pass<"describe-lookups", "::mlir::ModuleOp"> {
  let summary = "Say in front of loops which rows they look up";
  let description = [{
    Where [prefetch-lookups](#-prefetch-lookups) would make a loop prefetch its rows,
    an engine beside the core can do it, which is told once, in front of all
    loops around:

    ```mlir
    ember.describe_lookup %indices, %table first 0 length 64
        : memref<?xi32>, memref<?x64xf32>
    scf.for %b = %lower to %upper step %c1 {
      ...
      scf.for %p = %begin to %end step %c1 {
        %i = memref.load %indices[%p]
        scf.for %e ... { memref.load %table[%i, %e] ... }
    ```
    That is so for rows of a table that an index selects as it is, by itself. Which
    machines have such an engine is up to who runs the pass;
    [lower-lookup-descriptions](native-passes.md#-lower-lookup-descriptions) makes
    calls of it.
  }];
  let dependentDialects = ["::ember::EmberDialect"];
  let statistics = [
    Statistic<"described", "described", "Lookups that are described">,
  ];
}

def PrefetchLookups : Pass<"prefetch-lookups", "::mlir::ModuleOp"> {
  let summary = "Prefetch looked-up rows some lookups ahead, across segments";
  let description = [{
    In a loop over positions `p` that loads an index from `indices[p]` and then
    reads a row that this index selects, the row of the lookup `distance`
    positions ahead is prefetched. The position ahead is not bounded by the
    segment but by the indices themselves, so the first rows of the next segment
    are on their way before it begins. Where other loops look up what follows in
    the same indices, in other tables, it ends with the offsets of its own loop:

    ```mlir
    scf.for %p = %begin to %end step %c1 {
      %i = memref.load %indices[%p]
      scf.for %e ... { memref.load %table[%i, %e] ... }
    }
    ```
    becomes
    ```mlir
    scf.for %p = %begin to %end step %c1 {
      %ahead = arith.addi %p, %distance
      %last = arith.subi %size, %c1
      %q = arith.minui %ahead, %last
      %far = arith.addi %p, %c64
      memref.prefetch %indices[%far], read, locality<3>, data
      %j = memref.load %indices[%q]
      memref.prefetch %table[%j, %c0], read, locality<3>, data   // each line
      ...
    }
    ```
    Indices, and what else of the loop is read element after element such as
    weights, are prefetched, too. Processors notice such sequences by the
    addresses of the instructions that read them, and take those of the loads
    of rows for the same ones where the code is longer than a few hundred bytes;
    then every line of indices is waited for.

    What is prefetched of a row, into which cache and how far ahead depends on
    the processor, on the length of rows, and on whether they are just added up
    or more is computed with them: see `PrefetchModel.h`, and
    [kernels](../kernels.md#prefetches).

    The table must be read only in the loop, and so must the indices.
    Tables known to be small are left alone: the processor's caches hold them.
    Where only a run of the program shows how large the tables are that an index
    selects rows of, prefetches are under a condition that does not change in the
    loop:

    ```mlir
    %rows = memref.dim %table, %c0
    %is_large = arith.cmpi uge, %rows, %least
    scf.for ... {
      %i = memref.load %indices[%p]
      scf.if %is_large {
        ... memref.prefetch %table[%j, %c0] ...
      }
    ```
  }];
  let options = [
    Option<"distance", "distance", "int64_t", "0",
           "Lookups a prefetch runs ahead of its use; 0 chooses, so that as "
           "many lines are on their way as a core waits for">,
    Option<"outstandingLines", "outstanding-lines", "int64_t", "0",
           "Lines that a core waits for at a time, where the distance is "
           "chosen; 0 is the target's">,
    Option<"firstCacheLines", "first-cache-lines", "int64_t", "0",
           "Lines that are worth having on their way into the first cache; 0 "
           "is the target's">,
    Option<"secondCacheBytes", "second-cache-bytes", "int64_t", "0",
           "What the second cache of a core holds; 0 is the target's">,
    Option<"lines", "lines", "int64_t", "0",
           "Cache lines at the beginning of a row that are prefetched; 0 "
           "chooses all of them, or 4 where rows are just added up">,
    Option<"level", "level", "int64_t", "0",
           "The cache, 1 to 3, that rows are prefetched into where their "
           "stream names none; 0 chooses the first, or the second where rows "
           "are just added up">,
    Option<"minTableBytes", "min-table-bytes", "int64_t", "-1",
           "Smallest size of a table whose rows are prefetched; -1 chooses an "
           "eighth of the second cache, or all of it where rows are just added "
           "up">,
    Option<"sequenceBytes", "sequence-bytes", "int64_t", "512",
           "How far ahead indices and weights are prefetched; 0 for not">,
    Option<"lineBytes", "line-bytes", "int64_t", "0",
           "Bytes of a cache line; 0 is the target's">,
  ];
  let dependentDialects = ["::ember::EmberDialect",
                           "::mlir::arith::ArithDialect",
                           "::mlir::memref::MemRefDialect",
                           "::mlir::scf::SCFDialect"];
  let statistics = [
    Statistic<"lookups", "lookups", "Lookups that are prefetched">,
  ];
}

def PrefetchFibers : Pass<"prefetch-fibers", "::mlir::ModuleOp"> {
  let summary = "Prefetch what begins at positions that are looked up";
  let description = [{
    In a loop over positions `p` that loads a coordinate and then reads, from a
    position on that this coordinate selects, what another array stores, the
    beginning of what is read `distance` coordinates ahead is prefetched. So it is
    in products of sparse matrices, where coordinates of one select rows of the
    other, and where two fibers are merged:

    ```mlir
    scf.for %p = %first to %last step %c1 {
      %k = memref.load %coordinates[%p]
      %begin = memref.load %positions[%k]
      scf.for %q = %begin to %end step %c1 { memref.load %values[%q] ... }
    }
    ```
    becomes
    ```mlir
    scf.for %p = %first to %last step %c1 {
      %k = memref.load %coordinates[%p]
      %begin = memref.load %positions[%k]
      scf.if %is_large {
        ... // %m = %coordinates[%p + %distance], within the bounds of %positions
        %ahead = memref.load %positions[%m]
        memref.prefetch %values[%ahead], read, locality<3>, data
      }
      ...
    ```
    The positions themselves are what `prefetch-lookups` prefetches, twice as far
    ahead. Nothing is done where all arrays fit into the second cache of a core,
    which a run of the program says.
  }];
  let options = [
    Option<"distance", "distance", "int64_t", "8",
           "Coordinates that a prefetch runs ahead of its use">,
    Option<"secondCacheBytes", "second-cache-bytes", "int64_t", "0",
           "What the second cache of a core holds; 0 is the target's">,
  ];
  let dependentDialects = ["::ember::EmberDialect",
                           "::mlir::arith::ArithDialect",
                           "::mlir::memref::MemRefDialect",
                           "::mlir::scf::SCFDialect"];
  let statistics = [
    Statistic<"fibers", "fibers", "Fibers that are prefetched">,
  ];
}

def UnrollLookups : Pass<"unroll-lookups", "::mlir::func::FuncOp"> {
  let summary = "Unroll the loop over a row, so that registers can hold it";
  let description = [{
    Fully unrolls an innermost loop that stands in another loop, has a static
    trip count, and reads and writes a row of accumulators which does not depend
    on the outer loop, when those accumulators fit the vector registers. What
    follows is promote-accumulators. The loops beside that outer loop which fill
    the row, or go on with it, are unrolled too. Also unrolls a loop that combines the
    vectors of a row which are reduced behind it, when the row fits the
    registers: interleave-reductions works on several rows at once.
  }];
  let options = [
    Option<"vectorRegisters", "vector-registers", "int64_t", "0",
           "Vector registers there are; 0 is the target's">,
    Option<"vectorBits", "vector-bits", "int64_t", "0",
           "Width of a vector register in bits; 0 is the target's">,
  ];
  let dependentDialects = ["::ember::EmberDialect",
                           "::mlir::arith::ArithDialect",
                           "::mlir::scf::SCFDialect"];
  let statistics = [
    Statistic<"unrolled", "unrolled", "Loops unrolled">,
  ];
}

#endif // EMBER_LOOPS_TRANSFORMS_LOOKUPPASSES_TD
