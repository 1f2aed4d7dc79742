//===- DLCDialect.td - The Decoupled Lookup-Compute dialect -*- tablegen -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_DIALECT_DLC_IR_DLCDIALECT_TD
#define EMBER_DIALECT_DLC_IR_DLCDIALECT_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/OpBase.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def DLC_Dialect : Dialect {
  let name = "dlc";
  let cppNamespace = "::ember::dlc";
  let summary = "Decoupled lookup-compute: an access and a compute program";
  let description = [{
    Two programs that meet in queues only (Ember paper, section 4), in one
    operation, `program`, which sees nothing but what it captures. Its `access`
    region configures the access unit: traversal units (TUs) and the streams
    they advance, and what is pushed at which traversal event: control tokens
    with `register_callback`, operands with `register_operand`. Its `compute`
    region is the execute unit's: `compute_loop` pops tokens until the access
    unit is done and runs the case of each, which pops its operands.

    The embedding bag (paper, figure 10):

    ```mlir
    dlc.program captures(%bags = %0 : index, %table = %arg2 : memref<?x?xf32>, ..., %out = %arg3 : memref<?x?xf32>)
    access {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %bag = dlc.new_tu %c0 to %bags step %c1
      %b = dlc.get_ind_var %bag : !slc.stream<index>
      ...
      %elem = dlc.new_tu %c0 to %length step %c1 in %seg
      %e = dlc.get_ind_var %elem : !slc.stream<index>
      %v = dlc.mem_str %elem, %table[%i, %e] : memref<?x?xf32>[!slc.stream<index>, !slc.stream<index>] -> !slc.stream<f32>
      dlc.register_callback %elem, ite, 0
      dlc.register_operand %elem, ite, %b for 0 : !slc.stream<index>
      dlc.register_operand %elem, ite, %e for 0 : !slc.stream<index>
      dlc.register_operand %elem, ite, %v for 0 : !slc.stream<f32>
    }
    compute {
      dlc.compute_loop
      case 0 {
        %b = dlc.pop_operand : index
        %e = dlc.pop_operand : index
        %v = dlc.pop_operand : f32
        %acc = memref.load %out[%b, %e] : memref<?x?xf32>
        %sum = arith.addf %acc, %v : f32
        memref.store %sum, %out[%b, %e] : memref<?x?xf32>
      }
    }
    ```

    At one event of one TU, registrations act in the order they are written.
  }];
  let useDefaultTypePrinterParser = 1;
  let dependentDialects = ["::ember::slc::SLCDialect",
                           "::ember::slcv::SLCVDialect"];
}

class DLC_Op<string mnemonic, list<Trait> traits = []>
    : Op<DLC_Dialect, mnemonic, traits>;

def DLC_TU : TypeDef<DLC_Dialect, "TU"> {
  let mnemonic = "tu";
  let summary = "A traversal unit";
  let description = [{
    One loop of the access unit with the streams that advance with it.

    ```mlir
    !dlc.tu
    ```
  }];
}

// The queues between the two programs: what pops from them has an effect, and
// stays, whatever it computes.
def DLC_Queues : Resource<"::ember::dlc::QueueResource">;

#endif // EMBER_DIALECT_DLC_IR_DLCDIALECT_TD
