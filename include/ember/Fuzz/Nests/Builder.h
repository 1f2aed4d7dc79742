//===- Builder.h - Writes the operations of one function --------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Appends operations to a function and knows for every integer which values it
// can have and for every memref how large it is: that is how the generator
// stays in bounds.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_FUZZ_NESTS_BUILDER_H
#define EMBER_FUZZ_NESTS_BUILDER_H

#include "ember/Fuzz/Nests/Style.h"
#include "ember/Fuzz/Program/Random.h"
#include <functional>
#include <map>

namespace ember::fuzz {

/// The values an integer can have, both ends included.
struct Range {
  int64_t low = 0;
  int64_t high = 0;
  bool operator==(const Range &) const = default;
  bool isWithin(int64_t size) const { return low >= 0 && high < size; }
};

/// What the elements of a memref are.
enum class Content : uint8_t {
  /// Anything; programs may store to it.
  Data,
  /// Integers of a range.
  Indices,
  /// Integers of a range that never decrease.
  Offsets
};

/// A memref as the generator knows it.
struct Array {
  std::string name;
  Scalar element = Scalar::F32;
  std::vector<int64_t> shape;
  /// Dimensions whose size the type leaves open.
  std::vector<bool> isOpen;
  Content content = Content::Data;
  Range range;
  /// Meant to be stored to.
  bool isOutput = false;
};

Type arrayType(const Array &array);

struct Parameter {
  bool isMemRef = false;
  Array array;
  /// Of a scalar.
  Scalar element = Scalar::Index;
  Range range;
  ValueId value = 0;
  /// The function stores to it.
  bool isWritten = false;
};

class Builder {
public:
  Builder(Random &random, const Style &style, std::string name);

  Function function;
  std::vector<Parameter> parameters;
  Random &random;
  const Style &style;

  //===--------------------------------------------------------------------===//
  // What is known of values
  //===--------------------------------------------------------------------===//

  Scalar elementOf(ValueId value) const {
    return function.types[value].element;
  }
  const std::optional<Range> &rangeOf(ValueId value) const {
    return info[value].range;
  }
  const Array &arrayOf(ValueId memref) const { return info[memref].array; }
  /// The parameter or allocation that `memref` is or is a view of.
  ValueId rootOf(ValueId memref) const { return info[memref].root; }

  /// Values in scope, oldest first.
  std::vector<ValueId> scalars;
  std::vector<ValueId> memrefs;
  /// Induction variables of the loops around, innermost last.
  std::vector<ValueId> inductions;

  //===--------------------------------------------------------------------===//
  // Parameters and constants
  //===--------------------------------------------------------------------===//

  ValueId addParameter(Array array);
  ValueId addParameter(Scalar element, Range range);
  void markWritten(ValueId memref);

  ValueId constant(Scalar element, uint64_t bits);
  ValueId index(int64_t value) {
    return constant(Scalar::Index, static_cast<uint64_t>(value));
  }
  /// A small or a typical value of `element`.
  ValueId someConstant(Scalar element);

  //===--------------------------------------------------------------------===//
  // Operations
  //===--------------------------------------------------------------------===//

  ValueId binary(Opcode opcode, ValueId lhs, ValueId rhs);
  ValueId unary(Opcode opcode, ValueId value);
  ValueId fma(ValueId a, ValueId b, ValueId c);
  ValueId compare(uint64_t predicate, ValueId lhs, ValueId rhs);
  /// `lhs` where it is known what is chosen: loads of the other value, which
  /// may be out of bounds, would go with it.
  ValueId select(ValueId condition, ValueId lhs, ValueId rhs);
  ValueId cast(Opcode opcode, ValueId value, Scalar to);
  /// To a number of type `to`, by whatever casts there are.
  ValueId convert(ValueId value, Scalar to);
  ValueId load(ValueId memref, std::vector<ValueId> indices);
  void store(ValueId value, ValueId memref, std::vector<ValueId> indices);
  void copy(ValueId from, ValueId to);
  void assertHolds(ValueId condition);
  ValueId dim(ValueId memref, unsigned dimension);
  ValueId subView(ValueId memref, Op op, Array array);
  /// The dimensions in reverse.
  ValueId transpose(ValueId memref);
  ValueId castMemRef(ValueId memref, std::vector<bool> isOpen);
  ValueId alloc(Array array, bool onStack);
  void dealloc(ValueId memref);
  std::vector<ValueId> call(uint64_t position, const Function &callee,
                            std::vector<ValueId> operands);
  /// What is known of a result of a call.
  void describe(ValueId memref, const Array &array);

  /// `body` gets the induction variable and the carried values and returns the
  /// next ones.
  using LoopBody = std::function<std::vector<ValueId>(
      ValueId, const std::vector<ValueId> &)>;
  /// Where the bounds are too large to compute with, `distance` says how far
  /// the induction variable is from the lower one, and `body` gets that.
  std::vector<ValueId> forLoop(ValueId lower, ValueId upper, ValueId step,
                               std::vector<ValueId> initial,
                               const LoopBody &body,
                               std::optional<Range> distance = std::nullopt);

  using WhileTest = std::function<ValueId(const std::vector<ValueId> &)>;
  using WhileBody =
      std::function<std::vector<ValueId>(const std::vector<ValueId> &)>;
  /// Goes on while `test` holds for the carried values. They keep the ranges of
  /// the initial ones, which the caller has to see to; the results are not in
  /// scope for others.
  std::vector<ValueId> whileLoop(std::vector<ValueId> initial,
                                 const WhileTest &test, const WhileBody &body);
  /// `value`, an integer, with the caller's word that it is in `range` whenever
  /// it is used.
  ValueId assume(ValueId value, Range range);

  using Branch = std::function<std::vector<ValueId>()>;
  /// Without `otherwise`, `then` must return nothing.
  std::vector<ValueId> ifThen(ValueId condition, const Branch &then,
                              const Branch &otherwise);

  /// Ends the function.
  Function finish(std::vector<ValueId> returned);

private:
  struct Info {
    std::optional<Range> range;
    Array array;
    ValueId root = 0;
    /// A constant, or computed from nothing else.
    bool isFixed = false;
  };

  ValueId newValue(Type type, std::optional<Range> range = {});
  Op &append(Opcode opcode, std::vector<ValueId> operands);
  ValueId appendWithResult(Opcode opcode, std::vector<ValueId> operands,
                           Type type, std::optional<Range> range = {});
  ValueId newMemRef(Opcode opcode, std::vector<ValueId> operands, Type type,
                    Array array, std::optional<ValueId> root);
  Block runScope(const std::function<void(Block &)> &fill);
  std::optional<Range> binaryRange(Opcode opcode, ValueId lhs,
                                   ValueId rhs) const;

  std::vector<Info> info;
  /// Constants at the function's beginning.
  Block prefix;
  std::map<std::pair<Scalar, uint64_t>, ValueId> prefixConstants;
  Block *block = nullptr;
};

} // namespace ember::fuzz

#endif // EMBER_FUZZ_NESTS_BUILDER_H
