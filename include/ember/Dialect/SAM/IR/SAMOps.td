//===- SAMOps.td - Blocks ----------------------------------*- tablegen -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_DIALECT_SAM_IR_SAMOPS_TD
#define EMBER_DIALECT_SAM_IR_SAMOPS_TD

include "ember/Dialect/SAM/IR/SAMExtensions.td"

//===----------------------------------------------------------------------===//
// The graph
//===----------------------------------------------------------------------===//

def SAM_GraphOp
    : SAM_Op<"graph", [AttrSizedOperandSegments, DestinationStyleOpInterface,
                       IsolatedFromAbove, SingleBlock, NoTerminator,
                       DeclareOpInterfaceMethods<RegionKindInterface>,
                       DeclareOpInterfaceMethods<
                           OpAsmOpInterface, ["getAsmBlockArgumentNames"]>]> {
  let summary = "Blocks that exchange streams";
  let description = [{
    Its region has a name for each tensor and number, `ins` first, and a block an
    operation, in any order. `outs` say how large and in which format results are:
    they hold what writers put there and nothing else. A result to which nothing is
    written has what its format does not store everywhere, 0 without one.

    Streams make no cycle, but for those that only tell a scanner which
    coordinate is of use next.

    ```mlir
    %y = sam.graph ins(%x = %a : tensor<?xf32, #vector>)
        outs(%z = %init : tensor<?xf32, #vector>) -> tensor<?xf32, #vector> {
      %root = sam.root
      %i, %ref = sam.scan %x[0] at %root : tensor<?xf32, #vector>, !sam.ref<0>
      %value = sam.load %x at %ref : tensor<?xf32, #vector>, !sam.ref<1>
      sam.write_level %i to %z[0] : !sam.crd<1>, tensor<?xf32, #vector>
      sam.write_values %value to %z : !sam.val<f32, 1>, tensor<?xf32, #vector>
    }
    ```
  }];
  let arguments = (ins Variadic<SAM_Tensor>:$inputs,
                       Variadic<AnyRankedTensor>:$inits);
  let results = (outs Variadic<AnyRankedTensor>);
  let regions = (region SizedRegion<1>:$region);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::MutableOperandRange getDpsInitsMutable() {
      return getInitsMutable();
    }
    bool isInit(::mlir::Value argument) {
      return ::llvm::cast<::mlir::BlockArgument>(argument).getArgNumber() >=
             getInputs().size();
    }
    /// Its blocks, each behind those that it takes streams from.
    ::llvm::SmallVector<::mlir::Operation *> getBlocksInOrder();
  }];
}

def SAM_ConvertOp : SAM_Op<"convert", [Pure]> {
  let summary = "The same tensor in another format";
  let description = [{
    Stands around graphs: what a graph is given, or gives, is stored anew, such as
    with its levels in another order.

    ```mlir
    %columns = sam.convert %rows : tensor<?x?xf32, #dcsr> to tensor<?x?xf32, #dcsc>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$source);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `to` type($result)";
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Sources
//===----------------------------------------------------------------------===//

def SAM_RootOp : SAM_Block<"root"> {
  let summary = "The reference that scanning begins with";
  let description = [{
    The stream `0 D`: the one fiber of the outermost level of every tensor.

    ```mlir
    %root = sam.root
    ```
  }];
  let results = (outs SAM_References:$references);
  let assemblyFormat = "attr-dict";
}

def SAM_StreamOp : SAM_Op<"stream", [Pure, HasParent<"GraphOp">]> {
  let summary = "A stream that is known";
  let description = [{
    Tokens as text: coordinates, references, words or values, `N`, stops and `D`.

    ```mlir
    %i = sam.stream "0 2 S0 1 S1 D" : !sam.crd<2>
    ```
  }];
  let arguments = (ins StrAttr:$tokens);
  let results = (outs SAM_AnyTokens:$stream);
  let assemblyFormat = "$tokens attr-dict `:` qualified(type($stream))";
  let hasVerifier = 1;
}

def SAM_ConstantOp : SAM_Block<"constant"> {
  let summary = "A number for each token of a stream";
  let description = [{
    A stream of the same lists, in which each token of data is the number: an array
    of one element with the repeaters that it would need.

    ```mlir
    %two = sam.constant 2.0 : f32 along %i : !sam.crd<2>
    ```
  }];
  let arguments = (ins TypedAttrInterface:$value, SAM_AnyNested:$along);
  let results = (outs SAM_Values:$values);
  let assemblyFormat = "$value `along` $along attr-dict `:` qualified(type($along))";
}

//===----------------------------------------------------------------------===//
// Iteration
//===----------------------------------------------------------------------===//

def SAM_ScanOp : SAM_Block<"scan"> {
  let summary = "The coordinates and positions of a level";
  let description = [{
    Each reference becomes the fiber of the level that it is the position above of:
    its coordinates, in order, and for each its position. `N` becomes a fiber
    without coordinates. How it is scanned follows from the kind of the level:
    dense levels have all coordinates; with `all`, those of any other kind are
    scanned as if they were dense, for blocks that need each coordinate. A coordinate
    that a level lists several times in a row, as those of a list of points, is one:
    its position is the first of them, and the singleton below has the coordinates of
    all of them.

    With `gallop`, an intersecter says which coordinate it needs next, so that those
    before it may be left out; which of them are does not change any result.

    ```mlir
    %j, %ref_j = sam.scan %b[1] at %ref_i : tensor<?x?xf32, #dcsr>, !sam.ref<1>
    %k, %ref_k = sam.scan %c[0] at %root gallop %skip : tensor<?xf32, #vector>, !sam.ref<0>
    ```
  }];
  let arguments = (ins SAM_Tensor:$tensor, SAM_Level:$level,
                       SAM_References:$references, UnitAttr:$all,
                       Optional<SAM_Skip>:$skip);
  let results = (outs SAM_Coordinates:$coordinates,
                      SAM_References:$positions);
  let assemblyFormat = [{
    $tensor `[` $level `]` `at` $references (`all` $all^)? (`gallop` $skip^)?
    attr-dict `:` qualified(type($tensor)) `,` qualified(type($references))
  }];
  let hasVerifier = 1;
}

def SAM_LocateOp : SAM_Block<"locate"> {
  let summary = "Where coordinates are in a level";
  let description = [{
    For each coordinate, the position that it has in the level, in the fiber of the
    reference beside it; `N` where it is not stored, and for `N`. Levels are dense or
    bitmaps.

    With `strided`, the level is one of some dense levels that are the outermost of
    their tensor, and these may be located in any order: the references are the
    positions that those before it have made, 0 at first.

    ```mlir
    %at = sam.locate %c[1] of %row by %k : tensor<?x?xf32>, !sam.ref<2>, !sam.crd<2>
    ```
  }];
  let arguments = (ins SAM_Tensor:$tensor, SAM_Level:$level,
                       SAM_References:$references, SAM_Coordinates:$coordinates,
                       UnitAttr:$strided);
  let results = (outs SAM_References:$positions);
  let assemblyFormat = [{
    $tensor `[` $level `]` `of` $references `by` $coordinates
    (`strided` $strided^)? attr-dict `:` qualified(type($tensor)) `,` qualified(type($references))
    `,` qualified(type($coordinates))
  }];
  let hasVerifier = 1;
}

def SAM_RepeatSignalOp
    : SAM_Op<"repeat_signal", [Pure, HasParent<"GraphOp">]> {
  let summary = "When to repeat, from coordinates";
  let description = [{
    ```mlir
    %signal = sam.repeat_signal %j : !sam.crd<2>
    ```
  }];
  let arguments = (ins SAM_AnyNested:$coordinates);
  let results = (outs SAM_Signal:$signal);
  let assemblyFormat = "$coordinates attr-dict `:` qualified(type($coordinates))";
}

def SAM_RepeatOp : SAM_Block<"repeat"> {
  let summary = "A token for each coordinate of a fiber";
  let description = [{
    Each token becomes a list of as many copies as the fiber beside it has
    coordinates.

    ```mlir
    %each = sam.repeat %ref by %signal : !sam.ref<1>
    ```
  }];
  let arguments = (ins SAM_AnyNested:$stream, SAM_Signal:$signal);
  let results = (outs SAM_AnyNested:$repeated);
  let assemblyFormat = "$stream `by` $signal attr-dict `:` qualified(type($stream))";
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The stream that the signal is of; null if nobody knows.
    ::mlir::Value getDriver();
  }];
}

//===----------------------------------------------------------------------===//
// Merging
//===----------------------------------------------------------------------===//

class SAM_JoinerOp<string mnemonic>
    : SAM_Op<mnemonic, [Pure, HasParent<"GraphOp">]> {
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

defvar SAM_Sides = [{
    /// The streams of a side, coordinates first.
    ::mlir::OperandRange getSide(unsigned side) {
      unsigned begin = 0;
      for (int32_t size : getSizes().take_front(side))
        begin += size;
      return getStreams().slice(begin, getSizes()[side]);
    }
    unsigned countSides() { return getSizes().size(); }
}];

def SAM_IntersectOp : SAM_JoinerOp<"intersect"> {
  let summary = "Coordinates that all sides have";
  let description = [{
    A side is coordinates and streams beside them, such as references. Fiber by
    fiber, the results are the coordinates that all sides have, and what is beside
    them. With `gallop`, there is a result for each side behind these, for its
    scanner.

    ```mlir
    %j, %refs:2 = sam.intersect (%j_b, %ref_b), (%j_c, %ref_c)
        : (!sam.crd<2>, !sam.ref<2>), (!sam.crd<2>, !sam.ref<2>)
    ```
  }];
  let arguments = (ins Variadic<SAM_AnyNested>:$streams,
                       DenseI32ArrayAttr:$sizes, UnitAttr:$gallop);
  let results = (outs SAM_Coordinates:$coordinates,
                      Variadic<AnyType>:$beside);
  let builders = [OpBuilder<(ins "::llvm::ArrayRef<::llvm::SmallVector<::mlir::Value>>":$sides,
                                 CArg<"bool", "false">:$gallop)>];
  let extraClassDeclaration = SAM_Sides;
}

def SAM_UnionOp : SAM_JoinerOp<"union"> {
  let summary = "Coordinates that any side has";
  let description = [{
    As `sam.intersect`, with `N` in what is beside the coordinates of a side that
    does not have one.

    ```mlir
    %i, %refs:2 = sam.union (%i_b, %ref_b), (%i_c, %ref_c)
        : (!sam.crd<1>, !sam.ref<1>), (!sam.crd<1>, !sam.ref<1>)
    ```
  }];
  let arguments = (ins Variadic<SAM_AnyNested>:$streams,
                       DenseI32ArrayAttr:$sizes);
  let results = (outs SAM_Coordinates:$coordinates,
                      Variadic<AnyType>:$beside);
  let builders = [OpBuilder<(ins "::llvm::ArrayRef<::llvm::SmallVector<::mlir::Value>>":$sides)>];
  let extraClassDeclaration = SAM_Sides;
}

//===----------------------------------------------------------------------===//
// Computation
//===----------------------------------------------------------------------===//

def SAM_LoadOp : SAM_Block<"load"> {
  let summary = "Elements at references";
  let description = [{
    The element at each position of the last level; what the format does not store
    at `N`. A number is the same at each reference.

    ```mlir
    %value = sam.load %b at %ref : tensor<?x?xf32, #dcsr>, !sam.ref<2>
    ```
  }];
  let arguments = (ins SAM_Tensor:$tensor, SAM_References:$references);
  let results = (outs SAM_Values:$values);
  let assemblyFormat = [{
    $tensor `at` $references attr-dict `:` qualified(type($tensor)) `,` qualified(type($references))
  }];
  let hasVerifier = 1;
}

def SAM_AluOp
    : SAM_Op<"alu", [Pure, HasParent<"GraphOp">,
                     DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "A function of values";
  let description = [{
    One of cin's table, or a `cin.function`, of the values that are beside each
    other. `N` is taken for 0.

    ```mlir
    %product = sam.alu mul(%b, %c)
        : (!sam.val<f32, 2>, !sam.val<f32, 2>) -> !sam.val<f32, 2>
    ```
  }];
  let arguments = (ins CIN_Callee:$callee, Variadic<SAM_Values>:$operands);
  let results = (outs SAM_Values:$result);
  let assemblyFormat = [{
    custom<Callee>($callee) `(` $operands `)` attr-dict `:`
    functional-type($operands, $result)
  }];
  let hasVerifier = 1;
}

def SAM_Empty
    : I32EnumAttr<"Empty", "What becomes of fibers without a value", [
        I32EnumAttrCase<"keep", 0>, I32EnumAttrCase<"drop", 1>]> {
  let cppNamespace = "::ember::sam";
}

def SAM_ReduceOp
    : SAM_Block<"reduce", [DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "Combines values at the same coordinates";
  let description = [{
    Of values and `n` streams of coordinates, those of the innermost levels,
    outermost first: a level goes away, that above these. What is below its
    coordinates is combined to one tensor of `n` levels, by coordinates, in order.
    For `n` = 0, each innermost list becomes one value.

    Nothing to combine is the function's identity with `keep`, and a list without
    values stays; `drop` removes both, but for a single value, which has no list to
    go from.

    ```mlir
    %sum = sam.reduce add keep %value : !sam.val<f32, 2>
    %row, %j = sam.reduce add keep %value along %j_each : !sam.val<f32, 3>, !sam.crd<3>
    ```
  }];
  let arguments = (ins CIN_Callee:$callee, SAM_Empty:$empty,
                       SAM_Values:$values, Variadic<SAM_Coordinates>:$coordinates);
  let results = (outs SAM_Values:$reduced,
                      Variadic<SAM_Coordinates>:$unique);
  let assemblyFormat = [{
    custom<Callee>($callee) $empty $values (`along` $coordinates^)? attr-dict
    `:` qualified(type($values)) (`,` qualified(type($coordinates))^)?
  }];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Construction
//===----------------------------------------------------------------------===//

def SAM_CrdDropOp : SAM_Block<"crd_drop"> {
  let summary = "Drops coordinates without anything below";
  let description = [{
    Of outer coordinates, those stay whose inner fiber has a token; empty fibers go
    from the inner stream. Values that are as deep as the coordinates are inner
    ones, too: coordinates of a zero go, and the zero.

    ```mlir
    %i_kept, %j_kept = sam.crd_drop %i by %j : !sam.crd<1>, !sam.crd<2>
    ```
  }];
  let arguments = (ins SAM_Coordinates:$outer, SAM_AnyNested:$inner);
  let results = (outs SAM_Coordinates:$keptOuter, SAM_AnyNested:$keptInner);
  let assemblyFormat = [{
    $outer `by` $inner attr-dict `:` qualified(type($outer)) `,` qualified(type($inner))
  }];
  let hasVerifier = 1;
}

def SAM_CrdHoldOp : SAM_Block<"crd_hold"> {
  let summary = "An outer coordinate beside each inner one";
  let description = [{
    What `sam.repeat` makes of the outer coordinates, and the inner ones.

    ```mlir
    %i_each, %j_same = sam.crd_hold %i over %j : !sam.crd<1>, !sam.crd<2>
    ```
  }];
  let arguments = (ins SAM_Coordinates:$outer, SAM_Coordinates:$inner);
  let results = (outs SAM_Coordinates:$held, SAM_Coordinates:$passed);
  let assemblyFormat = [{
    $outer `over` $inner attr-dict `:` qualified(type($outer)) `,` qualified(type($inner))
  }];
  let hasVerifier = 1;
}

def SAM_WriteLevelOp : SAM_Writer<"write_level"> {
  let summary = "Stores coordinates as a level";
  let description = [{
    A fiber for each position of the level above. Those of a dense level have all
    coordinates.

    ```mlir
    sam.write_level %j to %x[1] : !sam.crd<2>, tensor<?x?xf32, #dcsr>
    ```
  }];
  let arguments = (ins SAM_Coordinates:$coordinates, SAM_Tensor:$tensor,
                       SAM_Level:$level);
  let assemblyFormat = [{
    $coordinates `to` $tensor `[` $level `]` attr-dict `:` qualified(type($coordinates))
    `,` qualified(type($tensor))
  }];
}

def SAM_WriteValuesOp : SAM_Writer<"write_values"> {
  let summary = "Stores values, in their order";
  let description = [{
    One for each position of the last level; lists and their ends are not looked at.

    ```mlir
    sam.write_values %sum to %x : !sam.val<f32, 2>, tensor<?x?xf32, #dcsr>
    ```
  }];
  let arguments = (ins SAM_Values:$values, SAM_Tensor:$tensor);
  let assemblyFormat = [{
    $values `to` $tensor attr-dict `:` qualified(type($values)) `,` qualified(type($tensor))
  }];
}

def SAM_StoreOp : SAM_Writer<"store"> {
  let summary = "Stores values at references";
  let description = [{
    Of a tensor whose levels are all dense; where nothing is stored, it is 0, and of
    several values at a position the last one counts.

    ```mlir
    sam.store %sum at %ref to %x : !sam.val<f32, 2>, !sam.ref<2>, tensor<?x?xf32>
    ```
  }];
  let arguments = (ins SAM_Values:$values, SAM_References:$references,
                       SAM_Tensor:$tensor);
  let assemblyFormat = [{
    $values `at` $references `to` $tensor attr-dict `:` qualified(type($values)) `,`
    qualified(type($references)) `,` qualified(type($tensor))
  }];
}

#endif // EMBER_DIALECT_SAM_IR_SAMOPS_TD
