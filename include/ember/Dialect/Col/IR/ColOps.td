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
def Col_Texts
    : Type<CPred<"::ember::col::isOfTexts($_self)">, "jagged batch of texts">;
def Col_Ids : Col_JaggedOf<["isInteger(32)", "isInteger(64)"],
                           "jagged batch of 32 or 64-bit integers">;
def Col_Hashable : Type<Or<[Col_Ids.predicate, Col_Texts.predicate]>,
                        "jagged batch of 32 or 64-bit integers or texts">;
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
    or lie outside of the values, are an error when the program runs. With an
    `order`, these are places in that list, which says where the values are.

    ```mlir
    %0 = col.from_offsets %tags at %offsets : tensor<?xi64>, tensor<?xi64> -> !col.jagged<i64>
    %1 = col.from_offsets %tags at %offsets in %order
        : tensor<?xi64>, tensor<?xi64>, tensor<?xi64> -> !col.jagged<i64>
    ```
  }];
  let arguments = (ins TensorRankOf<[AnyType], [1]>:$values,
                       TensorRankOf<[I32, I64, Index], [1]>:$offsets,
                       Optional<TensorRankOf<[I64], [1]>>:$order);
  let results = (outs Col_Batch:$result);
  let assemblyFormat = [{
    $values `at` $offsets (`in` $order^)? attr-dict `:` type($values) `,`
    type($offsets) (`,` type($order)^)? `->` type($result)
  }];
  let hasVerifier = 1;
}

def Col_FromCoordinatesOp : Col_PureOp<"from_coordinates"> {
  let summary = "Values that say which row they are in";
  let description = [{
    Value `i` is in row `places[i, 0]` of the batch, which has `shape[0]` rows, and
    values of a row are in the order of the tensor: a `SparseTensor` of TensorFlow
    whose rows may be in any order. A row that the batch has not, and a place without
    a value, are errors when the program runs.

    ```mlir
    %0 = col.from_coordinates %tags at %places of %shape
        : tensor<?xi64>, tensor<?x2xi64>, tensor<2xi64> -> !col.jagged<i64>
    ```
  }];
  let arguments = (ins TensorRankOf<[AnyType], [1]>:$values,
                       TensorRankOf<[I64], [2]>:$places,
                       TensorRankOf<[I64], [1]>:$shape);
  let results = (outs Col_Batch:$result);
  let assemblyFormat = [{
    $values `at` $places `of` $shape attr-dict `:` type($values) `,`
    type($places) `,` type($shape) `->` type($result)
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

def Col_SplitOp : Col_PureOp<"split", [AllTypesMatch<["input", "result"]>]> {
  let summary = "The parts of texts";
  let description = [{
    The parts of each text between separators take its place, in their order: the
    empty text has one part, which is empty. The empty separator stands for runs of
    white space, and leaves no empty part: `StringSplitV2` of TensorFlow.

    ```mlir
    %0 = col.split %tags at "," : !col.jagged<!col.text>
    ```
  }];
  let arguments = (ins Col_Texts:$input, StrAttr:$separator);
  let results = (outs Col_Texts:$result);
  let assemblyFormat = "$input `at` $separator attr-dict `:` type($result)";
}

def Col_HashOp : Col_PureOp<"hash"> {
  let summary = "The bucket of each integer or text";
  let description = [{
    The id of a value is FarmHash's `Fingerprint64` of its text modulo the number of
    buckets: TensorFlow's `string_to_hash_bucket_fast`. The text of an integer is
    the decimal one, which begins with `-` below 0, as `as_string` has it. Every
    value has an id; -1 and the empty text, where they stand for nothing, are
    dropped by `col.keep_if` before. With a key, which texts alone have, it is
    SipHash-2-4: `string_to_hash_bucket_strong`.

    ```mlir
    %0 = col.hash %users into 10000 : !col.jagged<i64> -> !col.jagged<i64>
    %1 = col.hash %tags into 100 by [7, 11] : !col.jagged<!col.text> -> !col.jagged<i64>
    ```
  }];
  let arguments = (ins Col_Hashable:$input,
                       ConfinedAttr<I64Attr, [IntPositive]>:$buckets,
                       OptionalAttr<DenseI64ArrayAttr>:$key);
  let results = (outs Col_Ids:$result);
  let assemblyFormat = [{
    $input `into` $buckets (`by` $key^)? attr-dict `:` type($input) `->`
    type($result)
  }];
  let builders = [OpBuilder<(ins "::mlir::Type":$result, "::mlir::Value":$input,
                                "uint64_t":$buckets), [{
    build($_builder, $_state, result, input, buckets, nullptr);
  }]>];
  let hasVerifier = 1;
}

def Col_FindOp : Col_PureOp<"find"> {
  let summary = "The place of each text in a list";
  let description = [{
    The id of a text is its place in the list. A text that is not in it has the id
    `otherwise`, or one of the `buckets` ids behind the list, by its hash.

    ```mlir
    %0 = col.find %tags of ["new", "red"] otherwise -1 : !col.jagged<!col.text> -> !col.jagged<i64>
    %1 = col.find %tags of ["new", "red"] into 3 : !col.jagged<!col.text> -> !col.jagged<i64>
    ```
  }];
  let arguments = (ins Col_Texts:$input, StrArrayAttr:$texts,
                       OptionalAttr<ConfinedAttr<I64Attr, [IntPositive]>>:$buckets,
                       OptionalAttr<I64Attr>:$otherwise);
  let results = (outs Col_Ids:$result);
  let assemblyFormat = [{
    $input `of` $texts (`into` $buckets^)? (`otherwise` $otherwise^)? attr-dict
    `:` type($input) `->` type($result)
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
    for functions. A row may have none then. Of texts, those that are not empty can
    be kept.

    ```mlir
    %0 = col.keep_if ne(%ids, -1 : i64) : !col.jagged<i64>
    %1 = col.keep_if ne(%tags, "") : !col.jagged<!col.text>
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
// Weights
//===----------------------------------------------------------------------===//

def Col_WeighOp : Col_PureOp<"weigh", [AllTypesMatch<["input", "result"]>]> {
  let summary = "Gives each value a weight";
  let description = [{
    The weight of a value is the number that stands where the value does in the
    tensor that it was taken from, which is directly in front. A value keeps its
    weight, whatever it becomes, and `col.lookup` multiplies rows by weights.

    ```mlir
    %0 = col.from_dense %x : tensor<?x3xi64> -> !col.jagged<i64>
    %1 = col.weigh %0 by %w : !col.jagged<i64>, tensor<?x3xf32>
    ```
  }];
  let arguments = (ins Col_Batch:$input, TensorRankOf<[F32], [1, 2]>:$weights);
  let results = (outs Col_Batch:$result);
  let assemblyFormat = [{
    $input `by` $weights attr-dict `:` type($result) `,` type($weights)
  }];
  let hasVerifier = 1;
}

def Col_KeepWeightOp
    : Col_PureOp<"keep_weight", [AllTypesMatch<["input", "result"]>]> {
  let summary = "Drops values whose weights are not positive";
  let description = [{
    A weight of NaN is not positive.

    ```mlir
    %0 = col.keep_weight %ids : !col.jagged<i64>
    ```
  }];
  let arguments = (ins Col_Batch:$input);
  let results = (outs Col_Batch:$result);
  let assemblyFormat = "$input attr-dict `:` type($result)";
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

    Where ids have weights, rows are multiplied by them, and `mean` divides by the
    sum of the weights, `sqrtn` by the root of the sum of their squares; where that
    is 0, the result is. An id that an empty row was filled with has the weight 1.

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
// What is in memory in front of columns
//===----------------------------------------------------------------------===//

class Col_Tensor<list<Type> types, list<int> ranks> : TensorRankOf<types, ranks>;

def Col_TextIdsOp : Col_PureOp<"text_ids"> {
  let summary = "Ids of texts, in memory";
  let description = [{
    The id of each text, by a list of words that `ember/Runtime/ColumnCalls.h`
    explains. Text `i` is the bytes from `places[i, 0]` to `places[i, 1]`, without
    the latter; what is in front of the last dimension of the places is the shape of
    the ids.

    ```mlir
    %ids = col.text_ids %bytes at %places by %recipe
        : tensor<?xi8>, tensor<?x3x2xi64>, tensor<8xi64> -> tensor<?x3xi64>
    ```
  }];
  let arguments = (ins Col_Tensor<[I8], [1]>:$bytes,
                       Col_Tensor<[I64], [2, 3]>:$places,
                       Col_Tensor<[I64], [1]>:$recipe);
  let results = (outs Col_Tensor<[I64], [1, 2]>:$ids);
  let assemblyFormat = [{
    $bytes `at` $places `by` $recipe attr-dict `:` type($bytes) `,`
    type($places) `,` type($recipe) `->` type($ids)
  }];
  let hasVerifier = 1;
}

def Col_PartIdsOp : Col_PureOp<"part_ids"> {
  let summary = "Ids of parts of texts, in memory";
  let description = [{
    Texts are split; the parts of a row are those of all of its texts. Row `i` has
    the ids from `offsets[i]` to `offsets[i + 1]`. See `col.text_ids`.

    ```mlir
    %ids, %offsets = col.part_ids %bytes at %places by %recipe
        : tensor<?xi8>, tensor<?x2xi64>, tensor<8xi64> -> tensor<?xi64>, tensor<?xi64>
    ```
  }];
  let arguments = (ins Col_Tensor<[I8], [1]>:$bytes,
                       Col_Tensor<[I64], [2, 3]>:$places,
                       Col_Tensor<[I64], [1]>:$recipe);
  let results = (outs Col_Tensor<[I64], [1]>:$ids,
                      Col_Tensor<[I64], [1]>:$offsets);
  let assemblyFormat = [{
    $bytes `at` $places `by` $recipe attr-dict `:` type($bytes) `,`
    type($places) `,` type($recipe) `->` type($ids) `,` type($offsets)
  }];
}

def Col_OrderRowsOp : Col_PureOp<"order_rows"> {
  let summary = "Which values are in which row, in memory";
  let description = [{
    Row `r` has the values `order[offsets[r]]` to `order[offsets[r + 1]]`; see
    `col.from_coordinates` for the places.

    ```mlir
    %order, %offsets = col.order_rows %places of %shape
        : tensor<?x2xi64>, tensor<2xi64> -> tensor<?xi64>, tensor<?xi64>
    ```
  }];
  let arguments = (ins Col_Tensor<[I64], [2]>:$places,
                       Col_Tensor<[I64], [1]>:$shape);
  let results = (outs Col_Tensor<[I64], [1]>:$order,
                      Col_Tensor<[I64], [1]>:$offsets);
  let assemblyFormat = [{
    $places `of` $shape attr-dict `:` type($places) `,` type($shape) `->`
    type($order) `,` type($offsets)
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
