//===- Passes.td - Statements as graphs --------------------*- tablegen -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_CONVERSION_CINTOSAM_PASSES_TD
#define EMBER_CONVERSION_CINTOSAM_PASSES_TD

include "mlir/Pass/PassBase.td"

def ConvertCINToSAM : Pass<"convert-cin-to-sam", "::mlir::ModuleOp"> {
  let summary = "Turn statements into graphs of blocks";
  let description = [{
    A function with one `cin.evaluate` of one statement becomes a function of
    tensors in formats with a `sam.graph`: each array is one tensor, and the result,
    which is as large as what it is computed of says, is returned.

    1. Iteration: for each variable in the order of loops and each access in its
       scope there is a scanner, if the variable is an index of a level that lists
       what it stores, a locator for other levels, and a repeater, driven by the
       coordinates that all of them agree on, if it is no index. Which coordinates
       those are is what `--cin-derive-iteration` says of loops: `(b + c) * d` is a
       union in an intersection. Where every coordinate counts, all are scanned.
    2. Computation: loads, functions, and a reducer where the scope of a reduced
       variable ends, in its own term. If loops over other variables stand inside of
       it, the reducer sorts by these.
    3. Construction: writers of levels and values, or a store of each element if all
       levels of the result are dense.

    With `empty=keep`, fibers without values become zeros, and nothing is dropped.
    With `empty=drop`, reducers at the end of the statement remove them, and a
    dropper follows at every outer level of coordinates.

    Dimensions with the same index are compared first, with `cf.assert`.

    Levels that list what they store are only found from outside to inside: the
    variables of a tensor are in the order of its levels then, and those of a result,
    too. Without an `order`, and without that of the statement's schedule, the first
    one is taken that all tensors allow. If there is none, the error names the
    tensors to transpose, or `transpose` makes copies of them with `sam.convert`.

    With `gallop=k`, intersecters of two scanned fibers of `k` send scanners the
    coordinate that they need next. With `bitvector=k:64`, fibers of `k` are scanned
    as words of 64 bits, and joined word by word. Neither changes values.

    A dimension that only the result has is as long as another argument of the
    function says.

    ```mlir
    cin.forall (%i) {
      %x = cin.access %b[%i] : !cin.array<?xf32, #cin.format<compressed fill 0.0 : f32>>
      %y = cin.access %c[%i] : !cin.array<?xf32, #cin.format<compressed fill 0.0 : f32>>
      %sum = cin.call add(%x, %y) : (f32, f32) -> f32
      cin.assign %sum to %a[%i] : !cin.array<?xf32, #cin.format<compressed fill 0.0 : f32>>
    }
    ```
    becomes
    ```mlir
    %root = sam.root
    %i_b, %ref_b = sam.scan %b[0] at %root : tensor<?xf32, #vector>, !sam.ref<0>
    %i_c, %ref_c = sam.scan %c[0] at %root : tensor<?xf32, #vector>, !sam.ref<0>
    %i, %refs:2 = sam.union (%i_b, %ref_b), (%i_c, %ref_c)
        : (!sam.crd<1>, !sam.ref<1>), (!sam.crd<1>, !sam.ref<1>)
    %x = sam.load %b at %refs#0 : tensor<?xf32, #vector>, !sam.ref<1>
    %y = sam.load %c at %refs#1 : tensor<?xf32, #vector>, !sam.ref<1>
    %sum = sam.alu add(%x, %y) : (!sam.val<f32, 1>, !sam.val<f32, 1>) -> !sam.val<f32, 1>
    sam.write_level %i to %a[0] : !sam.crd<1>, tensor<?xf32, #vector>
    sam.write_values %sum to %a : !sam.val<f32, 1>, tensor<?xf32, #vector>
    ```
  }];
  let options = [
    ListOption<"order", "order", "std::string",
               "Names of variables, the outermost loop first">,
    Option<"empty", "empty", "std::string", "\"keep\"",
           "What becomes of fibers without a value: keep or drop">,
    ListOption<"gallop", "gallop", "std::string",
               "Variables whose intersecters tell scanners which coordinate they need "
               "next">,
    ListOption<"bitvector", "bitvector", "std::string",
               "Variables that are joined by words of bits, each NAME:WIDTH">,
    Option<"transpose", "transpose", "bool", "false",
           "Copy tensors that no order of loops suits, with their levels in that of "
           "loops">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::cf::ControlFlowDialect",
                           "::mlir::func::FuncDialect",
                           "::mlir::tensor::TensorDialect",
                           "::ember::sam::SAMDialect"];
}

#endif // EMBER_CONVERSION_CINTOSAM_PASSES_TD
