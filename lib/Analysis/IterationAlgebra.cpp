//===- IterationAlgebra.cpp - Which coordinates a loop visits -------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Analysis/IterationAlgebra.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/bit.h"

using namespace ember;

//===----------------------------------------------------------------------===//
// Sets
//===----------------------------------------------------------------------===//

CoordinateSet CoordinateSet::none() {
  return CoordinateSet(Node{Kind::none, 0, {}});
}

CoordinateSet CoordinateSet::all() {
  return CoordinateSet(Node{Kind::all, 0, {}});
}

CoordinateSet CoordinateSet::operand(unsigned number) {
  assert(number < mostOperands && "too many operands for a table of regions");
  return CoordinateSet(Node{Kind::operand, number, {}});
}

CoordinateSet CoordinateSet::combine(Kind kind,
                                     std::vector<CoordinateSet> parts) {
  Kind neutral = kind == Kind::join ? Kind::none : Kind::all;
  Kind absorbing = kind == Kind::join ? Kind::all : Kind::none;
  std::vector<CoordinateSet> flat;
  for (CoordinateSet &part : parts) {
    if (part.node->kind == absorbing)
      return part;
    if (part.node->kind == kind)
      llvm::append_range(flat, part.node->parts);
    else if (part.node->kind != neutral)
      flat.push_back(std::move(part));
  }
  if (flat.empty())
    return CoordinateSet(Node{neutral, 0, {}});
  if (flat.size() == 1)
    return flat.front();
  return CoordinateSet(Node{kind, 0, std::move(flat)});
}

CoordinateSet CoordinateSet::operator|(const CoordinateSet &other) const {
  return combine(Kind::join, {*this, other});
}

CoordinateSet CoordinateSet::operator&(const CoordinateSet &other) const {
  return combine(Kind::meet, {*this, other});
}

CoordinateSet CoordinateSet::operator~() const {
  switch (node->kind) {
  case Kind::none:
    return all();
  case Kind::all:
    return none();
  case Kind::complement:
    return node->parts.front();
  default:
    return CoordinateSet(Node{Kind::complement, 0, {*this}});
  }
}

CoordinateSet CoordinateSet::ofRegions(const llvm::BitVector &regions,
                                       unsigned operands) {
  std::vector<CoordinateSet> found;
  for (unsigned region : regions.set_bits()) {
    std::vector<CoordinateSet> parts = {all()};
    for (unsigned number = 0; number < operands; ++number)
      parts.push_back(region >> number & 1 ? operand(number)
                                           : ~operand(number));
    found.push_back(combine(Kind::meet, std::move(parts)));
  }
  return combine(Kind::join, std::move(found)).simplified();
}

bool CoordinateSet::contains(OperandMask region) const {
  auto isIn = [&](const CoordinateSet &part) { return part.contains(region); };
  switch (node->kind) {
  case Kind::none:
    return false;
  case Kind::all:
    return true;
  case Kind::operand:
    return region >> node->number & 1;
  case Kind::join:
    return llvm::any_of(node->parts, isIn);
  case Kind::meet:
    return llvm::all_of(node->parts, isIn);
  case Kind::complement:
    return !node->parts.front().contains(region);
  }
  llvm_unreachable("covered switch");
}

OperandMask CoordinateSet::named() const {
  if (node->kind == Kind::operand)
    return OperandMask(1) << node->number;
  OperandMask mask = 0;
  for (const CoordinateSet &part : node->parts)
    mask |= part.named();
  return mask;
}

/// Calls `visit` for each mask within `operands`.
static void forEachRegion(OperandMask operands,
                          llvm::function_ref<void(OperandMask)> visit) {
  OperandMask region = operands;
  while (true) {
    visit(region);
    if (!region)
      return;
    region = (region - 1) & operands;
  }
}

OperandMask CoordinateSet::support() const {
  OperandMask mask = named(), deciding = 0;
  forEachRegion(mask, [&](OperandMask region) {
    for (OperandMask rest = region; rest; rest &= rest - 1) {
      OperandMask bit = rest & -rest;
      if (contains(region) != contains(region & ~bit))
        deciding |= bit;
    }
  });
  return deciding;
}

bool CoordinateSet::isEmpty() const { return *this == none(); }

bool CoordinateSet::operator==(const CoordinateSet &other) const {
  bool isSame = true;
  forEachRegion(named() | other.named(), [&](OperandMask region) {
    isSame &= contains(region) == other.contains(region);
  });
  return isSame;
}

CoordinateSet CoordinateSet::without(OperandMask exhausted) const {
  switch (node->kind) {
  case Kind::none:
  case Kind::all:
    return *this;
  case Kind::operand:
    return exhausted >> node->number & 1 ? none() : *this;
  case Kind::complement:
    return ~node->parts.front().without(exhausted);
  case Kind::join:
  case Kind::meet:
    break;
  }
  std::vector<CoordinateSet> parts;
  for (const CoordinateSet &part : node->parts)
    parts.push_back(part.without(exhausted));
  return combine(node->kind, std::move(parts));
}

CoordinateSet CoordinateSet::pushComplements(bool isComplement) const {
  switch (node->kind) {
  case Kind::none:
  case Kind::all:
  case Kind::operand:
    return isComplement ? ~*this : *this;
  case Kind::complement:
    return node->parts.front().pushComplements(!isComplement);
  case Kind::join:
  case Kind::meet:
    break;
  }
  std::vector<CoordinateSet> parts;
  for (const CoordinateSet &part : node->parts)
    parts.push_back(part.pushComplements(isComplement));
  bool isJoin = (node->kind == Kind::join) != isComplement;
  return combine(isJoin ? Kind::join : Kind::meet, std::move(parts));
}

CoordinateSet CoordinateSet::simplified() const {
  CoordinateSet set = pushComplements(false);
  if (set == none())
    return none();
  if (set == all())
    return all();
  if (set.node->kind != Kind::join && set.node->kind != Kind::meet)
    return set;
  std::vector<CoordinateSet> parts;
  for (const CoordinateSet &part : set.node->parts)
    parts.push_back(part.simplified());
  auto isSame = [&](const std::vector<CoordinateSet> &some) {
    return combine(set.node->kind, some) == set;
  };
  // A part, or a part of a part, that changes nothing.
  for (size_t i = 0; i < parts.size();) {
    std::vector<CoordinateSet> fewer = parts;
    fewer.erase(fewer.begin() + static_cast<long>(i));
    if (isSame(fewer)) {
      parts = std::move(fewer);
      continue;
    }
    const Node &part = *parts[i].node;
    bool isSmaller = false;
    for (size_t k = 0; k < part.parts.size() && !isSmaller; ++k) {
      if (part.kind == Kind::complement)
        break;
      std::vector<CoordinateSet> rest = part.parts;
      rest.erase(rest.begin() + static_cast<long>(k));
      fewer = parts;
      fewer[i] = combine(part.kind, std::move(rest));
      isSmaller = isSame(fewer);
    }
    if (isSmaller)
      parts = std::move(fewer);
    else
      ++i;
  }
  return combine(set.node->kind, std::move(parts));
}

void CoordinateSet::print(llvm::raw_ostream &os,
                          llvm::ArrayRef<std::string> names,
                          bool isPart) const {
  switch (node->kind) {
  case Kind::none:
    os << "∅";
    return;
  case Kind::all:
    os << "U";
    return;
  case Kind::operand:
    os << names[node->number];
    return;
  case Kind::complement:
    os << "~";
    node->parts.front().print(os, names, /*isPart=*/true);
    return;
  case Kind::join:
  case Kind::meet:
    break;
  }
  os << (isPart ? "(" : "");
  llvm::interleave(
      node->parts, os,
      [&](const CoordinateSet &part) { part.print(os, names, true); },
      node->kind == Kind::join ? " ∪ " : " ∩ ");
  os << (isPart ? ")" : "");
}

std::string CoordinateSet::describe(llvm::ArrayRef<std::string> names) const {
  std::string text;
  llvm::raw_string_ostream os(text);
  print(os, names, /*isPart=*/false);
  return text;
}

//===----------------------------------------------------------------------===//
// Lattices
//===----------------------------------------------------------------------===//

IterationLattice::IterationLattice(const CoordinateSet &set) {
  llvm::SmallVector<LatticePoint> found;
  auto add = [&](const CoordinateSet &given) {
    CoordinateSet left = given.simplified();
    bool isKnown = llvm::any_of(
        found, [&](const LatticePoint &point) { return point.set == left; });
    if (!isKnown && !left.isEmpty())
      found.push_back({left.support(), left.contains(0), left});
  };
  add(set);
  for (size_t i = 0; i < found.size(); ++i) {
    // What is added moves the points.
    LatticePoint point = found[i];
    forEachRegion(point.walked, [&](OperandMask exhausted) {
      add(point.set.without(exhausted));
    });
  }
  // Those with fewer operands come after those that lead to them.
  for (int count = CoordinateSet::mostOperands; count >= 0; --count)
    for (const LatticePoint &point : found)
      if (llvm::popcount(point.walked) == count)
        allPoints.push_back(point);
}

const LatticePoint *IterationLattice::find(const CoordinateSet &set) const {
  for (const LatticePoint &point : allPoints)
    if (point.set == set)
      return &point;
  return nullptr;
}

const LatticePoint *IterationLattice::next(const LatticePoint &point,
                                           OperandMask exhausted) const {
  CoordinateSet left = point.set.without(exhausted);
  return left.isEmpty() ? nullptr : find(left);
}
