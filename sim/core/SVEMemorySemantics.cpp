//===- SVEMemorySemantics.cpp - Loads and stores of SVE -------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Sim/Core/SVESemantics.h"

using namespace ember::sim;

namespace {
/// Consecutive elements of memory, one for each lane of `Element`; only the
/// bytes from the first to the last active lane are accessed.
template <typename Element, typename Memory, bool isStore>
void contiguous(State &s, const Instruction &i, uint64_t address) {
  const PredicateRegister &p = s.p[i.reg(1)];
  VectorRegister &v = s.v[i.reg(0)];
  unsigned lanes = lanesOf<Element>(s);
  if constexpr (sizeof(Element) == sizeof(Memory)) {
    if (allActive<Element>(s, p)) {
      if constexpr (isStore)
        s.store(address, v.bytes, s.vectorBytes);
      else
        s.load(address, v.bytes, s.vectorBytes);
      return;
    }
  }
  // Neighbours that are active make one access.
  for (unsigned lane = 0; lane < lanes;) {
    if (!p.get(lane * sizeof(Element))) {
      if constexpr (!isStore)
        v.set<Element>(lane, Element{0});
      ++lane;
      continue;
    }
    unsigned end = lane + 1;
    while (end < lanes && p.get(end * sizeof(Element)))
      ++end;
    Memory values[mostVectorBytes];
    unsigned size = (end - lane) * sizeof(Memory);
    uint64_t at = address + lane * sizeof(Memory);
    if constexpr (isStore) {
      for (unsigned l = lane; l < end; ++l)
        values[l - lane] = static_cast<Memory>(v.get<Element>(l));
      s.store(at, values, size);
    } else {
      s.load(at, values, size);
      for (unsigned l = lane; l < end; ++l)
        v.set<Element>(l, static_cast<Element>(values[l - lane]));
    }
    lane = end;
  }
}
template <typename Element, typename Memory, bool isStore>
void contiguousImmediate(State &s, const Instruction &i) {
  contiguous<Element, Memory, isStore>(
      s, i,
      s.x[i.reg(2)] + static_cast<uint64_t>(i.operand[3]) *
                          (lanesOf<Element>(s) * sizeof(Memory)));
}
template <typename Element, typename Memory, bool isStore>
void contiguousRegister(State &s, const Instruction &i) {
  contiguous<Element, Memory, isStore>(
      s, i, s.x[i.reg(2)] + s.x[i.reg(3)] * sizeof(Memory));
}

template <typename T, unsigned registers, bool isStore, bool immediate>
void structure(State &s, const Instruction &i) {
  uint64_t address =
      s.x[i.reg(2)] + (immediate ? static_cast<uint64_t>(i.operand[3]) *
                                       registers * s.vectorBytes
                                 : s.x[i.reg(3)] * sizeof(T));
  const PredicateRegister &p = s.p[i.reg(1)];
  T values[mostVectorBytes / sizeof(T)][registers] = {};
  unsigned lanes = lanesOf<T>(s);
  auto reg = [&](unsigned r) -> VectorRegister & {
    return s.v[(i.reg(0) + r) % 32];
  };
  if constexpr (isStore)
    for (unsigned lane = 0; lane < lanes; ++lane)
      for (unsigned r = 0; r < registers; ++r)
        values[lane][r] = reg(r).template get<T>(lane);
  for (unsigned lane = 0; lane < lanes;) {
    if (!p.get(lane * sizeof(T))) {
      ++lane;
      continue;
    }
    unsigned end = lane + 1;
    while (end < lanes && p.get(end * sizeof(T)))
      ++end;
    unsigned size = (end - lane) * sizeof(values[0]);
    uint64_t at = address + lane * sizeof(values[0]);
    if constexpr (isStore)
      s.store(at, values[lane], size);
    else
      s.load(at, values[lane], size);
    lane = end;
  }
  if constexpr (!isStore)
    for (unsigned lane = 0; lane < lanes; ++lane)
      for (unsigned r = 0; r < registers; ++r)
        reg(r).template set<T>(lane, values[lane][r]);
}

/// An element of memory in all active lanes.
template <typename Element, typename Memory>
void replicate(State &s, const Instruction &i) {
  const PredicateRegister &p = s.p[i.reg(1)];
  unsigned lanes = lanesOf<Element>(s);
  bool any = false;
  for (unsigned lane = 0; lane < lanes; ++lane)
    any |= p.get(lane * sizeof(Element));
  Element value = 0;
  if (any)
    value = static_cast<Element>(s.load<Memory>(
        s.x[i.reg(2)] + static_cast<uint64_t>(i.operand[3]) * sizeof(Memory)));
  for (unsigned lane = 0; lane < lanes; ++lane)
    s.v[i.reg(0)].set<Element>(
        lane, p.get(lane * sizeof(Element)) ? value : Element{0});
}
/// 16 bytes of memory, repeated.
template <typename T, bool immediate>
void replicateQuad(State &s, const Instruction &i) {
  uint64_t address =
      s.x[i.reg(2)] + (immediate ? static_cast<uint64_t>(i.operand[3]) * 16
                                 : s.x[i.reg(3)] * sizeof(T));
  VectorRegister &v = s.v[i.reg(0)];
  for (unsigned lane = 0; lane < 16 / sizeof(T); ++lane)
    v.set<T>(lane, s.p[i.reg(1)].get(lane * sizeof(T))
                       ? s.load<T>(address + lane * sizeof(T))
                       : T{0});
  for (unsigned byte = 16; byte < s.vectorBytes; byte += 16)
    std::memcpy(v.bytes + byte, v.bytes, 16);
}

enum class Offset { wide, signedWord, unsignedWord };
/// An address for each lane: a register and a vector of offsets.
template <typename Element, typename Memory, bool isStore, Offset offset,
          bool scaled>
void gather(State &s, const Instruction &i) {
  VectorRegister &v = s.v[i.reg(0)];
  VectorRegister offsets = s.v[i.reg(3)];
  uint64_t base = s.x[i.reg(2)];
  for (unsigned lane = 0; lane < lanesOf<Element>(s); ++lane) {
    if (!s.p[i.reg(1)].get(lane * sizeof(Element))) {
      if constexpr (!isStore)
        v.set<Element>(lane, Element{0});
      continue;
    }
    uint64_t by = offsets.get<BitsOf<Element>>(lane);
    if constexpr (offset == Offset::signedWord)
      by = static_cast<uint64_t>(static_cast<int32_t>(by));
    else if constexpr (offset == Offset::unsignedWord)
      by = static_cast<uint32_t>(by);
    uint64_t address = base + by * (scaled ? sizeof(Memory) : 1);
    if constexpr (isStore)
      s.store<Memory>(address, static_cast<Memory>(v.get<Element>(lane)));
    else
      v.set<Element>(lane, static_cast<Element>(s.load<Memory>(address)));
  }
}
/// A vector of addresses and an offset.
template <typename Element, typename Memory, bool isStore>
void gatherImmediate(State &s, const Instruction &i) {
  VectorRegister &v = s.v[i.reg(0)];
  VectorRegister addresses = s.v[i.reg(2)];
  for (unsigned lane = 0; lane < lanesOf<Element>(s); ++lane) {
    if (!s.p[i.reg(1)].get(lane * sizeof(Element))) {
      if constexpr (!isStore)
        v.set<Element>(lane, Element{0});
      continue;
    }
    uint64_t address = addresses.get<BitsOf<Element>>(lane) +
                       static_cast<uint64_t>(i.operand[3]) * sizeof(Memory);
    if constexpr (isStore)
      s.store<Memory>(address, static_cast<Memory>(v.get<Element>(lane)));
    else
      v.set<Element>(lane, static_cast<Element>(s.load<Memory>(address)));
  }
}

/// `name` is of the memory's elements, "SB"; `size` of the lanes, "_D", or
/// empty where they are the same.
template <typename Element, typename Memory>
void addAccess(SemanticsTable &t, llvm::StringRef name, llvm::StringRef size) {
  constexpr bool plain = std::is_unsigned_v<Memory>;
  std::string full = (name + size).str();
  t.add("LD1" + full + "_IMM", contiguousImmediate<Element, Memory, false>);
  t.add("LD1" + full, contiguousRegister<Element, Memory, false>);
  t.add("LD1R" + full + "_IMM", replicate<Element, Memory>);
  if constexpr (plain) {
    t.add("ST1" + full + "_IMM", contiguousImmediate<Element, Memory, true>);
    t.add("ST1" + full, contiguousRegister<Element, Memory, true>);
  }
  if constexpr (sizeof(Element) >= 4) {
    // Gathers say the size of lanes even where it is the memory's, but for
    // double words.
    auto add = [&](const std::string &suffix, auto offset, auto scaled) {
      constexpr Offset by = decltype(offset)::value;
      constexpr bool scale = decltype(scaled)::value;
      t.add("GLD1" + suffix, gather<Element, Memory, false, by, scale>);
      if constexpr (plain)
        t.add("SST1" + suffix, gather<Element, Memory, true, by, scale>);
    };
    using Wide = std::integral_constant<Offset, Offset::wide>;
    using SignedWord = std::integral_constant<Offset, Offset::signedWord>;
    using UnsignedWord = std::integral_constant<Offset, Offset::unsignedWord>;
    add(full + "_SXTW", SignedWord{}, std::false_type());
    add(full + "_UXTW", UnsignedWord{}, std::false_type());
    add(full + "_SXTW_SCALED", SignedWord{}, std::true_type());
    add(full + "_UXTW_SCALED", UnsignedWord{}, std::true_type());
    if constexpr (sizeof(Element) == 8) {
      add(full, Wide{}, std::false_type());
      add(full + "_SCALED", Wide{}, std::true_type());
    }
    t.add("GLD1" + full + "_IMM", gatherImmediate<Element, Memory, false>);
    if constexpr (plain)
      t.add("SST1" + full + "_IMM", gatherImmediate<Element, Memory, true>);
  }
}
template <typename T>
void addStructures(SemanticsTable &t, llvm::StringRef name) {
  auto add = [&](llvm::StringRef count, auto registers) {
    constexpr unsigned n = decltype(registers)::value;
    t.add("LD" + count + name, structure<T, n, false, false>);
    t.add("LD" + count + name + "_IMM", structure<T, n, false, true>);
    t.add("ST" + count + name, structure<T, n, true, false>);
    t.add("ST" + count + name + "_IMM", structure<T, n, true, true>);
  };
  add("2", std::integral_constant<unsigned, 2>{});
  add("3", std::integral_constant<unsigned, 3>{});
  add("4", std::integral_constant<unsigned, 4>{});
  t.add("LD1RQ_" + name, replicateQuad<T, false>);
  t.add("LD1RQ_" + name + "_IMM", replicateQuad<T, true>);
  t.add("LDNT1" + name + "_ZRI", contiguousImmediate<T, T, false>);
  t.add("LDNT1" + name + "_ZRR", contiguousRegister<T, T, false>);
  t.add("STNT1" + name + "_ZRI", contiguousImmediate<T, T, true>);
  t.add("STNT1" + name + "_ZRR", contiguousRegister<T, T, true>);
}
template <typename T, bool immediate>
void prefetch(State &s, const Instruction &i) {
  uint64_t address =
      s.x[i.reg(2)] + (immediate
                           ? static_cast<uint64_t>(i.operand[3]) * s.vectorBytes
                           : s.x[i.reg(3)] * sizeof(T));
  s.accesses.push_back({address, s.vectorBytes, false, true});
}
} // namespace

void ember::sim::addSVEMemorySemantics(SemanticsTable &t) {
  addAccess<uint8_t, uint8_t>(t, "B", "");
  addAccess<uint16_t, uint8_t>(t, "B", "_H");
  addAccess<uint32_t, uint8_t>(t, "B", "_S");
  addAccess<uint64_t, uint8_t>(t, "B", "_D");
  addAccess<uint16_t, uint16_t>(t, "H", "");
  addAccess<uint32_t, uint16_t>(t, "H", "_S");
  addAccess<uint64_t, uint16_t>(t, "H", "_D");
  addAccess<uint32_t, uint32_t>(t, "W", "");
  addAccess<uint64_t, uint32_t>(t, "W", "_D");
  addAccess<uint64_t, uint64_t>(t, "D", "");
  addAccess<uint16_t, int8_t>(t, "SB", "_H");
  addAccess<uint32_t, int8_t>(t, "SB", "_S");
  addAccess<uint64_t, int8_t>(t, "SB", "_D");
  addAccess<uint32_t, int16_t>(t, "SH", "_S");
  addAccess<uint64_t, int16_t>(t, "SH", "_D");
  addAccess<uint64_t, int32_t>(t, "SW", "_D");
  addStructures<uint8_t>(t, "B");
  addStructures<uint16_t>(t, "H");
  addStructures<uint32_t>(t, "W");
  addStructures<uint64_t>(t, "D");
  t.add("LD1RSW_IMM", replicate<uint64_t, int32_t>);

  t.add("LDR_ZXI", [](State &s, const Instruction &i) {
    s.load(s.x[i.reg(1)] + static_cast<uint64_t>(i.operand[2]) * s.vectorBytes,
           s.v[i.reg(0)].bytes, s.vectorBytes);
  });
  t.add("STR_ZXI", [](State &s, const Instruction &i) {
    s.store(s.x[i.reg(1)] + static_cast<uint64_t>(i.operand[2]) * s.vectorBytes,
            s.v[i.reg(0)].bytes, s.vectorBytes);
  });
  t.add("LDR_PXI", [](State &s, const Instruction &i) {
    unsigned bytes = s.vectorBytes / 8;
    s.p[i.reg(0)].clear();
    s.load(s.x[i.reg(1)] + static_cast<uint64_t>(i.operand[2]) * bytes,
           s.p[i.reg(0)].words, bytes);
  });
  t.add("STR_PXI", [](State &s, const Instruction &i) {
    unsigned bytes = s.vectorBytes / 8;
    s.store(s.x[i.reg(1)] + static_cast<uint64_t>(i.operand[2]) * bytes,
            s.p[i.reg(0)].words, bytes);
  });
  forEachIntegerSize<false>([&](llvm::StringRef size, auto element) {
    using T = decltype(element);
    t.add("PRF" + size.drop_front() + "_PRI", prefetch<T, true>);
    t.add("PRF" + size.drop_front() + "_PRR", prefetch<T, false>);
  });
}
