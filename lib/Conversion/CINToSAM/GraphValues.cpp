//===- GraphValues.cpp - The values and results of a graph ----------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GraphValues.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace ember;

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

bool GraphValues::isUniform(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op || isa<cin::LiteralOp>(op))
    return true;
  auto call = dyn_cast<cin::CallOp>(op);
  return call && llvm::all_of(call.getOperands(), isUniform);
}

Value GraphValues::makeUniform(Value value, const Computed &around) {
  Value along = around.coordinates.empty() ? iteration.getRoot()
                                           : around.coordinates.back();
  if (auto literal = value.getDefiningOp<cin::LiteralOp>())
    return sam::ConstantOp::create(builder, literal.getValue(), along);
  if (auto call = value.getDefiningOp<cin::CallOp>()) {
    SmallVector<Value> operands =
        llvm::map_to_vector(call.getOperands(), [&](Value operand) {
          return makeUniform(operand, around);
        });
    Type type = sam::ValuesType::get(builder.getContext(), value.getType(),
                                     around.coordinates.size());
    return sam::AluOp::create(builder, type, call.getCallee(), operands);
  }
  Value references = iteration.getRoot();
  for (Value coordinates : around.coordinates)
    references = iteration.repeat(references, coordinates);
  return sam::LoadOp::create(builder, tensors.lookup(value), references);
}

GraphValues::Computed GraphValues::computeAccess(cin::AccessOp access) {
  const AccessPath &path = paths.getPath(access);
  Computed computed;
  computed.variables = iteration.getScopes(path);
  for (unsigned variable : computed.variables)
    computed.coordinates.push_back(iteration.getCoordinates(variable));
  computed.values = sam::LoadOp::create(builder, tensors.lookup(path.array),
                                        iteration.getReferences(path));
  return computed;
}

GraphValues::Computed GraphValues::computeCall(cin::CallOp call) {
  SmallVector<Value> streams(call.getNumOperands());
  Computed around;
  for (auto [number, operand] : llvm::enumerate(call.getOperands())) {
    if (isUniform(operand))
      continue;
    Computed computed = compute(operand, /*isLast=*/false);
    streams[number] = computed.values;
    around = std::move(computed);
  }
  for (auto [number, operand] : llvm::enumerate(call.getOperands()))
    if (!streams[number])
      streams[number] = makeUniform(operand, around);
  Type type = sam::ValuesType::get(builder.getContext(), call.getType(),
                                   around.coordinates.size());
  around.values = sam::AluOp::create(builder, type, call.getCallee(), streams);
  return around;
}

bool GraphValues::isWritten(unsigned variable, cin::LevelKind kind) const {
  std::optional<unsigned> level = paths.result.findLevel(variable);
  return level && !paths.result.format.isDense() &&
         paths.result.format.levels[*level].kind == kind;
}

void GraphValues::dropAt(Computed &computed, unsigned outer) {
  auto drop = sam::CrdDropOp::create(builder, computed.coordinates[outer],
                                     computed.coordinates[outer + 1]);
  computed.coordinates[outer] = drop.getKeptOuter();
  computed.coordinates[outer + 1] = drop.getKeptInner();
}

void GraphValues::reduceLast(Computed &body, cin::ReduceOp reduce,
                             bool isLast) {
  unsigned place = body.variables.size();
  auto isBound = [&](unsigned variable) {
    return paths.variables[variable].reduce == reduce;
  };
  while (!isBound(body.variables[--place])) {
  }
  // Dense levels of a result have all coordinates, whatever is below.
  bool hasOuter =
      place > 0 && !isWritten(body.variables[place - 1], cin::LevelKind::dense);
  bool isInnermost = place + 1 == body.variables.size();
  bool dropsHere = drops && isLast && (hasOuter || !isInnermost);
  if (dropsHere && isInnermost)
    dropAt(body, place - 1);
  ValueRange inner = ArrayRef(body.coordinates).drop_front(place + 1);
  auto block = sam::ReduceOp::create(
      builder, reduce.getCallee(),
      dropsHere ? sam::Empty::drop : sam::Empty::keep, body.values, inner);
  body.values = block.getReduced();
  body.variables.erase(body.variables.begin() + place);
  body.coordinates.erase(body.coordinates.begin() + place);
  llvm::copy(block.getUnique(), body.coordinates.begin() + place);
}

GraphValues::Computed GraphValues::computeReduction(cin::ReduceOp reduce,
                                                    bool isLast) {
  TypedAttr identity = reduce.getFunction().getIdentity(reduce.getType());
  isLast =
      isLast && identity && cin::areSame(identity, paths.result.format.fill);
  Computed body = compute(reduce.getYield().getValue(), isLast);
  for (size_t count = reduce.getBody()->getNumArguments(); count > 0; --count)
    reduceLast(body, reduce, isLast);
  return body;
}

GraphValues::Computed GraphValues::compute(Value value, bool isLast) {
  if (auto access = value.getDefiningOp<cin::AccessOp>())
    return computeAccess(access);
  if (auto reduce = value.getDefiningOp<cin::ReduceOp>())
    return computeReduction(reduce, isLast);
  return computeCall(value.getDefiningOp<cin::CallOp>());
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

void GraphValues::writeLevels(Computed &computed) {
  if (drops)
    for (unsigned outer = computed.variables.size(); outer-- > 1;)
      if (isWritten(computed.variables[outer - 1],
                    cin::LevelKind::compressed) ||
          isWritten(computed.variables[outer - 1], cin::LevelKind::singleton))
        dropAt(computed, outer - 1);
  Value tensor = paths.resultTensor;
  for (auto [level, coordinates] : llvm::enumerate(computed.coordinates))
    sam::WriteLevelOp::create(builder, coordinates, tensor, level);
  sam::WriteValuesOp::create(builder, computed.values, tensor);
}

void GraphValues::storeElements(const Computed &computed) {
  Value references = iteration.getRoot();
  for (auto [variable, coordinates] :
       llvm::zip(computed.variables, computed.coordinates)) {
    references = iteration.repeat(references, coordinates);
    references =
        iteration.locate(paths.result, *paths.result.findLevel(variable),
                         references, coordinates);
  }
  sam::StoreOp::create(builder, computed.values, references,
                       paths.resultTensor);
}

void GraphValues::build() {
  Value value = paths.assign.getValue();
  Computed computed;
  if (isUniform(value)) {
    computed.variables = paths.order;
    computed.coordinates =
        llvm::map_to_vector(paths.order, [&](unsigned variable) {
          return iteration.getCoordinates(variable);
        });
    computed.values = makeUniform(value, computed);
  } else {
    computed = compute(value, /*isLast=*/true);
  }
  if (!computed.variables.empty() && paths.result.format.isDense())
    storeElements(computed);
  else
    writeLevels(computed);
}
