//===- EmbedOps.td - The embedding operations --------------*- tablegen -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_DIALECT_EMBED_IR_EMBEDOPS_TD
#define EMBER_DIALECT_EMBED_IR_EMBEDOPS_TD

include "ember/Dialect/Embed/IR/EmbedAttributes.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/DestinationStyleOpInterface.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

// Of the table of element types, floats that code computes sums of.
def Embed_Value : Type<CPred<"::ember::embed::isValueType($_self)">,
                       "float of 16 to 64 bits">;
def Embed_Index : AnyTypeOf<[I32, I64, Index]>;

class Embed_Shaped<list<Type> elements, list<int> ranks>
    : AnyTypeOf<[TensorRankOf<elements, ranks>, MemRefRankOf<elements, ranks>]>;

def Embed_Table : Embed_Shaped<[Embed_Value, I8], [2]>;
def Embed_Rows : Embed_Shaped<[Embed_Value], [2]>;
def Embed_Values : Embed_Shaped<[Embed_Value], [1]>;
def Embed_Indices : Embed_Shaped<[Embed_Index], [1]>;

/// Reads its inputs, overwrites `init`, which is the last operand.
class Embed_Op<string mnemonic, list<Trait> traits = []>
    : Op<Embed_Dialect, mnemonic,
         traits # [DestinationStyleOpInterface,
                   DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
                   DeclareOpInterfaceMethods<
                       ReifyRankedShapedTypeOpInterface,
                       ["reifyResultShapes"]>]> {
  let hasVerifier = 1;
  code declareInits = [{
    ::mlir::MutableOperandRange getDpsInitsMutable() { return getInitMutable(); }
  }];
  let extraClassDeclaration = declareInits;
  let extraClassDefinition = [{
    void $cppClass::getEffects(
        ::llvm::SmallVectorImpl<::mlir::MemoryEffects::EffectInstance>
            &effects) {
      ::ember::embed::getDestinationStyleEffects(*this, effects);
    }
    ::llvm::LogicalResult $cppClass::reifyResultShapes(
        ::mlir::OpBuilder &builder,
        ::mlir::ReifiedRankedShapedTypeDims &shapes) {
      return ::ember::embed::reifyInitShapes(*this, builder, shapes);
    }
  }];
}

//===----------------------------------------------------------------------===//
// Bags
//===----------------------------------------------------------------------===//

def Embed_BagOp : Embed_Op<"bag", [AttrSizedOperandSegments]> {
  let summary = "Reduces bags of table rows";
  let description = [{
    For every bag, looks up the rows that its segment of `indices` names and
    reduces them to one row: PyTorch's EmbeddingBag, Caffe2's SparseLengthsSum.

    Several tables make one operation. The segments of table `t` are those from
    `t * n` on, where `n` is the number of bags, that is of rows of `outs`; its
    columns of `outs` begin where those of the table before end.

    - `weights` scale rows one by one; not with `max`. The product is rounded
      only together with the sum it is added to.
    - `padding` holds, for every table, a row that is skipped as if it were not
      in the bag; -1 for none. Anything else is an error, as every index is that
      is no row.
    - `mean` divides by the number of rows that were not skipped.
    - A bag without rows becomes zeros.
    - `max` keeps the first of equal rows' elements, and a NaN only where it
      comes first, as PyTorch does.

    ```mlir
    %0 = embed.bag sum tables(%a, %b : tensor<?x16xf32>, tensor<?x16xf32>)
        indices(%indices : tensor<?xi64>) lengths(%lengths : tensor<?xi32>)
        weights(%weights : tensor<?xf32>)
        outs(%init : tensor<?x32xf32>) -> tensor<?x32xf32>
    ```
  }];
  let arguments = (ins Embed_ReductionAttr:$reduction,
                       Embed_SegmentKindAttr:$segment_kind,
                       Variadic<Embed_Table>:$tables, Embed_Indices:$indices,
                       Embed_Indices:$segments,
                       Optional<Embed_Values>:$weights,
                       Variadic<Index>:$paddings, Embed_Rows:$init,
                       OptionalAttr<CIN_RowFormatAttr>:$format);
  let results = (outs Optional<Embed_Rows>:$result);
  let assemblyFormat = [{
    $reduction `tables` `(` $tables `:` type($tables) `)`
    `indices` `(` $indices `:` type($indices) `)`
    $segment_kind `(` $segments `:` type($segments) `)`
    (`weights` `(` $weights^ `:` type($weights) `)`)?
    (`padding` `(` $paddings^ `)`)?
    `outs` `(` $init `:` type($init) `)` (`format` $format^)? attr-dict
    (`->` type($result)^)?
  }];
}

//===----------------------------------------------------------------------===//
// Graphs
//===----------------------------------------------------------------------===//

def Embed_SpMMOp : Embed_Op<"spmm"> {
  let summary = "Reduces the rows of neighbours: sparse matrix times dense matrix";
  let description = [{
    Row `i` of `outs` is the reduction, over the edges `(i, k)` of a graph, of
    `value(i, k) * dense[k]`; without `values` every edge has value 1.

    `csr` is given the position of the first edge of each row, and one behind
    the last; `coo` the row of every edge, in any order. A row without edges
    becomes zeros.

    ```mlir
    %0 = embed.spmm mean csr(%positions, %columns : tensor<?xi32>, tensor<?xi32>)
        values(%values : tensor<?xf32>) dense(%x : tensor<?x64xf32>)
        outs(%init : tensor<?x64xf32>) -> tensor<?x64xf32>
    ```
  }];
  let arguments = (ins Embed_ReductionAttr:$reduction,
                       Embed_GraphFormatAttr:$graph, Embed_Indices:$rows,
                       Embed_Indices:$columns,
                       Optional<Embed_Values>:$values, Embed_Table:$dense,
                       Embed_Rows:$init,
                       OptionalAttr<CIN_RowFormatAttr>:$format);
  let results = (outs Optional<Embed_Rows>:$result);
  let assemblyFormat = [{
    $reduction $graph `(` $rows `,` $columns `:` type($rows) `,` type($columns) `)`
    (`values` `(` $values^ `:` type($values) `)`)?
    `dense` `(` $dense `:` type($dense) `)`
    `outs` `(` $init `:` type($init) `)` (`format` $format^)? attr-dict
    (`->` type($result)^)?
  }];
}

/// An operation whose steps are functions: of cin's table, or symbols of
/// `cin.function`s.
class Embed_StepsOp<string mnemonic>
    : Embed_Op<mnemonic, [AttrSizedOperandSegments,
                          DeclareOpInterfaceMethods<SymbolUserOpInterface>]>;

def Embed_SDDMMOp : Embed_StepsOp<"sddmm"> {
  let summary = "Combines the rows at both ends of every edge to a value";
  let description = [{
    For every edge `(i, k)`, in the order in which edges are stored, the `total`
    over `d` of `edge(left[i, d], right[k, d])`, then `activation`, then a
    multiplication with `scale` and with the edge's value, where there are.

    These steps are functions of cin's table, or symbols of functions of one's
    own (`cin.function`); the total is `add`, and there is no activation, if
    nothing else is said. A function is given values of the type that is computed
    in, f64 if any value is f64 and f32 otherwise, and is of that type. A total
    that is not a sum, that is, associative and commutative with the identity 0,
    is taken in the order of elements; of rows without elements it is 0.

    With `edge(mul)` this is the sampled dense-dense matrix product (SDDMM).

    ```mlir
    %0 = embed.sddmm edge(mul) csr(%positions, %columns : tensor<?xi32>, tensor<?xi32>)
        values(%values : tensor<?xf32>)
        rows(%x, %y : tensor<?x64xf32>, tensor<?x64xf32>)
        outs(%init : tensor<?xf32>) -> tensor<?xf32>

    // The largest of the distances along each axis.
    cin.function @distance(%x: f32, %y: f32) -> f32 attributes {commutative} {
      %difference = arith.subf %x, %y : f32
      %distance = math.absf %difference : f32
      cin.return %distance : f32
    }
    %1 = embed.sddmm edge(@distance) total(max)
        coo(%rows, %columns : tensor<?xi32>, tensor<?xi32>)
        rows(%x, %y : tensor<?x64xf32>, tensor<?x64xf32>)
        outs(%init : tensor<?xf32>) -> tensor<?xf32>
    ```
  }];
  let arguments = (ins CIN_Callee:$edge, OptionalAttr<CIN_Callee>:$total,
                       OptionalAttr<CIN_Callee>:$activation,
                       Embed_GraphFormatAttr:$graph, Embed_Indices:$rows,
                       Embed_Indices:$columns,
                       Optional<Embed_Values>:$values,
                       Embed_Rows:$left, Embed_Rows:$right,
                       Optional<Embed_Value>:$scale, Embed_Values:$init);
  let results = (outs Optional<Embed_Values>:$result);
  let assemblyFormat = [{
    `edge` `(` custom<Callee>($edge) `)`
    (`total` `(` custom<Callee>($total)^ `)`)?
    (`activation` `(` custom<Callee>($activation)^ `)`)?
    $graph `(` $rows `,` $columns `:` type($rows) `,` type($columns) `)`
    (`values` `(` $values^ `:` type($values) `)`)?
    `rows` `(` $left `,` $right `:` type($left) `,` type($right) `)`
    (`scale` `(` $scale^ `:` type($scale) `)`)?
    `outs` `(` $init `:` type($init) `)` attr-dict (`->` type($result)^)?
  }];
}

def Embed_MessageOp : Embed_StepsOp<"message"> {
  let summary = "Message passing: edge values and their aggregation in one";
  let description = [{
    FusedMM (Rahman et al., IPDPS 2021): for every edge `(i, k)` a value as
    `embed.sddmm` computes it, and row `i` of `outs` is the reduction over the
    edges of `weighting(messages[k], value)`. Edge values are never stored.

    | step of FusedMM | here | usually |
    |---|---|---|
    | VOP, of the elements of both rows | `edge` | |
    | ROP, of these to one value | `total` | `add` |
    | SOP, of the edge's value | `activation`, `scale`, `values` | none |
    | MOP, of an element of the message and the value | `weighting` | `mul` |
    | AOP, of messages to a row | the first word | |

    Each is a function of cin's table or of one's own, as in `embed.sddmm`. In the
    place of the last one, `mean` is the sum of messages divided by their number.
    Messages are reduced in the order of edges, so that it may be any function;
    only of one's own sums the order is left open. A row without edges becomes
    zeros, whatever the function is. `larger` keeps the first of equal elements,
    and a NaN only where it comes first; with `max` NaN remains.

    With `vector` there is no total: each element of `edge(left[i], right[k])` is
    activated, and is the value for the element of the message at its own place.

    ```mlir
    %0 = embed.message add edge(mul) activation(sigmoid)
        csr(%positions, %columns : tensor<?xi32>, tensor<?xi32>)
        rows(%x, %y : tensor<?x64xf32>, tensor<?x64xf32>)
        messages(%y : tensor<?x64xf32>)
        outs(%init : tensor<?x64xf32>) -> tensor<?x64xf32>

    // Where two points are alike, they hear of each other.
    cin.function @kernel(%distance: f32) -> f32 {
      %negated = arith.negf %distance : f32
      %kernel = math.exp %negated : f32
      cin.return %kernel : f32
    }
    %1 = embed.message larger edge(@distance) activation(@kernel) weighting(add)
        csr(%positions, %columns : tensor<?xi32>, tensor<?xi32>)
        rows(%x, %y : tensor<?x64xf32>, tensor<?x64xf32>)
        messages(%y : tensor<?x64xf32>)
        outs(%init : tensor<?x64xf32>) -> tensor<?x64xf32>
    ```
  }];
  let arguments = (ins OptionalAttr<CIN_Callee>:$reduction, CIN_Callee:$edge,
                       UnitAttr:$vector, OptionalAttr<CIN_Callee>:$total,
                       OptionalAttr<CIN_Callee>:$activation,
                       OptionalAttr<CIN_Callee>:$weighting,
                       Embed_GraphFormatAttr:$graph, Embed_Indices:$rows,
                       Embed_Indices:$columns,
                       Optional<Embed_Values>:$values,
                       Embed_Rows:$left, Embed_Rows:$right,
                       Embed_Rows:$messages, Optional<Embed_Value>:$scale,
                       Embed_Rows:$init);
  let results = (outs Optional<Embed_Rows>:$result);
  let assemblyFormat = [{
    custom<CalleeOrMean>($reduction) `edge` `(` custom<Callee>($edge) `)`
    (`vector` $vector^)? (`total` `(` custom<Callee>($total)^ `)`)?
    (`activation` `(` custom<Callee>($activation)^ `)`)?
    (`weighting` `(` custom<Callee>($weighting)^ `)`)?
    $graph `(` $rows `,` $columns `:` type($rows) `,` type($columns) `)`
    (`values` `(` $values^ `:` type($values) `)`)?
    `rows` `(` $left `,` $right `:` type($left) `,` type($right) `)`
    `messages` `(` $messages `:` type($messages) `)`
    (`scale` `(` $scale^ `:` type($scale) `)`)?
    `outs` `(` $init `:` type($init) `)` attr-dict (`->` type($result)^)?
  }];
}

//===----------------------------------------------------------------------===//
// Knowledge graphs
//===----------------------------------------------------------------------===//

def Embed_ScoreOp : Embed_Op<"score"> {
  let summary = "Scores triples of a knowledge graph";
  let description = [{
    For every triple of head `h`, relation `r` and tail `t` (rows of `entities`
    and `relations`) a score:

    | model | score |
    |---|---|
    | `transe` | `-norm(h + r - t)` |
    | `distmult` | `sum(h * r * t)` |
    | `complex` | `Re(sum(h * r * conj(t)))` |
    | `rotate` | `-norm(h * r - t)`, where `r` is a row of angles |

    Rows of the complex models hold the real parts and then the imaginary
    parts; rows of `rotate`'s relations are half as long. `norm` is 1 or 2. The
    norm of a complex vector sums the absolute values of its elements.

    Without `tails`, every row of `entities` is scored as the tail, and `outs`
    has a column for each. `outs` is `triples` or `triples x entities`.

    ```mlir
    %0 = embed.score transe norm 2 entities(%e : tensor<?x128xf32>)
        relations(%r : tensor<?x128xf32>) heads(%h : tensor<?xi64>)
        types(%k : tensor<?xi64>) tails(%t : tensor<?xi64>)
        outs(%init : tensor<?xf32>) -> tensor<?xf32>
    ```
  }];
  let arguments = (ins Embed_ScoreModelAttr:$model,
                       OptionalAttr<ConfinedAttr<I64Attr,
                           [IntMinValue<1>, IntMaxValue<2>]>>:$norm,
                       Embed_Rows:$entities, Embed_Rows:$relations,
                       Embed_Indices:$heads, Embed_Indices:$types,
                       Optional<Embed_Indices>:$tails,
                       Embed_Shaped<[Embed_Value], [1, 2]>:$init);
  let results = (outs Optional<Embed_Shaped<[Embed_Value], [1, 2]>>:$result);
  let assemblyFormat = [{
    $model (`norm` $norm^)? `entities` `(` $entities `:` type($entities) `)`
    `relations` `(` $relations `:` type($relations) `)`
    `heads` `(` $heads `:` type($heads) `)`
    `types` `(` $types `:` type($types) `)`
    (`tails` `(` $tails^ `:` type($tails) `)`)?
    `outs` `(` $init `:` type($init) `)` attr-dict (`->` type($result)^)?
  }];
}

//===----------------------------------------------------------------------===//
// Sparse attention
//===----------------------------------------------------------------------===//

def Embed_BlockIndices : Embed_Shaped<[Embed_Index], [2]>;
def Embed_BlockSize : ConfinedAttr<I64Attr, [IntMinValue<1>]>;

def Embed_GatherOp : Embed_Op<"gather"> {
  let summary = "Copies blocks of rows";
  let description = [{
    Copies, for every block index, the block of `block_size` rows it names:
    `outs[i, j * block_size + t] = source[blocks[i, j] * block_size + t]`.
    This is what BigBird gathers keys and values with; with `block_size` 1 and
    one column of blocks, a lookup of embedding rows.

    ```mlir
    %0 = embed.gather block_size 8 rows(%keys : tensor<?x64xf32>)
        blocks(%blocks : tensor<?x3xi32>)
        outs(%init : tensor<?x24x64xf32>) -> tensor<?x24x64xf32>
    ```
  }];
  let arguments = (ins Embed_BlockSize:$block_size, Embed_Table:$source,
                       Embed_BlockIndices:$blocks,
                       Embed_Shaped<[Embed_Value], [3]>:$init,
                       OptionalAttr<CIN_RowFormatAttr>:$format);
  let results = (outs Optional<Embed_Shaped<[Embed_Value], [3]>>:$result);
  let assemblyFormat = [{
    `block_size` $block_size `rows` `(` $source `:` type($source) `)`
    `blocks` `(` $blocks `:` type($blocks) `)`
    `outs` `(` $init `:` type($init) `)` (`format` $format^)? attr-dict
    (`->` type($result)^)?
  }];
}

def Embed_BlockScoresOp : Embed_Op<"block_scores"> {
  let summary = "Products of queries with gathered blocks of keys";
  let description = [{
    For every query row `q` of block `i = q / block_size` and every gathered
    key row, `scale` times their dot product:
    `outs[q, j * block_size + t] = scale * sum_d queries[q, d] * keys[blocks[i, j] * block_size + t, d]`.
    Keys are not copied.

    ```mlir
    %0 = embed.block_scores block_size 8 queries(%q : tensor<?x64xf32>)
        keys(%k : tensor<?x64xf32>) blocks(%blocks : tensor<?x3xi32>)
        scale(%s : f32) outs(%init : tensor<?x24xf32>) -> tensor<?x24xf32>
    ```
  }];
  let arguments = (ins Embed_BlockSize:$block_size, Embed_Rows:$queries,
                       Embed_Rows:$keys, Embed_BlockIndices:$blocks,
                       Optional<Embed_Value>:$scale, Embed_Rows:$init);
  let results = (outs Optional<Embed_Rows>:$result);
  let assemblyFormat = [{
    `block_size` $block_size `queries` `(` $queries `:` type($queries) `)`
    `keys` `(` $keys `:` type($keys) `)`
    `blocks` `(` $blocks `:` type($blocks) `)`
    (`scale` `(` $scale^ `:` type($scale) `)`)?
    `outs` `(` $init `:` type($init) `)` attr-dict (`->` type($result)^)?
  }];
}

def Embed_BlockValuesOp : Embed_Op<"block_values"> {
  let summary = "Sums gathered blocks of values, weighted by scores";
  let description = [{
    For every query row `q` of block `i = q / block_size` the sum of the
    gathered value rows, each times its score:
    `outs[q, d] = sum_{j, t} scores[q, j * block_size + t] * values[blocks[i, j] * block_size + t, d]`.

    ```mlir
    %0 = embed.block_values block_size 8 scores(%p : tensor<?x24xf32>)
        values(%v : tensor<?x64xf32>) blocks(%blocks : tensor<?x3xi32>)
        outs(%init : tensor<?x64xf32>) -> tensor<?x64xf32>
    ```
  }];
  let arguments = (ins Embed_BlockSize:$block_size, Embed_Rows:$scores,
                       Embed_Rows:$values, Embed_BlockIndices:$blocks,
                       Embed_Rows:$init);
  let results = (outs Optional<Embed_Rows>:$result);
  let assemblyFormat = [{
    `block_size` $block_size `scores` `(` $scores `:` type($scores) `)`
    `values` `(` $values `:` type($values) `)`
    `blocks` `(` $blocks `:` type($blocks) `)`
    `outs` `(` $init `:` type($init) `)` attr-dict (`->` type($result)^)?
  }];
}

#endif // EMBER_DIALECT_EMBED_IR_EMBEDOPS_TD
