//===- SegmentPasses.td - Loops over segments --------------*- tablegen -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Passes that a kernel is right without, on the loops around rows: in which
// order, in which pieces and on which threads segments and tables are gone over.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_LOOPS_TRANSFORMS_SEGMENTPASSES_TD
#define EMBER_LOOPS_TRANSFORMS_SEGMENTPASSES_TD

include "mlir/Pass/PassBase.td"

def SplitSegments : Pass<"split-segments", "::mlir::func::FuncOp"> {
  let summary = "Reduce long segments in pieces";
  let description = [{
    A loop that reads and reduces, such as the one over the lookups of a bag with
    its accumulators in registers, is one iteration of the loop around it and so
    runs on one thread, however long it is. Where its trip count turns out to be
    twice `piece-length` or more, up to some billions, it is reduced in pieces of
    that length, whose results are combined in order:

    ```mlir
    %sum = scf.for %p = %begin to %end step %c1 iter_args(%a = %zero) {
      ...
      scf.yield %next
    }
    ```
    becomes
    ```mlir
    %sum = scf.if %isLong {
      scf.for %k = %c0 to %pieces step %c1 {
        %s = scf.for %p = %from to %to step %c1 iter_args(%a = %neutral) ...
        memref.store %s, %sums[%k]
      } {ember.pieces}
      ...
    } else {
      %s = scf.for %p = %begin to %end step %c1 iter_args(%a = %zero) ...
      scf.yield %s
    }
    ```
    The pieces depend on the length only, so that results are the same on any
    number of threads; in floating point they differ from those of one loop as
    much as another order of additions makes them.
  }];
  let options = [
    Option<"pieceLength", "piece-length", "int64_t", "16384",
           "Iterations of a piece">,
  ];
  let dependentDialects = ["::ember::EmberDialect",
                           "::mlir::arith::ArithDialect",
                           "::mlir::memref::MemRefDialect",
                           "::mlir::scf::SCFDialect"];
  let statistics = [
    Statistic<"split", "split", "Loops that run in pieces where they are long">,
  ];
}

def ParallelizeLoops : Pass<"parallelize-loops", "::mlir::ModuleOp"> {
  let summary = "Move loops with independent iterations into functions";
  let description = [{
    An outermost loop none of whose iterations touches what another one stores
    becomes a function of its own, which takes the bounds of the loop, and a
    call from the first to the last iteration. Loops one behind the other of
    which neither touches what the other one stores share a function. The
    call says that the function may run in parts, and what an iteration costs:
    operations, and those for each element of the segment that begins at an offset;
    [emit-parallel-calls](native-passes.md#-emit-parallel-calls) hands it to threads.

    ```mlir
    scf.for %b = %c0 to %n step %c1 {
      %begin = memref.load %offsets[%b]
      ...
      vector.store %sum, %out[%b, %c0]
    }
    ```
    becomes
    ```mlir
    ember.parallel_call @bag_part(%c0, %n, %offsets, %out, %zero)
        loops [#ember.loop_cost<cost = 9, segment_cost = 87, offsets = 2,
                                first_offset = 4>] : ...

    func.func private @bag_part(%lower: index, %upper: index, ...) {
      scf.for %b = %lower to %upper step %c1 {
        ...
    ```
    Iterations are known to be independent where all they store, and load from
    the same memory, lies apart in one dimension of a memref, as rows `%b` do, or
    vectors of as many elements as the step of the loop.
    Buffers allocated in an iteration are its own, and so are those outside that
    carry `ember.scratch`: whatever an iteration reads from them, it has stored
    there before. Functions allocate them anew. Which loops stay on one
    thread, and why, are remarks.
  }];
  let options = [
    Option<"mayAlias", "may-alias", "bool", "false",
           "Memref arguments may overlap">,
  ];
  let dependentDialects = ["::ember::EmberDialect",
                           "::mlir::arith::ArithDialect",
                           "::mlir::func::FuncDialect",
                           "::mlir::scf::SCFDialect"];
  let statistics = [
    Statistic<"parallelized", "parallelized", "Loops that may run in parts">,
  ];
}

def TileSweeps : Pass<"tile-sweeps", "::mlir::ModuleOp"> {
  let summary = "Read a table once for several iterations";
  let description = [{
    Where each iteration of a loop reads a whole table, as the scores of a triple
    with all entities in place of its tail do, and the table is larger than the
    caches, it comes from memory once an iteration. Iterations that may run in any
    order, as [parallelize-loops](#-parallelize-loops) marks them, take a tile of
    the table after the other together:

    ```mlir
    scf.for %i = %lower to %upper step %c1 {
      %head = memref.load %heads[%i]
      scf.for %e = %c0 to %n step %c1 {
        %row = vector.load %entities[%e, %c0]
        ...
        memref.store %score, %out[%i, %e]
      }
    } {ember.independent}
    ```
    becomes
    ```mlir
    scf.for %k = %c0 to %tiles step %c1 {
      %start = ... // %k * 256
      %end = ...   // at most %n
      scf.for %i = %lower to %upper step %c1 {
        %head = memref.load %heads[%i]
        scf.for %e = %start to %end step %c1 {
          ...
    ```
    What stands in front of the inner loop is done once a tile, so it may only
    load, check and compute. Each element is computed as before.
  }];
  let options = [
    Option<"tileBytes", "tile-bytes", "int64_t", "1 << 16",
           "Bytes of the table in a tile; rows of unknown length are taken 16 at "
           "a time">,
    Option<"mayAlias", "may-alias", "bool", "false",
           "Memref arguments may overlap">,
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::scf::SCFDialect"];
  let statistics = [
    Statistic<"tiled", "tiled", "Loops over tables">,
  ];
}

def OrderSegments : Pass<"order-segments", "::mlir::ModuleOp"> {
  let summary = "Run segments of one length one after the other";
  let description = [{
    A processor guesses where a loop ends by what it did before. Over segments of
    a few elements, whose lengths follow no pattern, it guesses wrongly about once
    a segment, which takes as long as five lookups of a short row. Iterations that
    may run in any order, as [parallelize-loops](#-parallelize-loops) marks them,
    therefore change places with others of the same 256: the runtime sorts these
    by the length of their segments. That is for tables which a core's own caches
    hold. There, rows are not prefetched either. Rows that come from farther away
    are waited for, and are best read in the order in which they lie and were
    prefetched.

    ```mlir
    scf.for %b = %lower to %upper step %c1 {
      %begin = memref.load %offsets[%b]
      %end = memref.load %offsets[%next]
      scf.for %p = %begin to %end step %c1 {
        ...
    } {ember.independent}
    ```
    becomes
    ```mlir
    scf.if %isSmall { // a quarter of the second cache
      scf.for %k = %c0 to %trips step %c256 {
        llvm.call @ember_order_segments(%offsets, ..., %count, %order)
        scf.for %q = %c0 to %count step %c1 {
          %number = llvm.load %order[%q] : i8
          %b = ... // %lower + %k + %number
          %begin = memref.load %offsets[%b]
          ...
    } else {
      ... // as it was
    }
    ```
    Where segments of 256 iterations have more than 16 elements on average they
    keep their order: wrong guesses are little of their time. Each iteration computes what it did
    before, so results are the same; the runtime sees to it that the first error
    in the order of the loop is the one that is reported. The pass runs after
    insert-runtime-checks, because ranges of what is read at `%b` are checked in
    front of the loop.
  }];
  let options = [
    Option<"secondCacheBytes", "second-cache-bytes", "int64_t", "0",
           "Bytes of a core's second cache; 0 is the target's. Tables may have a "
           "quarter of them">,
  ];
  let dependentDialects = ["::ember::EmberDialect",
                           "::mlir::arith::ArithDialect",
                           "::mlir::LLVM::LLVMDialect",
                           "::mlir::memref::MemRefDialect",
                           "::mlir::scf::SCFDialect"];
  let statistics = [
    Statistic<"ordered", "ordered", "Loops over segments">,
  ];
}

def ShareLoops : Pass<"share-loops", "::mlir::ModuleOp"> {
  let summary = "Make one function of loops that are alike";
  let description = [{
    Outermost loops of a function that differ in the memrefs and numbers they
    read alone, or in where the rows begin that they write, become calls of one
    private function: tens of tables are compiled in little more time than one.

    ```mlir
    scf.for %b = %c0 to %bags step %c1 { ... %table0 ... }
    scf.for %b = %c0 to %bags step %c1 { ... %table1 ... }
    ```
    becomes
    ```mlir
    func.call @kernel_loop(%bags, %table0, ...)
    func.call @kernel_loop(%bags, %table1, ...)
    ```
    Constants that all of them have stay constants, such as lengths of rows.
    Arrays have no names in the function, so that errors do not tell which of
    them is meant. Upstream's `--duplicate-function-elimination` merges functions
    that are equal, but makes none of loops.
  }];
  let dependentDialects = ["::mlir::func::FuncDialect"];
  let statistics = [
    Statistic<"sharing", "sharing", "Loops that became calls">,
  ];
}

#endif // EMBER_LOOPS_TRANSFORMS_SEGMENTPASSES_TD
