//===- CINOps.td - Loops, expressions, assignments ---------*- tablegen -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_DIALECT_CIN_IR_CINOPS_TD
#define EMBER_DIALECT_CIN_IR_CINOPS_TD

include "ember/Dialect/CIN/IR/CINCompact.td"
include "ember/Dialect/CIN/IR/CINFunctions.td"
include "ember/Dialect/CIN/IR/CINOperands.td"
include "ember/Dialect/CIN/IR/CINRegroup.td"
include "ember/Dialect/CIN/IR/CINReserve.td"
include "ember/Dialect/CIN/IR/CINTemporary.td"
include "mlir/IR/BuiltinAttributes.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/Interfaces/DestinationStyleOpInterface.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

class CIN_Op<string mnemonic, list<Trait> traits = []>
    : Op<CIN_Dialect, mnemonic, traits>;

/// Is part of a statement.
defvar CIN_InStatement = ParentOneOf<["ForallOp", "IfOp", "ReduceOp", "WhereOp"]>;
defvar CIN_Expression = [Pure, CIN_InStatement];
/// Names a function.
defvar CIN_Calling = DeclareOpInterfaceMethods<SymbolUserOpInterface>;
/// Is part of a statement, or of a size.
defvar CIN_SizeExpression = [
  Pure, ParentOneOf<["EvaluateOp", "ForallOp", "IfOp", "ReduceOp", "WhereOp"]>];
defvar CIN_Effects = DeclareOpInterfaceMethods<MemoryEffectsOpInterface>;

//===----------------------------------------------------------------------===//
// Where statements stand
//===----------------------------------------------------------------------===//

def CIN_EvaluateOp
    : CIN_Op<"evaluate",
             [AttrSizedOperandSegments, DestinationStyleOpInterface,
              CIN_Effects,
              DeclareOpInterfaceMethods<ReifyRankedShapedTypeOpInterface,
                                        ["reifyResultShapes"]>,
              DeclareOpInterfaceMethods<OpAsmOpInterface,
                                        ["getAsmBlockArgumentNames"]>,
              IsolatedFromAbove, SingleBlock, NoTerminator]> {
  let summary = "Evaluates statements on arrays";
  let description = [{
    Its region has a name for each array and scalar that statements know, `ins`
    first, arrays that are made of these by `cin.assemble`, arrays of its own,
    each a `cin.temporary`, and statements, each a `cin.forall`. Only `outs` and
    temporaries are assigned to. Outs hold what they held before where no
    statement assigns, so statements may also add to them.

    On tensors it has a result for each of `outs`; on memrefs it has none, and
    `outs` share no memory with others.

    Names of arrays are for messages: `names`, if there are any.

    ```mlir
    %y = cin.evaluate ins(%A = %matrix, %x = %vector :
                          tensor<?x?xf32>, tensor<?xf32>)
                      outs(%out = %init : tensor<?xf32>) -> tensor<?xf32> {
      cin.forall (%i) {
        %sum = cin.reduce add (%j) -> f32 {
          %a = cin.access %A[%i, %j] : tensor<?x?xf32>
          %b = cin.access %x[%j] : tensor<?xf32>
          %product = cin.call mul(%a, %b) : (f32, f32) -> f32
          cin.yield %product : f32
        }
        cin.assign %sum to %out[%i] : tensor<?xf32>
      }
    }
    ```
  }];
  let arguments = (ins Variadic<AnyTypeOf<[CIN_Dense, CIN_Scalar]>>:$inputs,
                       Variadic<CIN_Dense>:$inits,
                       OptionalAttr<StrArrayAttr>:$names);
  let results = (outs Variadic<AnyRankedTensor>);
  let regions = (region SizedRegion<1>:$region);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::MutableOperandRange getDpsInitsMutable() {
      return getInitsMutable();
    }
    /// The operand that is known as `argument`.
    ::mlir::OpOperand &getOperandOf(::mlir::BlockArgument argument) {
      return getOperation()->getOpOperand(argument.getArgNumber());
    }
    bool isInit(::mlir::BlockArgument argument) {
      return argument.getArgNumber() >= getInputs().size();
    }
    /// What messages call an array.
    std::string getNameOf(::mlir::Value array);
    /// The same in quotes, and what it is of which array if it stores a part of
    /// one in a format: "positions of level 1 of 'A'".
    std::string getDescriptionOf(::mlir::Value array);
  }];
}

def CIN_AssembleOp : CIN_Op<"assemble", [Pure, AttrSizedOperandSegments,
                                         HasParent<"EvaluateOp">]> {
  let summary = "An array out of those that store it";
  let description = [{
    Names the arrays that store the levels of an array, outermost first:
    positions and coordinates of a `compressed` level, coordinates of a
    `singleton`, booleans of a `bitmap`. `sizes` are those that the type does not
    say.

    An array of `outs` alone may be assigned to. Statements append to it then:
    whatever it held is gone, and positions say how much is stored.

    With `counting`, it has no levels, and nothing may be read from it: what
    statements assign is counted. In the place of values stand integers, of which
    there is one for each level: the positions that it has, or 0 for those that
    are dense or bitmaps.

    With `locating`, an element is where it is stored: its position among the
    values, or the fill, which is -1, if it is nowhere. All coordinates of dense
    levels are checked, and no value is read.

    Values of a format with an encoding are rows of bytes, exactly as many as its
    elements need: two elements a byte may be of an odd number. Nothing is
    assigned to encoded elements.

    ```mlir
    %A = cin.assemble %values levels(%positions, %coordinates) sizes(%m, %n)
        : memref<?xf32>, memref<?xi32>, memref<?xi32>
       -> !cin.array<?x?xf32, #cin.format<dense, compressed fill 0.0 : f32>>
    %T = cin.assemble %bytes sizes(%m, %n) : memref<?x?xi8>
       -> !cin.array<?x?xf32, #cin.format<dense, dense encoding <int8, f32> fill 0.0 : f32>>
    ```
  }];
  let arguments = (ins AnyTypeOf<[CIN_Storage, CIN_Rows]>:$values,
                       Variadic<CIN_Storage>:$levels,
                       Variadic<Index>:$sizes, OptionalAttr<StrAttr>:$name,
                       UnitAttr:$counting, UnitAttr:$locating);
  let results = (outs CIN_ArrayType:$result);
  let assemblyFormat = [{
    (`counting` $counting^)? (`locating` $locating^)? $values (`levels` `(` $levels^ `)`)? (`sizes` `(` $sizes^ `)`)?
    `` custom<ArrayAttributes>(attr-dict) `:` type($values) (`,` type($levels)^)? `->` qualified(type($result))
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The first of the arrays that store a level.
    unsigned getFirstArrayOf(unsigned level);
    /// The size of a dimension that the type does not say.
    ::mlir::Value getSizeOf(unsigned dimension);
    /// The format of rows of bytes; null if values are what they are.
    ::ember::cin::RowFormatAttr getEncoding();
  }];
}

def CIN_ScanOp : CIN_Op<"scan", [HasParent<"EvaluateOp">, CIN_Effects]> {
  let summary = "Names an array of the sums of all lengths before each";
  let description = [{
    The first is 0, and the last, of which there is one more than lengths, the
    sum of all: where consecutive segments of these lengths begin, and end. It
    is computed where it stands among statements, of what the lengths are then. A
    length that is negative is an error of the run, and so are more elements than
    an i64 counts, or than the first dimension of an array has that segments are
    `within`.

    ```mlir
    %offsets = cin.scan %lengths : memref<?xi32> -> memref<?xi64>
    cin.forall (%b) {
      %begin = cin.access %offsets[%b] : memref<?xi64>
      ...
    }
    %ends = cin.scan %lengths within %I : memref<?xi32>, memref<?xi64> -> memref<?xi64>
    ```
  }];
  let arguments = (ins AnyTypeOf<[1DTensorOf<[AnySignlessInteger, Index]>,
                                  MemRefRankOf<[AnySignlessInteger, Index], [1]>]>:$lengths,
                       Optional<AnyTypeOf<[AnyRankedTensor, AnyNon0RankedMemRef]>>:$within);
  let results = (outs AnyTypeOf<[1DTensorOf<[I64]>, MemRefRankOf<[I64], [1]>]>:$result);
  let assemblyFormat = [{
    $lengths (`within` $within^)? attr-dict `:` type($lengths)
    (`,` type($within)^)? `->` type($result)
  }];
  let hasVerifier = 1;
}

def CIN_SameSizeOp : CIN_Op<"same_size", [HasParent<"EvaluateOp">]> {
  let summary = "Asks that two dimensions are of one size";
  let description = [{
    What a variable that is an index of both would ask for, where there is none
    any more, and `variable` is what messages call it; or what is known to be
    wrong otherwise, which `message` says.

    ```mlir
    cin.same_size %x, 0 and %A, 1 {variable = "j"}
        : memref<?xf32> and !cin.array<?x?xf32, #cin.format<dense, compressed fill 0.0 : f32>>
    cin.same_size %heads, 0 and %types, 0 {message = "there are not as many types as heads"}
        : memref<?xi64> and memref<?xi64>
    ```
  }];
  let arguments = (ins CIN_Array:$first,
                       ConfinedAttr<I64Attr, [IntNonNegative]>:$firstDimension,
                       CIN_Array:$second,
                       ConfinedAttr<I64Attr, [IntNonNegative]>:$secondDimension,
                       OptionalAttr<StrAttr>:$variable,
                       OptionalAttr<StrAttr>:$message);
  let assemblyFormat = [{
    $first `,` $firstDimension `and` $second `,` $secondDimension attr-dict `:`
    qualified(type($first)) `and` qualified(type($second))
  }];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Loops over variables
//===----------------------------------------------------------------------===//

/// Binds index variables. Each has a range or, where it has none, all positions
/// of the dimensions that it is the index of.
class CIN_BindingOp<string mnemonic, list<Trait> traits = []>
    : CIN_Op<mnemonic,
             traits # [SingleBlock, AttrSizedOperandSegments,
                       DeclareOpInterfaceMethods<
                           OpAsmOpInterface, ["getAsmBlockArgumentNames"]>]> {
  dag ranges = (ins Variadic<CIN_Index>:$lowers, Variadic<CIN_Index>:$uppers,
                    DenseBoolArrayAttr:$ranged,
                    OptionalAttr<StrArrayAttr>:$names,
                    OptionalAttr<CIN_IterationAttr>:$iteration);
  code declareVariables = [{
    ::mlir::Block::BlockArgListType getVariables() {
      return getBody()->getArguments();
    }
    /// The bounds of a variable, null if it has no range.
    ::mlir::Value getLower(unsigned variable) {
      return getBound(getLowers(), variable);
    }
    ::mlir::Value getUpper(unsigned variable) {
      return getBound(getUppers(), variable);
    }
    ::mlir::Value getBound(::mlir::OperandRange bounds, unsigned variable) {
      ::llvm::ArrayRef<bool> ranged = getRanged();
      if (!ranged[variable])
        return {};
      return bounds[::llvm::count(ranged.take_front(variable), true)];
    }
    /// What messages call a variable.
    std::string getNameOf(unsigned variable) {
      return getVariableName(getNames(), variable);
    }
  }];
  let extraClassDefinition = [{
    void $cppClass::getAsmBlockArgumentNames(
        ::mlir::Region &region, ::mlir::OpAsmSetValueNameFn setName) {
      nameVariables(getNames(), region, setName);
    }
  }];
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}

def CIN_ForallOp
    : CIN_BindingOp<"forall",
                    [NoTerminator, RecursiveMemoryEffects,
                     ParentOneOf<["EvaluateOp", "ForallOp", "IfOp", "WhereOp"]>]> {
  let summary = "Does what its body says for all values of some variables";
  let description = [{
    Variables have ranges, `%begin to %end` without the end, or all positions of
    the dimensions that they are an index of, which all have the same size then;
    but for those that have an affine expression of them as an index, too. A range
    may depend on variables that are bound around the operation. Without
    variables, it does what its body says once.

    Before `--cin-concretize` the order of variables says nothing; behind it,
    each has a `cin.forall` of its own, outer loops outside. `iteration` says then
    at which coordinates the body does anything: `--cin-derive-iteration`.

    The outermost one of a statement may have a `schedule`, about variables of
    its own and of all inside.

    ```mlir
    cin.forall (%i, %p in %begin to %end : i64) {
      %x = cin.access %A[%i, %p] : memref<?x?xf32>
      cin.assign %x to %out[%i, %p] : memref<?x?xf32>
    }
    ```
  }];
  let arguments = !con(ranges, (ins OptionalAttr<CIN_ScheduleAttr>:$schedule));
  let regions = (region SizedRegion<1>:$region);
  let builders = [
    OpBuilder<(ins "::mlir::ValueRange":$lowers, "::mlir::ValueRange":$uppers,
                   "::llvm::ArrayRef<bool>":$ranged, "::mlir::ArrayAttr":$names,
                   "IterationAttr":$iteration), [{
      build($_builder, $_state, lowers, uppers,
            $_builder.getDenseBoolArrayAttr(ranged), names, iteration,
            ScheduleAttr());
    }]>,
    OpBuilder<(ins "::mlir::ValueRange":$lowers, "::mlir::ValueRange":$uppers,
                   "::mlir::DenseBoolArrayAttr":$ranged,
                   "::mlir::ArrayAttr":$names, "IterationAttr":$iteration), [{
      build($_builder, $_state, lowers, uppers, ranged, names, iteration,
            ScheduleAttr());
    }]>,
  ];
  let extraClassDeclaration = declareVariables;
}

def CIN_ReduceOp
    : CIN_BindingOp<"reduce",
                    [RecursiveMemoryEffects, CIN_InStatement, CIN_Calling]> {
  let summary = "What a function makes of all values of an expression";
  let description = [{
    Combines what its body yields for all values of its variables, beginning
    with the function's identity; of a function that has none, nothing to combine
    is an error of the run. The function is associative and commutative, as terms
    are in no order; floating-point sums and products, which are not quite
    associative, are taken for such.

    With `otherwise`, it begins with the first value instead, and is what
    `otherwise` says if there is none. Values are combined in the order of the
    variables then, outer ones first, so the function may be any.

    A reduction with an `iteration` may have a `rest`: the value at each coordinate
    that it does not visit, all of which count, too. The function is idempotent
    then, or annihilated by it, or a sum, or a product of floats. Where the body
    yields a reduction by the same function, over whole dimensions, the `rest` is
    each term that this one has at such a coordinate.

    One that is `continued` goes on with the reduction by the same function whose body
    yields it, as where a range depends on the variable before: all values that are the
    largest share its gradient, and not those of each inner one first.

    ```mlir
    %largest = cin.reduce max (%j) -> f32 {
      %x = cin.access %A[%i, %j] : memref<?x?xf32>
      cin.yield %x : f32
    }
    ```
  }];
  let arguments = !con(ranges, (ins CIN_Callee:$callee,
                                    OptionalAttr<TypedAttrInterface>:$rest,
                                    OptionalAttr<TypedAttrInterface>:$otherwise,
                                    UnitAttr:$continued));
  let results = (outs CIN_Scalar:$result);
  let regions = (region SizedRegion<1>:$region);
  let extraClassDeclaration = declareVariables # [{
    YieldOp getYield();
    Function getFunction() { return Function::lookup(*this, getCallee()); }
    /// What it is without terms; null if its function has no identity and it
    /// does not say it.
    ::mlir::TypedAttr getValueOfNothing();
    /// The reduction by the same function, over whole dimensions, that its body
    /// yields; null if it yields anything else.
    ReduceOp getInner();
    /// The last of those that are in each other, which yields terms of all.
    ReduceOp getInnermost();
    /// An error if terms cannot be combined by it.
    ::llvm::LogicalResult verifyFunction(Function function);
  }];
}

def CIN_YieldOp
    : CIN_Op<"yield", [Pure, Terminator, HasParent<"ReduceOp">]> {
  let summary = "One of the values that a reduction combines";
  let description = [{
    With a condition, there is a value only where it holds.

    ```mlir
    cin.yield %x where %is_kept : f32
    ```
  }];
  let arguments = (ins CIN_Scalar:$value, Optional<I1>:$condition);
  let assemblyFormat = [{
    $value (`where` $condition^)? attr-dict `:` type($value)
  }];
}

//===----------------------------------------------------------------------===//
// Expressions
//===----------------------------------------------------------------------===//

def CIN_AccessOp
    : CIN_Op<"access", [InferTypeOpAdaptor, CIN_Effects, CIN_InStatement]> {
  let summary = "An element of an array";
  let description = [{
    Indices are integers of any type: variables, affine expressions of them, or
    elements of other arrays. An index that is out of bounds when the statement
    is evaluated is an error.

    Of an array in a format, `stored` asks whether the element is stored, whatever
    its value is.

    ```mlir
    %row = cin.access %I[%p] : memref<?xi64>
    %x = cin.access %W[%row, %e] : memref<?x?xf32> (i64, index)
    %is_there = cin.access stored %A[%i, %j]
        : !cin.array<?x?xf32, #cin.format<dense, compressed fill 0.0 : f32>>
    ```
  }];
  let arguments = (ins CIN_Array:$array, Variadic<CIN_Index>:$indices,
                       UnitAttr:$stored);
  let results = (outs CIN_Scalar:$result);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def CIN_ApplyOp : CIN_Op<"apply", CIN_SizeExpression> {
  let summary = "An affine expression of indices";
  let description = [{
    As `affine.apply`, but of any indices: also of elements of arrays.

    ```mlir
    %row = cin.apply affine_map<(d0, d1) -> (d0 * 8 + d1)>(%block, %t : i32, index)
    ```
  }];
  let arguments = (ins AffineMapAttr:$map, Variadic<CIN_Index>:$operands);
  let results = (outs Index:$result);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def CIN_CallOp : CIN_Op<"call", [Pure, CIN_Calling]> {
  let summary = "A function of some values";
  let description = [{
    One of the table, or a `cin.function`. With `approximate`, what it computes
    may be off by some of the last bits.

    ```mlir
    %product = cin.call mul(%x, %y) : (f32, f32) -> f32
    %wide = cin.call convert(%half) : (f16) -> f32
    %divisor = cin.call @gcd(%i, %j) : (i64, i64) -> i64
    %sine = cin.call sin(%angle) {approximate} : (f32) -> f32
    ```
  }];
  let arguments = (ins CIN_Callee:$callee,
                       Variadic<CIN_Scalar>:$operands, UnitAttr:$approximate);
  let results = (outs CIN_Scalar:$result);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    Function getFunction() { return Function::lookup(*this, getCallee()); }
  }];
}

def CIN_LiteralOp
    : CIN_Op<"literal", CIN_SizeExpression # [AllTypesMatch<["value", "result"]>]> {
  let summary = "A number";
  let description = [{
    ```mlir
    %half = cin.literal 5.000000e-01 : f32
    ```
  }];
  let arguments = (ins TypedAttrInterface:$value);
  let results = (outs CIN_Scalar:$result);
  let assemblyFormat = "attr-dict $value";
}

def CIN_StoredOp : CIN_Op<"stored", CIN_Expression> {
  let summary = "Whether an element is stored";
  let description = [{
    Elements of dense arrays always are, those of arrays in a format if they are
    no fill that nothing stores. Of a reduction, it is whether there is a value
    that it combines.

    ```mlir
    %is_edge = cin.stored %weight : f32
    ```
  }];
  let arguments = (ins CIN_Scalar:$value);
  let results = (outs I1:$result);
  let assemblyFormat = "$value attr-dict `:` type($value)";
  let hasVerifier = 1;
}

def CIN_ExtentOp : CIN_Op<"extent", CIN_SizeExpression> {
  let summary = "The size of a dimension of an array";
  let description = [{
    ```mlir
    %n = cin.extent %A, 1 : memref<?x?xf32>
    ```
  }];
  let arguments = (ins CIN_Array:$array,
                       ConfinedAttr<I64Attr, [IntNonNegative]>:$dimension);
  let results = (outs Index:$result);
  let assemblyFormat = "$array `,` $dimension attr-dict `:` type($array)";
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Assignments
//===----------------------------------------------------------------------===//

def CIN_AssignOp
    : CIN_Op<"assign",
             [AttrSizedOperandSegments, CIN_Effects, CIN_Calling,
              ParentOneOf<["ForallOp", "IfOp", "WhereOp"]>]> {
  let summary = "Stores an element, or combines it with what is there";
  let description = [{
    With a function, the element becomes the function of what it was and of the
    value; several assignments to one element are combined in any order then,
    so the function is associative and commutative. Without one, no two values
    of the variables around it assign to the same element. With `first`, the
    element becomes the value itself where that holds, whatever it was, and
    several assignments to it are combined in the order of loops; the function may
    be any then. `first` that never holds asks for the order alone.

    With a condition, an element is assigned to only where it holds. With `fill`,
    a plain assignment says what the element holds before: where the value is the
    same, the assignment may be left out.

    ```mlir
    cin.assign %x to %out[%i] : memref<?xf32>
    cin.assign add %x to %out[%row] where %is_kept : memref<?xf32>
    cin.assign larger %x to %out[%row] first %is_new : memref<?xf32>
    ```
  }];
  let arguments = (ins OptionalAttr<CIN_Callee>:$callee,
                       CIN_Scalar:$value, CIN_Array:$array,
                       Variadic<CIN_Index>:$indices, Optional<I1>:$condition,
                       Optional<I1>:$first,
                       OptionalAttr<TypedAttrInterface>:$fill);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// Whether it combines values with what is there.
    bool isCombining() { return getCallee().has_value(); }
    /// An error if values cannot be combined by it.
    ::llvm::LogicalResult verifyFunction(Function function);
    /// What combines; none if a value takes the place of what is there.
    Function getFunction() {
      return isCombining() ? Function::lookup(*this, *getCallee()) : Function();
    }
  }];
}

def CIN_IfOp : CIN_Op<"if", [SingleBlock, NoTerminator, RecursiveMemoryEffects,
                             ParentOneOf<["ForallOp", "IfOp", "WhereOp"]>]> {
  let summary = "Statements under a condition";
  let description = [{
    What its body says is done, and looked up, only where the condition holds.

    ```mlir
    cin.if %is_kept {
      cin.forall (%e) { ... }
    }
    ```
  }];
  let arguments = (ins I1:$condition);
  let regions = (region SizedRegion<1>:$region);
  let assemblyFormat = "$condition attr-dict-with-keyword $region";
}

def CIN_WhereOp
    : CIN_Op<"where",
             [ParentOneOf<["ForallOp", "IfOp", "WhereOp"]>,
              NoTerminator, RecursiveMemoryEffects, DeclareOpInterfaceMethods<
                  OpAsmOpInterface, ["getAsmBlockArgumentNames"]>]> {
  let summary = "Statements that use what others compute before";
  let description = [{
    The producers compute elements of a workspace, an array of the operation's
    own, and the consumers read them. A workspace in a format knows which of its
    elements are stored, none at first: consumers walk these alone.

    ```mlir
    cin.where (%t : memref<?xf32>, %n) {
      cin.forall (%j) {
        %x = cin.access %t[%j] : memref<?xf32>
        cin.assign %x to %out[%i, %j] : memref<?x?xf32>
      }
    } produced {
      cin.forall (%j) {
        ...
        cin.assign %y to %t[%j] : memref<?xf32>
      }
    }
    ```
  }];
  let arguments = (ins Variadic<Index>:$sizes);
  let regions = (region SizedRegion<1>:$consumers, SizedRegion<1>:$producers);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::ShapedType getWorkspaceType() {
      return ::llvm::cast<::mlir::ShapedType>(
          getConsumers().getArgument(0).getType());
    }
  }];
}

#endif // EMBER_DIALECT_CIN_IR_CINOPS_TD
