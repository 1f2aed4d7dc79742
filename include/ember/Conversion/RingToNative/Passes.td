//===- Passes.td - Rings as queues of the runtime ----------*- tablegen -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_CONVERSION_RINGTONATIVE_PASSES_TD
#define EMBER_CONVERSION_RINGTONATIVE_PASSES_TD

include "mlir/Pass/PassBase.td"

def RingToNative : Pass<"ring-to-native", "::mlir::ModuleOp"> {
  let summary = "Turn rings into the runtime's queues between two threads";
  let description = [{
    A function that is a half of a program takes a pointer to the runtime's
    queues in the place of its rings, a data and a token ring, and calls the
    queue functions, which inline (see the page on queues). A `ring.run`
    becomes a call of `ember_dae_run`:

    - `@H.entry`, for each half `@H`, which the runtime calls: it unpacks the
      arguments of the half from an environment on the stack of the function
      that runs it, and puts the results there;
    - `@H.program`, for the access half `@H`: what the runtime must know of the
      program.

    ```mlir
    %data = ring.create : !ring.data<8>
    %tokens = ring.create : !ring.tokens
    ring.run "f" access @f.access.0(%in, %data, %tokens : memref<?xf32>, !ring.data<8>, !ring.tokens)
                 compute @f.compute.0(%out, %data, %tokens : memref<?xf32>, !ring.data<8>, !ring.tokens)
    ```
    becomes
    ```mlir
    %environment = llvm.alloca %c1 x !llvm.struct<(...)>
    llvm.store ...
    %program = llvm.mlir.addressof @f.access.0.program : !llvm.ptr
    llvm.call @ember_dae_run(%program, %environment) : (!llvm.ptr, !llvm.ptr) -> ()
    ```
    and in the access half
    ```mlir
    %slot = ring.acquire %data for 0 : !ring.data<8> -> !ring.slot<f32>
    ring.store %v, %slot : !ring.slot<f32>
    ring.commit %slot : !ring.slot<f32>
    ```
    becomes
    ```mlir
    %slot = llvm.call @ember_data_acquire(%queues, %c8) : (!llvm.ptr, i64) -> !llvm.ptr
    llvm.store %v, %slot {alignment = 8 : i64} : f32, !llvm.ptr
    llvm.call @ember_data_commit(%queues, %c8) : (!llvm.ptr, i64) -> ()
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::func::FuncDialect",
    "::mlir::LLVM::LLVMDialect"
  ];
}

#endif // EMBER_CONVERSION_RINGTONATIVE_PASSES_TD
