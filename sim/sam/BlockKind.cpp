//===- BlockKind.cpp - The blocks of a Sparse Abstract Machine ------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Sim/SAM/BlockKind.h"

#include <array>

using namespace llvm;

namespace ember::sim::sam {

namespace {
using enum StreamType;

constexpr PortInfo scanIn[] = {{"ref", reference, 0}, {"skip", skip, 1, true}};
constexpr PortInfo scanOut[] = {{"crd", coordinate, 1}, {"ref", reference, 1}};
constexpr PortInfo crdIn[] = {{"crd", coordinate, 0}};
constexpr PortInfo signalOut[] = {{"repsig", signal, 0}};
constexpr PortInfo repeatIn[] = {{"ref", reference, 0}, {"repsig", signal, 1}};
constexpr PortInfo repeatOut[] = {{"ref", reference, 1}};
constexpr PortInfo joinIn[] = {{"crd1", coordinate, 0},
                               {"ref1", reference, 0},
                               {"crd2", coordinate, 0},
                               {"ref2", reference, 0}};
constexpr PortInfo joinOut[] = {{"crd", coordinate, 0},
                                {"ref1", reference, 0},
                                {"ref2", reference, 0},
                                {"skip1", skip, 0},
                                {"skip2", skip, 0}};
constexpr PortInfo uniteOut[] = {
    {"crd", coordinate, 0}, {"ref1", reference, 0}, {"ref2", reference, 0}};
constexpr PortInfo refIn[] = {{"ref", reference, 0}};
constexpr PortInfo valOut[] = {{"val", value, 0}};
constexpr PortInfo locateIn[] = {{"ref", reference, 0}, {"crd", coordinate, 0}};
constexpr PortInfo refOut[] = {{"ref", reference, 0}};
constexpr PortInfo aluIn[] = {{"in1", value, 0}, {"in2", value, 0}};
constexpr PortInfo reduceIn[] = {{"val", value, 1},
                                 {"outer", coordinate, 0, true}};
constexpr PortInfo pointsIn[] = {{"outer", coordinate, 0, false, true},
                                 {"inner", coordinate, 0, false, true},
                                 {"val", value, 0, false, true}};
constexpr PortInfo pointsOut[] = {{"outer", coordinate, 0},
                                  {"inner", coordinate, 1},
                                  {"val", value, 0, false, true}};
constexpr PortInfo anyValuesIn[] = {{"in1", value, 0},
                                    {"in2", value, 0, true},
                                    {"in3", value, 0, true},
                                    {"in4", value, 0, true}};
constexpr PortInfo alongIn[] = {{"val", value, 2},
                                {"inner", coordinate, 2},
                                {"outer", coordinate, 1, true},
                                {"outer2", coordinate, 0, true},
                                {"outer3", coordinate, -1, true},
                                {"outer4", coordinate, -2, true}};
constexpr PortInfo alongOut[] = {
    {"inner", coordinate, 1},   {"val", value, 1},
    {"outer", coordinate, 0},   {"outer2", coordinate, -1},
    {"outer3", coordinate, -2}, {"outer4", coordinate, -3}};
constexpr PortInfo twoLevelsIn[] = {{"outer", coordinate, 0},
                                    {"inner", coordinate, 1}};
constexpr PortInfo heldOut[] = {{"outer", coordinate, 1},
                                {"inner", coordinate, 1}};
constexpr PortInfo anyIn[] = {{"in", any, 0}};
constexpr PortInfo pointOut[] = {{"out", any, 0, false, true}};
constexpr PortInfo anyOut[] = {{"out", any, 0}};
constexpr PortInfo flattenIn[] = {{"inner", any, 1},
                                  {"outer", coordinate, 0, true}};
constexpr PortInfo lanesOut[] = {
    {"out1", any, 0}, {"out2", any, 0}, {"out3", any, 0}, {"out4", any, 0},
    {"out5", any, 0}, {"out6", any, 0}, {"out7", any, 0}, {"out8", any, 0}};
// Lists of lanes are as much deeper than what tells their order as the block's
// items are.
constexpr PortInfo lanesIn[] = {{"in1", any, 0},       {"outer", any, 0},
                                {"in2", any, 0, true}, {"in3", any, 0, true},
                                {"in4", any, 0, true}, {"in5", any, 0, true},
                                {"in6", any, 0, true}, {"in7", any, 0, true}};
constexpr PortInfo storeIn[] = {{"ref", reference, 0}, {"val", value, 0}};
constexpr PortInfo bitsIn[] = {{"bv", bits, 0}};
constexpr PortInfo bitsOut[] = {{"bv", bits, 0}};
constexpr PortInfo bitsDeeper[] = {{"bv", bits, 0}, {"ref", reference, 0}};
constexpr PortInfo bitsScanned[] = {{"bv", bits, 1}, {"ref", reference, 1}};
constexpr PortInfo bitsJoinIn[] = {{"bv1", bits, 0},
                                   {"ref1", reference, 0},
                                   {"bv2", bits, 0},
                                   {"ref2", reference, 0}};
constexpr PortInfo bitsJoinOut[] = {
    {"bv", bits, 0}, {"ref1", reference, 0}, {"ref2", reference, 0}};

/// In the order of BlockKind.
constexpr BlockInfo blocks[] = {
    {"scan_compressed", scanIn, scanOut},
    {"scan_dense", scanIn, scanOut},
    {"scan_singleton", scanIn, scanOut},
    {"scan_bitvector", scanIn, scanOut},
    {"scan_linked_list", scanIn, scanOut},
    {"repeat_signal", crdIn, signalOut},
    {"repeat", repeatIn, repeatOut},
    {"intersect", joinIn, joinOut},
    {"union", joinIn, uniteOut},
    {"array", refIn, valOut},
    {"locate", locateIn, refOut},
    {"mul", aluIn, valOut},
    {"add", aluIn, valOut},
    {"max", aluIn, valOut},
    {"min", aluIn, valOut},
    {"alu", anyValuesIn, valOut},
    {"reduce", reduceIn, valOut},
    {"accumulate1", pointsIn, pointsOut},
    {"accumulate2", pointsIn, pointsOut},
    {"reduce_along", alongIn, alongOut},
    {"crd_hold", twoLevelsIn, heldOut},
    {"crd_drop", twoLevelsIn, twoLevelsIn},
    {"stop_drop", anyIn, pointOut},
    {"empty_fiber_stop_drop", anyIn, anyOut},
    {"split", crdIn, twoLevelsIn},
    {"flatten", flattenIn, anyOut},
    {"parallelize", anyIn, lanesOut},
    {"serialize", lanesIn, anyOut},
    {"buffer", anyIn, anyOut},
    {"bv_convert", crdIn, bitsOut},
    {"bv_chunk", bitsIn, bitsDeeper},
    {"bv_scan", refIn, bitsScanned},
    {"bv_intersect", bitsJoinIn, bitsJoinOut},
    {"bv_union", bitsJoinIn, bitsJoinOut},
    {"store", storeIn, {}},
    {"write_compressed", anyIn, {}},
    {"write_vals", anyIn, {}},
};
static_assert(std::size(blocks) == numBlockKinds);
} // namespace

const BlockInfo &infoOf(BlockKind kind) { return blocks[unsigned(kind)]; }

std::optional<BlockKind> blockKindNamed(StringRef name) {
  for (unsigned i = 0; i < numBlockKinds; ++i)
    if (blocks[i].name == name)
      return BlockKind(i);
  return std::nullopt;
}

} // namespace ember::sim::sam
