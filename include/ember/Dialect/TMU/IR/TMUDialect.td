//===- TMUDialect.td - The Tensor Marshaling Unit's dialect -*- tablegen -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_DIALECT_TMU_IR_TMUDIALECT_TD
#define EMBER_DIALECT_TMU_IR_TMUDIALECT_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/OpBase.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def TMU_Dialect : Dialect {
  let name = "tmu";
  let cppNamespace = "::ember::tmu";
  let summary = "The configuration of a Tensor Marshaling Unit";
  let description = [{
    An access program for the access unit of the Ember paper's machine (section
    3.1), as `dlc.program` has it for any: traversal units (TUs), which walk
    fibers, with the streams that advance with them; layers, in which a TU for
    each lane steps together; and what layers push into the output queue when a
    fiber begins, steps or ends. The compute program is a function of the core
    (the compute half of `ring`).

    In contrast to `dlc`, everything is what one part of the unit can do: an
    address is one position that streams of two operands have computed, a vector
    is lanes of a layer, and what a TU takes from a layer around it is forwarded.

    The embedding bag (paper, figure 10) on two lanes:

    ```mlir
    tmu.program captures(%bags = %0 : index, %width = %1 : index, ..., %table = %arg0 : memref<?x?xf32>)
        compute @bag.compute.0(%out : memref<?x?xf32>) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %bag, %b, %bn = tmu.set_dns_tu %c0 to %bags step %c1
      %b1 = tmu.set_alu_str %bag, add %b, %c1 : !slc.stream<index>, index -> !slc.stream<index>
      %beg = tmu.set_mem_str %bag, %offsets[%b] : memref<?xindex>, !slc.stream<index> -> !slc.stream<index>
      %end = tmu.set_mem_str %bag, %offsets[%b1] : memref<?xindex>, !slc.stream<index> -> !slc.stream<index>
      %outer = tmu.set_single_layer %bag
      %seg, %p, %pn = tmu.set_rng_tu %beg to %end step %c1 in %outer
      %i = tmu.set_mem_str %seg, %indices[%p] : memref<?xindex>, !slc.stream<index> -> !slc.stream<index>
      %row = tmu.set_alu_str %seg, mul %i, %width : !slc.stream<index>, index -> !slc.stream<index>
      %lookups = tmu.set_bcast_layer %seg
      %e0, %i0, %n0 = tmu.set_dns_tu %c0 to %width step %c2 in %lookups
      %r0 = tmu.set_fwd_str %e0, %row : !slc.stream<index> -> !slc.stream<index>
      %a0 = tmu.set_alu_str %e0, add %r0, %i0 : !slc.stream<index>, !slc.stream<index> -> !slc.stream<index>
      %v0 = tmu.set_mem_str %e0, %table[%a0] : memref<?x?xf32>, !slc.stream<index> -> !slc.stream<f32>
      %e1, %i1, %n1 = tmu.set_dns_tu %c1 to %width step %c2 in %lookups
      ...
      %elements = tmu.set_lockstep_layer %e0, %e1
      tmu.set_control_token %elements, end, 0 announced
      tmu.set_operand %elements, ite, (%v0, %v1) for 0 : (!slc.stream<f32>, !slc.stream<f32>) -> vector<2xf32>
      tmu.set_control_token %lookups, end, 1
    }
    ```
  }];
  let useDefaultTypePrinterParser = 1;
  let useDefaultAttributePrinterParser = 1;
  let dependentDialects = ["::ember::slc::SLCDialect"];
}

class TMU_Op<string mnemonic, list<Trait> traits = []>
    : Op<TMU_Dialect, mnemonic, traits>;

def TMU_TU : TypeDef<TMU_Dialect, "TU"> {
  let mnemonic = "tu";
  let summary = "A traversal unit";
  let description = [{
    What walks a fiber in one lane of a layer, with the streams that advance
    with it.

    ```mlir
    !tmu.tu
    ```
  }];
}

def TMU_Layer : TypeDef<TMU_Dialect, "Layer"> {
  let mnemonic = "layer";
  let summary = "Traversal units that step together";
  let description = [{
    One TU a lane. Fibers of the next layer begin at its steps.

    ```mlir
    !tmu.layer
    ```
  }];
}

#endif // EMBER_DIALECT_TMU_IR_TMUDIALECT_TD
