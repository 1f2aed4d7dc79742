//===- GraphStreams.cpp - Which streams are nested alike ------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GraphStreams.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace ember;

Value ember::findCoordinatesBeside(Value stream) {
  if (isa<sam::CoordinatesType>(stream.getType()))
    return stream;
  Operation *op = stream.getDefiningOp();
  if (!op)
    return {};
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case([](sam::ScanOp scan) { return scan.getCoordinates(); })
      .Case([](sam::LocateOp locate) { return locate.getCoordinates(); })
      .Case([](sam::RepeatOp repeat) {
        Value driver = repeat.getDriver();
        return driver ? findCoordinatesBeside(driver) : Value();
      })
      .Case<sam::IntersectOp, sam::UnionOp>(
          [](auto joiner) { return joiner.getCoordinates(); })
      .Case([](sam::LoadOp load) {
        return findCoordinatesBeside(load.getReferences());
      })
      .Case([](sam::ConstantOp constant) {
        return findCoordinatesBeside(constant.getAlong());
      })
      .Case([](sam::AluOp alu) {
        return findCoordinatesBeside(alu.getOperands().front());
      })
      .Case([](sam::ReduceOp reduce) {
        if (!reduce.getUnique().empty())
          return Value(reduce.getUnique().back());
        return findCoordinatesAround(reduce.getValues());
      })
      .Default([](Operation *) { return Value(); });
}

Value ember::findCoordinatesAround(Value stream) {
  Value coordinates = findCoordinatesBeside(stream);
  Operation *op = coordinates ? coordinates.getDefiningOp() : nullptr;
  if (!op)
    return {};
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case([](sam::ScanOp scan) {
        return findCoordinatesBeside(scan.getReferences());
      })
      .Case<sam::IntersectOp, sam::UnionOp>([](auto joiner) {
        return findCoordinatesAround(joiner.getSide(0).front());
      })
      .Case([&](sam::CrdDropOp drop) -> Value {
        if (coordinates == drop.getKeptInner())
          return drop.getKeptOuter();
        return findCoordinatesAround(drop.getOuter());
      })
      .Case([](sam::CrdHoldOp hold) { return hold.getOuter(); })
      .Case([&](sam::ReduceOp reduce) -> Value {
        unsigned number = cast<OpResult>(coordinates).getResultNumber() - 1;
        if (number > 0)
          return reduce.getUnique()[number - 1];
        // Over the level that goes away.
        Value gone = findCoordinatesAround(reduce.getCoordinates().front());
        return gone ? findCoordinatesAround(gone) : Value();
      })
      .Default([](Operation *) { return Value(); });
}
