//===- ColOps.td - Operations on columns of features -------*- tablegen -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_DIALECT_COL_IR_COLOPS_TD
#define EMBER_DIALECT_COL_IR_COLOPS_TD

include "ember/Dialect/CIN/IR/CINAttributes.td"
include "ember/Dialect/Col/IR/ColNode.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"

class Col_PureOp<string mnemonic, list<Trait> traits = []>
    : Col_Op<mnemonic, traits # [Pure]>;

class Col_JaggedOf<list<string> types, string description>
    : Type<And<[CPred<"::llvm::isa<::ember::col::JaggedType>($_self)">,
                Or<!foreach(type, types,
                            CPred<"::llvm::cast<::ember::col::JaggedType>("
                                  "$_self).getElementType()." # type>)>]>,
           description>;

def Col_Batch : Type<CPred<"::llvm::isa<::ember::col::JaggedType>($_self)">,
                     "jagged batch">;
def Col_Ids : Col_JaggedOf<["isInteger(32)", "isInteger(64)"],
                           "jagged batch of 32 or 64-bit integers">;
def Col_Comparable
    : Col_JaggedOf<["isInteger(32)", "isInteger(64)", "isF32()", "isF64()"],
                   "jagged batch of i32, i64, f32 or f64">;

//===----------------------------------------------------------------------===//
// From tensors
//===----------------------------------------------------------------------===//

def Col_FromDenseOp : Col_PureOp<"from_dense"> {
  let summary = "The rows of a tensor";
  let description = [{
    Row `i` of the batch is the values of row `i` of the tensor, all of them; of a
    tensor of one dimension, each value is a row. What stands for a value that is
    missing, such as -1, is dropped by `col.keep_if`.

    ```mlir
    %0 = col.from_dense %x : tensor<?x3xi64> -> !col.jagged<i64>
    ```
  }];
  let arguments = (ins TensorRankOf<[AnyType], [1, 2]>:$values);
  let results = (outs Col_Batch:$result);
  let assemblyFormat = "$values attr-dict `:` type($values) `->` type($result)";
  let hasVerifier = 1;
}

def Col_FromOffsetsOp : Col_PureOp<"from_offsets"> {
  let summary = "Consecutive segments of a tensor";
  let description = [{
    Row `i` of the batch is the values from `offsets[i]` to `offsets[i + 1]`,
    without the latter: there is one offset more than rows. Offsets that decrease,
    or lie outside of the values, are an error when the program runs.

    ```mlir
    %0 = col.from_offsets %tags at %offsets : tensor<?xi64>, tensor<?xi64> -> !col.jagged<i64>
    ```
  }];
  let arguments = (ins TensorRankOf<[AnyType], [1]>:$values,
                       TensorRankOf<[I32, I64, Index], [1]>:$offsets);
  let results = (outs Col_Batch:$result);
  let assemblyFormat = [{
    $values `at` $offsets attr-dict `:` type($values) `,` type($offsets) `->`
    type($result)
  }];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Of each value
//===----------------------------------------------------------------------===//

def Col_BucketizeOp : Col_PureOp<"bucketize"> {
  let summary = "How many boundaries each value has reached";
  let description = [{
    The id of a value is the number of boundaries that it is not less than, so that
    ids are from 0 to the number of boundaries, and NaN has reached all of them. A
    value of f64 is compared as f64, any other one as f32, integers rounded to
    that: `Bucketize` of TensorFlow.

    ```mlir
    %boundaries = arith.constant dense<[0.0, 5.0, 10.0]> : tensor<3xf32>
    %0 = col.bucketize %prices by %boundaries
        : !col.jagged<f32>, tensor<3xf32> -> !col.jagged<i64>
    ```
  }];
  let arguments = (ins Col_Comparable:$input,
                       TensorRankOf<[F32], [1]>:$boundaries);
  let results = (outs Col_Ids:$result);
  let assemblyFormat = [{
    $input `by` $boundaries attr-dict `:` type($input) `,` type($boundaries) `->`
    type($result)
  }];
  let extraClassDeclaration = [{
    /// The type that values and boundaries are compared in.
    ::mlir::FloatType getComparedType();
  }];
}

def Col_HashOp : Col_PureOp<"hash"> {
  let summary = "The bucket of each integer";
  let description = [{
    The id of a value is FarmHash's `Fingerprint64` of its decimal text, which
    begins with `-` below 0, modulo the number of buckets: what TensorFlow's
    `string_to_hash_bucket_fast` makes of `as_string`. Every integer has one; -1,
    where it stands for nothing, is dropped by `col.keep_if` before.

    ```mlir
    %0 = col.hash %users into 10000 : !col.jagged<i64> -> !col.jagged<i64>
    ```
  }];
  let arguments = (ins Col_Ids:$input,
                       ConfinedAttr<I64Attr, [IntPositive]>:$buckets);
  let results = (outs Col_Ids:$result);
  let assemblyFormat = [{
    $input `into` $buckets attr-dict `:` type($input) `->` type($result)
  }];
  let hasVerifier = 1;
}

/// Calls a function for each value: of cin's table, or a `cin.function`.
class Col_CallingOp<string mnemonic, list<Trait> traits = []>
    : Col_PureOp<mnemonic,
                 traits # [DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let hasVerifier = 1;
}

def Col_MapOp : Col_CallingOp<"map"> {
  let summary = "A function of each value";
  let description = [{
    The function is one of cin's table, or the symbol of a `cin.function`. Its
    first operand is the value; those behind it are the same for all.

    ```mlir
    %0 = col.map convert(%prices) : !col.jagged<f32> -> !col.jagged<i64>
    %1 = col.map min(%0, 99 : i64) : !col.jagged<i64> -> !col.jagged<i64>
    ```
  }];
  let arguments = (ins CIN_Callee:$callee, Col_Batch:$input,
                       ArrayAttr:$operands_behind);
  let results = (outs Col_Batch:$result);
  let assemblyFormat = [{
    custom<Call>($callee, $input, $operands_behind) attr-dict `:`
    type($input) `->` type($result)
  }];
}

class Col_ConditionOp<string mnemonic>
    : Col_CallingOp<mnemonic, [AllTypesMatch<["input", "result"]>]>;

def Col_KeepIfOp : Col_ConditionOp<"keep_if"> {
  let summary = "Drops values";
  let description = [{
    Keeps the values, in their order, for which a function is true; see `col.map`
    for functions. A row may have none then.

    ```mlir
    %0 = col.keep_if ne(%ids, -1 : i64) : !col.jagged<i64>
    ```
  }];
  let arguments = (ins CIN_Callee:$callee, Col_Batch:$input,
                       ArrayAttr:$operands_behind);
  let results = (outs Col_Batch:$result);
  let assemblyFormat = [{
    custom<Call>($callee, $input, $operands_behind) attr-dict `:` type($result)
  }];
  let hasFolder = 1;
}

def Col_ReplaceIfOp : Col_ConditionOp<"replace_if"> {
  let summary = "Has another value take the place of some";
  let description = [{
    Values for which a function is true become `replacement`; see `col.map` for
    functions.

    ```mlir
    %0 = col.replace_if ge(%ids, 100 : i64) by 0 : i64 : !col.jagged<i64>
    ```
  }];
  let arguments = (ins CIN_Callee:$callee, Col_Batch:$input,
                       ArrayAttr:$operands_behind,
                       TypedAttrInterface:$replacement);
  let results = (outs Col_Batch:$result);
  let assemblyFormat = [{
    custom<Call>($callee, $input, $operands_behind) `by` $replacement attr-dict
    `:` type($result)
  }];
}

//===----------------------------------------------------------------------===//
// Of each row
//===----------------------------------------------------------------------===//

def Col_FillEmptyOp
    : Col_PureOp<"fill_empty", [AllTypesMatch<["input", "result"]>]> {
  let summary = "Gives rows without values one";
  let description = [{
    ```mlir
    %0 = col.fill_empty %ids by 0 : i64 : !col.jagged<i64>
    ```
  }];
  let arguments = (ins Col_Batch:$input, TypedAttrInterface:$value);
  let results = (outs Col_Batch:$result);
  let assemblyFormat = "$input `by` $value attr-dict `:` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Col_Rows : TensorRankOf<[F64, F32, F16, BF16], [2]>;

def Col_Combiner
    : I32EnumAttr<"Combiner", "How the rows of a table become one", [
        I32EnumAttrCase<"sum", 0>, I32EnumAttrCase<"mean", 1>,
        I32EnumAttrCase<"sqrtn", 2>]> {
  let cppNamespace = "::ember::col";
}

def Col_LookupOp
    : Col_PureOp<"lookup", [DeclareOpInterfaceMethods<
          ReifyRankedShapedTypeOpInterface, ["reifyResultShapes"]>]> {
  let summary = "Combines the rows of a table that ids name";
  let description = [{
    Row `i` of the result is the sum of the rows of the table that the ids of row
    `i` of the batch name, in their order; `mean` divides it by the number of ids,
    `sqrtn` by the root of that. Without ids it is zeros. An id that is no row of
    the table is an error when the program runs.

    Rows are added up in f64 if the table or the result is f64, and in f32
    otherwise, and rounded once.

    ```mlir
    %0 = col.lookup mean %ids in %table : !col.jagged<i64>, tensor<100x8xf32> -> tensor<?x8xf32>
    ```
  }];
  let arguments = (ins Col_Combiner:$combiner, Col_Ids:$ids,
                       Col_Rows:$table);
  let results = (outs Col_Rows:$result);
  let assemblyFormat = [{
    $combiner $ids `in` $table attr-dict `:` type($ids) `,` type($table) `->`
    type($result)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// What ids are made by, from the operation that takes values from a tensor
    /// on, if that is in sight.
    ::mlir::FailureOr<::llvm::SmallVector<::mlir::Operation *>> findColumn();
  }];
}

//===----------------------------------------------------------------------===//
// Of columns of the same structure
//===----------------------------------------------------------------------===//

def Col_InsertColumnsOp
    : Col_PureOp<"insert_columns",
                 [AllTypesMatch<["whole", "result"]>,
                  DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "Inserts columns that one function computes";
  let description = [{
    The function inserts a column into a tensor: it is given what the column reads,
    the tensor and the place in dimension 1, and returns the tensor. It is called
    for each column, whose tensors stand one behind the other. Columns overlap
    nowhere, so that they may be inserted in any order.

    ```mlir
    %all = col.insert_columns @column into %whole at [0, 8]
        from (%x, %t, %y, %u : tensor<?xi64>, tensor<100x8xf32>, tensor<?xi64>, tensor<100x8xf32>)
        : tensor<?x16xf32>
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$callee, Col_Rows:$whole,
                       DenseI64ArrayAttr:$places,
                       Variadic<AnyRankedTensor>:$tensors);
  let results = (outs Col_Rows:$result);
  let assemblyFormat = [{
    $callee `into` $whole `at` $places `from` `(` $tensors `:` type($tensors) `)`
    attr-dict `:` type($result)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The tensors of each column.
    unsigned getTensorsPerColumn() {
      return getTensors().size() / getPlaces().size();
    }
    ::mlir::OperandRange getTensorsOf(unsigned column) {
      unsigned count = getTensorsPerColumn();
      return getTensors().slice(column * count, count);
    }
  }];
}

#endif // EMBER_DIALECT_COL_IR_COLOPS_TD
