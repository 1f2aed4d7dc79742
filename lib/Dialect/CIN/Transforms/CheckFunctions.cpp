//===- CheckFunctions.cpp - What is declared of functions, on values ------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Dialect/CIN/IR/CIN.h"
#include "ember/Dialect/CIN/Transforms/FunctionCode.h"
#include "ember/Dialect/CIN/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace ember::cin {
#define GEN_PASS_DEF_CHECKFUNCTIONS
#include "ember/Dialect/CIN/Transforms/Passes.h.inc"
} // namespace ember::cin

using namespace mlir;
using namespace ember;
using namespace ember::cin;

using Values = SmallVector<TypedAttr>;

/// Numbers of a type that tell functions apart. Neither infinities nor NaN:
/// what is declared is not about them, as everywhere with sparse arrays.
static Values getAllSamples(Type type) {
  if (auto number = dyn_cast<FloatType>(type))
    return llvm::map_to_vector(ArrayRef<double>{0, 1, -1, 2, -0.5, 3},
                               [&](double value) -> TypedAttr {
                                 return FloatAttr::get(number, value);
                               });
  if (type.isInteger(1))
    return {IntegerAttr::get(type, 0), IntegerAttr::get(type, 1)};
  unsigned width =
      type.isIndex() ? 64 : std::min(64u, type.getIntOrFloatBitWidth());
  Values samples;
  for (int64_t value : {0, 1, -1, 2, -3, 6})
    if (llvm::isIntN(width, value))
      samples.push_back(IntegerAttr::get(type, value));
  return samples;
}

static Values getSamples(Type type, size_t most) {
  Values samples = getAllSamples(type);
  samples.truncate(std::min(samples.size(), most));
  return samples;
}

/// Whether two results are one, but for what sums and products of floats in
/// another order are off by.
static bool areClose(TypedAttr a, TypedAttr b) {
  auto left = dyn_cast<FloatAttr>(a), right = dyn_cast<FloatAttr>(b);
  if (areSame(a, b) || !left || !right)
    return areSame(a, b);
  double x = left.getValueAsDouble(), y = right.getValueAsDouble();
  return std::abs(x - y) <= 1e-2 * std::max(std::abs(x), std::abs(y)) + 1e-6;
}

namespace {
/// Computes one function of samples.
class FunctionChecker {
public:
  explicit FunctionChecker(FunctionOp op) : op(op), function(op) {}

  LogicalResult run();

private:
  /// Calls `check` with samples in place of the operands that `given` has no
  /// value for, until it fails.
  LogicalResult
  forSamples(Values given,
             llvm::function_ref<LogicalResult(const Values &)> check,
             unsigned operand = 0);
  TypedAttr call(ArrayRef<TypedAttr> operands) {
    return foldCall(function, operands, op.getResultType());
  }
  /// `gcd(2, 3)`
  std::string describe(ArrayRef<TypedAttr> operands);
  static std::string describe(TypedAttr value);
  /// Whether both are known, and are not the same.
  static bool differ(TypedAttr a, TypedAttr b) {
    return a && b && !areClose(a, b);
  }
  /// An error unless the function of `operands` is `expected`.
  LogicalResult expect(ArrayRef<TypedAttr> operands, TypedAttr expected,
                       StringRef declared);

  LogicalResult checkCommutative();
  LogicalResult checkAssociative();
  LogicalResult checkIdempotent();
  LogicalResult checkSpecial();
  LogicalResult checkIteration();
  LogicalResult checkCases();

  FunctionOp op;
  Function function;
};
} // namespace

LogicalResult FunctionChecker::forSamples(
    Values given, llvm::function_ref<LogicalResult(const Values &)> check,
    unsigned operand) {
  if (operand == given.size())
    return check(given);
  if (given[operand])
    return forSamples(given, check, operand + 1);
  // Of many operands, few values of each.
  size_t most = given.size() <= 2 ? 6 : given.size() == 3 ? 4 : 2;
  for (TypedAttr sample : getSamples(op.getOperandTypes()[operand], most)) {
    given[operand] = sample;
    if (failed(forSamples(given, check, operand + 1)))
      return failure();
  }
  return success();
}

std::string FunctionChecker::describe(TypedAttr value) {
  llvm::SmallString<16> text;
  if (auto number = dyn_cast<FloatAttr>(value))
    number.getValue().toString(text, /*FormatPrecision=*/6);
  else if (value.getType().isInteger(1))
    text = cast<IntegerAttr>(value).getValue().isOne() ? "true" : "false";
  else
    cast<IntegerAttr>(value).getValue().toStringSigned(text);
  return text.str().str();
}

std::string FunctionChecker::describe(ArrayRef<TypedAttr> operands) {
  std::string text = op.getNotationName().str() + "(";
  llvm::raw_string_ostream os(text);
  llvm::interleaveComma(operands, os,
                        [&](TypedAttr value) { os << describe(value); });
  return text + ")";
}

LogicalResult FunctionChecker::expect(ArrayRef<TypedAttr> operands,
                                      TypedAttr expected, StringRef declared) {
  TypedAttr value = call(operands);
  auto number = dyn_cast_if_present<FloatAttr>(value);
  // 0 / 0 refutes no annihilator.
  if (!differ(value, expected) || (number && number.getValue().isNaN()))
    return success();
  return op.emitOpError() << "is declared " << declared << ", but "
                          << describe(operands) << " is " << describe(value)
                          << ", not " << describe(expected);
}

LogicalResult FunctionChecker::checkCommutative() {
  if (!function.isCommutative())
    return success();
  return forSamples(Values(op.getArity()), [&](const Values &operands) {
    // Of two neighbours in the other order, all orders follow.
    for (unsigned first = 0; first + 1 < operands.size(); ++first) {
      Values swapped = operands;
      std::swap(swapped[first], swapped[first + 1]);
      TypedAttr value = call(operands), other = call(swapped);
      if (differ(value, other))
        return LogicalResult(op.emitOpError()
                             << "is declared commutative, but "
                             << describe(operands) << " is " << describe(value)
                             << ", and " << describe(swapped) << " is "
                             << describe(other));
    }
    return success();
  });
}

LogicalResult FunctionChecker::checkAssociative() {
  if (!function.isAssociative())
    return success();
  Values samples = getSamples(op.getResultType(), 5);
  for (TypedAttr x : samples)
    for (TypedAttr y : samples)
      for (TypedAttr z : samples) {
        TypedAttr first = call({x, y}), last = call({y, z});
        if (!first || !last)
          continue;
        TypedAttr left = call({first, z}), right = call({x, last});
        if (!differ(left, right))
          continue;
        std::string name = op.getNotationName().str();
        auto text = [&](TypedAttr value) { return describe(value); };
        return op.emitOpError()
               << "is declared associative, but " << name << "("
               << describe({x, y}) << ", " << text(z) << ") is " << text(left)
               << ", and " << name << "(" << text(x) << ", " << describe({y, z})
               << ") is " << text(right);
      }
  return success();
}

LogicalResult FunctionChecker::checkIdempotent() {
  if (!function.isIdempotent())
    return success();
  for (TypedAttr sample : getAllSamples(op.getResultType()))
    if (failed(expect(Values(op.getArity(), sample), sample, "idempotent")))
      return failure();
  return success();
}

LogicalResult FunctionChecker::checkSpecial() {
  for (unsigned operand = 0; operand < op.getArity(); ++operand) {
    Type type = op.getOperandTypes()[operand];
    for (const SpecialValue &special : function.getSpecial(type)) {
      if (!special.isAt(operand))
        continue;
      bool isIdentity = !special.result;
      std::string declared =
          (isIdentity ? "with identity " : "with annihilator ") +
          describe(special.value);
      Values given(op.getArity());
      given[operand] = special.value;
      LogicalResult holds =
          forSamples(given, [&](const Values &operands) -> LogicalResult {
            return expect(operands,
                          isIdentity ? operands[1 - operand] : special.result,
                          declared);
          });
      if (failed(holds))
        return failure();
    }
  }
  return success();
}

LogicalResult FunctionChecker::checkIteration() {
  std::optional<DeclaredIteration> iteration = function.getIteration();
  if (!iteration)
    return success();
  TypedAttr elsewhere =
      iteration->elsewhere ? iteration->elsewhere : call(iteration->fills);
  if (!elsewhere)
    return success();
  std::string declared = "with iteration " + iteration->set.text();
  for (OperandMask region = 0; region < OperandMask(1) << op.getArity();
       ++region) {
    if (iteration->set.contains(region))
      continue;
    Values given;
    for (auto [operand, fill] : llvm::enumerate(iteration->fills))
      given.push_back(region >> operand & 1 ? TypedAttr() : fill);
    LogicalResult holds =
        forSamples(given, [&](const Values &operands) -> LogicalResult {
          // Samples may be fills, too.
          OperandMask mine = 0;
          for (auto [operand, value] : llvm::enumerate(operands))
            if (!areSame(value, iteration->fills[operand]))
              mine |= OperandMask(1) << operand;
          if (iteration->set.contains(mine))
            return success();
          return expect(operands, elsewhere, declared);
        });
    if (failed(holds))
      return failure();
  }
  return success();
}

LogicalResult FunctionChecker::checkCases() {
  for (const FunctionCase &given : function.getCases()) {
    LogicalResult holds =
        forSamples(given.values, [&](const Values &operands) -> LogicalResult {
          Values arguments;
          for (auto [value, operand] : llvm::zip_equal(given.values, operands))
            if (!value)
              arguments.push_back(operand);
          TypedAttr expected = call(operands),
                    mine = foldCase(given, arguments);
          if (!differ(mine, expected))
            return success();
          return op.emitOpError()
                 << "has a case that makes " << describe(mine) << " of "
                 << describe(operands) << ", which its body makes "
                 << describe(expected) << " of";
        });
    if (failed(holds))
      return failure();
  }
  return success();
}

LogicalResult FunctionChecker::run() {
  return failure(failed(checkCommutative()) || failed(checkAssociative()) ||
                 failed(checkIdempotent()) || failed(checkSpecial()) ||
                 failed(checkIteration()) || failed(checkCases()));
}

namespace {
struct CheckFunctions
    : public ember::cin::impl::CheckFunctionsBase<CheckFunctions> {
  void runOnOperation() override {
    for (auto function : getOperation().getOps<FunctionOp>())
      if (failed(FunctionChecker(function).run()))
        return signalPassFailure();
  }
};
} // namespace
