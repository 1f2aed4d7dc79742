//===- Builtins.h - Functions that every statement may call -----*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One row a function: its operands, and what is known of it. Which points of
// sparse arrays a statement may skip, and which reductions may be reordered,
// follows from a row alone (Hsu's dissertation, sections 3.5.3 and 3.6.2, where
// associativity is missing). What code a function becomes is the table of
// BuiltinCode.cpp. Passes ask rows and functions of users alike: Function.h.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_DIALECT_CIN_IR_BUILTINS_H
#define EMBER_DIALECT_CIN_IR_BUILTINS_H

#include "mlir/IR/BuiltinAttributeInterfaces.h"
#include "mlir/IR/Types.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <array>
#include <optional>

namespace ember::cin {

/// A value that exists in every type, as far as it makes sense there.
enum class Constant : uint8_t { zero, one, allOnes, lowest, highest };

/// `constant` of `type`: the lowest float is -inf, the lowest integer that of
/// signed ones, and all bits of a boolean are true.
mlir::TypedAttr getConstant(Constant constant, mlir::Type type);

/// How types of operands and result go together.
enum class Signature : uint8_t {
  /// All are of one type.
  same,
  /// Operands are of one type, the result is a boolean.
  comparison,
  /// A boolean chooses one of two values.
  choice,
  /// From any type to any.
  conversion,
  /// The same bits as a value of another type.
  reinterpretation,
};

/// Types of operands.
enum TypeClass : uint8_t {
  booleans = 1,
  integers = 2,
  floats = 4,
  numbers = integers | floats,
  bits = booleans | integers,
  all = booleans | integers | floats,
};

/// An operand that decides on what a function is, or that changes nothing.
struct SpecialOperand {
  Constant value;
  /// Which operand it is; none for any.
  std::optional<unsigned> position = std::nullopt;
  /// What the function is then: an annihilator's. None for an identity: the
  /// other operand.
  std::optional<Constant> result = std::nullopt;
  /// What the other operand may not be.
  std::optional<Constant> unless = std::nullopt;
  /// Types that it holds for.
  TypeClass types = all;

  bool isAt(unsigned operand) const {
    return !position || *position == operand;
  }
};

struct Builtin {
  llvm::StringLiteral name;
  unsigned arity;
  Signature signature;
  TypeClass types;
  bool isCommutative = false;
  bool isAssociative = false;
  /// f(x, x) = x.
  bool isIdempotent = false;
  /// How long a call takes, in additions.
  unsigned cost = 1;
  /// Whether all code computes the same bits of the same floats. Series are
  /// evaluated otherwise in loops of lanes.
  bool isRoundedOnce = true;
  /// Annihilators and identities. What an annihilator makes of infinities and
  /// NaN is not asked, as everywhere with sparse arrays.
  std::array<SpecialOperand, 4> specialOperands = {};
  unsigned specialCount = 0;

  llvm::ArrayRef<SpecialOperand> special() const {
    return llvm::ArrayRef(specialOperands).take_front(specialCount);
  }
  /// The value that f leaves every other as it is with, on either side.
  const SpecialOperand *findIdentity() const {
    for (const SpecialOperand &operand : special())
      if (!operand.result && !operand.position)
        return &operand;
    return nullptr;
  }
};

/// Whether two numbers are the same, apart from signs of zeros and kinds of
/// NaN.
bool areSame(mlir::TypedAttr a, mlir::TypedAttr b);

llvm::ArrayRef<Builtin> getBuiltins();
/// The one of that name, or null.
const Builtin *findBuiltin(llvm::StringRef name);

/// Another name that statements have for a function: `sum` is `add`.
struct Synonym {
  llvm::StringLiteral name;
  llvm::StringLiteral function;
};
llvm::ArrayRef<Synonym> getSynonyms();
/// The function that statements call by its own name or by another.
const Builtin *findBuiltinOfStatements(llvm::StringRef name);
/// Whether `types` has `type`.
bool contains(TypeClass types, mlir::Type type);

} // namespace ember::cin

#endif // EMBER_DIALECT_CIN_IR_BUILTINS_H
