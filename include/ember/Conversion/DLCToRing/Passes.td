//===- Passes.td - Access and compute as two functions -----*- tablegen -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_CONVERSION_DLCTORING_PASSES_TD
#define EMBER_CONVERSION_DLCTORING_PASSES_TD

include "mlir/Pass/PassBase.td"

def DLCToRing : Pass<"dlc-to-ring", "::mlir::ModuleOp"> {
  let summary = "Turn each program into two functions joined by rings";
  let description = [{
    Every `dlc.program`, wherever it stands in a function `F`, becomes

    - `@F.access.N`: the chain of traversal units as nested `scf.for`
      loops. A stream is computed in the loop of its unit, before the loop of
      the unit below; a registration pushes where its event happens.
    - `@F.compute.N`: an `scf.while` that pops tokens, with an
      `scf.index_switch` over the cases. Registers are carried by the loop.
    - two `ring.create` and a `ring.run` in the place of the program.

    Both functions are memref, vector, arith and scf code, so that what follows
    can check every access; they meet in rings alone. They take what they use of
    what the program captures, and then the rings. Constants and sizes are computed
    again instead.

    ```mlir
    dlc.program ...
    access {
      %tu = dlc.new_tu %c0 to %n step %c1
      %i = dlc.get_ind_var %tu : !slc.stream<index>
      %v = dlc.mem_str %tu, %in[%i] : memref<?xf32>[!slc.stream<index>] -> !slc.stream<f32>
      dlc.register_callback %tu, ite, 0
      dlc.register_operand %tu, ite, %v for 0 : !slc.stream<f32>
    }
    compute {
      dlc.compute_loop
      case 0 {
        %v = dlc.pop_operand : f32
        ...
      }
    }
    ```
    becomes
    ```mlir
    func.func private @F.access.0(%in: memref<?xf32>, %n: index, %data: !ring.data<8>,
                                  %tokens: !ring.tokens) attributes {ring.half = #ring.half<access>} {
      scf.for %i = %c0 to %n step %c1 {
        %v = memref.load %in[%i] : memref<?xf32>
        ring.push %tokens, 0 : !ring.tokens
        %slot = ring.acquire %data for 0 : !ring.data<8> -> !ring.slot<f32>
        ring.store %v, %slot : !ring.slot<f32>
        ring.commit %slot : !ring.slot<f32>
      }
      ring.end %tokens : !ring.tokens
      return
    }
    ```

    With `half=access` or `half=compute` that function alone is added, and the
    program stays in `F`: for machines that have an access unit to configure, or
    that run one of the halves as something else.

    A buffer of which one loop reads element k in its k-th iteration is popped
    in that loop, without a copy. A step that is not positive at run time is a
    failure of the kernel.

    In reports, a traversal unit is called by its attribute `ember.name`, or
    `tuD` at depth D of the nest.
  }];
  let options = [
    Option<"half", "half", "::ember::Choice<::ember::Halves>", "::ember::Halves::both",
           "Which functions to make", [{::llvm::cl::values(
             clEnumValN(::ember::Halves::both, "both",
                        "Both, and what runs them instead of the program"),
             clEnumValN(::ember::Halves::access, "access",
                        "The access half, beside the program"),
             clEnumValN(::ember::Halves::compute, "compute",
                        "The compute half, beside the program"))}]>,
    Option<"instrument", "instrument", "bool", "false",
           "Report loads, tokens and operands to the run-time statistics">,
    Option<"queueCapacity", "queue-capacity", "int64_t", "0",
           "Operands of the largest size, and tokens, that the rings hold if "
           "the run-time configuration does not say; 0 leaves the choice to "
           "the machine">
  ];
  let dependentDialects = [
    "::ember::EmberDialect",
    "::mlir::arith::ArithDialect", "::mlir::cf::ControlFlowDialect",
    "::mlir::func::FuncDialect",
    "::mlir::LLVM::LLVMDialect", "::mlir::memref::MemRefDialect",
    "::ember::ring::RingDialect",
    "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect"
  ];
}

#endif // EMBER_CONVERSION_DLCTORING_PASSES_TD
