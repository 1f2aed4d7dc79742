//===- Passes.td - Separation of access and compute: slc to dlc -*- tablegen -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_CONVERSION_SLCTODLC_PASSES_TD
#define EMBER_CONVERSION_SLCTODLC_PASSES_TD

include "mlir/Pass/PassBase.td"

def ConvertSLCToDLC : Pass<"convert-slc-to-dlc", "::mlir::func::FuncOp"> {
  let summary = "Cut slc nests into an access and a compute program";
  let description = [{
    Replaces each nest by a `dlc.program` (Ember paper, section 6.3), which
    captures what the nest uses of the code around it. Loops become traversal units, streams advance with the
    unit of the loop they stand in, and each callback becomes a case: its token
    is registered at the traversal event it stands for, its `slc.str_to_val`s
    become operands pushed there and popped in the case. Loop-carried values
    become registers of the compute loop.

    A buffer's elements are pushed while its row is traversed. Where the
    callback walks the buffer front to back, it pops each element as it goes;
    otherwise it pops the row into memory first.

    ```mlir
    slc.for %e = %c0 to %n step %c1 {
      %v = slc.mem_str %table[%e] : memref<?xf32>[!slc.stream<index>] -> !slc.stream<f32>
      slc.callback ite {
        %val = slc.str_to_val %v : !slc.stream<f32> -> f32
        func.call @use(%val) : (f32) -> ()
      }
    }
    ```
    becomes
    ```mlir
    dlc.program ...
    access {
      %tu = dlc.new_tu %c0 to %n step %c1
      %e = dlc.get_ind_var %tu : !slc.stream<index>
      %v = dlc.mem_str %tu, %table[%e] : memref<?xf32>[!slc.stream<index>] -> !slc.stream<f32>
      dlc.register_callback %tu, ite, 0
      dlc.register_operand %tu, ite, %v for 0 : !slc.stream<f32>
    }
    compute {
      dlc.compute_loop
      case 0 {
        %val = dlc.pop_operand : f32
        func.call @use(%val) : (f32) -> ()
      }
    }
    ```
  }];
  let dependentDialects = [
    "::ember::dlc::DLCDialect", "::mlir::arith::ArithDialect",
    "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect",
    "::mlir::ub::UBDialect"
  ];
}

#endif // EMBER_CONVERSION_SLCTODLC_PASSES_TD
