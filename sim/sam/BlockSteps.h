//===- BlockSteps.h - Which blocks have a step for both engines -*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Most blocks take what has come once a cycle, and do the rest in that cycle.
// What they do is written once, of an act (CycleMachine.h, TimedMachine.h).
// Blocks whose inputs or outputs have paces of their own are written apart in
// each engine: scanners, repeaters, joiners, arrays, reducers of points, and
// those that hold or drop coordinates.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_LIB_SIM_SAM_BLOCKSTEPS_H
#define EMBER_LIB_SIM_SAM_BLOCKSTEPS_H

#include "BitSteps.h"
#include "ListSteps.h"
#include "ValueSteps.h"

namespace ember::sim::sam {

/// Calls `use` with the step of a kind, or returns `otherwise`.
template <typename Result, typename Use>
Result withStep(BlockKind kind, Result otherwise, Use use) {
  switch (kind) {
  case BlockKind::repeatSignal:
    return use([](auto &act) { return stepRepeatSignal(act); });
  case BlockKind::locate:
    return use([](auto &act) { return stepLocate(act); });
  case BlockKind::multiply:
  case BlockKind::add:
  case BlockKind::maximum:
  case BlockKind::minimum:
    return use([](auto &act) { return stepArithmetic(act); });
  case BlockKind::compute:
    return use([](auto &act) { return stepCompute(act); });
  case BlockKind::reduce:
    return use([](auto &act) { return stepReduce(act); });
  case BlockKind::reduceAlong:
    return use([](auto &act) { return stepReduceAlong(act); });
  case BlockKind::stopDrop:
    return use([](auto &act) { return stepStopDrop(act); });
  case BlockKind::emptyFiberStopDrop:
    return use([](auto &act) { return stepEmptyFiberStopDrop(act); });
  case BlockKind::split:
    return use([](auto &act) { return stepSplit(act); });
  case BlockKind::flatten:
    return use([](auto &act) { return stepFlatten(act); });
  case BlockKind::parallelize:
    return use([](auto &act) { return stepParallelize(act); });
  case BlockKind::serialize:
    return use([](auto &act) { return stepSerialize(act); });
  case BlockKind::buffer:
    return use([](auto &act) { return stepBuffer(act); });
  case BlockKind::bitsConvert:
    return use([](auto &act) { return stepBitsConvert(act); });
  case BlockKind::bitsChunk:
    return use([](auto &act) { return stepBitsChunk(act); });
  case BlockKind::bitsScan:
    return use([](auto &act) { return stepBitsScan(act); });
  case BlockKind::bitsIntersect:
  case BlockKind::bitsUnion:
    return use([](auto &act) { return stepBitsJoin(act); });
  case BlockKind::store:
    return use([](auto &act) { return stepStore(act); });
  case BlockKind::writeCompressed:
  case BlockKind::writeValues:
    return use([](auto &act) { return stepWrite(act); });
  default:
    return otherwise;
  }
}

} // namespace ember::sim::sam

#endif
