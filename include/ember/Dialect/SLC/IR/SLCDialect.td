//===- SLCDialect.td - The Structured Lookup-Compute dialect -*- tablegen -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_DIALECT_SLC_IR_SLCDIALECT_TD
#define EMBER_DIALECT_SLC_IR_SLCDIALECT_TD

include "mlir/IR/OpBase.td"

def SLC_Dialect : Dialect {
  let name = "slc";
  let cppNamespace = "::ember::slc";
  let summary = "Structured lookup-compute: loops, streams and callbacks";
  let description = [{
    One structured IR for both halves of a decoupled access-execute program
    (Ember paper, section 6.1). Loops and *streams* describe what the access
    unit does: traverse, compute addresses, load. *Callbacks* hold what the
    execute unit does with the loaded data. Both stand in one loop nest, so
    data flow between them is plain SSA and can be optimised across the
    border before it is cut into queues (dialect `dlc`).

    The embedding bag (paper, figure 13b):

    ```mlir
    slc.for %b = %c0 to %bags step %c1 {
      %b1  = slc.alu_str add %b, %c1 : !slc.stream<index>, index -> !slc.stream<index>
      %beg = slc.mem_str %offsets[%b] : memref<?xindex>[!slc.stream<index>] -> !slc.stream<index>
      %end = slc.mem_str %offsets[%b1] : memref<?xindex>[!slc.stream<index>] -> !slc.stream<index>
      slc.for %p = %beg to %end step %c1 : !slc.stream<index>, !slc.stream<index> {
        %i = slc.mem_str %indices[%p] : memref<?xindex>[!slc.stream<index>] -> !slc.stream<index>
        slc.for %e = %c0 to %length step %c1 {
          %v = slc.mem_str %table[%i, %e] : memref<?x?xf32>[!slc.stream<index>, !slc.stream<index>] -> !slc.stream<f32>
          slc.callback ite {
            %bag = slc.str_to_val %b : !slc.stream<index> -> index
            %pos = slc.str_to_val %e : !slc.stream<index> -> index
            %val = slc.str_to_val %v : !slc.stream<f32> -> f32
            %acc = memref.load %out[%bag, %pos] : memref<?x?xf32>
            %sum = arith.addf %acc, %val : f32
            memref.store %sum, %out[%bag, %pos] : memref<?x?xf32>
          }
        }
      }
    }
    ```

    See the rationale page for why these operations and not others.
  }];
  let useDefaultTypePrinterParser = 1;
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::memref::MemRefDialect"];
}

#endif // EMBER_DIALECT_SLC_IR_SLCDIALECT_TD
