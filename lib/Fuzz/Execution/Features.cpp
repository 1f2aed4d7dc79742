//===- Features.cpp - What the compiler made of a program -----------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Features.h"
#include "ember/Dialect/DLC/IR/DLC.h"
#include "ember/Dialect/SLC/IR/SLC.h"
#include "ember/Dialect/SLCV/IR/SLCV.h"
#include "llvm/ADT/TypeSwitch.h"

namespace ember::fuzz {
using namespace mlir;

static bool isVectorStream(Value value) {
  auto stream = dyn_cast<slc::StreamType>(value.getType());
  return stream && isa<VectorType>(stream.getElementType());
}

/// Loops around `op` that are traversed by the access unit.
static unsigned decoupledDepth(Operation *op) {
  unsigned depth = 0;
  for (; op; op = op->getParentOp())
    if (isa<slc::LoopOpInterface>(op))
      ++depth;
  return depth;
}

void collectFeatures(ModuleOp module, std::set<std::string> &features) {
  module.walk([&](Operation *op) {
    if (auto loop = dyn_cast<slc::LoopOpInterface>(op)) {
      features.insert("decoupled");
      features.insert("decoupled depth " + std::to_string(decoupledDepth(op)));
      if (!loop.getIterArgs().empty())
        features.insert("carried values");
    }
    TypeSwitch<Operation *>(op)
        .Case([&](slc::CallbackOp callback) {
          if (callback->getNumResults())
            features.insert("values between callbacks");
          if (callback.getEvent() != slc::Event::ite)
            features.insert("begin or end callback");
          if (callback.getMask())
            features.insert(slc::lanesOf(callback.getMask().getType())
                                ? "callback masked by lanes"
                                : "masked callback");
          if (!callback.getBody()->getOps<scf::ForOp>().empty())
            features.insert("loop in callback");
        })
        .Case([&](slc::MemStrOp load) {
          if (load.getMask())
            features.insert("masked load");
          for (Value index : load.getIndices())
            if (index.getDefiningOp<slc::MemStrOp>() ||
                index.getDefiningOp<slc::CastStrOp>())
              features.insert("indirect stream");
        })
        .Case([&](slc::AluStrOp) { features.insert("alu stream"); })
        .Case([&](slc::CmpStrOp) { features.insert("compared stream"); })
        .Case([&](slc::SelStrOp) { features.insert("chosen stream"); })
        .Case([&](slc::AccStrOp) { features.insert("running sum"); })
        .Case([&](slc::SegmentStrOp) { features.insert("segment search"); })
        .Case([&](slc::FwdStrOp forward) {
          features.insert(isVectorStream(forward.getResult())
                              ? "padded operand"
                              : "forwarded stream");
        })
        .Case([&](slcv::VecForOp) { features.insert("vectorised"); })
        .Case([&](slcv::VecMemStrOp load) {
          features.insert(load.getContiguous() ? "vector load" : "gather");
          if (load.getOtherwise())
            features.insert("vector load or another value");
        })
        .Case([&](slcv::BufStrOp) { features.insert("bufferised"); })
        .Case([&](memref::GetGlobalOp) { features.insert("constant memref"); })
        .Case([&](memref::TransposeOp) { features.insert("transposed view"); })
        .Case([&](dlc::ProgramOp) { features.insert("dlc"); })
        .Case([&](dlc::RegisterCallbackOp callback) {
          if (callback.getAnnounced())
            features.insert("announced callback");
          if (callback.getWhereSame())
            features.insert("held operands");
          if (mlir::Type type = callback.getValueType()) {
            features.insert("value in token");
            if (type.isIndex() || type.getIntOrFloatBitWidth() == 64)
              features.insert("64-bit value in token");
          }
        })
        .Case([&](dlc::ComputeLoopOp loop) {
          if (loop.getNumResults())
            features.insert("registers");
        });
  });
}

} // namespace ember::fuzz
