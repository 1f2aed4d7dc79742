//===- Passes.td - Statements to loops ---------------------*- tablegen -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_CONVERSION_CINTOSCF_PASSES_TD
#define EMBER_CONVERSION_CINTOSCF_PASSES_TD

include "mlir/Pass/PassBase.td"

def ConvertCINToSCF : Pass<"convert-cin-to-scf", "::mlir::func::FuncOp"> {
  let summary = "Turn statements on memrefs into loops";
  let description = [{
    Loops stand as statements have them, which `--cin-concretize` decides. Sizes
    of dimensions that one variable is the index of are compared first, with
    `cf.assert`. Statements on tensors are an error: they have to be bufferised
    before, for example by the pipeline `--cin-to-scf`.

    Loops with an `iteration` walk what arrays in formats store: one after the
    other for each point of its lattice, each as long as all operands that it
    walks have more. An operand that decides on nothing is searched for the
    coordinates of the others, and so are, in innermost loops, those that are
    much longer than one which is needed everywhere; how long they are, the run
    says. Where all others have at most 8 coordinates, and vectors of the target
    have 256 bits, each coordinate of that one is compared with all of them at
    once. Of two lists that are merged without branches, the next
    coordinate of each is loaded before it is known whether it is needed. Loops
    over all coordinates keep a position in each. An array that is assigned to is appended to. With `count-rows`, one
    with rows of their own, such as `csr`, is also counted row by row, and filled
    row by row behind the sums of these counts, by loops with `ember.independent`;
    which of both, `ember.threads_for` decides in the run.

    ```mlir
    cin.forall (%i) {
      %sum = cin.reduce add (%j) -> f32 {
        %a = cin.access %A[%i, %j] : memref<?x?xf32>
        %b = cin.access %x[%j] : memref<?xf32>
        %product = cin.call mul(%a, %b) : (f32, f32) -> f32
        cin.yield %product : f32
      }
      cin.assign %sum to %y[%i] : memref<?xf32>
    }
    ```
    becomes
    ```mlir
    scf.for %i = %c0 to %rows step %c1 {
      %sum = scf.for %j = %c0 to %columns step %c1
          iter_args(%before = %zero) -> (f32) {
        %a = memref.load %A[%i, %j] : memref<?x?xf32>
        %b = memref.load %x[%j] : memref<?xf32>
        %product = arith.mulf %a, %b fastmath<contract> : f32
        %after = arith.addf %before, %product fastmath<reassoc,contract> : f32
        scf.yield %after : f32
      }
      memref.store %sum, %y[%i] : memref<?xf32>
    }
    ```
  }];
  let options = [
    Option<"countRows", "count-rows", "bool", /*default=*/"false",
           "Count rows of results before they are filled, where several threads "
           "do it">,
    Option<"mostThreads", "most-threads", "int64_t", /*default=*/"0",
           "Threads that loops run on at most: with fewer than counting pays "
           "with, rows are not counted. 0 for any number">
  ];
  let dependentDialects = [
    "::ember::EmberDialect", "::mlir::affine::AffineDialect",
    "::mlir::arith::ArithDialect", "::mlir::cf::ControlFlowDialect",
    "::mlir::math::MathDialect", "::mlir::memref::MemRefDialect",
    "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect"
  ];
}

#endif // EMBER_CONVERSION_CINTOSCF_PASSES_TD
