//===- Registration.cpp - Dialects and passes Ember's tools know ----------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Driver/Registration.h"

#include "ember/Checks/Passes.h"
#include "ember/Conversion/CINToSAM/Passes.h"
#include "ember/Conversion/CINToSCF/Passes.h"
#include "ember/Conversion/ColToCIN/Passes.h"
#include "ember/Conversion/DLCToRing/Passes.h"
#include "ember/Conversion/DLCToTMU/Passes.h"
#include "ember/Conversion/EmbedToCIN/Passes.h"
#include "ember/Conversion/RingToNative/Passes.h"
#include "ember/Conversion/RingToTMU/Passes.h"
#include "ember/Conversion/SCFToSLC/Passes.h"
#include "ember/Conversion/SLCToDLC/Passes.h"
#include "ember/Conversion/SLCToSCF/Passes.h"
#include "ember/Dialect/CIN/IR/CIN.h"
#include "ember/Dialect/CIN/Transforms/BufferizableOpInterface.h"
#include "ember/Dialect/CIN/Transforms/Passes.h"
#include "ember/Dialect/Col/IR/Col.h"
#include "ember/Dialect/Col/Transforms/BufferizableOpInterface.h"
#include "ember/Dialect/Col/Transforms/Passes.h"
#include "ember/Dialect/DLC/IR/DLC.h"
#include "ember/Dialect/DLC/Transforms/Passes.h"
#include "ember/Dialect/Embed/IR/Embed.h"
#include "ember/Dialect/Embed/Transforms/BufferizableOpInterface.h"
#include "ember/Dialect/Ember/Transforms/Passes.h"
#include "ember/Dialect/Ring/IR/Ring.h"
#include "ember/Dialect/SAM/IR/SAM.h"
#include "ember/Dialect/SAM/Transforms/Passes.h"
#include "ember/Dialect/SLC/IR/SLC.h"
#include "ember/Dialect/SLC/Transforms/Passes.h"
#include "ember/Dialect/SLCV/IR/SLCV.h"
#include "ember/Dialect/SLCV/Transforms/Passes.h"
#include "ember/Dialect/TMU/IR/TMU.h"
#include "ember/Dialect/TMU/Transforms/Passes.h"
#include "ember/Loops/Transforms/Passes.h"
#include "ember/Pipelines/Pipelines.h"
#include "ember/Target/Native/Lowering.h"
#include "ember/Target/Native/Passes.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Bufferization/Transforms/FuncBufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Bufferization/Transforms/Passes.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Index/IR/IndexDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/SparseTensor/IR/SparseTensor.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tensor/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

void ember::registerDialects(DialectRegistry &registry) {
  registry.insert<EmberDialect, cin::CINDialect, col::ColDialect,
                  embed::EmbedDialect, slc::SLCDialect, slcv::SLCVDialect,
                  dlc::DLCDialect, ring::RingDialect, sam::SAMDialect,
                  tmu::TMUDialect>();
  // Complex numbers are read for an error that says what to do.
  registry.insert<affine::AffineDialect, arith::ArithDialect,
                  bufferization::BufferizationDialect, cf::ControlFlowDialect,
                  complex::ComplexDialect, func::FuncDialect,
                  index::IndexDialect, linalg::LinalgDialect, LLVM::LLVMDialect,
                  math::MathDialect, memref::MemRefDialect, scf::SCFDialect,
                  sparse_tensor::SparseTensorDialect, tensor::TensorDialect,
                  ub::UBDialect, vector::VectorDialect>();
  cin::registerBufferizableOpInterfaceExternalModels(registry);
  col::registerBufferizableOpInterfaceExternalModels(registry);
  embed::registerBufferizableOpInterfaceExternalModels(registry);
  arith::registerBufferizableOpInterfaceExternalModels(registry);
  bufferization::func_ext::registerBufferizableOpInterfaceExternalModels(
      registry);
  linalg::registerBufferizableOpInterfaceExternalModels(registry);
  scf::registerBufferizableOpInterfaceExternalModels(registry);
  tensor::registerBufferizableOpInterfaceExternalModels(registry);
  native::registerLoweringDialects(registry);
}

void ember::registerPasses() {
  registerCanonicalizerPass();
  registerCSEPass();
  bufferization::registerOneShotBufferizePass();
  registerEmberPasses();
  cin::registerCINPasses();
  col::registerColPasses();
  registerCINToSAMPasses();
  sam::registerSAMPasses();
  registerCINToSCFPasses();
  registerColToCINPasses();
  registerEmbedToCINPasses();
  registerSCFToSLCPasses();
  registerSLCPasses();
  slcv::registerSLCVPasses();
  registerSLCToSCFPasses();
  registerSLCToDLCPasses();
  dlc::registerDLCPasses();
  registerDLCToRingPasses();
  registerDLCToTMUPasses();
  registerRingToTMUPasses();
  registerRingToNativePasses();
  tmu::registerTMUPasses();
  loops::registerLoopsPasses();
  checks::registerChecksPasses();
  native::registerEmberNativePasses();
  native::registerLoweringPipeline();
  registerPipelines();
}
