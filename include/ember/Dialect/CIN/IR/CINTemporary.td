//===- CINTemporary.td - Arrays of an evaluation alone -----*- tablegen -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_DIALECT_CIN_IR_CINTEMPORARY_TD
#define EMBER_DIALECT_CIN_IR_CINTEMPORARY_TD

include "ember/Dialect/CIN/IR/CINOperands.td"
include "mlir/IR/OpAsmInterface.td"

def CIN_TemporaryOp
    : Op<CIN_Dialect, "temporary",
         [HasParent<"EvaluateOp">,
          DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmResultNames"]>]> {
  let summary = "An array that only the statements of an evaluation know";
  let description = [{
    What a statement assigns to it, those behind it read. Nobody outside sees it,
    so that `--cin-fuse` may compute its elements where they are read instead;
    otherwise there is memory for it as long as the evaluation lasts.

    `sizes` are those that the type does not say: literals, and sizes of arrays
    that are named before, or affine expressions of these; a negative one is 0.
    With `initial`, all elements hold that value at first. Without, the first
    statement that names it assigns to each of its elements.

    With `kept`, elements stay in memory: what reads them several times, to
    compare them, reads the same bits.

    In a format, it is appended to by one statement, as results in a format are,
    and what is not assigned to is its fill. `--cin-expand-temporaries` makes
    arrays of it that store its levels.

    ```mlir
    %n = cin.extent %pos, 0 : memref<?xi64>
    %sums = cin.temporary sizes(%n) initial 0.000000e+00 : f32 {name = "sums"} : memref<?xf32>
    ```
  }];
  let arguments = (ins Variadic<Index>:$sizes,
                       OptionalAttr<TypedAttrInterface>:$initial,
                       OptionalAttr<StrAttr>:$name,
                       UnitAttr:$kept);
  let results = (outs CIN_Array:$result);
  let assemblyFormat = [{
    (`sizes` `(` $sizes^ `)`)? (`initial` $initial^)? attr-dict `:` qualified(type($result))
  }];
  let hasVerifier = 1;
}

#endif // EMBER_DIALECT_CIN_IR_CINTEMPORARY_TD
