//===- CoordinateSet.cpp - Which coordinates a loop visits ----------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Analysis/IterationAlgebra/CoordinateSet.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/ScopeExit.h"

using namespace ember;

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

void ember::forEachRegion(OperandMask operands,
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

CoordinateSet CoordinateSet::factor(Kind kind,
                                    std::vector<CoordinateSet> parts) {
  Kind other = kind == Kind::join ? Kind::meet : Kind::join;
  auto factorsOf = [&](const CoordinateSet &part) {
    return part.node->kind == other ? part.node->parts
                                    : std::vector<CoordinateSet>{part};
  };
  std::vector<CoordinateSet> common;
  for (const CoordinateSet &factor : factorsOf(parts.front()))
    if (llvm::all_of(parts, [&](const CoordinateSet &part) {
          return llvm::is_contained(factorsOf(part), factor);
        }))
      common.push_back(factor);
  if (parts.size() < 2 || common.empty())
    return combine(kind, std::move(parts));
  for (CoordinateSet &part : parts) {
    std::vector<CoordinateSet> rest = factorsOf(part);
    llvm::erase_if(rest, [&](const CoordinateSet &factor) {
      return llvm::is_contained(common, factor);
    });
    part = combine(other, std::move(rest));
  }
  common.push_back(combine(kind, std::move(parts)));
  return combine(other, std::move(common));
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
  return factor(set.node->kind, std::move(parts));
}

struct CoordinateSet::Style {
  llvm::StringRef none, all, join, meet;
  llvm::function_ref<std::string(unsigned)> name;
};

void CoordinateSet::print(llvm::raw_ostream &os, const Style &style,
                          bool isPart) const {
  switch (node->kind) {
  case Kind::none:
    os << style.none;
    return;
  case Kind::all:
    os << style.all;
    return;
  case Kind::operand:
    os << style.name(node->number);
    return;
  case Kind::complement:
    os << "~";
    node->parts.front().print(os, style, /*isPart=*/true);
    return;
  case Kind::join:
  case Kind::meet:
    break;
  }
  os << (isPart ? "(" : "");
  llvm::interleave(
      node->parts, os,
      [&](const CoordinateSet &part) { part.print(os, style, true); },
      node->kind == Kind::join ? style.join : style.meet);
  os << (isPart ? ")" : "");
}

std::string CoordinateSet::describe(llvm::ArrayRef<std::string> names) const {
  std::string text;
  llvm::raw_string_ostream os(text);
  auto name = [&](unsigned number) { return names[number]; };
  print(os, {"∅", "U", " ∪ ", " ∩ ", name}, /*isPart=*/false);
  return text;
}

std::string CoordinateSet::text() const {
  std::string text;
  llvm::raw_string_ostream os(text);
  auto name = [](unsigned number) { return std::to_string(number); };
  print(os, {"none", "all", " | ", " & ", name}, /*isPart=*/false);
  return text;
}

namespace {
/// Reads what `CoordinateSet::text` writes.
class SetParser {
public:
  explicit SetParser(llvm::StringRef text) : rest(text) {}

  std::optional<CoordinateSet> parse() {
    std::optional<CoordinateSet> set = parseJoin();
    return rest.trim().empty() ? set : std::nullopt;
  }

private:
  bool take(llvm::StringRef word) {
    rest = rest.ltrim();
    return rest.consume_front(word);
  }
  std::optional<CoordinateSet> parseJoin();
  std::optional<CoordinateSet> parseMeet();
  std::optional<CoordinateSet> parsePart();

  static constexpr unsigned mostDepth = 64;
  llvm::StringRef rest;
  unsigned depth = 0;
};
} // namespace

std::optional<CoordinateSet> SetParser::parseJoin() {
  std::optional<CoordinateSet> set = parseMeet();
  while (set && take("|")) {
    std::optional<CoordinateSet> next = parseMeet();
    set = next ? std::optional(*set | *next) : std::nullopt;
  }
  return set;
}

std::optional<CoordinateSet> SetParser::parseMeet() {
  std::optional<CoordinateSet> set = parsePart();
  while (set && take("&")) {
    std::optional<CoordinateSet> next = parsePart();
    set = next ? std::optional(*set & *next) : std::nullopt;
  }
  return set;
}

std::optional<CoordinateSet> SetParser::parsePart() {
  if (++depth > mostDepth)
    return std::nullopt;
  auto leave = llvm::scope_exit([&] { --depth; });
  if (take("~")) {
    std::optional<CoordinateSet> set = parsePart();
    return set ? std::optional(~*set) : std::nullopt;
  }
  if (take("(")) {
    std::optional<CoordinateSet> set = parseJoin();
    return take(")") ? set : std::nullopt;
  }
  if (take("all"))
    return CoordinateSet::all();
  if (take("none"))
    return CoordinateSet::none();
  unsigned number = 0;
  rest = rest.ltrim();
  if (rest.consumeInteger(10, number) || number >= CoordinateSet::mostOperands)
    return std::nullopt;
  return CoordinateSet::operand(number);
}

std::optional<CoordinateSet> CoordinateSet::parse(llvm::StringRef text) {
  return SetParser(text).parse();
}
