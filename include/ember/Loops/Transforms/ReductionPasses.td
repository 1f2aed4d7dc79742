//===- ReductionPasses.td - Loops that reduce --------------*- tablegen -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Passes that a kernel is right without, on loops that carry what they reduce.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_LOOPS_TRANSFORMS_REDUCTIONPASSES_TD
#define EMBER_LOOPS_TRANSFORMS_REDUCTIONPASSES_TD

include "mlir/Pass/PassBase.td"

def JoinReductions : Pass<"join-reductions", "::mlir::func::FuncOp"> {
  let summary = "Have one loop reduce all that is reduced over the same range";
  let description = [{
    Innermost loops of a block that have the same bounds, carry results and write
    nothing become one, if none needs the result of the other and nothing is
    written between them. What both read is read once, and the access unit walks
    it once.

    ```mlir
    %dot = scf.for %e = %c0 to %n step %c1 iter_args(%s = %zero) -> (f32) { ... }
    %norm = scf.for %e = %c0 to %n step %c1 iter_args(%s = %zero) -> (f32) { ... }
    ```
    becomes
    ```mlir
    %both:2 = scf.for %e = %c0 to %n step %c1
        iter_args(%s = %zero, %t = %zero) -> (f32, f32) { ... }
    ```
  }];
  let dependentDialects = ["::mlir::scf::SCFDialect"];
  let statistics = [
    Statistic<"joined", "joined", "Loops that became a part of another one">,
  ];
}

def SplitSums : Pass<"split-sums", "::mlir::func::FuncOp"> {
  let summary = "Add in several sums where one addition waits for the other";
  let description = [{
    A loop that adds to few vectors, as one over the short side of a small dense
    matrix does, waits for each addition before the next one begins. Where terms
    may be added in any order (`reassoc`), it adds to several sums in turn:

    ```mlir
    %s = scf.for %c = %c0 to %c16 step %c1 iter_args(%a = %x) {
      ...
      %b = math.fma %w, %v, %a fastmath<reassoc> : vector<8xf32>
      scf.yield %b
    }
    ```
    becomes
    ```mlir
    %s0, %s1 = scf.for %c = %c0 to %c16 step %c2 iter_args(%a = %x, %a1 = %zeros) {
      ...
      %b = math.fma %w, %v, %a fastmath<reassoc> : vector<8xf32>
      ... // of %c + 1
      %b1 = math.fma %w1, %v1, %a1 fastmath<reassoc> : vector<8xf32>
      scf.yield %b, %b1
    }
    %s = arith.addf %s0, %s1 fastmath<reassoc> : vector<8xf32>
    ```
    All that the loop carries have to be such sums, and its number of iterations
    known. There are as many sums as are added to at a time, in half of the
    registers at most.
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
    Statistic<"divided", "divided", "Loops that add to several sums">,
  ];
}

def ReduceLanesLast : Pass<"reduce-lanes-last", "::mlir::func::FuncOp"> {
  let summary = "Reduce over lanes once, behind the loop";
  let description = [{
    Where each iteration reduces a vector over its lanes and hands the result
    on, the loop carries a vector instead, which is reduced once behind it:

    ```mlir
    %sum = scf.for %e = %c0 to %n step %c1 iter_args(%s = %zero) -> f32 {
      %v = ...
      %next = vector.reduction <add>, %v, %s fastmath<reassoc>
      scf.yield %next
    }
    ```
    becomes
    ```mlir
    %lanes = scf.for %e = %c0 to %n step %c1 iter_args(%s = %neutral) {
      %v = ...
      %next = arith.addf %s, %v fastmath<reassoc>
      scf.yield %next
    }
    %sum = vector.reduction <add>, %lanes, %zero fastmath<reassoc>
    ```
    This combines elements in another order, which sums and products of floats
    have to allow (`reassoc`).
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::scf::SCFDialect",
                           "::mlir::vector::VectorDialect"];
  let statistics = [
    Statistic<"deferred", "deferred", "Reductions moved behind their loop">,
  ];
}

def InterleaveReductions : Pass<"interleave-reductions", "::mlir::ModuleOp"> {
  let summary = "Unroll loops that reduce over lanes, and reduce together";
  let description = [{
    A loop that reduces a vector over its lanes in every iteration, as one over
    the rows that a query is multiplied with, is unrolled. Its iterations first
    compute all the vectors, and then reduce them together: a step makes one
    vector, with half of the lanes for each, of two.

    ```mlir
    scf.for %k = %c0 to %c8 step %c1 {
      %row = vector.load %keys[%k, %c0] : memref<?x4xf32>, vector<4xf32>
      %product = arith.mulf %query, %row : vector<4xf32>
      %score = vector.reduction <add>, %product fastmath<reassoc>
      memref.store %score, %scores[%k] : memref<?xf32>
    }
    ```
    becomes, two iterations at a time,
    ```mlir
    scf.for %k = %c0 to %c8 step %c2 {
      ... // %product, %product1
      %left = vector.shuffle %product, %product1 [0, 4, 1, 5]
      %right = vector.shuffle %product, %product1 [2, 6, 3, 7]
      %parts = arith.addf %left, %right fastmath<reassoc> : vector<4xf32>
      ... // the same once more, of %parts alone
      %score = vector.extract %scores[0] : f32 from vector<2xf32>
      memref.store %score, %scores[%k]
      ...
    }
    ```
    Only what stores and what uses the results runs later than before, behind
    loads and checks of the following iterations, so stores may not alias what
    these load. It runs after insert-runtime-checks, so that ranges are checked
    once for all iterations. A loop over few rows is unrolled into the one
    around it, which then reduces more of them together. Of a loop whose trip
    count is not known one iteration is taken at a time: what would be left over
    of short segments costs as much as is saved.
  }];
  let options = [
    Option<"most", "most", "int64_t", "0",
           "Vectors reduced together, at most, a power of two; 1 leaves loops "
           "as they are, 0 takes a quarter of the vector registers">,
    Option<"vectorRegisters", "vector-registers", "int64_t", "0",
           "Vector registers there are; 0 is the target's">,
    Option<"mayAlias", "may-alias", "bool", "false",
           "Memref arguments may overlap">,
  ];
  let dependentDialects = ["::ember::EmberDialect",
                           "::mlir::arith::ArithDialect",
                           "::mlir::scf::SCFDialect",
                           "::mlir::vector::VectorDialect"];
  let statistics = [
    Statistic<"interleaved", "interleaved", "Loops unrolled">,
  ];
}

#endif // EMBER_LOOPS_TRANSFORMS_REDUCTIONPASSES_TD
