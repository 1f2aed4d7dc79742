//===- CoordinateSet.h - Which coordinates a loop visits --------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sets of coordinates as unions, intersections and complements of those that
// operands store (Hsu's dissertation, section 3.6.1).
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_ANALYSIS_ITERATIONALGEBRA_COORDINATESET_H
#define EMBER_ANALYSIS_ITERATIONALGEBRA_COORDINATESET_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace ember {

/// Operands, a bit each: those that store a coordinate, for example, which is
/// the region of a Venn diagram that it is in.
using OperandMask = uint32_t;

class CoordinateSet {
public:
  /// A region is a bit of a table, so there are not more operands.
  static constexpr unsigned mostOperands = 12;

  static CoordinateSet none();
  static CoordinateSet all();
  /// What an operand stores.
  static CoordinateSet operand(unsigned number);
  /// The coordinates of some regions: a bit of `regions` for each mask of
  /// `operands` operands.
  static CoordinateSet ofRegions(const llvm::BitVector &regions,
                                 unsigned operands);

  CoordinateSet operator|(const CoordinateSet &other) const;
  CoordinateSet operator&(const CoordinateSet &other) const;
  CoordinateSet operator~() const;

  /// Whether coordinates that these operands store, and no others, are in it.
  bool contains(OperandMask region) const;
  /// What the set is as an expression of `T`, in which an operand is `leaf`.
  template <typename T>
  T evaluate(T none, T all, llvm::function_ref<T(unsigned)> leaf,
             llvm::function_ref<T(T, T)> join, llvm::function_ref<T(T, T)> meet,
             llvm::function_ref<T(T)> complement) const;
  /// The operands that decide on that: what is stored by others is all the
  /// same.
  OperandMask support() const;
  /// The same set where some operands store nothing.
  CoordinateSet without(OperandMask exhausted) const;
  /// The same set, with complements of operands alone and without parts that
  /// change nothing.
  CoordinateSet simplified() const;
  bool isEmpty() const;
  /// Whether both have the same coordinates, whatever operands store.
  bool operator==(const CoordinateSet &other) const;

  /// The set that a text such as `(0 | 1) & ~2` is of operands by number; none
  /// if it is no such text.
  static std::optional<CoordinateSet> parse(llvm::StringRef text);
  /// What `parse` reads.
  std::string text() const;
  /// `(b ∪ c) ∩ ~d`, with the names of operands.
  std::string describe(llvm::ArrayRef<std::string> names) const;

private:
  enum class Kind : uint8_t { none, all, operand, join, meet, complement };
  struct Node {
    Kind kind;
    unsigned number = 0;
    std::vector<CoordinateSet> parts;
  };

  explicit CoordinateSet(Node node)
      : node(std::make_shared<const Node>(std::move(node))) {}
  static CoordinateSet combine(Kind kind, std::vector<CoordinateSet> parts);
  /// `combine` with what all parts have in common outside: `(0 | 1) & 2`
  /// instead of `(0 & 2) | (1 & 2)`.
  static CoordinateSet factor(Kind kind, std::vector<CoordinateSet> parts);
  CoordinateSet pushComplements(bool isComplement) const;
  /// Operands that it names.
  OperandMask named() const;
  /// How sets are written.
  struct Style;
  void print(llvm::raw_ostream &os, const Style &style, bool isPart) const;

  std::shared_ptr<const Node> node;
};

template <typename T>
T CoordinateSet::evaluate(T none, T all, llvm::function_ref<T(unsigned)> leaf,
                          llvm::function_ref<T(T, T)> join,
                          llvm::function_ref<T(T, T)> meet,
                          llvm::function_ref<T(T)> complement) const {
  auto part = [&](const CoordinateSet &set) {
    return set.evaluate<T>(none, all, leaf, join, meet, complement);
  };
  switch (node->kind) {
  case Kind::none:
    return none;
  case Kind::all:
    return all;
  case Kind::operand:
    return leaf(node->number);
  case Kind::complement:
    return complement(part(node->parts.front()));
  case Kind::join:
  case Kind::meet:
    break;
  }
  T value = part(node->parts.front());
  for (const CoordinateSet &next : llvm::ArrayRef(node->parts).drop_front())
    value = (node->kind == Kind::join ? join : meet)(value, part(next));
  return value;
}

/// Calls `visit` for each mask within `operands`.
void forEachRegion(OperandMask operands,
                   llvm::function_ref<void(OperandMask)> visit);

} // namespace ember

#endif // EMBER_ANALYSIS_ITERATIONALGEBRA_COORDINATESET_H
