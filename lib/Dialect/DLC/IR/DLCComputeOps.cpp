//===- DLCComputeOps.cpp - The compute program of the dlc dialect ---------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DLCVerify.h"

#include "mlir/IR/Builders.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace ember::dlc;
using ember::slc::Event;

ProgramOp ComputeLoopOp::getProgram() {
  return cast<ProgramOp>((*this)->getParentOp());
}

void ComputeLoopOp::print(OpAsmPrinter &printer) {
  if (!getIterArgs().empty())
    printer << " iter_args(" << getIterArgs() << ") -> ("
            << getIterArgs().getTypes() << ")";
  printer.printOptionalAttrDictWithKeyword((*this)->getAttrs(),
                                           {"cases", "weights"});
  std::optional<ArrayRef<int64_t>> weights = getWeights();
  for (auto [number, id, region] :
       llvm::enumerate(getCases(), getCaseRegions())) {
    printer.printNewline();
    printer << "case " << id << " ";
    if (weights)
      printer << "weight " << (*weights)[number] << " ";
    printer.printRegion(region, /*printEntryBlockArgs=*/true,
                        /*printBlockTerminators=*/!getIterArgs().empty());
  }
}

ParseResult ComputeLoopOp::parse(OpAsmParser &parser, OperationState &result) {
  SmallVector<OpAsmParser::UnresolvedOperand> inits;
  SMLoc loc = parser.getCurrentLocation();
  if (succeeded(parser.parseOptionalKeyword("iter_args")) &&
      (parser.parseOperandList(inits, OpAsmParser::Delimiter::Paren) ||
       parser.parseArrowTypeList(result.types)))
    return failure();
  if (parser.resolveOperands(inits, result.types, loc, result.operands) ||
      parser.parseOptionalAttrDictWithKeyword(result.attributes))
    return failure();
  SmallVector<int64_t> cases, weights;
  while (succeeded(parser.parseOptionalKeyword("case"))) {
    Region *region = result.addRegion();
    if (parser.parseInteger(cases.emplace_back()))
      return failure();
    SMLoc weight = parser.getCurrentLocation();
    if (succeeded(parser.parseOptionalKeyword("weight")) &&
        parser.parseInteger(weights.emplace_back()))
      return failure();
    if (!weights.empty() && weights.size() != cases.size())
      return parser.emitError(weight, "either every case has a weight or none");
    if (parser.parseRegion(*region))
      return failure();
    ComputeLoopOp::ensureTerminator(*region, parser.getBuilder(),
                                    result.location);
  }
  result.getOrAddProperties<Properties>().cases =
      parser.getBuilder().getDenseI64ArrayAttr(cases);
  if (!weights.empty())
    result.getOrAddProperties<Properties>().weights =
        parser.getBuilder().getDenseI64ArrayAttr(weights);
  return success();
}

namespace {
/// What the access program pushes for one token.
struct Pushes {
  RegisterCallbackOp callback;
  SmallVector<RegisterOperandOp> operands;
};
} // namespace

/// A buffer is a row that one traversal pushed: elements of another operand
/// would stand between its own.
static LogicalResult verifyBuffer(PopOperandOp pop, RegisterOperandOp push,
                                  const Pushes &pushes) {
  RegisterCallbackOp callback = pushes.callback;
  auto isRepeated = [&](RegisterOperandOp operand) {
    return callback.getEvent() == Event::end &&
           operand.getEvent() == Event::ite;
  };
  if (!isRepeated(push)) {
    InFlightDiagnostic diagnostic = pop.emitOpError(
        "pops a buffer where the access program pushes a single operand");
    diagnostic.attachNote(push.getLoc()) << "pushed here";
    return diagnostic;
  }
  for (RegisterOperandOp other : pushes.operands) {
    if (other == push || !isRepeated(other))
      continue;
    InFlightDiagnostic diagnostic = pop.emitOpError(
        "pops a buffer whose elements another operand's come between");
    diagnostic.attachNote(other.getLoc()) << "pushed here";
    return diagnostic;
  }
  return success();
}

/// The memory of a buffer is the case's: neither it nor a view of it may become
/// a register.
static LogicalResult verifyLifetime(PopOperandOp pop) {
  SmallVector<Value> reached{pop.getResult()};
  llvm::SmallPtrSet<Operation *, 8> seen;
  while (!reached.empty()) {
    for (Operation *user : reached.pop_back_val().getUsers()) {
      if (isa<YieldOp>(user))
        return user->emitOpError("hands on a popped buffer, which ends with "
                                 "its case");
      if (isa<ViewLikeOpInterface>(user) && seen.insert(user).second)
        llvm::append_range(reached, user->getResults());
    }
  }
  return success();
}

/// A case must pop what the access program pushes for it, in that order:
/// otherwise the two programs lose step with each other at run time.
static LogicalResult verifyOperands(ComputeLoopOp loop, const Pushes &pushes,
                                    Region &body) {
  SmallVector<PopOperandOp> pops;
  body.walk([&](PopOperandOp pop) {
    if (pop->getParentOfType<ComputeLoopOp>() == loop)
      pops.push_back(pop);
  });
  RegisterCallbackOp callback = pushes.callback;
  auto id = static_cast<int64_t>(callback.getId());
  for (auto [i, pop] : llvm::enumerate(pops)) {
    if (i >= pushes.operands.size())
      return pop.emitOpError("has no operand to pop: case ")
             << id << " gets " << pushes.operands.size();
    RegisterOperandOp push = pushes.operands[i];
    if (push.getOperandType() != pop.getEntryType()) {
      InFlightDiagnostic diagnostic = pop.emitOpError("pops ")
                                      << pop.getEntryType()
                                      << " where the access program pushes "
                                      << push.getOperandType();
      diagnostic.attachNote(push.getLoc()) << "pushed here";
      return diagnostic;
    }
    if (pop.getSize() && (failed(verifyBuffer(pop, push, pushes)) ||
                          failed(verifyLifetime(pop))))
      return failure();
  }
  if (pushes.operands.size() > pops.size())
    return RegisterOperandOp(pushes.operands[pops.size()])
               .emitOpError("is never popped by case ")
           << id;
  return success();
}

/// A case must read the value that its token carries, with its type, once.
static LogicalResult verifyTokenValue(RegisterCallbackOp callback,
                                      Region &body) {
  auto reads = llvm::to_vector(body.front().getOps<TokenValueOp>());
  Type type = callback.getValueType();
  if (!type && reads.empty())
    return success();
  if (reads.size() > 1)
    return reads[1].emitOpError("is the second one in its case");
  if (reads.empty())
    return callback.emitOpError("carries a value that case ")
           << callback.getId() << " does not read";
  if (type == reads.front().getResult().getType())
    return success();
  InFlightDiagnostic diagnostic = reads.front().emitOpError("reads ")
                                  << reads.front().getResult().getType()
                                  << " where the token carries ";
  if (type)
    diagnostic << type;
  else
    diagnostic << "no value";
  diagnostic.attachNote(callback.getLoc()) << "the callback";
  return diagnostic;
}

/// Case regions carry the registers in and out.
static LogicalResult verifyRegisters(ComputeLoopOp loop, int64_t id,
                                     Region &region) {
  TypeRange types = loop.getIterArgs().getTypes();
  if (region.getArgumentTypes() != types)
    return loop.emitOpError("case ")
           << id << " takes (" << region.getArgumentTypes()
           << ") but the iter_args are (" << types << ")";
  Operation *yield = region.front().getTerminator();
  if (yield->getOperandTypes() != types)
    return loop.emitOpError("case ")
           << id << " yields (" << yield->getOperandTypes()
           << ") but the iter_args are (" << types << ")";
  return success();
}

static LogicalResult verifyWeights(ComputeLoopOp loop) {
  std::optional<ArrayRef<int64_t>> weights = loop.getWeights();
  if (!weights)
    return success();
  if (weights->size() != loop.getCases().size())
    return loop.emitOpError("has ") << weights->size() << " weights for "
                                    << loop.getCases().size() << " cases";
  for (auto [id, weight] : llvm::zip_equal(loop.getCases(), *weights))
    if (weight < 0)
      return loop.emitOpError("case ")
             << id << " has the weight " << weight << "; weights are counts";
  return success();
}

LogicalResult ComputeLoopOp::verify() {
  if (getCases().size() != getCaseRegions().size())
    return emitOpError("has ") << getCases().size() << " case values for "
                               << getCaseRegions().size() << " regions";
  if (getResultTypes() != getIterArgs().getTypes())
    return emitOpError("returns (")
           << getResultTypes() << ") but the iter_args are ("
           << getIterArgs().getTypes() << ")";
  return verifyWeights(*this);
}

LogicalResult ember::dlc::verifyCases(ProgramOp program) {
  ComputeLoopOp loop = program.getComputeLoop();
  llvm::MapVector<int64_t, Pushes> pushes;
  for (Operation &op : *program.getAccessBody()) {
    if (auto callback = dyn_cast<RegisterCallbackOp>(op))
      pushes[callback.getId()].callback = callback;
    else if (auto push = dyn_cast<RegisterOperandOp>(op))
      pushes[push.getId()].operands.push_back(push);
  }
  llvm::SmallDenseSet<int64_t> seen;
  for (auto [id, region] :
       llvm::zip_equal(loop.getCases(), loop.getCaseRegions())) {
    auto found = id >= 0 && id <= INT32_MAX ? pushes.find(id) : pushes.end();
    if (found == pushes.end())
      return loop.emitOpError("case ")
             << id << " is never triggered: no callback registers token " << id;
    if (!seen.insert(id).second)
      return loop.emitOpError("has two cases for token ") << id;
    if (failed(verifyRegisters(loop, id, region)) ||
        failed(verifyTokenValue(found->second.callback, region)) ||
        failed(verifyOperands(loop, found->second, region)))
      return failure();
  }
  for (auto &[id, pushed] : pushes)
    if (!seen.contains(id))
      return pushed.callback.emitOpError("registers token ")
             << id << ", for which the compute program has no case";
  return success();
}

Type PopOperandOp::getEntryType() {
  auto memref = dyn_cast<MemRefType>(getResult().getType());
  return memref ? memref.getElementType() : getResult().getType();
}

LogicalResult PopOperandOp::verify() {
  if (!(*this)->getParentOfType<ComputeLoopOp>())
    return emitOpError("must stand in a case of a 'dlc.compute_loop'");
  auto memref = dyn_cast<MemRefType>(getResult().getType());
  bool isBuffer = static_cast<bool>(memref);
  if (isBuffer && memref != MemRefType::get({ShapedType::kDynamic},
                                            memref.getElementType()))
    return emitOpError("pops a buffer as a contiguous memref of rank 1 and "
                       "dynamic size, not ")
           << memref;
  if (isBuffer != static_cast<bool>(getSize()))
    return emitOpError(isBuffer ? "needs the 'size' of the buffer"
                                : "takes no 'size' for a single operand");
  return success();
}
