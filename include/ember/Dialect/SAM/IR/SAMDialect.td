//===- SAMDialect.td - The Sparse Abstract Machine ---------*- tablegen -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_DIALECT_SAM_IR_SAMDIALECT_TD
#define EMBER_DIALECT_SAM_IR_SAMDIALECT_TD

include "mlir/IR/OpBase.td"

def SAM_Dialect : Dialect {
  let name = "sam";
  let cppNamespace = "::ember::sam";
  let summary = "Sparse tensor algebra as blocks that exchange streams";
  let description = [{
    The blocks of the Sparse Abstract Machine (Hsu's dissertation, sections 4.4 to
    4.6). A `sam.graph` has tensors in formats as operands, and in its region a
    block an operation; values between them are streams of tokens, one level of a
    tensor each, and their types say how deep fibers are nested in them.

    ```mlir
    #vector = #cin.format<compressed fill 0.0 : f32>

    func.func @multiply(%a: tensor<?xf32, #vector>, %b: tensor<?xf32, #vector>,
                        %init: tensor<?xf32, #vector>) -> tensor<?xf32, #vector> {
      %result = sam.graph ins(%x = %a, %y = %b : tensor<?xf32, #vector>, tensor<?xf32, #vector>)
          outs(%z = %init : tensor<?xf32, #vector>) -> tensor<?xf32, #vector> {
        %root = sam.root
        %i_x, %ref_x = sam.scan %x[0] at %root : tensor<?xf32, #vector>, !sam.ref<0>
        %i_y, %ref_y = sam.scan %y[0] at %root : tensor<?xf32, #vector>, !sam.ref<0>
        %i, %both:2 = sam.intersect (%i_x, %ref_x), (%i_y, %ref_y)
            : (!sam.crd<1>, !sam.ref<1>), (!sam.crd<1>, !sam.ref<1>)
        %value_x = sam.load %x at %both#0 : tensor<?xf32, #vector>, !sam.ref<1>
        %value_y = sam.load %y at %both#1 : tensor<?xf32, #vector>, !sam.ref<1>
        %product = sam.alu mul(%value_x, %value_y)
            : (!sam.val<f32, 1>, !sam.val<f32, 1>) -> !sam.val<f32, 1>
        sam.write_level %i to %z[0] : !sam.crd<1>, tensor<?xf32, #vector>
        sam.write_values %product to %z : !sam.val<f32, 1>, tensor<?xf32, #vector>
      }
      return %result : tensor<?xf32, #vector>
    }
    ```

    A stream is a nested list, and what a block does is said of lists; `ember-run`
    executes graphs by that, without time. As text, a list is its tokens: data, `N`
    for nothing, a stop `S0` at the end of an innermost list and `S1` where the list
    around it ends, too, and `D` at the end. `((1), (2, 3))` is `1 S0 2 3 S1 D`.
  }];
  let useDefaultTypePrinterParser = 1;
  let dependentDialects = ["::ember::cin::CINDialect"];
}

#endif // EMBER_DIALECT_SAM_IR_SAMDIALECT_TD
