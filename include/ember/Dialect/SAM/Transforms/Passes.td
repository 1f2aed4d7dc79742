//===- Passes.td - Graphs of blocks as other graphs --------*- tablegen -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_DIALECT_SAM_TRANSFORMS_PASSES_TD
#define EMBER_DIALECT_SAM_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

def SamExpandReducers : Pass<"sam-expand-reducers", "::mlir::ModuleOp"> {
  let summary = "Reducers along coordinates as reducers of points";
  let description = [{
    The reducer of the definition combines lists at the same coordinates; the
    published machine has one of points. Each `sam.reduce` along coordinates becomes
    `sam.crd_hold` blocks, which say all coordinates of each value, `sam.stop_drop`
    blocks, which take the ends of lists away, and `sam.accumulate`. What follows
    takes outer coordinates from there, too.

    Points say nothing of fibers without values: a reducer is expanded if droppers,
    locators and writers alone follow it, to a result that does not store the
    identity of its function. Others stay, with a remark.

    ```mlir
    %sum, %j = sam.reduce add drop %v along %j_each : !sam.val<f32, 3>, !sam.crd<3>
    sam.write_level %i to %x[0] : !sam.crd<1>, tensor<?x?xf32, #dcsr>
    ```
    becomes, with `%k` for the coordinates of the level that goes away,
    ```mlir
    %i_k, %k_same = sam.crd_hold %i over %k : !sam.crd<1>, !sam.crd<2>
    %i_each, %j_same = sam.crd_hold %i_k over %j_each : !sam.crd<2>, !sam.crd<3>
    %i_point = sam.stop_drop %i_each : !sam.crd<3>
    %j_point = sam.stop_drop %j_each : !sam.crd<3>
    %v_point = sam.stop_drop %v : !sam.val<f32, 3>
    %sum, %i_sum, %j = sam.accumulate add sorted %v_point at %i_point, %j_point
        : !sam.val<f32, 1>, !sam.crd<1>, !sam.crd<1>
    sam.write_level %i_sum to %x[0] : !sam.crd<1>, tensor<?x?xf32, #dcsr>
    ```
  }];
}

#endif // EMBER_DIALECT_SAM_TRANSFORMS_PASSES_TD
