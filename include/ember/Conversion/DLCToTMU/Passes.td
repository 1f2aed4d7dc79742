//===- Passes.td - Access programs as configurations -------*- tablegen -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_CONVERSION_DLCTOTMU_PASSES_TD
#define EMBER_CONVERSION_DLCTOTMU_PASSES_TD

include "mlir/Pass/PassBase.td"

def DLCToTMU : Pass<"dlc-to-tmu", "::mlir::ModuleOp"> {
  let summary = "Configure a Tensor Marshaling Unit for each program";
  let description = [{
    Every `dlc.program` of a function `F` becomes

    - `@F.compute.N`, the compute half that `dlc-to-ring` makes: the rings that it
      takes are the unit's output queue;
    - a `tmu.program` in the place of the program: the access program, as traversal
      units, layers and streams that the unit has.

    An index of several dimensions becomes one position, computed by streams of two
    operands, each part as far out as it is known; a product with a power of two is a
    shift. What a unit reads of one around it is forwarded from layer to layer. Sizes
    and strides are computed in front of the program and captured.

    A traversal with `vector<V>` becomes a lockstep layer of `lanes` traversal units,
    or fewer, so that they divide V. Lane l visits the elements l·P, l·P + V, ...,
    where P = V / lanes. A lane whose range is over is off, which is what the mask of
    the traversal says; where something else is needed of lanes behind the end, all
    lanes visit as many elements and the mask is a stream of comparisons. With P > 1, a lane loads P neighbours at once.

    ```mlir
    dlc.program captures(%n = %n : index, %in = %in : memref<?xf32>)
    access {
      %tu = dlc.new_tu %c0 to %n step %c1 vector<4>
      %e = dlc.get_ind_var %tu : !slc.stream<vector<4xindex>>
      %m = dlc.get_mask %tu : !slc.stream<vector<4xi1>>
      %v = dlc.mem_str %tu, %in[%e] mask %m contiguous : memref<?xf32>[!slc.stream<vector<4xindex>>] -> !slc.stream<vector<4xf32>>
      dlc.register_callback %tu, ite, 0
      dlc.register_operand %tu, ite, %v for 0 : !slc.stream<vector<4xf32>>
    }
    compute {
      ...
    }
    ```
    becomes, with `lanes=2`,
    ```mlir
    tmu.program captures(%n = %n : index, %in = %in : memref<?xf32>) compute @F.compute.0(...) {
      %tu, %e, %c = tmu.set_dns_tu %c0 to %n step %c4
      %tu1, %e1, %c1 = tmu.set_dns_tu %c2 to %n step %c4
      %v = tmu.set_mem_str %tu, %in[%e] : memref<?xf32>, !slc.stream<index> -> !slc.stream<vector<2xf32>>
      %v1 = tmu.set_mem_str %tu1, %in[%e1] : memref<?xf32>, !slc.stream<index> -> !slc.stream<vector<2xf32>>
      %layer = tmu.set_lockstep_layer %tu, %tu1
      tmu.set_control_token %layer, ite, 0
      tmu.set_operand %layer, ite, (%v, %v1) for 0 : (!slc.stream<vector<2xf32>>, !slc.stream<vector<2xf32>>) -> vector<4xf32>
    }
    ```

    What the unit cannot do is an error that says what, and what would help. A step
    that is not positive at run time is a failure of the kernel.
  }];
  let options = [
    Option<"lanes", "lanes", "int64_t", "8",
           "Lanes of the unit; a layer has no more of them">
  ];
  let dependentDialects = [
    "::ember::EmberDialect", "::ember::ring::RingDialect",
    "::ember::tmu::TMUDialect", "::mlir::arith::ArithDialect",
    "::mlir::cf::ControlFlowDialect", "::mlir::func::FuncDialect",
    "::mlir::LLVM::LLVMDialect", "::mlir::memref::MemRefDialect",
    "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect"
  ];
}

#endif // EMBER_CONVERSION_DLCTOTMU_PASSES_TD
