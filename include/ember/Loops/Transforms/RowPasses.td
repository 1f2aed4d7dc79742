//===- RowPasses.td - Fast code for rows on the CPU --------*- tablegen -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Passes that a kernel is right without, on what is done for a row: registers,
// vectors, stores.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_LOOPS_TRANSFORMS_ROWPASSES_TD
#define EMBER_LOOPS_TRANSFORMS_ROWPASSES_TD

include "mlir/Pass/PassBase.td"

def StripRows : Pass<"strip-rows", "::mlir::ModuleOp"> {
  let summary = "Sum rows that are longer than the registers strip by strip";
  let description = [{
    A loop over lookups adds each row to accumulators. Where registers hold only
    some of these at a time, the lookups are gone through once for each strip of
    the row which they hold; unrolled, such a strip stays in registers. The
    indices of a segment are read again, from the first cache, in place of
    loading and storing all accumulators for every row.

    ```mlir
    scf.for %p = %begin to %end step %c1 {
      %i = memref.load %indices[%p]
      scf.for %e = %c0 to %c256 step %c8 {
        %x = vector.load %table[%i, %e]
        %a = vector.load %out[%b, %e]
        %s = arith.addf %a, %x
        vector.store %s, %out[%b, %e]
      }
    }
    ```
    becomes, with 16 registers of 8 elements,
    ```mlir
    scf.for %p = %begin to %end step %c1 {
      %i = memref.load %indices[%p]
      scf.for %e = %c0 to %c128 step %c8 { ... }
    }
    scf.for %p = %begin to %end step %c1 {
      %i = memref.load %indices[%p]
      scf.for %e = %c128 to %c256 step %c8 { ... }
    }
    ```
    Prefetches stay in the first loop. All elements are summed in the order they
    were. Nests that do more than this, such as a dot product before the sum,
    and rows of more than 8 strips are left alone.
  }];
  let options = [
    Option<"vectorRegisters", "vector-registers", "int64_t", "0",
           "Vector registers there are; 0 is the target's">,
    Option<"vectorBits", "vector-bits", "int64_t", "0",
           "Width of a vector register in bits; 0 is the target's">,
    Option<"mayAlias", "may-alias", "bool", "false",
           "Memref arguments may overlap">,
  ];
  let dependentDialects = ["::ember::EmberDialect",
                           "::mlir::arith::ArithDialect"];
  let statistics = [
    Statistic<"stripped", "stripped", "Loops over rows divided">,
  ];
}

def PromoteAccumulators : Pass<"promote-accumulators", "::mlir::ModuleOp"> {
  let summary = "Keep accumulators of a loop in registers";
  let description = [{
    A loop that loads and stores one address which does not change in the loop,
    and which nothing else in the loop may touch, carries the value in a
    register instead: one load before the loop, one store behind it.

    ```mlir
    scf.for %p = %begin to %end step %c1 {
      %a = vector.load %out[%b, %c0]
      ...
      vector.store %s, %out[%b, %c0]
    }
    ```
    becomes
    ```mlir
    %any = arith.cmpi slt, %begin, %end
    scf.if %any {
      %a0 = vector.load %out[%b, %c0]
      %s0 = scf.for %p = %begin to %end step %c1 iter_args(%a = %a0) {
        ...
        scf.yield %s
      }
      vector.store %s0, %out[%b, %c0]
    }
    ```
    The condition keeps a loop that runs no iteration from touching memory it
    did not touch before; a trip count known to be positive needs none, and nor
    does memory that is stored to in front of the loop. Distinct
    memref arguments of a function are taken as not overlapping, which kernels
    check at entry, unless `may-alias` says otherwise.
  }];
  let options = [
    Option<"mayAlias", "may-alias", "bool", "false",
           "Memref arguments may overlap">,
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::memref::MemRefDialect",
                           "::mlir::scf::SCFDialect",
                           "::mlir::vector::VectorDialect"];
  let statistics = [
    Statistic<"promoted", "promoted", "Accumulators promoted">,
  ];
}

def PromoteRuns : Pass<"promote-runs", "::mlir::ModuleOp"> {
  let summary = "Keep a row in registers while the index that selects it stays";
  let description = [{
    Where a loop adds to rows that an index selects, such as those of a matrix
    by the coordinates of what it stores, the same row often comes several times
    in a row. It stays in registers then, and goes to memory when the index
    changes, as no load has to wait for the store before it:

    ```mlir
    scf.for %p = %begin to %end step %c1 {
      %i = memref.load %rows[%p]
      %a = vector.load %out[%i, %c0]
      ...
      vector.store %s, %out[%i, %c0]
    }
    ```
    becomes
    ```mlir
    %any = arith.cmpi slt, %begin, %end
    scf.if %any {
      %i0 = memref.load %rows[%begin]
      %a0 = vector.load %out[%i0, %c0]
      %k, %r = scf.for %p = %begin to %end step %c1
          iter_args(%j = %i0, %b = %a0) {
        %i = memref.load %rows[%p]
        %other = arith.cmpi ne, %i, %j
        %a = scf.if %other {
          vector.store %b, %out[%j, %c0]
          %c = vector.load %out[%i, %c0]
          scf.yield %c
        } else {
          scf.yield %b
        }
        ...
        scf.yield %i, %s
      }
      vector.store %r, %out[%k, %c0]
    }
    ```
    Nothing else in the loop may touch the output, and the index has to come
    from memory that the loop does not write. Rows take three quarters of the
    registers at most; single elements are left alone, as a branch that is
    foretold wrongly costs more than they gain. When a check in between fails,
    the last row is not in memory: after an error, outputs may be partly
    written.
  }];
  let options = [
    Option<"vectorRegisters", "vector-registers", "int64_t", "0",
           "Vector registers there are; 0 is the target's">,
    Option<"vectorBits", "vector-bits", "int64_t", "0",
           "Width of a vector register in bits; 0 is the target's">,
    Option<"mayAlias", "may-alias", "bool", "false",
           "Memref arguments may overlap">,
  ];
  let dependentDialects = ["::ember::EmberDialect",
                           "::mlir::arith::ArithDialect",
                           "::mlir::memref::MemRefDialect",
                           "::mlir::scf::SCFDialect",
                           "::mlir::vector::VectorDialect"];
  let statistics = [
    Statistic<"promoted", "promoted", "Accumulators promoted">,
  ];
}

def JamSums : Pass<"jam-sums", "::mlir::ModuleOp"> {
  let summary = "Add to several rows what is read once";
  let description = [{
    In a product of dense blocks, each row of the result reads all rows of one
    operand, and loads take as long as additions, or longer. Some iterations of
    the loop over rows run at once, as many as registers hold sums of, but no
    more than 4; what all of them read, they read once:

    ```mlir
    scf.for %a = %c0 to %c16 step %c1 {
      %x = vector.load %out[%a, %c0]
      %s = scf.for %c = %c0 to %c8 step %c1 iter_args(%y = %x) {
        %w = memref.load %v[%a, %c]
        %f = vector.broadcast %w
        %t = vector.load %table[%c, %c0]
        %z = math.fma %f, %t, %y
        scf.yield %z
      }
      vector.store %s, %out[%a, %c0]
    }
    ```
    becomes, for two of them,
    ```mlir
    scf.for %a = %c0 to %c16 step %c2 {
      %a1 = arith.addi %a, %c1
      %x0 = vector.load %out[%a, %c0]
      %x1 = vector.load %out[%a1, %c0]
      %s:2 = scf.for %c = %c0 to %c8 step %c1 iter_args(%y0 = %x0, %y1 = %x1) {
        ...
        %t = vector.load %table[%c, %c0]
        %z0 = math.fma %f0, %t, %y0
        %z1 = math.fma %f1, %t, %y1
        scf.yield %z0, %z1
      }
      vector.store %s#0, %out[%a, %c0]
      vector.store %s#1, %out[%a1, %c0]
    }
    ```
    Indices that select rows of the output are compared first, as they have to be
    different ones: those that increase are, and others are compared one with
    one. So are those that select what is read, as in a sparse convolution, where
    many points in a row are multiplied by the same matrix. Iterations that do
    not fit run one after the other. All sums are added up in the order they
    were.

    At least twice as many vectors have to be read as are added to. Loops over
    rows that may be taken apart for threads are left alone.
  }];
  let options = [
    Option<"vectorRegisters", "vector-registers", "int64_t", "0",
           "Vector registers there are; 0 is the target's">,
    Option<"vectorBits", "vector-bits", "int64_t", "0",
           "Width of a vector register in bits; 0 is the target's">,
    Option<"mayAlias", "may-alias", "bool", "false",
           "Memref arguments may overlap">,
  ];
  let dependentDialects = ["::ember::EmberDialect",
                           "::mlir::arith::ArithDialect",
                           "::mlir::scf::SCFDialect"];
  let statistics = [
    Statistic<"jammed", "jammed", "Loops of which iterations run at once">,
  ];
}

def JamRows : Pass<"jam-rows", "::mlir::ModuleOp"> {
  let summary = "Compute several rows that read the same at once";
  let description = [{
    Where each row of a result goes over the same list, such as the non-zero
    coefficients of an equivariant product, it reads the list again, and adds to
    few sums, which wait for each other. Some iterations of the loop over rows
    run at once, as many as registers hold sums of, but no more than 4; what is
    the same in all of them, they do once:

    ```mlir
    scf.for %b = %c0 to %n step %c1 {
      scf.for %p = %c0 to %terms step %c1 {
        %v = memref.load %values[%p]
        %i = memref.load %from[%p]
        %k = memref.load %to[%p]
        %f = vector.broadcast %v
        %x = vector.load %table[%b, %i, %c0]
        %y = vector.load %out[%b, %k, %c0]
        %z = math.fma %f, %x, %y
        vector.store %z, %out[%b, %k, %c0]
      }
    }
    ```
    becomes, for two of them,
    ```mlir
    scf.for %b = %c0 to %n step %c2 {
      %b1 = arith.addi %b, %c1
      %whole = arith.cmpi slt, %b1, %n
      scf.if %whole {
        scf.for %p = %c0 to %terms step %c1 {
          %v = memref.load %values[%p]
          %i = memref.load %from[%p]
          %k = memref.load %to[%p]
          %f = vector.broadcast %v
          %x0 = vector.load %table[%b, %i, %c0]
          %x1 = vector.load %table[%b1, %i, %c0]
          ...
        }
      } else {
        // One after the other.
      }
    }
    ```
    The rows have to be independent of each other, and all their indices have to
    be the same or counted, so that the first index that is out of range is the
    same one. All sums are added up in the order they were.
    [promote-runs](#-promote-runs) keeps the sums in registers.
  }];
  let options = [
    Option<"vectorRegisters", "vector-registers", "int64_t", "0",
           "Vector registers there are; 0 is the target's">,
    Option<"vectorBits", "vector-bits", "int64_t", "0",
           "Width of a vector register in bits; 0 is the target's">,
    Option<"mayAlias", "may-alias", "bool", "false",
           "Memref arguments may overlap">,
  ];
  let dependentDialects = ["::ember::EmberDialect",
                           "::mlir::arith::ArithDialect",
                           "::mlir::scf::SCFDialect"];
  let statistics = [
    Statistic<"jammed", "jammed", "Loops of which iterations run at once">,
  ];
}

def ForwardStores : Pass<"forward-stores", "::mlir::ModuleOp"> {
  let summary = "Hand on what is stored and loaded again; drop dead stores";
  let description = [{
    Within a block, a load of what was stored before at the same address becomes
    the stored value, unless something in between may write there. A store that
    a later one of the same block overwrites is dropped, unless something in
    between may read it. So is a buffer that is never read any more.

    After promote-accumulators this takes the zeros that a row of sums begins
    with, and what is done with the sums, out of memory:

    ```mlir
    vector.store %zeros, %out[%b, %c0]
    %a0 = vector.load %out[%b, %c0]
    %s0 = scf.for ... iter_args(%a = %a0) { ... }
    vector.store %s0, %out[%b, %c0]
    %s1 = vector.load %out[%b, %c0]
    %m = arith.divf %s1, %count
    vector.store %m, %out[%b, %c0]
    ```
    becomes
    ```mlir
    %s0 = scf.for ... iter_args(%a = %zeros) { ... }
    %m = arith.divf %s0, %count
    vector.store %m, %out[%b, %c0]
    ```
    When a check in between fails, the memory does not hold the dropped values:
    after an error, outputs may be partly written. Distinct memref arguments are
    taken as not overlapping, as by promote-accumulators.
  }];
  let options = [
    Option<"mayAlias", "may-alias", "bool", "false",
           "Memref arguments may overlap">,
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
  let statistics = [
    Statistic<"forwarded", "forwarded", "Loads replaced by stored values">,
    Statistic<"dropped", "dropped", "Stores dropped">,
  ];
}

def StreamStores : Pass<"stream-stores", "::mlir::ModuleOp"> {
  let summary = "Write rows of large outputs past the caches";
  let description = [{
    An ordinary store first reads the line it is for into the caches, and later
    writes it back: an output that is larger than the caches moves twice.
    Non-temporal stores of whole lines only write. Where they fill rows of an
    output of which a loop that [parallelize-loops](#-parallelize-loops) marks
    does nothing but store each element once, both kinds of stores are there,
    under a condition that is computed before the loop: the output has
    `min-output-bytes` or more, and its rows begin with cache lines.

    ```mlir
    scf.for %b = %lower to %upper step %c1 {
      ...
      vector.store %sums, %out[%b, %c0] : memref<?x16xf32>, vector<16xf32>
    } {ember.independent}
    ```
    becomes
    ```mlir
    %elements = arith.muli %rows, %c16
    %large = arith.cmpi uge, %elements, %least
    %aligned = ... // base address and stride of %out
    %past = arith.andi %large, %aligned
    scf.for %b = %lower to %upper step %c1 {
      ...
      scf.if %past {
        vector.store %sums, %out[%b, %c0] {nontemporal = true, alignment = 64}
      } else {
        vector.store %sums, %out[%b, %c0]
      }
    } {ember.independent}
    scf.if %past {
      llvm.call_intrinsic "llvm.x86.sse.sfence"()
    }
    ```
    A loop over a row is copied as a whole. Behind the loop, and so in each part
    of it that a thread runs, stands a fence where the processor needs one to
    order such stores with those behind it.
  }];
  let options = [
    Option<"minOutputBytes", "min-output-bytes", "int64_t", "-1",
           "The smallest output that is written past the caches; 0 for none, -1 "
           "for 16 times the second cache">,
    Option<"lineBytes", "line-bytes", "int64_t", "0",
           "Bytes of a cache line; 0 is the target's">,
    Option<"secondCacheBytes", "second-cache-bytes", "int64_t", "0",
           "Bytes of a core's second cache; 0 is the target's">,
    Option<"fence", "fence", "std::string", "\"target\"",
           "The LLVM intrinsic that orders these stores with others, empty for "
           "none; target is the target's">,
    Option<"mayAlias", "may-alias", "bool", "false",
           "Memref arguments may overlap">,
  ];
  let dependentDialects = ["::ember::EmberDialect",
                           "::mlir::LLVM::LLVMDialect",
                           "::mlir::arith::ArithDialect",
                           "::mlir::memref::MemRefDialect",
                           "::mlir::scf::SCFDialect"];
  let statistics = [
    Statistic<"streamed", "streamed", "Stores that may bypass the caches">,
  ];
}

def VectorizeWorkspaces : Pass<"vectorize-workspaces", "::mlir::ModuleOp"> {
  let summary = "Vectorise loops over rows that are not offloaded";
  let description = [{
    A workspace loop, which loads nothing that is new to the nest, stays compute
    code, and slc-vectorize does not see it. Here such loops become loops over
    vectors, with a mask where the last one may not be full:

    ```mlir
    scf.for %d = %c0 to %c100 step %c1 {
      %x = memref.load %messages[%j, %d] : memref<?x100xf32>
      %y = memref.load %out[%i, %d] : memref<?x100xf32>
      %z = math.fma %x, %weight, %y : f32
      memref.store %z, %out[%i, %d] : memref<?x100xf32>
    }
    ```
    becomes
    ```mlir
    scf.for %d = %c0 to %c100 step %c16 {
      %left = arith.subi %c100, %d : index
      %mask = vector.create_mask %left : vector<16xi1>
      %x = vector.maskedload %messages[%j, %d], %mask, %zeros
      ...
      vector.maskedstore %out[%i, %d], %mask, %z
    }
    ```
    Every access has to go from element to element with the loop, or to load the
    same element in all iterations; everything else has to be elementwise; what
    is stored, nothing else may touch in another iteration. Results have the
    same bits.
  }];
  let options = [
    Option<"vectorBits", "vector-bits", "int64_t", "0",
           "Width of a vector register in bits; 0 is the target's">,
    Option<"mayAlias", "may-alias", "bool", "false",
           "Memref arguments may overlap">,
  ];
  let dependentDialects = ["::ember::EmberDialect",
                           "::mlir::arith::ArithDialect",
                           "::mlir::scf::SCFDialect",
                           "::mlir::vector::VectorDialect"];
  let statistics = [
    Statistic<"vectorized", "vectorized", "Loops vectorised">,
  ];
}

def PeelMasks : Pass<"peel-masks", "::mlir::ModuleOp"> {
  let summary = "Access whole vectors without masks";
  let description = [{
    Where the length of a row is not known, each vector of it has a mask of the
    elements that are left, though all but the last one are whole. Processors without
    registers for masks take many cycles to store by one, and what is stored by a mask
    reaches a load behind it only by way of memory. Innermost loops are divided:

    ```mlir
    scf.for %d = %c0 to %n step %c8 {
      %left = arith.subi %n, %d : index
      %mask = vector.create_mask %left : vector<8xi1>
      %x = vector.maskedload %table[%i, %d], %mask, %zeros
      vector.maskedstore %out[%b, %d], %mask, %x
    }
    ```
    becomes
    ```mlir
    scf.for %d = %c0 to %whole step %c8 {
      %x = vector.load %table[%i, %d]
      vector.store %x, %out[%b, %d]
    }
    %rest = arith.cmpi slt, %whole, %n : index
    scf.if %rest {
      %left = arith.subi %n, %whole : index
      %mask = vector.create_mask %left : vector<8xi1>
      ...
    }
    ```
    Of long bodies, as of approximated functions, a mask is little, and their code would
    be twice as much: they stay. Upstream's `scf-for-loop-peeling` divides loops in the
    same way, but does not tell what is whole of masks, and of loops that count vectors.
  }];
  let options = [
    Option<"mostOperations", "most-operations", "int64_t", "200",
           "Operations of the longest body that is copied">,
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::scf::SCFDialect",
                           "::mlir::vector::VectorDialect"];
  let statistics = [
    Statistic<"peeled", "peeled", "Loops divided">,
  ];
}

#endif // EMBER_LOOPS_TRANSFORMS_ROWPASSES_TD
