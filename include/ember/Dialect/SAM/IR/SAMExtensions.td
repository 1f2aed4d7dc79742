//===- SAMExtensions.td - Blocks for finite and fast hardware -*- tablegen -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_DIALECT_SAM_IR_SAMEXTENSIONS_TD
#define EMBER_DIALECT_SAM_IR_SAMEXTENSIONS_TD

include "ember/Dialect/SAM/IR/SAMOpClasses.td"

defvar SAM_Count = ConfinedAttr<I64Attr, [IntPositive]>;
defvar SAM_Width = ConfinedAttr<I64Attr, [IntMinValue<1>, IntMaxValue<64>]>;

//===----------------------------------------------------------------------===//
// Parts of fibers
//===----------------------------------------------------------------------===//

def SAM_SplitOp : SAM_Block<"split"> {
  let summary = "Coordinates by chunks";
  let description = [{
    A fiber becomes a fiber of the chunks that have any coordinate, of `factor`
    coordinates each, and in it one of the coordinates of each chunk: those that they
    were or, with `relative`, within the chunk. Streams beside the coordinates are
    cut alike.

    ```mlir
    %chunk, %i_in, %ref_in = sam.split %i by 4 beside %ref : !sam.crd<1>, !sam.ref<1>
    ```
  }];
  let arguments = (ins SAM_Coordinates:$coordinates, SAM_Count:$factor,
                       UnitAttr:$relative, Variadic<SAM_AnyNested>:$streams);
  let results = (outs SAM_Coordinates:$outer, SAM_Coordinates:$inner,
                      Variadic<SAM_AnyNested>:$beside);
  let assemblyFormat = [{
    $coordinates `by` $factor (`relative` $relative^)? (`beside` $streams^)? attr-dict
    `:` qualified(type($coordinates)) (`,` qualified(type($streams))^)?
  }];
  let hasVerifier = 1;
}

def SAM_FlattenOp : SAM_Block<"flatten"> {
  let summary = "Two levels of coordinates as one";
  let description = [{
    What `sam.split` has taken apart: the fiber of inner coordinates of each outer
    one, one after the other. With `relative`, a coordinate is `factor` times the
    outer one and the inner one.

    ```mlir
    %i, %ref = sam.flatten %chunk, %i_in by 4 beside %ref_in
        : !sam.crd<1>, !sam.crd<2>, !sam.ref<2>
    ```
  }];
  let arguments = (ins SAM_Coordinates:$outer, SAM_Coordinates:$inner,
                       SAM_Count:$factor, UnitAttr:$relative,
                       Variadic<SAM_AnyNested>:$streams);
  let results = (outs SAM_Coordinates:$coordinates,
                      Variadic<SAM_AnyNested>:$beside);
  let assemblyFormat = [{
    $outer `,` $inner `by` $factor (`relative` $relative^)? (`beside` $streams^)? attr-dict
    `:` qualified(type($outer)) `,` qualified(type($inner)) (`,` qualified(type($streams))^)?
  }];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Points
//===----------------------------------------------------------------------===//

def SAM_StopDropOp : SAM_Block<"stop_drop"> {
  let summary = "Data without the ends of lists";
  let description = [{
    All data, in order, in one list: points, where other streams beside say which
    lists they were in.

    ```mlir
    %points = sam.stop_drop %value : !sam.val<f32, 3>
    ```
  }];
  let arguments = (ins SAM_AnyNested:$stream);
  let results = (outs SAM_AnyNested:$points);
  let assemblyFormat = "$stream attr-dict `:` qualified(type($stream))";
  let hasVerifier = 1;
}

def SAM_AccumulateOp
    : SAM_Block<"accumulate",
                [DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "Combines points at the same coordinates";
  let description = [{
    The reducer of the published machine: of points, a value and its coordinates,
    outermost first, one tensor with a level for each of the coordinates. Points may
    come in any order; with `sorted`, their outermost coordinates never become
    smaller, so that what is at one of them is done when the next one comes.

    ```mlir
    %sum, %i, %j = sam.accumulate add %value at %i_each, %j_each
        : !sam.val<f32, 1>, !sam.crd<1>, !sam.crd<1>
    ```
  }];
  let arguments = (ins CIN_Callee:$callee, UnitAttr:$sorted, SAM_Values:$values,
                       Variadic<SAM_Coordinates>:$coordinates);
  let results = (outs SAM_Values:$reduced, Variadic<SAM_Coordinates>:$unique);
  let assemblyFormat = [{
    custom<Callee>($callee) (`sorted` $sorted^)? $values `at` $coordinates attr-dict
    `:` qualified(type($values)) `,` qualified(type($coordinates))
  }];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Lanes and memories
//===----------------------------------------------------------------------===//

def SAM_ParallelizeOp : SAM_Block<"parallelize"> {
  let summary = "Deals elements of the outermost list to lanes";
  let description = [{
    In turn: each lane gets a list of the elements that are dealt to it, with all
    that is nested in them.

    ```mlir
    %even, %odd = sam.parallelize %i to 2 : !sam.crd<1>
    ```
  }];
  let arguments = (ins SAM_AnyNested:$stream, SAM_Count:$lanes);
  let results = (outs Variadic<SAM_AnyNested>:$dealt);
  let assemblyFormat = "$stream `to` $lanes attr-dict `:` qualified(type($stream))";
  let hasVerifier = 1;
}

def SAM_SerializeOp : SAM_Block<"serialize"> {
  let summary = "Takes elements of lanes in turn";
  let description = [{
    What `sam.parallelize` deals, as one stream.

    ```mlir
    %i = sam.serialize %even, %odd : !sam.crd<1>, !sam.crd<1>
    ```
  }];
  let arguments = (ins Variadic<SAM_AnyNested>:$lanes);
  let results = (outs SAM_AnyNested:$stream);
  let assemblyFormat = "$lanes attr-dict `:` qualified(type($lanes))";
  let hasVerifier = 1;
}

def SAM_BufferOp : SAM_Block<"buffer"> {
  let summary = "Keeps tokens until they are taken";
  let description = [{
    A queue of so many tokens, for streams that fork and meet again.

    ```mlir
    %later = sam.buffer %i of 16 : !sam.crd<1>
    ```
  }];
  let arguments = (ins SAM_AnyNested:$stream, SAM_Count:$tokens);
  let results = (outs SAM_AnyNested:$kept);
  let assemblyFormat = "$stream `of` $tokens attr-dict `:` qualified(type($stream))";
}

//===----------------------------------------------------------------------===//
// Words of bits
//===----------------------------------------------------------------------===//

def SAM_BVScanOp : SAM_Block<"bv_scan"> {
  let summary = "The coordinates of a level as words of bits";
  let description = [{
    Each reference becomes words for all coordinates of the level, `width` in each,
    lowest bit first, and for each the position of its first coordinate: how many
    the level has before it. `N` becomes words without bits, at `N`. The level is
    compressed.

    ```mlir
    %words, %at = sam.bv_scan %b[0] at %root by 64 : tensor<?xf32, #vector>, !sam.ref<0>
    ```
  }];
  let arguments = (ins SAM_Tensor:$tensor, SAM_Level:$level,
                       SAM_References:$references, SAM_Width:$width);
  let results = (outs SAM_BitVectors:$words, SAM_References:$positions);
  let assemblyFormat = [{
    $tensor `[` $level `]` `at` $references `by` $width attr-dict
    `:` qualified(type($tensor)) `,` qualified(type($references))
  }];
  let hasVerifier = 1;
}

def SAM_BVConvertOp : SAM_Block<"bv_convert"> {
  let summary = "Coordinates as words of bits";
  let description = [{
    Words for each fiber, as many as the level has coordinates for, and for each how
    many coordinates came before it.

    ```mlir
    %words, %at = sam.bv_convert %i of %b[0] by 64 : !sam.crd<1>, tensor<?xf32, #vector>
    ```
  }];
  let arguments = (ins SAM_Coordinates:$coordinates, SAM_Tensor:$tensor,
                       SAM_Level:$level, SAM_Width:$width);
  let results = (outs SAM_BitVectors:$words, SAM_References:$positions);
  let assemblyFormat = [{
    $coordinates `of` $tensor `[` $level `]` `by` $width attr-dict
    `:` qualified(type($coordinates)) `,` qualified(type($tensor))
  }];
  let hasVerifier = 1;
}

class SAM_BVJoinerOp<string mnemonic> : SAM_Block<mnemonic> {
  let arguments = (ins Variadic<SAM_BitVectors>:$words);
  let results = (outs SAM_BitVectors:$joined);
  let assemblyFormat = "$words attr-dict `:` qualified(type($words))";
  let hasVerifier = 1;
}

def SAM_BVIntersectOp : SAM_BVJoinerOp<"bv_intersect"> {
  let summary = "Bits that all words have";
  let description = [{
    Word by word, whatever they say: words without bits stay, so that streams keep
    in step.

    ```mlir
    %both = sam.bv_intersect %b, %c : !sam.bv<64, 1>, !sam.bv<64, 1>
    ```
  }];
}

def SAM_BVUnionOp : SAM_BVJoinerOp<"bv_union"> {
  let summary = "Bits that any word has";
  let description = [{
    As `sam.bv_intersect`.

    ```mlir
    %any = sam.bv_union %b, %c : !sam.bv<64, 1>, !sam.bv<64, 1>
    ```
  }];
}

def SAM_BVExpandOp : SAM_Block<"bv_expand", [AttrSizedOperandSegments]> {
  let summary = "Words of bits as coordinates, and positions of sides";
  let description = [{
    A coordinate for each bit, and beside it for each side, its words and positions,
    where the side has it: the position of the word and how many bits the side has
    below; `N` where it has none.

    ```mlir
    %i, %ref_b, %ref_c = sam.bv_expand %both of %b, %c at %at_b, %at_c
        : !sam.bv<64, 1>, !sam.bv<64, 1>, !sam.bv<64, 1>
    ```
  }];
  let arguments = (ins SAM_BitVectors:$joined, Variadic<SAM_BitVectors>:$words,
                       Variadic<SAM_References>:$positions);
  let results = (outs SAM_Coordinates:$coordinates,
                      Variadic<SAM_References>:$references);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

#endif // EMBER_DIALECT_SAM_IR_SAMEXTENSIONS_TD
