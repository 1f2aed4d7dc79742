//===- CINFunctions.td - Functions that users define -------*- tablegen -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_DIALECT_CIN_IR_CINFUNCTIONS_TD
#define EMBER_DIALECT_CIN_IR_CINFUNCTIONS_TD

include "ember/Dialect/CIN/IR/CINAttributes.td"
include "mlir/IR/BuiltinAttributes.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def CIN_SpecialArray
    : TypedArrayAttrBase<CIN_SpecialAttr, "array of #cin.special">;

def CIN_FunctionOp
    : Op<CIN_Dialect, "function",
         [IsolatedFromAbove, Symbol,
          DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "A function that statements call by name";
  let description = [{
    A scalar of scalars: its body computes in `arith` and `math`, with `scf.if`,
    `scf.for` and `scf.while`, and by `cin.call` of other functions, but not of
    itself. It has no memory and no effects.

    What is known of it is declared, as it is of functions of the table:

    - `commutative`, `associative`, and `idempotent`: f(x, ..., x) = x;
    - `annihilators`: values that make a constant of it, whatever other operands
      are, at any operand or at one;
    - `identities`, of two operands: values that leave the other one as it is;
    - `iteration`: a set of the operands, of which each stands for the points
      where it is not its value in `fills` (0 if nothing is said). Elsewhere the
      function is `elsewhere`, or what it is of all fills.

    A reduction is in no order, so it needs a function that is associative and
    commutative. Without an identity, a reduction of nothing is an error of the
    run. `--cin-check-functions` computes the function of some values, and
    refuses declarations that are refuted.

    Behind the body there may be others, for operands of which some have a known
    value: what the function is then, computed with less. Where a loop knows that
    an array does not store a coordinate, or an operand is a number, that one is
    used. Only operands without a value are its arguments.

    Several functions may have one name in notation, `overload`, for operands of
    other types each.

    ```mlir
    cin.function @gcd(%x: i64, %y: i64) -> i64
        attributes {associative, commutative, identities = [#cin.special<0 : i64>],
                    iteration = #cin.iteration<"0 | 1">} {
      %a = math.absi %x : i64
      %b = math.absi %y : i64
      %zero = arith.constant 0 : i64
      %rest:2 = scf.while (%p = %a, %q = %b) : (i64, i64) -> (i64, i64) {
        %more = arith.cmpi ne, %p, %zero : i64
        scf.condition(%more) %p, %q : i64, i64
      } do {
      ^bb0(%p: i64, %q: i64):
        %next = arith.remsi %q, %p : i64
        scf.yield %next, %p : i64, i64
      }
      cin.return %rest#1 : i64
    } case (%x, 0 : i64) {
      %a = math.absi %x : i64
      cin.return %a : i64
    }
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name,
                       TypeAttrOf<FunctionType>:$function_type,
                       UnitAttr:$commutative, UnitAttr:$associative,
                       UnitAttr:$idempotent,
                       OptionalAttr<CIN_SpecialArray>:$annihilators,
                       OptionalAttr<CIN_SpecialArray>:$identities,
                       OptionalAttr<CIN_IterationAttr>:$iteration,
                       OptionalAttr<ArrayAttr>:$fills,
                       OptionalAttr<TypedAttrInterface>:$elsewhere,
                       OptionalAttr<ArrayAttr>:$cases,
                       OptionalAttr<StrAttr>:$overload);
  let regions = (region SizedRegion<1>:$body,
                        VariadicRegion<SizedRegion<1>>:$case_bodies);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::TypeRange getOperandTypes() { return getFunctionType().getInputs(); }
    ::mlir::Type getResultType() { return getFunctionType().getResult(0); }
    unsigned getArity() { return getFunctionType().getNumInputs(); }
    /// What notation calls it by.
    ::mlir::StringAttr getNotationNameAttr() {
      return getOverloadAttr() ? getOverloadAttr() : getSymNameAttr();
    }
    ::llvm::StringRef getNotationName() {
      return getNotationNameAttr().getValue();
    }
    /// What an operand is where it is not one of the iteration's.
    ::mlir::TypedAttr getFill(unsigned operand);
  }];
}

def CIN_ReturnOp
    : Op<CIN_Dialect, "return", [Pure, Terminator, HasParent<"FunctionOp">]> {
  let summary = "What a function is of its operands";
  let description = [{
    ```mlir
    cin.return %sum : f32
    ```
  }];
  let arguments = (ins AnyTypeOf<[AnySignlessInteger, Index, AnyFloat]>:$value);
  let assemblyFormat = "$value attr-dict `:` type($value)";
}

#endif // EMBER_DIALECT_CIN_IR_CINFUNCTIONS_TD
