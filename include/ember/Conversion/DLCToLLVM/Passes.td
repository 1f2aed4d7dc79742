//===- Passes.td - Access and compute as two functions -----*- tablegen -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_CONVERSION_DLCTOLLVM_PASSES_TD
#define EMBER_CONVERSION_DLCTOLLVM_PASSES_TD

include "mlir/Pass/PassBase.td"

def ConvertDLCToLLVM : Pass<"convert-dlc-to-llvm", "::mlir::ModuleOp"> {
  let summary = "Turn each pair of programs into two functions joined by queues";
  let description = [{
    Every `dlc.config_access` with its `dlc.compute_loop`, wherever they stand
    in a function `F`, becomes

    - `@F.access.N.body`: the chain of traversal units as nested `scf.for`
      loops. A stream is computed in the loop of its unit, before the loop of
      the unit below; a registration pushes where its event happens.
    - `@F.compute.N.body`: an `scf.while` that pops tokens, with an
      `scf.index_switch` over the cases. Registers are carried by the loop.
    - `@F.access.N` and `@F.compute.N`, which the runtime calls: they unpack
      what the programs use of `F` from an environment on the stack of `F`.
    - a call of `ember_dae_run` in the place of the pair.

    The bodies work on memref, vector, arith and scf, so that what follows can
    check every access; only the queues are calls of the runtime.

    ```mlir
    dlc.config_access {
      %tu = dlc.new_tu %c0 to %n step %c1
      %i = dlc.get_ind_var %tu : !slc.stream<index>
      %v = dlc.mem_str %tu, %in[%i] : memref<?xf32>[!slc.stream<index>] -> !slc.stream<f32>
      dlc.register_callback %tu, ite, 0
      dlc.register_operand %tu, ite, %v for 0 : !slc.stream<f32>
    }
    dlc.compute_loop case 0 {
      %v = dlc.pop_operand : f32
      ...
    }
    ```
    becomes
    ```mlir
    func.func private @F.access.0.body(%in: memref<?xf32>, %n: index, %queues: !llvm.ptr) {
      scf.for %i = %c0 to %n step %c1 {
        %v = memref.load %in[%i] : memref<?xf32>
        llvm.call @ember_token_push(%queues, %c0_i64)
        %slot = llvm.call @ember_data_acquire(%queues, %c8)
        llvm.store %v, %slot
        llvm.call @ember_data_commit(%queues, %c8)
      }
      llvm.call @ember_token_push(%queues, %done)
      return
    }
    ```

    A buffer of which one loop reads element k in its k-th iteration is popped
    in that loop, without a copy. A step that is not positive at run time is a
    failure of the kernel.

    In reports, a traversal unit is called by its attribute `ember.name`, or
    `tuD` at depth D of the nest.
  }];
  let options = [
    Option<"instrument", "instrument", "bool", "false",
           "Report loads, tokens and operands to the run-time statistics">,
    Option<"queueCapacity", "queue-capacity", "int64_t", "0",
           "Operands of the largest size, and tokens, that the queues hold if "
           "the run-time configuration does not say; 0 leaves the choice to "
           "the runtime">
  ];
  let dependentDialects = [
    "::ember::EmberDialect",
    "::mlir::arith::ArithDialect", "::mlir::cf::ControlFlowDialect",
    "::mlir::func::FuncDialect",
    "::mlir::LLVM::LLVMDialect", "::mlir::memref::MemRefDialect",
    "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect"
  ];
}

#endif // EMBER_CONVERSION_DLCTOLLVM_PASSES_TD
