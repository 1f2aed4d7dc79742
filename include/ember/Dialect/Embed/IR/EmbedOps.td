//===- EmbedOps.td - The embedding operations --------------*- tablegen -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_DIALECT_EMBED_IR_EMBEDOPS_TD
#define EMBER_DIALECT_EMBED_IR_EMBEDOPS_TD

include "ember/Dialect/Embed/IR/EmbedAttributes.td"
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

def Embed_SDDMMOp : Embed_Op<"sddmm", [AttrSizedOperandSegments]> {
  let summary = "Combines the rows at both ends of every edge to a value";
  let description = [{
    For every edge `(i, k)`, in the order in which edges are stored, the sum
    over `d` of `op(left[i, d], right[k, d])`, then `activation`, then a
    multiplication with `scale` and with the edge's value, where there are.

    With `mul` this is the sampled dense-dense matrix product (SDDMM).

    ```mlir
    %0 = embed.sddmm mul csr(%positions, %columns : tensor<?xi32>, tensor<?xi32>)
        values(%values : tensor<?xf32>)
        rows(%x, %y : tensor<?x64xf32>, tensor<?x64xf32>)
        outs(%init : tensor<?xf32>) -> tensor<?xf32>
    ```
  }];
  let arguments = (ins Embed_EdgeOpAttr:$edge_op,
                       DefaultValuedAttr<Embed_ActivationAttr,
                           "::ember::embed::Activation::identity">:$activation,
                       Embed_GraphFormatAttr:$graph, Embed_Indices:$rows,
                       Embed_Indices:$columns,
                       Optional<Embed_Values>:$values,
                       Embed_Rows:$left, Embed_Rows:$right,
                       Optional<Embed_Value>:$scale, Embed_Values:$init);
  let results = (outs Optional<Embed_Values>:$result);
  let assemblyFormat = [{
    $edge_op (`activation` $activation^)?
    $graph `(` $rows `,` $columns `:` type($rows) `,` type($columns) `)`
    (`values` `(` $values^ `:` type($values) `)`)?
    `rows` `(` $left `,` $right `:` type($left) `,` type($right) `)`
    (`scale` `(` $scale^ `:` type($scale) `)`)?
    `outs` `(` $init `:` type($init) `)` attr-dict (`->` type($result)^)?
  }];
}

def Embed_MessageOp : Embed_Op<"message", [AttrSizedOperandSegments]> {
  let summary = "Message passing: edge values and their aggregation in one";
  let description = [{
    FusedMM (Rahman et al., IPDPS 2021): for every edge `(i, k)` a value as
    `embed.sddmm` computes it, and row `i` of `outs` is the reduction over the
    edges of `value * messages[k]`. Edge values are never stored.

    With `vector`, the elements of `op(left[i], right[k])` are not summed: each
    scales (after `activation`) the element of the message at its own place.

    ```mlir
    %0 = embed.message sum mul activation sigmoid
        csr(%positions, %columns : tensor<?xi32>, tensor<?xi32>)
        rows(%x, %y : tensor<?x64xf32>, tensor<?x64xf32>)
        messages(%y : tensor<?x64xf32>)
        outs(%init : tensor<?x64xf32>) -> tensor<?x64xf32>
    ```
  }];
  let arguments = (ins Embed_ReductionAttr:$reduction,
                       Embed_EdgeOpAttr:$edge_op, UnitAttr:$vector,
                       DefaultValuedAttr<Embed_ActivationAttr,
                           "::ember::embed::Activation::identity">:$activation,
                       Embed_GraphFormatAttr:$graph, Embed_Indices:$rows,
                       Embed_Indices:$columns,
                       Optional<Embed_Values>:$values,
                       Embed_Rows:$left, Embed_Rows:$right,
                       Embed_Rows:$messages, Optional<Embed_Value>:$scale,
                       Embed_Rows:$init);
  let results = (outs Optional<Embed_Rows>:$result);
  let assemblyFormat = [{
    $reduction $edge_op (`vector` $vector^)? (`activation` $activation^)?
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
