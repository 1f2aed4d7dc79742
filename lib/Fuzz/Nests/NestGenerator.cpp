//===- NestGenerator.cpp - Random programs of loops -----------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Puts nests together to functions, functions to programs, and draws the
// inputs.
//
//===----------------------------------------------------------------------===//

#include "ember/Fuzz/Nests/NestGenerator.h"
#include "ember/Fuzz/Evaluation/Arithmetic.h"
#include "ember/Fuzz/Nests/Nests.h"
#include "ember/Fuzz/Reduction/Reductions.h"
#include <algorithm>
#include <cmath>

namespace ember::fuzz {

namespace {

/// A function that others call.
struct Callee {
  Function function;
  std::vector<Parameter> parameters;
  /// What is known of returned memrefs.
  std::vector<Array> results;
};

class FunctionGenerator {
public:
  FunctionGenerator(Random &random, const Style &style, std::string name,
                    const std::vector<Callee> &callees)
      : random(random), style(style), builder(random, style, std::move(name)),
        nests(builder), callees(callees), isCalled(callees.size()) {}

  Callee generate(int64_t nestCount, bool isEntry);

private:
  bool callSome(bool mayReturnMemRefs);
  void call(size_t position);
  std::optional<ValueId> argumentFor(const Parameter &parameter,
                                     const std::vector<ValueId> &taken,
                                     const std::vector<bool> &takenForWrite);
  void allocate();
  std::vector<ValueId> chooseResults();

  Random &random;
  const Style &style;
  Builder builder;
  Nests nests;
  const std::vector<Callee> &callees;
  std::vector<bool> isCalled;
  /// Memrefs allocated here or returned to here.
  std::vector<ValueId> owned;
};

} // namespace

/// True if an array like `actual` may be passed where `formal` is expected.
static bool matches(const Array &actual, const Parameter &formal) {
  const Array &array = formal.array;
  return actual.element == array.element && actual.shape == array.shape &&
         actual.content == array.content &&
         (actual.content == Content::Data || actual.range == array.range);
}

/// A memref in scope for `parameter`, or a new one. Arguments that the callee
/// stores to share no memory with others.
std::optional<ValueId>
FunctionGenerator::argumentFor(const Parameter &parameter,
                               const std::vector<ValueId> &taken,
                               const std::vector<bool> &takenForWrite) {
  std::vector<ValueId> usable;
  for (ValueId memref : builder.memrefs) {
    if (!matches(builder.arrayOf(memref), parameter) ||
        builder.function.types[memref].layout)
      continue;
    bool conflicts = false;
    for (size_t i = 0; i < taken.size(); ++i)
      conflicts |= builder.rootOf(taken[i]) == builder.rootOf(memref) &&
                   (takenForWrite[i] || parameter.isWritten);
    if (!conflicts)
      usable.push_back(memref);
  }
  ValueId memref;
  if (!usable.empty() && random.chance(0.8)) {
    memref = random.pick(usable);
  } else {
    Array array = parameter.array;
    array.name = "passed";
    array.isOutput = parameter.isWritten;
    memref = builder.addParameter(array);
  }
  if (arrayType(builder.arrayOf(memref)) != arrayType(parameter.array))
    memref = builder.castMemRef(memref, parameter.array.isOpen);
  return memref;
}

bool FunctionGenerator::callSome(bool mayReturnMemRefs) {
  if (callees.empty())
    return false;
  size_t position = random.position(callees.size());
  if (!mayReturnMemRefs && !callees[position].results.empty())
    return false;
  call(position);
  return true;
}

void FunctionGenerator::call(size_t position) {
  const Callee &callee = callees[position];
  isCalled[position] = true;
  std::vector<ValueId> operands, taken;
  std::vector<bool> takenForWrite;
  for (const Parameter &parameter : callee.parameters) {
    if (!parameter.isMemRef) {
      operands.push_back(builder.constant(
          parameter.element, static_cast<uint64_t>(parameter.range.low)));
      continue;
    }
    operands.push_back(*argumentFor(parameter, taken, takenForWrite));
    taken.push_back(operands.back());
    takenForWrite.push_back(parameter.isWritten);
    if (parameter.isWritten)
      builder.markWritten(operands.back());
  }
  // Positions count from the last function; generateNests turns them around.
  std::vector<ValueId> results =
      builder.call(position, callee.function, operands);
  size_t next = 0;
  for (ValueId result : results) {
    if (!builder.function.types[result].isMemRef)
      continue;
    builder.describe(result, callee.results[next++]);
    owned.push_back(result);
  }
  for (ValueId result : results)
    if (!builder.function.types[result].isMemRef && random.chance(0.7))
      nests.storeSomewhere(result);
}

void FunctionGenerator::allocate() {
  Array array;
  array.name = "local";
  array.element = random.pick(style.data);
  for (int64_t rank = random.between(1, 2); rank > 0; --rank) {
    array.shape.push_back(random.pick(style.sizes));
    array.isOpen.push_back(random.chance(style.openDimensions));
  }
  array.isOutput = true;
  ValueId memref = builder.alloc(array, false);
  nests.fill(memref);
  owned.push_back(memref);
}

/// Some scalars and some of the memrefs; frees the others.
std::vector<ValueId> FunctionGenerator::chooseResults() {
  std::vector<ValueId> results;
  std::vector<ValueId> scalars = builder.scalars;
  for (int64_t count = random.between(0, 2); count > 0 && !scalars.empty();
       --count) {
    ValueId value = random.pick(scalars);
    if (builder.elementOf(value) != Scalar::I1)
      results.push_back(value);
  }
  for (ValueId memref : owned) {
    if (random.chance(0.6))
      results.insert(results.begin() +
                         static_cast<long>(random.position(results.size() + 1)),
                     memref);
    else
      builder.dealloc(memref);
  }
  return results;
}

Callee FunctionGenerator::generate(int64_t nestCount, bool isEntry) {
  nests.extraStatement = [&] { return callSome(false); };
  if (random.chance(style.allocations))
    allocate();
  for (int64_t i = 0; i < nestCount; ++i) {
    if (random.chance(0.4))
      nests.knownNest();
    else
      nests.anyNest();
    if (random.chance(0.5))
      callSome(true);
  }
  // Functions nobody calls are not run.
  for (size_t i = 0; isEntry && i < callees.size(); ++i)
    if (!isCalled[i])
      call(i);
  std::vector<ValueId> results = chooseResults();
  Callee generated;
  for (ValueId result : results)
    if (builder.function.types[result].isMemRef)
      generated.results.push_back(builder.arrayOf(result));
  generated.function = builder.finish(std::move(results));
  generated.parameters = builder.parameters;
  return generated;
}

//===----------------------------------------------------------------------===//
// Inputs
//===----------------------------------------------------------------------===//

static uint64_t drawNumber(Random &random, Scalar element, bool isWild) {
  if (isFloat(element)) {
    if (isWild && random.chance(0.1))
      return encodeFloat(element, random.pick({0.0, -0.0, 1e30, -1e30, 1e-20,
                                               HUGE_VAL, -HUGE_VAL}));
    // All bits of the fraction count, so that another order of a sum shows.
    return encodeFloat(element, random.fraction() * 4 - 2);
  }
  if (isWild && random.chance(0.3))
    return truncateBits(element, random.next());
  return truncateBits(element, static_cast<uint64_t>(random.between(-9, 9)));
}

static Input drawInput(Random &random, const Parameter &parameter) {
  Input input;
  input.element = parameter.element;
  if (!parameter.isMemRef) {
    input.bits = {static_cast<uint64_t>(parameter.range.low)};
    return input;
  }
  const Array &array = parameter.array;
  input.isMemRef = true;
  input.isReadOnly = !parameter.isWritten;
  input.shape = array.shape;
  bool isWild = random.chance(0.15);
  for (int64_t count = elementCount(array.shape); count > 0; --count) {
    uint64_t bits = array.content == Content::Data
                        ? drawNumber(random, array.element, isWild)
                        : truncateBits(array.element,
                                       static_cast<uint64_t>(random.between(
                                           array.range.low, array.range.high)));
    input.bits.push_back(bits);
  }
  if (array.content != Content::Offsets)
    return input;
  // Empty segments and segments of length one come by themselves; a first
  // offset of 0 and a last one at the end are what most programs have.
  std::sort(input.bits.begin(), input.bits.end());
  if (!input.bits.empty() && random.chance(0.7)) {
    input.bits.front() = static_cast<uint64_t>(array.range.low);
    if (input.bits.size() > 1)
      input.bits.back() = static_cast<uint64_t>(array.range.high);
  }
  return input;
}

/// Lets two inputs be the same memory, if there are two alike.
static void shareMemory(Random &random,
                        const std::vector<Parameter> &parameters,
                        Program &program) {
  std::vector<std::pair<size_t, size_t>> pairs;
  for (size_t i = 0; i < parameters.size(); ++i)
    for (size_t k = 0; k < i; ++k) {
      const Array &one = parameters[i].array, &other = parameters[k].array;
      if (parameters[i].isMemRef && parameters[k].isMemRef &&
          one.element == other.element && one.shape == other.shape &&
          one.content == Content::Data && other.content == Content::Data &&
          !one.shape.empty() && elementCount(one.shape) > 0)
        pairs.push_back({i, k});
    }
  if (pairs.empty())
    return;
  auto [later, earlier] = random.pick(pairs);
  program.inputs[later].sharedWith = earlier;
  program.inputs[later].bits = program.inputs[earlier].bits;
}

/// Makes constants of the module of some inputs that nothing stores to.
static void makeGlobals(Random &random, Program &program) {
  Function &entry = program.functions.front();
  std::vector<ValueId> &arguments = entry.body.arguments;
  for (size_t i = program.inputs.size(); i-- > 0;) {
    Input &input = program.inputs[i];
    ValueId value = arguments[i];
    if (!input.isMemRef || !input.isReadOnly || input.element == Scalar::I1 ||
        input.bits.empty() || entry.types[value].shape != input.shape ||
        random.chance(0.4))
      continue;
    Op get;
    get.opcode = Opcode::GetGlobal;
    get.immediate = program.globals.size();
    get.results = {value};
    entry.body.ops.insert(entry.body.ops.begin(), std::move(get));
    program.globals.push_back(std::move(input));
    program.inputs.erase(program.inputs.begin() + static_cast<long>(i));
    arguments.erase(arguments.begin() + static_cast<long>(i));
    entry.parameterNames.erase(entry.parameterNames.begin() +
                               static_cast<long>(i));
  }
}

static uint64_t drawWrongIndex(Random &random, Scalar element) {
  int64_t wrong = random.chance(0.5)
                      ? random.between(-3, 40)
                      : random.pick<int64_t>({-1, 1 << 20, INT32_MAX, INT32_MIN,
                                              INT64_MAX, INT64_MIN});
  return truncateBits(element, static_cast<uint64_t>(wrong));
}

/// Makes some indices, offsets or sizes wrong.
static void makeFaulty(Random &random, const std::vector<Parameter> &parameters,
                       Program &program) {
  for (int64_t count = random.between(1, 3); count > 0; --count) {
    size_t position = random.position(parameters.size());
    Input &input = program.inputs[position];
    if (!input.isMemRef)
      input.bits[0] += static_cast<uint64_t>(random.between(-3, 3));
    else if (parameters[position].array.content != Content::Data &&
             !input.bits.empty())
      input.bits[random.position(input.bits.size())] =
          drawWrongIndex(random, input.element);
  }
  program.isFaulty = true;
  // What is not seen need not be reported.
  removeDeadCode(program);
}

Program generateNests(Random &random) {
  Style style = drawStyle(random);
  std::vector<Callee> functions;
  size_t calleeCount = random.weighted({6, 2, 1});
  for (size_t i = 0; i <= calleeCount; ++i) {
    bool isEntry = i == calleeCount;
    FunctionGenerator generator(
        random, style, isEntry ? "entry" : "callee" + std::to_string(i),
        functions);
    functions.push_back(
        generator.generate(isEntry ? random.between(1, 3) : 1, isEntry));
    functions.back().function.isPrivate = !isEntry && random.chance(0.5);
  }
  Program program;
  for (const Parameter &parameter : functions.back().parameters)
    program.inputs.push_back(drawInput(random, parameter));
  const std::vector<Parameter> parameters = functions.back().parameters;
  // The entry comes first, so positions of callees turn around.
  for (size_t i = functions.size(); i-- > 0;)
    program.functions.push_back(std::move(functions[i].function));
  size_t last = program.functions.size() - 1;
  std::function<void(Block &)> turnCalls = [&](Block &block) {
    for (Op &op : block.ops) {
      if (op.opcode == Opcode::Call)
        op.immediate = last - op.immediate;
      for (Block &region : op.regions)
        turnCalls(region);
    }
  };
  for (Function &function : program.functions)
    turnCalls(function.body);
  if (random.chance(0.1))
    shareMemory(random, parameters, program);
  else if (random.chance(0.12) && !parameters.empty())
    makeFaulty(random, parameters, program);
  bool isShared = false;
  for (const Input &input : program.inputs)
    isShared |= input.sharedWith.has_value();
  if (!isShared && random.chance(0.2))
    makeGlobals(random, program);
  return program;
}

} // namespace ember::fuzz
