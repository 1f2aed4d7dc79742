//===- TMUVerifyMapping.cpp - Rules of what is on a machine ---------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Dialect/TMU/IR/TMU.h"

using namespace mlir;
using namespace ember::tmu;

//===----------------------------------------------------------------------===//
// Queues
//===----------------------------------------------------------------------===//

SmallVector<Value> ember::tmu::getStreams(Value tu) {
  auto unit = tu.getDefiningOp<TUOpInterface>();
  SmallVector<Value> streams{unit.getPosition()};
  for (Value more : unit->getResults().drop_front(2))
    if (!more.use_empty())
      streams.push_back(more);
  for (Operation *user : tu.getUsers())
    if (!isa<LayerOpInterface>(user) && user->getNumResults())
      streams.push_back(user->getResult(0));
  return streams;
}

int64_t ember::tmu::getEntryBytes(Value tu, MachineAttr machine) {
  int64_t bytes = 0;
  // Where segments end is found by loads.
  bool isFound = isa<SetSegTUOp>(tu.getDefiningOp());
  for (Value stream : getStreams(tu))
    if (machine.getComputedQueues() || isFound ||
        isa<SetMemStrOp>(stream.getDefiningOp()))
      bytes += getElementBytes(slc::getStreamElementType(stream.getType()));
  return bytes;
}

//===----------------------------------------------------------------------===//
// Rules
//===----------------------------------------------------------------------===//

static LogicalResult verifyUnitMapping(TUOpInterface unit,
                                       MachineAttr machine) {
  if (!unit.getQueue())
    return unit->emitOpError("has no queues, but its program is mapped to a "
                             "machine");
  auto streams = static_cast<int64_t>(getStreams(unit.getTu()).size());
  if (streams > machine.getStreams())
    return unit->emitOpError("has ")
           << streams << " streams, but a unit of the machine "
           << machine.getStreams();
  return success();
}

LogicalResult ember::tmu::verifyMapping(ProgramOp program) {
  MachineAttr machine = program.getMachineAttr();
  if (!machine)
    return success();
  SmallVector<LayerOpInterface> layers = getLayers(program);
  if (static_cast<int64_t>(layers.size()) > machine.getLayers())
    return program.emitOpError("has ")
           << layers.size() << " layers, but its machine "
           << machine.getLayers();
  // Layers of one unit are on the first lane.
  SmallVector<int64_t> bytes(machine.getLanes(), 0);
  for (auto [number, layer] : llvm::enumerate(layers)) {
    if (layer.getNumber() != number)
      return layer->emitOpError("is layer ") << number << " of its program";
    if (static_cast<int64_t>(layer.getUnits().size()) > machine.getLanes())
      return layer->emitOpError("has ")
             << layer.getUnits().size() << " lanes, but its machine "
             << machine.getLanes();
    for (auto [lane, tu] : llvm::enumerate(layer.getUnits())) {
      auto unit = tu.getDefiningOp<TUOpInterface>();
      if (failed(verifyUnitMapping(unit, machine)))
        return failure();
      bytes[lane] +=
          static_cast<int64_t>(*unit.getQueue()) * getEntryBytes(tu, machine);
    }
  }
  for (auto [lane, used] : llvm::enumerate(bytes))
    if (used > machine.getStorage())
      return program.emitOpError("has queues of ")
             << used << " bytes in lane " << lane << ", which has "
             << machine.getStorage();
  return success();
}
