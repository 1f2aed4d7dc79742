//===- Passes.td - Optimisations of lookup-compute nests ---*- tablegen -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Section 7 of the Ember paper: vectorisation (slc-vectorize, simplify-casts,
// vectorize-callbacks, simplify-mem-ops), bufferisation
// (bufferize-compound-types) and queue alignment (align-queues). They run in
// this order, with simplify-mem-ops last; each keeps every value bit for bit,
// and leaves what it does not understand as it is, with a remark.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_DIALECT_SLCV_TRANSFORMS_PASSES_TD
#define EMBER_DIALECT_SLCV_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

def SlcVectorizer : Pass<"slc-vectorize", "::mlir::ModuleOp"> {
  let summary = "Vectorise the loops and streams of innermost traversals";
  let description = [{
    Turns each innermost `slc.for` for which that is legal into an
    `slcv.vec_for`, and its streams that change with the loop into streams of
    vectors, masked unless the vector length divides the trip count. Streams
    that do not change with the loop stay scalar. Callbacks stay scalar too;
    they see the vectors through `slcv.as_scalar` until `vectorize-callbacks`
    has reached them. When a loop is legal, and what the remarks about the
    others mean, is said in `ember/Analysis/VectorizationLegality.h`.

    A trip count known to be less than the vector length shortens the vectors
    to the next power of two.

    ```mlir
    slc.for %e = %c0 to %length step %c1 {
      %v = slc.mem_str %table[%i, %e] : memref<?x?xf32>[!slc.stream<index>, !slc.stream<index>] -> !slc.stream<f32>
      slc.callback ite {
        %val = slc.str_to_val %v : !slc.stream<f32> -> f32
        ...
      }
    }
    ```
    becomes
    ```mlir
    slcv.vec_for (%e, %mask) = %c0 to %length step %c1 vector<16> {
      %v = slcv.vec_mem_str %table[%i, %e] mask %mask : memref<?x?xf32>[!slc.stream<index>, !slc.stream<vector<16xindex>>] -> !slc.stream<vector<16xf32>>
      %lane = slcv.as_scalar %v : !slc.stream<vector<16xf32>> to !slc.stream<f32>
      slc.callback ite {
        %val = slc.str_to_val %lane : !slc.stream<f32> -> f32
        ...
      }
    }
    ```
  }];
  let options = [
    Option<"vectorLength", "vector-length", "int64_t", "0",
           "Lanes of a vector, at least 1; 0 takes as many of the widest "
           "elements the loop accesses as fill 'vector-bits'">,
    Option<"vectorBits", "vector-bits", "int64_t", "0",
           "Width of vector registers; 0 is the target's">,
    Option<"lookups", "lookups", "bool", "true",
           "Vectorise loops that load elements by what they have loaded, and "
           "do little with them, even if the target has no gathers">,
    Option<"mayAlias", "may-alias", "bool", "false",
           "Memref arguments, and memrefs of different element types, may "
           "share memory">,
  ];
  let statistics = [
    Statistic<"vectorized", "vectorized", "Loops vectorised">,
    Statistic<"refused", "refused", "Innermost loops left scalar">,
  ];
  let dependentDialects = ["::ember::EmberDialect",
                           "::ember::slcv::SLCVDialect",
                           "::mlir::vector::VectorDialect"];
}

def SimplifyCastOps : Pass<"simplify-casts", "::mlir::func::FuncOp"> {
  let summary = "Move the border of vectorisation into callbacks";
  let description = [{
    Moves each `slcv.as_scalar` of a stream past the `slc.str_to_val` that
    reads it, so that the vector itself enters the callback; merges
    conversions of one stream in one callback; and removes the casts that
    nothing uses any more. It does not look into what callbacks compute.

    ```mlir
    %lane = slcv.as_scalar %v : !slc.stream<vector<16xf32>> to !slc.stream<f32>
    slc.callback ite {
      %val = slc.str_to_val %lane : !slc.stream<f32> -> f32
    ```
    becomes
    ```mlir
    slc.callback ite {
      %vec = slc.str_to_val %v : !slc.stream<vector<16xf32>> -> vector<16xf32>
      %val = slcv.as_scalar %vec : vector<16xf32> to f32
    ```
  }];
  let dependentDialects = ["::ember::slcv::SLCVDialect"];
}

def CallbackVectorizer : Pass<"vectorize-callbacks", "::mlir::func::FuncOp"> {
  let summary = "Vectorise the callbacks of vectorised loops";
  let description = [{
    Replaces, in program order, every operation of a callback that uses a
    vector through `slcv.as_scalar` by its vector dual, whose result is what
    the next operations use, until the border has reached the callback's end:

    - elementwise operations work on vectors; an integer division divides
      inactive lanes by one;
    - loads and stores become masked `vector.gather` and `vector.scatter`,
      which `simplify-mem-ops` makes contiguous;
    - one step of a reduction becomes a `vector.reduction` over all lanes, in
      lane order and starting with the carried value, in which inactive lanes
      hold the operation's neutral element (for `addf`, -0.0).

    The induction variable crosses to the execute unit as its lane 0. So does
    every stream that differs from it by something uniform. The mask is
    computed from lane 0 and the upper bound where that is fixed; otherwise
    the mask stream is read.

    ```mlir
    slc.callback ite {
      %bag = slc.str_to_val %b : !slc.stream<index> -> index
      %es = slc.str_to_val %e : !slc.stream<vector<16xindex>> -> vector<16xindex>
      %pos = slcv.as_scalar %es : vector<16xindex> to index
      %vec = slc.str_to_val %v : !slc.stream<vector<16xf32>> -> vector<16xf32>
      %val = slcv.as_scalar %vec : vector<16xf32> to f32
      %acc = memref.load %out[%bag, %pos] : memref<?x?xf32>
      %sum = arith.addf %acc, %val : f32
      memref.store %sum, %out[%bag, %pos] : memref<?x?xf32>
    }
    ```
    becomes
    ```mlir
    slc.callback ite {
      %bag = slc.str_to_val %b : !slc.stream<index> -> index
      %e0 = slc.str_to_val %e[0] : !slc.stream<vector<16xindex>> -> index
      %first = vector.broadcast %e0 : index to vector<16xindex>
      %lanes = vector.step : vector<16xindex>
      %pos = arith.addi %first, %lanes : vector<16xindex>
      %vec = slc.str_to_val %v : !slc.stream<vector<16xf32>> -> vector<16xf32>
      %left = arith.subi %length, %e0 : index
      %mask = vector.create_mask %left : vector<16xi1>
      %acc = vector.gather %out[%bag, %c0] [%pos], %mask, %zeros : ...
      %sum = arith.addf %acc, %vec : vector<16xf32>
      vector.scatter %out[%bag, %c0] [%pos], %mask, %sum : ...
    }
    ```
  }];
  let dependentDialects = ["::ember::slcv::SLCVDialect",
                           "::mlir::arith::ArithDialect",
                           "::mlir::vector::VectorDialect"];
}

def BufferCompoundTypes
    : Pass<"bufferize-compound-types", "::mlir::func::FuncOp"> {
  let summary = "Hand whole rows to the execute unit";
  let description = [{
    In an innermost loop with `ite` callbacks, pushes what the callbacks read
    of the loop's own streams into buffers instead, and moves the callbacks
    into one callback after the loop, where compute code loops over the
    buffers (paper, section 7.2). One control token a row is left, and one
    copy of each operand that does not change within the row.

    The loop over the buffer gets the induction variable, the iteration count
    and the mask from its own counter; bounds that are streams are read once a
    row. Loop-carried values are carried by it. `end` callbacks that follow run
    at the same event and are merged into the new one.

    ```mlir
    slcv.vec_for (%e, %mask) = %c0 to %length step %c1 vector<16> {
      %v = slcv.vec_mem_str %table[%i, %e] mask %mask : ...
      slc.callback ite {
        %bag = slc.str_to_val %b : !slc.stream<index> -> index
        %vec = slc.str_to_val %v : !slc.stream<vector<16xf32>> -> vector<16xf32>
        ...
      }
    }
    ```
    becomes
    ```mlir
    %buf = slcv.buf_str : !slc.buffer<vector<16xf32>>
    slcv.vec_for (%e, %mask) = %c0 to %length step %c1 vector<16> {
      %v = slcv.vec_mem_str %table[%i, %e] mask %mask : ...
      slcv.push %v, %buf : !slc.stream<vector<16xf32>>, !slc.buffer<vector<16xf32>>
    }
    slc.callback end {
      %bag = slc.str_to_val %b : !slc.stream<index> -> index
      %row = slc.str_to_val %buf : !slc.buffer<vector<16xf32>> -> memref<?xvector<16xf32>>
      scf.for %k = %c0 to %count step %c1 {
        %vec = memref.load %row[%k] : memref<?xvector<16xf32>>
        ...
      }
    }
    ```

    A loop stays as it is, with a remark, if it is outermost, if its callbacks
    read none of its loaded streams, if its lanes traverse ranges of their own,
    or if its trip count is known and so small that the row as a whole would
    need as many queue entries as its elements do one by one.
  }];
  let statistics = [
    Statistic<"bufferized", "bufferized", "Loops bufferised">,
  ];
  let dependentDialects = ["::ember::slcv::SLCVDialect",
                           "::mlir::arith::ArithDialect",
                           "::mlir::memref::MemRefDialect",
                           "::mlir::scf::SCFDialect",
                           "::mlir::vector::VectorDialect"];
}

def ReplaceToValOps : Pass<"align-queues", "::mlir::func::FuncOp"> {
  let summary = "Keep scalar operands from breaking the queue's alignment";
  let description = [{
    A callback that reads vectors (or buffers of vectors) and scalars mixes
    both in the data queue, where the scalars push the vectors off their
    alignment (paper, section 7.3). Three strategies take the scalars away:

    - `counters`: a scalar that is the induction variable of an enclosing loop
      with a fixed lower bound is carried by that loop as a value of the
      execute unit, which begins at the lower bound. The callback uses it, and
      the last callback of the loop's body, or a new `end` callback, increments
      it by the step, once an iteration, whether or not the loops in it iterate.
    - `addresses`: index operands that only say where in a memref (of identity
      layout, defined outside the nest) a row begins are replaced by the linear
      position, which `slc.alu_str` computes in the access unit, once for all
      rows that begin there. The callback accesses a
      `memref.reinterpret_cast` of the row. Since bounds of single
      dimensions are not checked any more then, all ids but that of the
      outermost dimension must be induction variables of loops that stay below
      the memref's size.
    - `pad`: a scalar is copied to all lanes of a vector as large as the
      vectors beside it, by `slc.fwd_str`; the callback reads lane 0.

    `auto` takes, in this order: `counters` for callbacks all scalars of which
    can be counted; `addresses` where that leaves fewer operands, that is, where
    a callback needs several ids to find one row; `counters` for the induction
    variable of the outermost loop, which costs one token an iteration instead
    of an operand a row; and `pad` for what is left. Nests whose callbacks read
    no vectors have nothing to align.

    ```mlir
    slc.for %b = %c0 to %bags step %c1 {
      ...
      slc.for %p = %beg to %end step %c1 : !slc.stream<index>, !slc.stream<index> {
        ...
        slc.callback end {
          %bag = slc.str_to_val %b : !slc.stream<index> -> index
          %row = slc.str_to_val %buf : !slc.buffer<vector<16xf32>> -> memref<?xvector<16xf32>>
          ... %out[%bag, ...]
        }
      }
    }
    ```
    becomes (`counters`)
    ```mlir
    slc.for %b = %c0 to %bags step %c1 iter_args(%i = %c0) -> (index) {
      ...
      slc.for %p = %beg to %end step %c1 : !slc.stream<index>, !slc.stream<index> {
        ...
        slc.callback end {
          %row = slc.str_to_val %buf : !slc.buffer<vector<16xf32>> -> memref<?xvector<16xf32>>
          ... %out[%i, ...]
        }
      }
      %next = slc.callback end -> index {
        %n = arith.addi %i, %c1 : index
        slc.yield %n : index
      }
      slc.yield %next : index
    }
    ```
  }];
  let options = [
    Option<"strategy", "strategy", "::ember::Choice<::ember::slcv::AlignmentStrategy>",
           "::ember::slcv::AlignmentStrategy::automatic",
           "How scalar operands are taken out of the vectors' way",
           [{::llvm::cl::values(
             clEnumValN(::ember::slcv::AlignmentStrategy::automatic, "auto",
                        "choose for each callback"),
             clEnumValN(::ember::slcv::AlignmentStrategy::counters, "counters",
                        "count induction variables in the execute unit"),
             clEnumValN(::ember::slcv::AlignmentStrategy::pad, "pad",
                        "send scalars as vectors"),
             clEnumValN(::ember::slcv::AlignmentStrategy::addresses,
                        "addresses",
                        "send the positions of rows instead of ids"))}]>,
  ];
  let statistics = [
    Statistic<"counted", "counted", "Scalar operands replaced by counters">,
    Statistic<"addressed", "addressed", "Row positions sent instead of ids">,
    Statistic<"padded", "padded", "Scalar operands sent as vectors">,
  ];
  let dependentDialects = ["::ember::slcv::SLCVDialect",
                           "::mlir::arith::ArithDialect",
                           "::mlir::memref::MemRefDialect",
                           "::mlir::vector::VectorDialect"];
}

def SimplifyMemOps : Pass<"simplify-mem-ops", "::mlir::func::FuncOp"> {
  let summary = "Turn gathers and scatters of sequential elements into vector "
                "loads and stores";
  let description = [{
    A `vector.gather` or `vector.scatter` whose indices are a scalar plus
    0, 1, 2, ... becomes `vector.maskedload` or `vector.maskedstore`, or
    `vector.load` or `vector.store` if no lane is masked off. A
    `slcv.vec_mem_str` whose last index counts up by one from lane to lane, and
    whose other indices are scalar, gets `contiguous`; one whose last index is
    such a count divided by a power of two gets `repeat` as well.

    ```mlir
    %first = vector.broadcast %e0 : index to vector<16xindex>
    %lanes = vector.step : vector<16xindex>
    %pos = arith.addi %first, %lanes : vector<16xindex>
    %acc = vector.gather %out[%bag, %c0] [%pos], %mask, %zeros : ...
    ```
    becomes
    ```mlir
    %acc = vector.maskedload %out[%bag, %e0], %mask, %zeros : ...
    ```
  }];
  let dependentDialects = ["::ember::slcv::SLCVDialect",
                           "::mlir::arith::ArithDialect",
                           "::mlir::vector::VectorDialect"];
}

#endif // EMBER_DIALECT_SLCV_TRANSFORMS_PASSES_TD
