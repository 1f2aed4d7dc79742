//===- CINAttributes.td - Functions, formats, iteration ----*- tablegen -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_DIALECT_CIN_IR_CINATTRIBUTES_TD
#define EMBER_DIALECT_CIN_IR_CINATTRIBUTES_TD

include "ember/Dialect/CIN/IR/CINDialect.td"
include "mlir/IR/BuiltinTypeInterfaces.td"
include "mlir/IR/CommonAttrConstraints.td"

def CIN_BuiltinAttr : AttrDef<CIN_Dialect, "Builtin"> {
  let mnemonic = "builtin";
  let summary = "A function that every statement may call";
  let description = [{
    One of the table in `Builtins.h`, which says how many operands it has, of
    which types, and which properties: what iteration and reordering of
    reductions go by. Operations write its name alone.

    ```mlir
    %product = cin.call mul(%x, %y) : (f32, f32) -> f32
    ```
  }];
  let parameters = (ins "const ::ember::cin::Builtin *":$builtin);
  let hasCustomAssemblyFormat = 1;
  let extraClassDeclaration = [{
    const Builtin &operator*() const { return *getBuiltin(); }
    const Builtin *operator->() const { return getBuiltin(); }
  }];
}

/// What calls a function: a row of the table, or a symbol.
def CIN_Callee : AnyAttrOf<[CIN_BuiltinAttr, FlatSymbolRefAttr]>;

def CIN_SpecialAttr : AttrDef<CIN_Dialect, "Special"> {
  let mnemonic = "special";
  let summary = "A value of an operand that decides on a function";
  let description = [{
    An annihilator: where an operand, or that at `position`, is `value`, the
    function is `result`, or `value` if nothing else is said. Or an identity:
    the function is the other operand there, and there is no result.

    ```mlir
    // 0, at any operand; 0 as divisor, of which the function makes 1.
    #cin.special<0 : i64>
    #cin.special<0.0 : f32 at 1 gives 1.0 : f32>
    ```
  }];
  let parameters = (ins "::mlir::TypedAttr":$value,
                        "std::optional<unsigned>":$position,
                        "::mlir::TypedAttr":$result);
  let hasCustomAssemblyFormat = 1;
}

def CIN_RowFormatAttr : AttrDef<CIN_Dialect, "RowFormat"> {
  let mnemonic = "row_format";
  let summary = "How rows of bytes encode rows of values";
  let description = [{
    A table of type `?x?xi8` whose rows are encoded:

    - `int8`: an unsigned byte an element, `value = byte * scale + bias`,
      rounded once;
    - `int4`: two elements a byte, the first in the low half, likewise;
    - `e4m3`, `e5m2`: an 8-bit float an element (as f8E4M3FN and f8E5M2).

    What is stored beside the elements is in the row itself: behind them or, with
    `leading`, in front of them.

    - Integers have one scale and one bias, as in FBGEMM's fused layouts: as f32
      or f16, scale first.
    - Floats have nothing, or as `f8E8M0FNU` a scale for each 32 elements, the
      last ones of a row may be fewer: rows of MXFP8 in OCP's microscaling
      formats. A scale is 2 to the power of its byte less 127, and NaN if that
      is 255; an element is multiplied by it, in the type that is computed in.

    Encodings and what may be beside them are the tables of `RowEncodings.h`.

    ```mlir
    #cin.row_format<int8, f32>          // D bytes, f32 scale, f32 bias
    #cin.row_format<int4, f16>          // (D + 1) / 2 bytes, f16 scale, f16 bias
    #cin.row_format<int8, f16, leading> // f16 scale, f16 bias, D bytes
    #cin.row_format<e4m3>               // D bytes
    #cin.row_format<e4m3, f8E8M0FNU>    // D bytes, (D + 31) / 32 scales
    ```
  }];
  let parameters = (ins
      "const ::ember::cin::RowEncoding *":$encoding,
      OptionalParameter<"const ::ember::cin::RowParameters *">:$parameters,
      DefaultValuedParameter<"bool", "false">:$leading);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    RowLayout getLayout() const {
      return {getEncoding(), getParameters(), getLeading()};
    }
    /// True if rows hold a scale and a bias.
    bool isScaled() const { return getLayout().isScaled(); }
  }];
}

def CIN_FormatAttr : AttrDef<CIN_Dialect, "Format"> {
  let mnemonic = "format";
  let summary = "How an array is stored: its levels, and what is not stored";
  let description = [{
    An array is a tree with a level for each dimension, in the order `order`:
    the dimension of each level, outermost first; the order of dimensions if it
    is left out. A level is

    - `dense`: all coordinates, which need no storage;
    - `compressed`: for each position of the level above a segment of positions,
      between two elements of an array of positions, with a coordinate each;
    - `singleton`: one coordinate for each position of the level above;
    - `bitmap`: a boolean for each coordinate that says whether it is stored.

    Coordinates of a segment increase, but for levels that are `unordered`, and
    are different, but for those that are `nonunique`. What is not stored has the
    value `fill`. With `no_stored_fill` that is not a stored value, either. With
    the fill `missing` it has no value at all: `--cin-expand-missing` says what
    statements make of that. The last level is not `dense` then.

    With an `encoding`, an [`#cin.row_format`](#rowformatattr), values
    are stored as rows of bytes, each with its scale and bias or its scales of
    blocks. If the last level is dense, each position of the level above it has a
    row with all coordinates of the last one; otherwise, and where there is no
    level above, all values are one row. Elements are of f32 or f64, which is what
    they are decoded to.

    ```mlir
    // CSR, COO, and CSC with a fill of infinity:
    #cin.format<dense, compressed fill 0.0 : f32>
    #cin.format<compressed(nonunique), singleton fill 0.0 : f32>
    #cin.format<dense, compressed order 1, 0 fill 0x7F800000 : f32>
    // A graph in which an edge of weight 0 is an edge:
    #cin.format<dense, compressed fill missing>
    // A table of rows of bytes, each with a scale and a bias behind:
    #cin.format<dense, dense encoding <int8, f32> fill 0.0 : f32>
    ```
  }];
  let parameters = (ins ArrayRefParameter<"::ember::cin::Level">:$levels,
                        ArrayRefParameter<"unsigned">:$order,
                        "::mlir::TypedAttr":$fill, "bool":$storesFill,
                        "::ember::cin::RowFormatAttr":$encoding);
  let builders = [
    /// Of values that are stored as they are.
    AttrBuilder<(ins "::llvm::ArrayRef<::ember::cin::Level>":$levels,
                     "::llvm::ArrayRef<unsigned>":$order,
                     "::mlir::TypedAttr":$fill, "bool":$storesFill), [{
      return $_get($_ctxt, levels, order, fill, storesFill,
                   ::ember::cin::RowFormatAttr());
    }]>
  ];
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// Whether what is not stored has no value: the fill is null.
    bool isMissing() const { return !getFill(); }
    /// Whether all elements are stored, by coordinates.
    bool isDense();
    /// Whether no level lists what it stores: coordinates say where it is.
    bool isLocated();
    /// Whether values are encoded in a row for each position of the level above
    /// the last one; otherwise all are in one row.
    bool hasRows();
    /// Whether each coordinate of the outermost level has a segment of its own,
    /// at a place that is known once all of them are counted: as `csr` does.
    bool hasSeparateRows();
    /// The level that a dimension is stored by.
    unsigned getLevelOf(unsigned dimension);
    /// The dimension of a level.
    unsigned getDimensionOf(unsigned level) { return getOrder()[level]; }
    /// How many arrays store the levels.
    size_t countLevelArrays();
  }];
}

def CIN_IterationAttr : AttrDef<CIN_Dialect, "Iteration"> {
  let mnemonic = "iteration";
  let summary = "The coordinates that a loop visits";
  let description = [{
    A set of unions `|`, intersections `&` and complements `~` of what levels
    store that the loop's variable is a coordinate of, by number, `all` or `none`.
    They are numbered as accesses to them stand in the loop.

    ```mlir
    cin.forall (%i) attributes {iteration = #cin.iteration<"(0 | 1) & ~2">} {...}
    ```
  }];
  let parameters = (ins StringRefParameter<>:$text);
  let assemblyFormat = "`<` $text `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    static IterationAttr get(::mlir::MLIRContext *context,
                             const ::ember::CoordinateSet &set);
    ::ember::CoordinateSet getSet();
  }];
  let skipDefaultBuilders = 0;
}

def CIN_RelationAttr : AttrDef<CIN_Dialect, "Relation"> {
  let mnemonic = "relation";
  let summary = "One step of a schedule";
  let description = [{
    Schedules write it without its mnemonic. Variables are known by their names,
    which are different in a statement.

    | relation | what it asks for |
    |---|---|
    | `split(j, j0, j1, 16)` | a loop over tiles of 16 values of `j`, and one over the values of a tile |
    | `fuse(i, j, f)` | one loop in place of that over `i` and that over `j`, the next one inside |
    | `reorder(i, k, j)` | the loops over these stand in this order |
    | `precompute("mul(A[i, k], B[k, j])" over j)` | the expression is kept in a workspace, with an element for each `j`; of the term of a reduction, the sum |
    | `parallelize(i)` | values of `i` are worked on at the same time |
  }];
  let parameters = (ins "::ember::cin::RelationKind":$kind,
                        ArrayRefParameter<"::mlir::StringAttr">:$variables,
                        "int64_t":$factor, "::mlir::StringAttr":$expression);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// What follows the mnemonic, and schedules consist of.
    static RelationAttr parseRelation(::mlir::AsmParser &parser);
    void printRelation(::mlir::AsmPrinter &printer) const;
    ::llvm::StringRef getVariable(unsigned number) const {
      return getVariables()[number].getValue();
    }
  }];
}

def CIN_ScheduleAttr : AttrDef<CIN_Dialect, "Schedule"> {
  let mnemonic = "schedule";
  let summary = "How a statement is computed, and not what";
  let description = [{
    Relations, one after the other: each is about the variables that those before
    it leave. They are part of a statement until `--cin-concretize`, which makes
    loops of it. What was written is there from the beginning; what
    `--cin-schedule` decides comes behind it, last a `reorder` of all variables.

    ```mlir
    cin.forall (%i, %j) attributes {names = ["i", "j"],
        schedule = #cin.schedule<reorder(i, k, j), parallelize(i)>} {...}
    ```
  }];
  let parameters = (ins ArrayRefParameter<"RelationAttr">:$relations);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// The variables of the last `reorder`; empty without one.
    ::llvm::ArrayRef<::mlir::StringAttr> getOrder() const;
  }];
}

def CIN_HintAttr : AttrDef<CIN_Dialect, "Hint"> {
  let mnemonic = "hint";
  let summary = "What to expect of an array";
  let description = [{
    Sizes of its dimensions, and the part of its elements that is stored. Only the
    order of loops depends on it. A `cin.evaluate` has one for each array by name.

    ```mlir
    cin.evaluate ... attributes {cin.hints = {A = #cin.hint<density(1.0e-2 : f64) sizes(1000, 1000)>}}
    ```
  }];
  let parameters = (ins OptionalParameter<"::mlir::FloatAttr">:$density,
                        OptionalArrayRefParameter<"int64_t">:$sizes);
  let assemblyFormat = [{
    `<` (`density` `(` $density^ `)`)? (`sizes` `(` $sizes^ `)`)? `>`
  }];
  let genVerifyDecl = 1;
}

def CIN_ArrayType
    : TypeDef<CIN_Dialect, "Array",
              [DeclareTypeInterfaceMethods<ShapedTypeInterface>]> {
  let mnemonic = "array";
  let summary = "An array that is stored in a format";
  let description = [{
    What statements know of an array that `cin.assemble` makes of others.

    ```mlir
    !cin.array<?x?xf32, #cin.format<dense, compressed fill 0.0 : f32>>
    ```
  }];
  let parameters = (ins ArrayRefParameter<"int64_t">:$shape,
                        "::mlir::Type":$elementType, "FormatAttr":$format);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// What is read where nothing is stored: the fill, and 0 if that is missing,
    /// which nothing may look at.
    ::mlir::TypedAttr getUnstored();
  }];
}

#endif // EMBER_DIALECT_CIN_IR_CINATTRIBUTES_TD
