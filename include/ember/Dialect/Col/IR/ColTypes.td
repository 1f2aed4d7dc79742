//===- ColTypes.td - Elements of tensors of TensorFlow -----*- tablegen -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_DIALECT_COL_IR_COLTYPES_TD
#define EMBER_DIALECT_COL_IR_COLTYPES_TD

include "ember/Dialect/Col/IR/ColDialect.td"
include "mlir/IR/AttrTypeBase.td"

class Col_Type<string name, string typeMnemonic> : TypeDef<Col_Dialect, name> {
  let mnemonic = typeMnemonic;
}

def Col_Text : Col_Type<"Text", "text"> {
  let summary = "A text: bytes of any value, in any number";
  let description = [{
    The type of elements that TensorFlow calls `string`. Constants of it are
    `dense<["a", "b"]> : tensor<2x!col.text>`.
  }];
}

def Col_Foreign : Col_Type<"Foreign", "foreign"> {
  let summary = "Something that only nodes of TensorFlow look into";
  let description = [{
    Elements that no operation but `col.node` takes: handles (`resource`,
    `variant`), numbers of quantised types (`qint8`), and `unknown` where no one
    says what a node makes.

    ```mlir
    %0 = col.node "VarHandleOp" "dense/kernel"() pure {dtype = f32} : () -> tensor<!col.foreign<resource>>
    ```
  }];
  let parameters = (ins StringRefParameter<"TensorFlow's name of the type">:$name);
  let assemblyFormat = "`<` custom<TypeName>($name) `>`";
}

def Col_Jagged : Col_Type<"Jagged", "jagged"> {
  let summary = "A batch of rows, each a list of values";
  let description = [{
    The values of one feature for each sample of a batch: numbers, or ids, as many
    as a sample has. It is a value, and where it is stored, if it is at all, is up
    to what it is converted to.

    ```mlir
    %ids = col.from_dense %x : tensor<?x3xi64> -> !col.jagged<i64>
    ```
  }];
  let parameters = (ins "::mlir::Type":$elementType);
  let assemblyFormat = "`<` $elementType `>`";
  let genVerifyDecl = 1;
  let builders = [TypeBuilderWithInferredContext<
      (ins "::mlir::Type":$elementType), [{
        return $_get(elementType.getContext(), elementType);
      }]>];
}

#endif // EMBER_DIALECT_COL_IR_COLTYPES_TD
