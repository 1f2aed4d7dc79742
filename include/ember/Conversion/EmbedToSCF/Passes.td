//===- Passes.td - Embedding operations to loops -----------*- tablegen -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_CONVERSION_EMBEDTOSCF_PASSES_TD
#define EMBER_CONVERSION_EMBEDTOSCF_PASSES_TD

include "mlir/Pass/PassBase.td"

def ConvertEmbedToSCF : Pass<"convert-embed-to-scf", "::mlir::func::FuncOp"> {
  let summary = "Turn embedding operations on memrefs into loops";
  let description = [{
    Every bag becomes a nest of `scf.for` as table 1 of the Ember paper has it,
    ready for `--scf-to-slc`. Sizes that types leave open are compared first, with
    `cf.assert`. Operations on tensors are an error: they have to be bufferised
    before, for example by the pipeline `--embed-to-scf`. So are other operations,
    of which `--embed-to-cin` makes statements.

    ```mlir
    embed.bag sum tables(%x : memref<?x64xf32>) indices(%indices : memref<?xi64>)
        offsets(%offsets : memref<?xi64>) outs(%out : memref<?x64xf32>)
    ```
    becomes
    ```mlir
    scf.for %i = %c0 to %rows step %c1 {
      scf.for %d = %c0 to %c64 step %c1 {
        memref.store %zero, %out[%i, %d] : memref<?x64xf32>
      }
      %begin, %end = ... offsets[%i], offsets[%i + 1] ...
      scf.for %e = %begin to %end step %c1 {
        %k = ... indices[%e] ...
        scf.for %d = %c0 to %c64 step %c1 {
          %value = memref.load %x[%k, %d] : memref<?x64xf32>
          %sum = memref.load %out[%i, %d] : memref<?x64xf32>
          %next = arith.addf %sum, %value : f32
          memref.store %next, %out[%i, %d] : memref<?x64xf32>
        }
      }
    }
    ```

    Rows of a table that is stored column by column do not lie in one piece:
    every element is in another cache line. If the bags of such a table make at
    least as many lookups as it has rows, they read a copy instead, which takes
    each line once. The program decides when it runs:

    ```mlir
    %bound = arith.minui %lookups, %most_rows : index
    %copies = arith.cmpi ule, %rows, %bound : index
    %copied = arith.select %copies, %rows, %c0 : index
    %copy = memref.alloc(%copied) : memref<?x64xf32>
    scf.for %r = ... { scf.for %c = ... { ... copy[%r, %c] = table[%r, %c] ... } }
    %of_copy = arith.select %copies, %bags, %c0 : index
    scf.for %b = %c0 to %of_copy step %c1 { ... %copy ... }
    %of_table = arith.select %copies, %c0, %bags : index
    scf.for %b = %c0 to %of_table step %c1 { ... %table ... }
    ```

    Bags given by their lengths begin where the one before ends. An access unit
    adds up as it goes; a processor with several threads needs to know before
    it starts where each bag begins. With `sum-lengths`

    ```mlir
    scf.for %b = %c0 to %bags step %c1 iter_args(%begin = %c0) -> (index) {
      %end = ... %begin + lengths[%b] ...
      scf.for %p = %begin to %end step %c1 { ... }
      scf.yield %end : index
    }
    ```
    becomes
    ```mlir
    %offsets = memref.alloc(%ends) : memref<?xindex>
    scf.for %b = %c0 to %bags step %c1 iter_args(%begin = %c0) -> (index) {
      ... offsets[%b] = %begin ...
    }
    scf.for %b = %c0 to %bags step %c1 {
      %begin, %end = ... offsets[%b], offsets[%b + 1] ...
      scf.for %p = %begin to %end step %c1 { ... }
    }
    ```
  }];
  let options = [
    Option<"mostCopiedBytes", "most-copied-bytes", "int64_t", "67108864",
           "Bytes that the copy of a table whose rows do not lie in one piece "
           "may take; 0 for no copies">,
    Option<"sumLengths", "sum-lengths", "bool", "false",
           "Sum lengths of bags up to offsets first, for loops on several "
           "threads">,
  ];
  let dependentDialects = [
    "::ember::EmberDialect", "::mlir::arith::ArithDialect",
    "::mlir::cf::ControlFlowDialect", "::mlir::math::MathDialect",
    "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect"
  ];
}

def DropReturnedArguments
    : Pass<"drop-returned-arguments", "::mlir::ModuleOp"> {
  let summary = "Drop results of kernels that are the memory of an argument";
  let description = [{
    An operation in destination-passing style returns the memory it was given.
    Where that is an argument of a public function that nothing in the module
    calls, the caller has it already.

    ```mlir
    func.func @f(%out: memref<?xf32>) -> memref<?xf32> {
      ...
      return %out : memref<?xf32>
    }
    ```
    becomes
    ```mlir
    func.func @f(%out: memref<?xf32>) {
      ...
      return
    }
    ```
  }];
}

def DropDeallocations : Pass<"drop-deallocations", "::mlir::func::FuncOp"> {
  let summary = "Leave it to the deallocation pipeline to free memory";
  let description = [{
    Bufferisation makes memory that upstream's deallocation pipeline has to
    free. That works out who owns what for all memory of a function, so it does
    not accept what a function frees by itself. Without those frees it frees the
    same memory: what was allocated here, or returned to here, and is not handed
    on.

    ```mlir
    %row = memref.alloc(%n) : memref<?xf32>
    ...
    memref.dealloc %row : memref<?xf32>
    ```
    becomes
    ```mlir
    %row = memref.alloc(%n) : memref<?xf32>
    ...
    ```
  }];
}

#endif // EMBER_CONVERSION_EMBEDTOSCF_PASSES_TD
