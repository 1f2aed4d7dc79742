//===- Coordinates.cpp - Which coordinates lists belong to ----------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Dialect/SAM/IR/Coordinates.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace ember;
using namespace ember::sam;

/// A scanner that words come from.
static BVScanOp findBits(Value words) {
  while (Operation *op = words.getDefiningOp()) {
    if (auto scan = dyn_cast<BVScanOp>(op))
      return scan;
    if (!isa<BVIntersectOp, BVUnionOp>(op))
      return {};
    words = op->getOperand(0);
  }
  return {};
}

Value ember::sam::findCoordinatesBeside(Value stream) {
  if (isa<CoordinatesType>(stream.getType()))
    return stream;
  Operation *op = stream.getDefiningOp();
  if (!op)
    return {};
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case([](ScanOp scan) { return scan.getCoordinates(); })
      .Case([](LocateOp locate) { return locate.getCoordinates(); })
      .Case([](RepeatOp repeat) {
        Value driver = repeat.getDriver();
        return driver ? findCoordinatesBeside(driver) : Value();
      })
      .Case<IntersectOp, UnionOp>(
          [](auto joiner) { return joiner.getCoordinates(); })
      .Case([](LoadOp load) {
        return findCoordinatesBeside(load.getReferences());
      })
      .Case([](ConstantOp constant) {
        return findCoordinatesBeside(constant.getAlong());
      })
      .Case([](AluOp alu) {
        return findCoordinatesBeside(alu.getOperands().front());
      })
      .Case([](AccumulateOp accumulate) -> Value {
        return accumulate.getUnique().back();
      })
      .Case([](BVExpandOp expand) -> Value { return expand.getCoordinates(); })
      .Case([](ReduceOp reduce) {
        if (!reduce.getUnique().empty())
          return Value(reduce.getUnique().back());
        return findCoordinatesAround(reduce.getValues());
      })
      .Default([](Operation *) { return Value(); });
}

Value ember::sam::findCoordinatesAround(Value stream) {
  Value coordinates = findCoordinatesBeside(stream);
  Operation *op = coordinates ? coordinates.getDefiningOp() : nullptr;
  if (!op)
    return {};
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case([](ScanOp scan) {
        return findCoordinatesBeside(scan.getReferences());
      })
      .Case([](BVExpandOp expand) -> Value {
        if (auto scan = findBits(expand.getJoined()))
          return findCoordinatesBeside(scan.getReferences());
        return {};
      })
      .Case<IntersectOp, UnionOp>([](auto joiner) {
        return findCoordinatesAround(joiner.getSide(0).front());
      })
      .Case([&](CrdDropOp drop) -> Value {
        if (coordinates == drop.getKeptInner())
          return drop.getKeptOuter();
        return findCoordinatesAround(drop.getOuter());
      })
      .Case([](CrdHoldOp hold) { return hold.getOuter(); })
      .Case([&](AccumulateOp accumulate) -> Value {
        unsigned number = cast<OpResult>(coordinates).getResultNumber() - 1;
        return number ? accumulate.getUnique()[number - 1] : Value();
      })
      .Case([&](ReduceOp reduce) -> Value {
        unsigned number = cast<OpResult>(coordinates).getResultNumber() - 1;
        if (number > 0)
          return reduce.getUnique()[number - 1];
        // Over the level that goes away.
        Value gone = findCoordinatesAround(reduce.getCoordinates().front());
        return gone ? findCoordinatesAround(gone) : Value();
      })
      .Default([](Operation *) { return Value(); });
}
