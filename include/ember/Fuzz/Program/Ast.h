//===- Ast.h - Programs as the fuzzer sees them -----------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A small form of cin-, scf- and embed-level programs that knows nothing of
// MLIR, so that what evaluates it (Interpreter.h) shares no code with what it
// checks. Programs are plain values: copying one and changing the copy is how
// the reducer works.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_FUZZ_PROGRAM_AST_H
#define EMBER_FUZZ_PROGRAM_AST_H

#include "ember/Fuzz/Embeddings/Embedding.h"
#include "ember/Fuzz/Program/Fault.h"
#include "ember/Fuzz/Program/Input.h"
#include "ember/Fuzz/Statements/Statement.h"
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ember::fuzz {

/// The size of a dimension, or an offset or a stride, that a type leaves open.
constexpr int64_t kDynamic = -1;

/// Where the elements of a view are; memrefs without one are contiguous.
struct Layout {
  int64_t offset = 0;
  std::vector<int64_t> strides;
  bool operator==(const Layout &) const = default;
};

/// A scalar, or a memref of scalars.
struct Type {
  Scalar element = Scalar::Index;
  bool isMemRef = false;
  std::vector<int64_t> shape;
  std::optional<Layout> layout;
  /// A memref only after bufferisation; written as a tensor.
  bool isTensor = false;
  bool operator==(const Type &) const = default;

  static Type scalar(Scalar element) { return {element, false, {}, {}, false}; }
  static Type memref(Scalar element, std::vector<int64_t> shape) {
    return {element, true, std::move(shape), {}, false};
  }
};

#define EMBER_FUZZ_OPCODE(id, mnemonic) id,
enum class Opcode : uint8_t {
#include "ember/Fuzz/Program/Opcodes.def"
};
const char *mnemonic(Opcode opcode);

inline bool isIntegerBinary(Opcode opcode) {
  return opcode >= Opcode::AddI && opcode <= Opcode::MaxUI;
}
inline bool isFloatBinary(Opcode opcode) {
  return opcode >= Opcode::AddF && opcode <= Opcode::MaximumF;
}
inline bool isFloatUnary(Opcode opcode) {
  return opcode >= Opcode::NegF && opcode <= Opcode::Sqrt;
}
inline bool isCast(Opcode opcode) {
  return opcode >= Opcode::IndexCast && opcode <= Opcode::UIToFP;
}

/// Predicates of comparisons, in the order of arith's enumerations.
extern const std::vector<const char *> kIntegerPredicates;
extern const std::vector<const char *> kFloatPredicates;

/// Names a value within its function.
using ValueId = uint32_t;

struct Op;

/// A list of operations with its arguments and what its terminator hands on.
struct Block {
  std::vector<ValueId> arguments;
  std::vector<Op> ops;
  std::vector<ValueId> yields;
};

struct Op {
  Opcode opcode = Opcode::Constant;
  /// For: lower bound, upper bound, step, initial values.
  /// If: condition. While: initial values. Load: memref, indices.
  /// Store: value, memref, indices.
  /// SubView: memref, then what `offsets`, `sizes`, `strides` leave open.
  /// Alloc: the open sizes.
  std::vector<ValueId> operands;
  std::vector<ValueId> results;
  /// Constant: the bits. CmpI, CmpF: the predicate. Dim: the dimension.
  /// Call: the function's position in the program. GetGlobal: the constant's.
  uint64_t immediate = 0;
  std::vector<int64_t> offsets, sizes, strides;
  /// While: what decides whether it goes on, which yields that and what it
  /// hands to the body; and the body, which yields what it hands back.
  std::vector<Block> regions;
  /// Embed: what the operands are, and the attributes. On tensors the result is
  /// the operand of role Init, overwritten.
  std::optional<Embedding> embedding;
};

struct Function {
  std::string name;
  bool isPrivate = false;
  /// The type of every value; a ValueId is a position here.
  std::vector<Type> types;
  /// Names of parameters in messages and listings.
  std::vector<std::string> parameterNames;
  std::vector<Type> results;
  /// Its arguments are the parameters, its yields the returned values.
  Block body;

  ValueId addValue(Type type) {
    types.push_back(std::move(type));
    return static_cast<ValueId>(types.size() - 1);
  }
};

struct Program {
  /// Calls go to functions further on; the first one is the entry.
  std::vector<Function> functions;
  std::vector<Input> inputs;
  /// Constant memrefs of the module.
  std::vector<Input> globals;
  /// The inputs are wrong: the program may have to end with an error.
  bool isFaulty = false;
  /// What the program is made of instead, as text; its only function has
  /// parameters alone then.
  std::optional<Notation> notation;

  const Function &entry() const { return functions.front(); }
};

/// The type of a view, as MLIR infers it.
Type subViewType(const Type &source, const Op &op);
Type transposedType(const Type &source);

/// True if an input that is stored to shares its memory with another one.
bool hasWrittenSharing(const Program &program);

/// Number of operations in `block` and below.
size_t countOps(const Block &block);

/// Runs of operations of the embed dialect begin with embed-to-scf.
bool hasEmbeddings(const Program &program);

/// Whether the operation at `position` of the body, on tensors, overwrites its
/// operand: not if that is read later, or by the operation itself.
bool isInPlace(const Function &function, size_t position);

/// The results of `function` that a compiled program returns: not those that
/// are the memory of an argument.
std::vector<size_t> returnedResults(const Function &function);

} // namespace ember::fuzz

#endif // EMBER_FUZZ_PROGRAM_AST_H
