//===- Interpreter.cpp - What a program computes --------------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tree walk over the operations. Everything that must not happen in a legal
// program is checked: elements outside a memref or never written, divisions by
// zero, freed memory.
//
//===----------------------------------------------------------------------===//

#include "ember/Fuzz/Evaluation/Interpreter.h"
#include "ember/Fuzz/Embeddings/EmbeddingEvaluator.h"
#include "ember/Fuzz/Evaluation/Arithmetic.h"
#include "ember/Fuzz/Statements/StatementEvaluator.h"
#include <algorithm>
#include <cmath>

namespace ember::fuzz {

namespace {

struct Value {
  uint64_t bits = 0;
  View view;
};

using Frame = std::vector<Value>;

class Evaluator {
public:
  Evaluator(const Program &program, int64_t stepLimit)
      : program(program), stepLimit(stepLimit) {}

  Outcome run();

private:
  /// The functions below return false where the evaluation must stop.
  bool call(const Function &function, const std::vector<Value> &arguments,
            std::vector<Value> &results);
  bool runBlock(const Function &function, const Block &block, Frame &frame);
  bool runOp(const Function &function, const Op &op, Frame &frame);
  bool runFor(const Function &function, const Op &op, Frame &frame);
  bool runWhile(const Function &function, const Op &op, Frame &frame);
  bool runIf(const Function &function, const Op &op, Frame &frame);
  bool runCall(const Op &op, Frame &frame);
  bool runLoad(const Op &op, Frame &frame);
  bool runStore(const Op &op, Frame &frame);
  bool runSubView(const Op &op, Frame &frame);
  bool runCopy(const Op &op, Frame &frame);
  bool runAlloc(const Function &function, const Op &op, Frame &frame);
  bool runCompute(const Function &function, const Op &op, Frame &frame);
  bool runEmbedding(const Function &function, const Op &op, Frame &frame);

  bool locate(const View &view, const std::vector<ValueId> &operands,
              size_t firstIndex, Frame &frame, int64_t &position);
  bool stop(Outcome::Status status, std::string message) {
    outcome.status = status;
    outcome.message = std::move(message);
    return false;
  }

  /// Stops for what compiled programs must report, too.
  bool report(std::string message) {
    outcome.isReported = true;
    return stop(Outcome::Trap, std::move(message));
  }

  const Program &program;
  int64_t stepLimit;
  Outcome outcome;
  std::vector<View> globals;
};

} // namespace

static int64_t asSigned(const Value &value) {
  return static_cast<int64_t>(value.bits);
}

bool Evaluator::locate(const View &view, const std::vector<ValueId> &operands,
                       size_t firstIndex, Frame &frame, int64_t &position) {
  position = view.offset;
  for (size_t i = 0; i < view.sizes.size(); ++i) {
    int64_t index = asSigned(frame[operands[firstIndex + i]]);
    if (index < 0 || index >= view.sizes[i])
      return report("index " + std::to_string(index) + " of dimension " +
                    std::to_string(i) + " of size " +
                    std::to_string(view.sizes[i]));
    position += index * view.strides[i];
  }
  if (view.storage->isFreed)
    return stop(Outcome::Trap, "use of freed memory");
  return true;
}

bool Evaluator::runLoad(const Op &op, Frame &frame) {
  const View &view = frame[op.operands[0]].view;
  int64_t position;
  if (!locate(view, op.operands, 1, frame, position))
    return false;
  if (!view.storage->isWritten[position])
    return stop(Outcome::Trap, "load of an element never written");
  if (view.storage->error(position) > 0)
    return stop(Outcome::Unspecified, "load of an element that is not exact");
  frame[op.results[0]].bits = view.storage->bits[position];
  return true;
}

bool Evaluator::runStore(const Op &op, Frame &frame) {
  const View &view = frame[op.operands[1]].view;
  int64_t position;
  if (!locate(view, op.operands, 2, frame, position))
    return false;
  view.storage->bits[position] = frame[op.operands[0]].bits;
  view.storage->isWritten[position] = true;
  return true;
}

bool Evaluator::runSubView(const Op &op, Frame &frame) {
  const View &source = frame[op.operands[0]].view;
  size_t next = 1;
  auto resolve = [&](int64_t value) {
    return value == kDynamic ? asSigned(frame[op.operands[next++]]) : value;
  };
  View view{source.storage, source.offset, {}, {}};
  std::vector<int64_t> offsets;
  for (int64_t offset : op.offsets)
    offsets.push_back(resolve(offset));
  for (int64_t size : op.sizes)
    view.sizes.push_back(resolve(size));
  for (size_t i = 0; i < offsets.size(); ++i) {
    int64_t stride = resolve(op.strides[i]);
    int64_t last = offsets[i] + (view.sizes[i] - 1) * stride;
    if (offsets[i] < 0 || view.sizes[i] < 0 || offsets[i] > source.sizes[i] ||
        (view.sizes[i] > 0 && (last < 0 || last >= source.sizes[i])))
      return report("view outside of its source");
    view.offset += offsets[i] * source.strides[i];
    view.strides.push_back(stride * source.strides[i]);
  }
  frame[op.results[0]].view = std::move(view);
  return true;
}

bool Evaluator::runCopy(const Op &op, Frame &frame) {
  const View &from = frame[op.operands[0]].view;
  const View &to = frame[op.operands[1]].view;
  if (from.sizes != to.sizes)
    return stop(Outcome::Trap, "copy between different shapes");
  if (from.storage == to.storage)
    return stop(Outcome::Unspecified, "copy within one memory");
  if (from.storage->isFreed || to.storage->isFreed)
    return stop(Outcome::Trap, "use of freed memory");
  for (int64_t k = 0; k < elementCount(from.sizes); ++k) {
    int64_t source = positionOf(from, k), target = positionOf(to, k);
    if (!from.storage->isWritten[source])
      return stop(Outcome::Trap, "copy of an element never written");
    if (from.storage->error(source) > 0)
      return stop(Outcome::Unspecified, "copy of an element that is not exact");
    to.storage->bits[target] = from.storage->bits[source];
    to.storage->isWritten[target] = true;
  }
  return true;
}

bool Evaluator::runAlloc(const Function &function, const Op &op, Frame &frame) {
  std::vector<int64_t> sizes;
  size_t next = 0;
  for (int64_t size : function.types[op.results[0]].shape)
    sizes.push_back(size == kDynamic ? asSigned(frame[op.operands[next++]])
                                     : size);
  for (int64_t size : sizes)
    if (size < 0 || size > 100000)
      return stop(Outcome::Trap, "allocation of impossible size");
  auto storage = std::make_shared<Storage>();
  storage->bits.resize(elementCount(sizes));
  storage->isWritten.resize(storage->bits.size());
  frame[op.results[0]].view = contiguousView(storage, sizes);
  return true;
}

bool Evaluator::runFor(const Function &function, const Op &op, Frame &frame) {
  const Block &body = op.regions[0];
  int64_t upper = asSigned(frame[op.operands[1]]);
  int64_t step = asSigned(frame[op.operands[2]]);
  if (step <= 0)
    return stop(Outcome::Trap, "step that is not positive");
  outcome.hasReversedRange |= asSigned(frame[op.operands[0]]) > upper;
  std::vector<Value> carried;
  for (size_t i = 3; i < op.operands.size(); ++i)
    carried.push_back(frame[op.operands[i]]);
  for (int64_t i = asSigned(frame[op.operands[0]]); i < upper;) {
    frame[body.arguments[0]].bits = static_cast<uint64_t>(i);
    for (size_t k = 0; k < carried.size(); ++k)
      frame[body.arguments[1 + k]] = carried[k];
    if (!runBlock(function, body, frame))
      return false;
    for (size_t k = 0; k < carried.size(); ++k)
      carried[k] = frame[body.yields[k]];
    if (__builtin_add_overflow(i, step, &i))
      return stop(Outcome::Trap, "step over the largest index");
  }
  for (size_t k = 0; k < carried.size(); ++k)
    frame[op.results[k]] = carried[k];
  return true;
}

bool Evaluator::runWhile(const Function &function, const Op &op, Frame &frame) {
  const Block &test = op.regions[0], &body = op.regions[1];
  std::vector<Value> handed;
  auto read = [&](const std::vector<ValueId> &values, size_t first) {
    handed.clear();
    for (size_t i = first; i < values.size(); ++i)
      handed.push_back(frame[values[i]]);
  };
  auto write = [&](const std::vector<ValueId> &values) {
    for (size_t i = 0; i < values.size(); ++i)
      frame[values[i]] = handed[i];
  };
  read(op.operands, 0);
  while (true) {
    write(test.arguments);
    if (!runBlock(function, test, frame))
      return false;
    bool goesOn = frame[test.yields[0]].bits;
    read(test.yields, 1);
    if (!goesOn)
      break;
    write(body.arguments);
    if (!runBlock(function, body, frame))
      return false;
    read(body.yields, 0);
  }
  write(op.results);
  return true;
}

bool Evaluator::runIf(const Function &function, const Op &op, Frame &frame) {
  size_t branch = frame[op.operands[0]].bits ? 0 : 1;
  if (branch == op.regions.size())
    return true;
  const Block &block = op.regions[branch];
  if (!runBlock(function, block, frame))
    return false;
  for (size_t k = 0; k < op.results.size(); ++k)
    frame[op.results[k]] = frame[block.yields[k]];
  return true;
}

bool Evaluator::runCall(const Op &op, Frame &frame) {
  std::vector<Value> arguments, results;
  for (ValueId operand : op.operands)
    arguments.push_back(frame[operand]);
  if (!call(program.functions[op.immediate], arguments, results))
    return false;
  for (size_t k = 0; k < op.results.size(); ++k)
    frame[op.results[k]] = results[k];
  return true;
}

bool Evaluator::runEmbedding(const Function &function, const Op &op,
                             Frame &frame) {
  size_t init = op.embedding->positions(Role::Init).front();
  std::vector<EmbeddingOperand> operands;
  for (ValueId operand : op.operands)
    operands.push_back({function.types[operand].element, frame[operand].bits,
                        frame[operand].view});
  // Operations on tensors stand in the function's own block.
  const Op *first = function.body.ops.data();
  if (!op.results.empty() &&
      !isInPlace(function, static_cast<size_t>(&op - first))) {
    std::vector<int64_t> sizes = operands[init].view.sizes;
    auto count = static_cast<size_t>(elementCount(sizes));
    auto storage = std::make_shared<Storage>();
    storage->bits.resize(count);
    storage->isWritten.resize(count);
    operands[init].view = contiguousView(std::move(storage), std::move(sizes));
  }
  std::optional<Fault> fault =
      EmbeddingEvaluator(*op.embedding, operands).run();
  if (fault && fault->kind == Fault::Generator)
    return stop(Outcome::Trap, fault->message);
  if (fault) {
    outcome.fault = fault->kind;
    outcome.mayGoUnnoticed = elementCount(operands[init].view.sizes) == 0;
    return report(fault->message);
  }
  if (!op.results.empty())
    frame[op.results[0]].view = operands[init].view;
  return true;
}

/// The result of an operation on scalars.
static Computed compute(const Function &function, const Op &op,
                        const Frame &frame) {
  auto bits = [&](size_t k) { return frame[op.operands[k]].bits; };
  Scalar type = function.types[op.operands[0]].element;
  if (isIntegerBinary(op.opcode))
    return computeIntegerBinary(op.opcode, type, bits(0), bits(1));
  if (isFloatBinary(op.opcode))
    return computeFloatBinary(op.opcode, type, bits(0), bits(1));
  if (isFloatUnary(op.opcode))
    return computeFloatUnary(op.opcode, type, bits(0));
  if (isCast(op.opcode))
    return computeCast(op.opcode, type, function.types[op.results[0]].element,
                       bits(0));
  switch (op.opcode) {
  case Opcode::Fma:
    return computeFma(type, bits(0), bits(1), bits(2));
  case Opcode::CmpI:
    return {compareIntegers(op.immediate, type, bits(0), bits(1))};
  case Opcode::CmpF:
    return {compareFloats(op.immediate, type, bits(0), bits(1))};
  default:
    return {bits(0) ? bits(1) : bits(2)}; // Select
  }
}

bool Evaluator::runCompute(const Function &function, const Op &op,
                           Frame &frame) {
  Computed computed = compute(function, op, frame);
  if (computed.status == Computed::Trap)
    return report(std::string(mnemonic(op.opcode)) + " traps");
  if (computed.status == Computed::Unspecified)
    return stop(Outcome::Unspecified,
                std::string(mnemonic(op.opcode)) + " is not exact");
  frame[op.results[0]].bits = computed.bits;
  return true;
}

bool Evaluator::runOp(const Function &function, const Op &op, Frame &frame) {
  switch (op.opcode) {
  case Opcode::Constant:
    frame[op.results[0]].bits = op.immediate;
    return true;
  case Opcode::Load:
    return runLoad(op, frame);
  case Opcode::Store:
    return runStore(op, frame);
  case Opcode::Dim:
    frame[op.results[0]].bits =
        static_cast<uint64_t>(frame[op.operands[0]].view.sizes[op.immediate]);
    return true;
  case Opcode::SubView:
    return runSubView(op, frame);
  case Opcode::Transpose: {
    View view = frame[op.operands[0]].view;
    std::reverse(view.sizes.begin(), view.sizes.end());
    std::reverse(view.strides.begin(), view.strides.end());
    frame[op.results[0]].view = std::move(view);
    return true;
  }
  case Opcode::GetGlobal:
    frame[op.results[0]].view = globals[op.immediate];
    return true;
  case Opcode::Cast:
    frame[op.results[0]] = frame[op.operands[0]];
    return true;
  case Opcode::Alloc:
  case Opcode::Alloca:
  case Opcode::Empty:
    return runAlloc(function, op, frame);
  case Opcode::Dealloc:
    frame[op.operands[0]].view.storage->isFreed = true;
    return true;
  case Opcode::Copy:
    return runCopy(op, frame);
  case Opcode::Assert:
    return frame[op.operands[0]].bits || report("assertion does not hold");
  case Opcode::For:
    return runFor(function, op, frame);
  case Opcode::If:
    return runIf(function, op, frame);
  case Opcode::While:
    return runWhile(function, op, frame);
  case Opcode::Call:
    return runCall(op, frame);
  case Opcode::Embed:
    return runEmbedding(function, op, frame);
  default:
    return runCompute(function, op, frame);
  }
}

bool Evaluator::runBlock(const Function &function, const Block &block,
                         Frame &frame) {
  for (const Op &op : block.ops) {
    if (++outcome.steps > stepLimit)
      return stop(Outcome::TooLong, "too many operations");
    if (!runOp(function, op, frame))
      return false;
  }
  return true;
}

bool Evaluator::call(const Function &function,
                     const std::vector<Value> &arguments,
                     std::vector<Value> &results) {
  Frame frame(function.types.size());
  for (size_t i = 0; i < arguments.size(); ++i)
    frame[function.body.arguments[i]] = arguments[i];
  if (!runBlock(function, function.body, frame))
    return false;
  for (ValueId value : function.body.yields)
    results.push_back(frame[value]);
  return true;
}

/// The elements of `view` in row-major order; fails on one never written.
static bool flatten(const View &view, Scalar element, Input &to) {
  to.element = element;
  to.isMemRef = true;
  to.shape = view.sizes;
  to.bits.clear();
  if (view.storage->isFreed)
    return false;
  for (int64_t k = 0; k < elementCount(view.sizes); ++k) {
    int64_t position = positionOf(view, k);
    if (!view.storage->isWritten[position])
      return false;
    to.bits.push_back(view.storage->bits[position]);
    if (!view.storage->errors.empty())
      to.errors.push_back(view.storage->error(position));
  }
  return true;
}

static std::shared_ptr<Storage> storageOf(const Input &input) {
  auto storage = std::make_shared<Storage>();
  storage->bits = input.bits;
  storage->isWritten.assign(input.bits.size(), true);
  return storage;
}

Outcome Evaluator::run() {
  for (const Input &global : program.globals)
    globals.push_back(contiguousView(storageOf(global), global.shape));
  std::vector<Value> arguments, results;
  for (const Input &input : program.inputs) {
    Value value;
    if (input.isMemRef) {
      std::shared_ptr<Storage> storage =
          input.sharedWith ? arguments[*input.sharedWith].view.storage
                           : storageOf(input);
      value.view = contiguousView(storage, input.shape);
    } else {
      value.bits = input.bits[0];
    }
    arguments.push_back(std::move(value));
  }
  outcome.inputs = program.inputs;
  const Function &entry = program.entry();
  if (!call(entry, arguments, results))
    return outcome;
  for (size_t i = 0; i < arguments.size(); ++i)
    if (program.inputs[i].isMemRef) {
      outcome.inputs[i].bits = arguments[i].view.storage->bits;
      outcome.inputs[i].errors = arguments[i].view.storage->errors;
    }
  for (size_t i : returnedResults(entry)) {
    const Type &type = entry.results[i];
    Input result;
    result.element = type.element;
    result.bits = {results[i].bits};
    if (type.isMemRef && !flatten(results[i].view, type.element, result))
      stop(Outcome::Trap, "returned memref that is not all written");
    outcome.results.push_back(std::move(result));
  }
  return outcome;
}

Outcome interpret(const Program &program, int64_t stepLimit) {
  if (program.notation)
    return evaluateStatements(program, stepLimit);
  return Evaluator(program, stepLimit).run();
}

bool isComparable(const Program &program, const Outcome &outcome) {
  return outcome.status == Outcome::Fine ||
         (program.isFaulty && outcome.status == Outcome::Trap &&
          outcome.isReported);
}

static std::string printBits(Scalar type, uint64_t bits) {
  if (isInteger(type))
    return std::to_string(signedValue(type, bits));
  char text[64];
  std::snprintf(text, sizeof text, "%.17g (0x%llx)", decodeFloat(type, bits),
                static_cast<unsigned long long>(bits));
  return text;
}

/// Nothing can be said of a number whose error has no bound.
static bool isWithin(double is, double must, double error) {
  return std::isinf(error) || std::fabs(is - must) <= error;
}

std::string describeDifference(const std::string &what, const Input &actual,
                               const Input &expected) {
  if (actual.shape != expected.shape)
    return what + ": another shape";
  Scalar type = expected.element;
  for (size_t i = 0; i < expected.bits.size(); ++i) {
    uint64_t is = actual.bits[i], must = expected.bits[i];
    if (!expected.isOpen.empty() && expected.isOpen[i])
      continue;
    if (is == must || (isFloat(type) && isNaN(type, is) && isNaN(type, must)))
      continue;
    double error = expected.errors.empty() ? 0 : expected.errors[i];
    if (error > 0 &&
        isWithin(decodeFloat(type, is), decodeFloat(type, must), error))
      continue;
    return what + ": element " + std::to_string(i) + " is " +
           printBits(type, is) + " but must be " + printBits(type, must);
  }
  return "";
}

} // namespace ember::fuzz
