//===- SCFToSLC.cpp - Conversion of decoupled scf nests to slc ------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Analysis/DecouplingPlan.h"
#include "ember/Conversion/SCFToSLC/Passes.h"
#include "ember/Dialect/SLC/IR/SLC.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/TypeSwitch.h"

namespace ember {
#define GEN_PASS_DEF_CONVERTSCFTOSLC
#include "ember/Conversion/SCFToSLC/Passes.h.inc"
} // namespace ember

using namespace mlir;
using namespace ember;
using ember::slc::AluOp;
using ember::slc::CallbackOp;
using ember::slc::StreamType;

/// The ALU stream operation that computes what `op` does.
static std::optional<AluOp> getAluOp(Operation *op) {
  return TypeSwitch<Operation *, std::optional<AluOp>>(op)
      .Case([](arith::AddIOp) { return AluOp::add; })
      .Case([](arith::SubIOp) { return AluOp::sub; })
      .Case([](arith::MulIOp) { return AluOp::mul; })
      .Case([](arith::DivSIOp) { return AluOp::divs; })
      .Case([](arith::DivUIOp) { return AluOp::divu; })
      .Case([](arith::RemSIOp) { return AluOp::rems; })
      .Case([](arith::RemUIOp) { return AluOp::remu; })
      .Case([](arith::AndIOp) { return AluOp::and_; })
      .Case([](arith::OrIOp) { return AluOp::or_; })
      .Case([](arith::XOrIOp) { return AluOp::xor_; })
      .Case([](arith::ShLIOp) { return AluOp::shl; })
      .Case([](arith::ShRSIOp) { return AluOp::shrs; })
      .Case([](arith::ShRUIOp) { return AluOp::shru; })
      .Case([](arith::MinSIOp) { return AluOp::mins; })
      .Case([](arith::MaxSIOp) { return AluOp::maxs; })
      .Case([](arith::MinUIOp) { return AluOp::minu; })
      .Case([](arith::MaxUIOp) { return AluOp::maxu; })
      .Default([](Operation *) { return std::nullopt; });
}

namespace {
/// Checks that a marked nest is what `choose-decoupling` leaves: the mark is an
/// attribute, which anyone can write.
class MarkedNest {
public:
  explicit MarkedNest(scf::ForOp root) : root(root) {}

  LogicalResult verify(scf::ForOp loop);

private:
  bool isFixed(Value value);
  bool isStreamed(Value value);
  LogicalResult refuse(Operation *op, const Twine &reason);

  scf::ForOp root;
};
} // namespace

LogicalResult MarkedNest::refuse(Operation *op, const Twine &reason) {
  InFlightDiagnostic diagnostic =
      op->emitOpError("in a loop marked 'slc.decouple' ") << reason;
  diagnostic.attachNote(root.getLoc()) << "the nest";
  return diagnostic;
}

bool MarkedNest::isFixed(Value value) {
  return !root->isAncestor(value.getParentRegion()->getParentOp());
}

/// True if the access unit computes `value`.
bool MarkedNest::isStreamed(Value value) {
  if (isFixed(value))
    return false;
  if (auto argument = dyn_cast<BlockArgument>(value))
    return cast<scf::ForOp>(argument.getOwner()->getParentOp())
               .getInductionVar() == argument;
  return !isa<scf::ForOp, CallbackOp>(value.getDefiningOp());
}

LogicalResult MarkedNest::verify(scf::ForOp loop) {
  if (!loop.getInductionVar().getType().isIndex() || loop.getUnsignedCmp())
    return refuse(loop, "must count by a signed index");
  if (!isFixed(loop.getStep()))
    return refuse(loop, "changes its step");
  auto isAccess = [&](Value value) {
    return isFixed(value) || isStreamed(value);
  };
  if (!isAccess(loop.getLowerBound()) || !isAccess(loop.getUpperBound()))
    return refuse(loop, "has a bound of the execute unit");
  auto isCompute = [&](Value value) { return !isStreamed(value); };
  Operation *yield = loop.getBody()->getTerminator();
  if (!llvm::all_of(loop.getInitArgs(), isCompute) ||
      !llvm::all_of(yield->getOperands(), isCompute))
    return refuse(loop, "carries a value of the access unit");
  for (Operation &op : loop.getBody()->without_terminator()) {
    if (auto nested = dyn_cast<scf::ForOp>(op)) {
      if (failed(verify(nested)))
        return failure();
      continue;
    }
    if (isa<CallbackOp>(op))
      continue;
    auto load = dyn_cast<memref::LoadOp>(op);
    bool isElement = load && (load.getType().isSignlessIntOrIndex() ||
                              isa<FloatType>(load.getType()));
    if (!isElement && !isStreamArithmetic(&op))
      return refuse(&op, "is nothing the access unit does, and must stand in "
                         "an 'slc.callback'");
    if (!llvm::all_of(op.getOperands(), isAccess) ||
        (load && !isFixed(load.getMemref())))
      return refuse(&op, "reads a value of the execute unit");
  }
  return success();
}

namespace {
/// Builds the slc nest for one marked scf nest.
class NestConversion {
public:
  explicit NestConversion(OpBuilder &builder) : builder(builder) {}

  void run(scf::ForOp root) {
    builder.setInsertionPoint(root);
    slc::ForOp nest = convertLoop(root);
    root.replaceAllUsesWith(nest.getResults());
    root.erase();
  }

private:
  slc::ForOp convertLoop(scf::ForOp loop);
  void convertCallback(CallbackOp callback);
  void convertStream(Operation *op);

  /// The stream that carries `value`, or `value` where it is fixed.
  Value stream(Value value) { return streams.lookupOrDefault(value); }
  bool isStreamed(Value value) { return streams.contains(value); }

  OpBuilder &builder;
  /// From values of the scf nest to streams, and to values of callbacks.
  IRMapping streams, values;
};
} // namespace

void NestConversion::convertStream(Operation *op) {
  Location loc = op->getLoc();
  Value result = op->getResult(0);
  if (auto load = dyn_cast<memref::LoadOp>(op)) {
    SmallVector<Value> indices;
    for (Value index : load.getIndices())
      indices.push_back(stream(index));
    streams.map(result,
                slc::MemStrOp::create(builder, loc, load.getMemref(), indices)
                    .getResult());
    return;
  }
  bool anyStream = llvm::any_of(op->getOperands(),
                                [&](Value value) { return isStreamed(value); });
  if (!anyStream && isPure(op)) {
    // Fixed during the nest, though computed in it: stays a value.
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPoint(
        slc::getNestRoot(builder.getBlock()->getParentOp()));
    streams.map(result, builder.clone(*op, streams)->getResult(0));
    values.map(result, streams.lookup(result));
    return;
  }
  Type type = StreamType::get(result.getType());
  if (std::optional<AluOp> opcode = getAluOp(op)) {
    Value lhs = stream(op->getOperand(0));
    // A division stays in the loop, as it may be there for its divisor not to
    // be zero; a fixed dividend becomes a stream for that.
    if (!anyStream)
      lhs = slc::FwdStrOp::create(builder, loc, type, lhs);
    streams.map(result, slc::AluStrOp::create(builder, loc, type, *opcode, lhs,
                                              stream(op->getOperand(1)))
                            .getResult());
    return;
  }
  bool isUnsigned = isa<arith::IndexCastUIOp, arith::ExtUIOp>(op);
  streams.map(result,
              slc::CastStrOp::create(builder, loc, type,
                                     stream(op->getOperand(0)), isUnsigned)
                  .getResult());
}

/// Clones a callback, materialising in front of it the streams it reads.
void NestConversion::convertCallback(CallbackOp callback) {
  IRMapping inside = values;
  callback.getRegion().walk([&](Operation *op) {
    for (Value operand : op->getOperands()) {
      if (!isStreamed(operand) || inside.contains(operand))
        continue;
      Value source = stream(operand);
      inside.map(operand,
                 slc::StrToValOp::create(builder, operand.getLoc(), source)
                     .getValue());
    }
  });
  auto copy = cast<CallbackOp>(builder.clone(*callback, inside));
  values.map(callback.getResults(), copy.getResults());
}

slc::ForOp NestConversion::convertLoop(scf::ForOp loop) {
  SmallVector<Value> inits;
  for (Value init : loop.getInitArgs())
    inits.push_back(values.lookupOrDefault(init));
  auto result = slc::ForOp::create(
      builder, loop.getLoc(), stream(loop.getLowerBound()),
      stream(loop.getUpperBound()), stream(loop.getStep()), inits);
  streams.map(loop.getInductionVar(), result.getInductionVar());
  values.map(loop.getRegionIterArgs(), result.getRegionIterArgs());
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(result.getBody());
  for (Operation &op : loop.getBody()->without_terminator()) {
    if (auto nested = dyn_cast<scf::ForOp>(op))
      values.map(nested.getResults(), convertLoop(nested).getResults());
    else if (auto callback = dyn_cast<CallbackOp>(op))
      convertCallback(callback);
    else
      convertStream(&op);
  }
  if (inits.empty())
    return result;
  SmallVector<Value> yielded;
  for (Value value : loop.getBody()->getTerminator()->getOperands())
    yielded.push_back(values.lookupOrDefault(value));
  slc::YieldOp::create(builder, loop.getLoc(), yielded);
  return result;
}

namespace {
struct ConvertSCFToSLC
    : public ember::impl::ConvertSCFToSLCBase<ConvertSCFToSLC> {
  void runOnOperation() override {
    SmallVector<scf::ForOp> roots;
    getOperation()->walk<WalkOrder::PreOrder>([&](Operation *op) {
      auto loop = dyn_cast<scf::ForOp>(op);
      if (!loop || !loop->hasAttr("slc.decouple"))
        return WalkResult::advance();
      roots.push_back(loop);
      return WalkResult::skip();
    });
    OpBuilder builder(&getContext());
    for (scf::ForOp root : roots) {
      if (failed(MarkedNest(root).verify(root)))
        return signalPassFailure();
      NestConversion(builder).run(root);
    }
  }
};
} // namespace
