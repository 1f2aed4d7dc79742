//===- Steps.cpp - Functions that message passing calls -------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Fuzz/Embeddings/Steps.h"
#include "ember/Fuzz/Evaluation/Approximate.h"
#include <algorithm>
#include <cmath>
#include <set>

namespace ember::fuzz {

namespace {
using Evaluate = Approximate (*)(const ApproximateArithmetic &, Approximate,
                                 Approximate);

struct StepRow {
  const char *name;
  Evaluate evaluate;
  /// Of a function of the program's own, behind its name, where TYPE is that of
  /// its values.
  const char *definition = nullptr;
};
} // namespace

/// NaN is larger than all numbers, and the sign of zero is left open.
static Approximate largest(const ApproximateArithmetic &arithmetic,
                           Approximate a, Approximate b) {
  Approximate larger = arithmetic.maximum(a, b);
  if (std::isnan(b.value))
    larger.value = b.value;
  if (a.value == 0 && b.value == 0)
    larger.error = std::max(larger.error, 0x1p-1074);
  return larger;
}

static Approximate rectify(const ApproximateArithmetic &, Approximate a,
                           Approximate) {
  // The sign of zero is left open.
  if (a.value <= 0)
    return {0, std::max(a.error + a.value, 0x1p-1074)};
  return a;
}

/// In the order of `StepFunction`.
static const StepRow rows[] = {
    {"", [](auto &, Approximate a, Approximate) { return a; }},
    {"mul", [](auto &in, auto a, auto b) { return in.multiply(a, b); }},
    {"add", [](auto &in, auto a, auto b) { return in.add(a, b); }},
    {"sub", [](auto &in, auto a, auto b) { return in.subtract(a, b); }},
    {"min",
     [](auto &in, auto a, auto b) {
       return in.negate(largest(in, in.negate(a), in.negate(b)));
     }},
    {"max", [](auto &in, auto a, auto b) { return largest(in, a, b); }},
    {"larger", [](auto &in, auto a, auto b) { return in.maximum(a, b); }},
    {"distance",
     [](auto &in, auto a, auto b) { return in.absolute(in.subtract(a, b)); },
     R"((%x: TYPE, %y: TYPE) -> TYPE attributes {commutative} {
    %difference = arith.subf %x, %y : TYPE
    %distance = math.absf %difference : TYPE
    cin.return %distance : TYPE
  })"},
    {"plus", [](auto &in, auto a, auto b) { return in.add(a, b); },
     R"((%x: TYPE, %y: TYPE) -> TYPE
      attributes {associative, commutative, identities = [#cin.special<0.0 : TYPE>]} {
    %sum = arith.addf %x, %y : TYPE
    cin.return %sum : TYPE
  })"},
    {"sigmoid", [](auto &in, auto a, auto) { return in.sigmoid(a); }},
    {"relu", rectify},
    {"exp", [](auto &in, auto a, auto) { return in.exponential(a); }},
    {"abs", [](auto &in, auto a, auto) { return in.absolute(a); }},
    {"neg", [](auto &in, auto a, auto) { return in.negate(a); }},
    {"halve", [](auto &in, auto a, auto) { return in.multiply(a, {0.5, 0}); },
     R"((%x: TYPE) -> TYPE {
    %half = arith.constant 0.5 : TYPE
    %halved = arith.mulf %x, %half : TYPE
    cin.return %halved : TYPE
  })"},
};

static const StepRow &rowOf(StepFunction step) {
  return rows[static_cast<size_t>(step)];
}

Approximate applyStep(const ApproximateArithmetic &arithmetic,
                      StepFunction step, Approximate a, Approximate b) {
  return rowOf(step).evaluate(arithmetic, a, b);
}

std::string nameStep(StepFunction step, Scalar type) {
  const StepRow &row = rowOf(step);
  if (!row.definition)
    return row.name;
  return std::string("@") + row.name + "_" + spelling(type);
}

Scalar computedType(const Op &op, const std::vector<Type> &types) {
  bool isWide =
      std::any_of(op.operands.begin(), op.operands.end(), [&](ValueId value) {
        return types[value].element == Scalar::F64;
      });
  return isWide ? Scalar::F64 : Scalar::F32;
}

static std::string define(StepFunction step, Scalar type) {
  std::string text = "  cin.function " + nameStep(step, type);
  std::string rest = rowOf(step).definition;
  constexpr std::string_view word = "TYPE";
  for (size_t at; (at = rest.find(word)) != std::string::npos;)
    rest.replace(at, word.size(), spelling(type));
  return text + rest + "\n";
}

std::string printStepFunctions(const Program &program) {
  std::set<std::pair<StepFunction, Scalar>> called;
  for (const Function &function : program.functions)
    for (const Op &op : function.body.ops)
      if (op.embedding && op.embedding->hasSteps())
        for (StepFunction step : op.embedding->steps())
          if (rowOf(step).definition)
            called.emplace(step, computedType(op, function.types));
  std::string text;
  for (auto [step, type] : called)
    text += define(step, type);
  return text;
}

} // namespace ember::fuzz
