//===- Passes.td - Code beside a TMU ------------------------*- tablegen -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_CONVERSION_RINGTOTMU_PASSES_TD
#define EMBER_CONVERSION_RINGTOTMU_PASSES_TD

include "mlir/Pass/PassBase.td"

def RingToTMU : Pass<"ring-to-tmu", "::mlir::ModuleOp"> {
  let summary = "Turn compute halves and launches into code beside a unit";
  let description = [{
    The code of the core that stands beside a Tensor Marshaling Unit: what
    [docs/tmu-configuration.md](../tmu-configuration.md) says of chunks and of the
    unit's registers.

    - A `tmu.program`, which is mapped to a machine, stores its captures to the
      stack, launches the unit with them, calls its compute function, and waits
      until the unit is done. Programs are numbered as in their configuration.
    - A compute function takes the address of the unit's registers in the place of
      its rings. It reads tokens and operands with two pointers into a chunk, and
      goes on to the next chunk where a token says so or, for tokens without
      `reserve`, where an operand would end behind the chunk.

    ```mlir
    %slot = ring.wait %data for 0 : !ring.data<64> -> !ring.slot<vector<16xf32>>
    %v = ring.load %slot : !ring.slot<vector<16xf32>>
    ring.release %slot : !ring.slot<vector<16xf32>>
    ```
    becomes, where token 0 has a `reserve`,
    ```mlir
    %p = llvm.load %operands : !llvm.ptr -> !llvm.ptr
    ... %slot = (%p + 63) & -64 ...
    %v = llvm.load %slot {alignment = 64 : i64} : !llvm.ptr -> vector<16xf32>
    %next = llvm.getelementptr %slot[64] : (!llvm.ptr) -> !llvm.ptr, i8
    llvm.store %next, %operands : !llvm.ptr, !llvm.ptr
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::func::FuncDialect",
    "::mlir::LLVM::LLVMDialect", "::mlir::memref::MemRefDialect",
    "::mlir::scf::SCFDialect"
  ];
}

#endif // EMBER_CONVERSION_RINGTOTMU_PASSES_TD
