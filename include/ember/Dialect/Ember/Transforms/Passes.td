//===- Passes.td - Passes on what modules say of themselves -*- tablegen -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_DIALECT_EMBER_TRANSFORMS_PASSES_TD
#define EMBER_DIALECT_EMBER_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

def SetTarget : Pass<"set-target", "::mlir::ModuleOp"> {
  let summary = "Say in the module which processor its code is for";
  let description = [{
    Describes a processor by its name, and puts the description on the module, where
    passes find it:

    ```mlir
    module { ... }
    ```
    becomes, with `mcpu=haswell`,
    ```mlir
    module attributes {ember.target = #ember.target<
        triple = "x86_64-unknown-linux-gnu", cpu = "haswell", vector_bits = 256,
        vector_registers = 16, streaming_stores = true,
        store_fence = "llvm.x86.sse.sfence">} { ... }
    ```
    `mcpu=native` is the machine that the pass runs on, with the features it has
    beyond those of its name, and with its caches. A processor that is named has a second
    cache of 1 MB.

    The pipelines `--optimize` and `--lower-to-native` begin with this pass: a module that
    names its target keeps it unless they are given `mcpu`, and one that names none is for
    this machine.
  }];
  let options = [
    Option<"cpu", "mcpu", "std::string", "",
           "The name of the processor; native is this machine's">,
    Option<"triple", "mtriple", "std::string", "",
           "What that processor runs; empty: this machine's, or that of the "
           "processor">,
    Option<"features", "mattr", "std::string", "",
           "Features beyond those of the name, such as +avx2,-fma">,
    Option<"scalableBits", "scalable-bits", "int64_t", "0",
           "The width of vector registers that AArch64 processors choose (SVE), "
           "where it is known">,
    Option<"keep", "keep", "bool", "false",
           "Leave a module that names its target as it is">,
    Option<"mayAlias", "may-alias", "bool", "false",
           "Say that memref arguments, and memrefs of different element types, "
           "may share memory">,
  ];
  let dependentDialects = ["::ember::EmberDialect"];
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

#endif // EMBER_DIALECT_EMBER_TRANSFORMS_PASSES_TD
