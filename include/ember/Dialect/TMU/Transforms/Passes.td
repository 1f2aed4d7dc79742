//===- Passes.td - Passes on configurations ----------------*- tablegen -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_DIALECT_TMU_TRANSFORMS_PASSES_TD
#define EMBER_DIALECT_TMU_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

def MapTMU : Pass<"map-tmu"> {
  let summary = "Put configurations on a described machine";
  let description = [{
    Gives the layers of every `tmu.program` their numbers, and the units of a lane
    their shares of its storage: how long their queues are. The queues of the
    innermost layer are as long as fits, or as requests on the way can fill; a unit
    around it has as many entries as that many elements take fibers, and seven more,
    so that the bounds of the next fibers are on their way. How long a fiber is says a
    constant, or `fiber`.

    Streams that are computed twice in a unit are one, and what nothing reads is
    dropped. If queues of two elements do not fit, what a unit within can compute
    from what is forwarded to it anyway is computed there. What does not fit even
    so is an error, which says how much there is.

    A token whose operands are all pushed at one event, or in a fiber of constant
    length that it announces, gets the bytes that they take at most: the unit ends a
    chunk of the output queue early where they would not fit.

    A program that is mapped already stays as it is.

    ```mlir
    tmu.program captures(...) compute @f.compute.0() {
      %tu, %i, %count = tmu.set_dns_tu %c0 to %n step %c1
      %v = tmu.set_mem_str %tu, %in[%i] : memref<?xf32>, !slc.stream<index> -> !slc.stream<f32>
      %layer = tmu.set_single_layer %tu
      tmu.set_control_token %layer, ite, 0
      tmu.set_operand %layer, ite, (%v) for 0 : (!slc.stream<f32>) -> f32
    }
    ```
    becomes
    ```mlir
    tmu.program captures(...) compute @f.compute.0() machine <lanes = 8, ..., storage = 1024, ...> {
      %tu, %i, %count = tmu.set_dns_tu %c0 to %n step %c1 queue 85
      %v = tmu.set_mem_str %tu, %in[%i] : memref<?xf32>, !slc.stream<index> -> !slc.stream<f32>
      %layer = tmu.set_single_layer %tu number 0
      tmu.set_control_token %layer, ite, 0 reserve 7
      tmu.set_operand %layer, ite, (%v) for 0 : (!slc.stream<f32>) -> f32
    }
    ```
  }];
  let options = [
    Option<"lanes", "lanes", "int64_t", "8", "Lanes of the unit">,
    Option<"layers", "layers", "int64_t", "8",
           "Layers of the unit: traversal units a lane">,
    Option<"streams", "streams", "int64_t", "32", "Streams a traversal unit">,
    Option<"storage", "storage", "int64_t", "1024", "Bytes of queues a lane">,
    Option<"requests", "requests", "int64_t", "256",
           "Requests of the unit on the way to memory">,
    Option<"chunk", "chunk", "int64_t", "2048",
           "Bytes of a chunk of the output queue">,
    Option<"tokens", "tokens", "int64_t", "512",
           "Bytes of a chunk that are for tokens">,
    Option<"computedQueues", "computed-queues", "bool", "false",
           "The unit has queues for what it computes, too">,
    Option<"fiber", "fiber", "int64_t", "16",
           "Elements that a fiber of unknown length is taken to have">
  ];
  let statistics = [
    Statistic<"recomputed", "recomputed",
              "Streams that are computed where they are read">
  ];
  let dependentDialects = ["::ember::tmu::TMUDialect"];
}

#endif // EMBER_DIALECT_TMU_TRANSFORMS_PASSES_TD
