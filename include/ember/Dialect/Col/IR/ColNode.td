//===- ColNode.td - Nodes of TensorFlow's graphs -----------*- tablegen -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_DIALECT_COL_IR_COLNODE_TD
#define EMBER_DIALECT_COL_IR_COLNODE_TD

include "ember/Dialect/Col/IR/ColTypes.td"
include "mlir/IR/EnumAttr.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

class Col_Op<string mnemonic, list<Trait> traits = []>
    : Op<Col_Dialect, mnemonic, traits>;

def Col_Effects
    : I32EnumAttr<"Effects", "What a node does beside computing its results", [
        I32EnumAttrCase<"pure", 0>, I32EnumAttrCase<"reads", 1>,
        I32EnumAttrCase<"changes", 2>]> {
  let cppNamespace = "::ember::col";
}

def Col_NodeOp
    : Col_Op<"node", [DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "A node of a TensorFlow graph";
  let description = [{
    Computes what the operator `kind` of TensorFlow computes from the operands.
    `label` is the node's name, behind the names of the calls that it was inlined
    from; `settings` are its attributes, without those of which TensorFlow
    knows the default and those that begin with `_`. Where the node ran is `device`.

    It is `pure`, or it `reads` what others change, such as a variable, or it
    `changes` something, which is also said of operators that nobody knows. What
    reads and what changes stands in an order that the graph's data and control
    edges allow; so there is nothing else left of the latter.

    The results of an operator that is not known are those that somebody reads;
    `outputs` has the name of each. Elements of their types are
    `!col.foreign<unknown>`.

    | attribute in TensorFlow | in `settings` |
    |---|---|
    | `int`, `float`, `bool`, `string` | `3`, `0.5 : f32`, `true`, `"text"` |
    | `type` | a type: `f32`, `!col.text` |
    | `shape` | `array<i64: -1, 3>`, where -1 is any size; nothing but its name if it has any rank |
    | `tensor` | `dense<[1, 2]> : tensor<2xi32>`; nothing if it has many elements |
    | `func` | `@name`, of a function in the graph's library |
    | `list(...)` | `[...]` |

    ```mlir
    %values, %places = col.node "Unique" "tags/unique"(%ids) pure {T = i64, out_idx = i64}
        : (tensor<?xi64>) -> (tensor<?xi64>, tensor<?xi64>)
    ```
  }];
  let arguments = (ins StrAttr:$kind, StrAttr:$label, Variadic<AnyTensor>:$inputs,
                       DefaultValuedAttr<Col_Effects, "Effects::changes">:$effects,
                       OptionalAttr<StrAttr>:$device,
                       OptionalAttr<StrArrayAttr>:$outputs,
                       DefaultValuedAttr<DictionaryAttr, "{}">:$settings);
  let results = (outs Variadic<AnyTensor>:$results);
  let assemblyFormat = [{
    $kind $label `(` $inputs `)` ($effects^)? (`on` $device^)?
    (`outputs` $outputs^)? ($settings^)? attr-dict `:`
    functional-type($inputs, $results)
  }];
  let hasVerifier = 1;
}

#endif // EMBER_DIALECT_COL_IR_COLNODE_TD
