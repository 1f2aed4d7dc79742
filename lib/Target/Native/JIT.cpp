//===- JIT.cpp - Running a lowered module in this process -----------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Target/Native/JIT.h"
#include "ember/Dialect/Ember/IR/Ember.h"
#include "ember/Target/Native/Lowering.h"
#include "llvm/ExecutionEngine/Orc/AbsoluteSymbols.h"
#include "llvm/ExecutionEngine/Orc/ExecutionUtils.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/TargetParser/Host.h"

namespace ember::native {

JIT::JIT(std::unique_ptr<llvm::orc::LLJIT> engine)
    : engine(std::move(engine)) {}

JIT::~JIT() = default;

llvm::Expected<std::unique_ptr<JIT>> JIT::create(mlir::ModuleOp module,
                                                 const JITOptions &options) {
  llvm::StringRef triple = TargetAttr::of(module).getTriple();
  if (!triple.empty() && !isHostTriple(triple))
    return llvm::createStringError("code for " + triple + " cannot run here");
  llvm::Expected<std::string> object =
      generateCode(module, CodeFormat::Object, options.codeGen);
  if (!object)
    return object.takeError();

  auto machine = llvm::orc::JITTargetMachineBuilder(
      llvm::Triple(llvm::sys::getProcessTriple()));
  auto engine = llvm::orc::LLJITBuilder()
                    .setJITTargetMachineBuilder(std::move(machine))
                    .setPlatformSetUp(llvm::orc::setUpInactivePlatform)
                    .create();
  if (!engine)
    return engine.takeError();

  llvm::orc::JITDylib &library = (*engine)->getMainJITDylib();
  llvm::orc::SymbolMap symbols;
  for (const auto &[name, address] : options.symbols)
    symbols[(*engine)->mangleAndIntern(name)] = {
        llvm::orc::ExecutorAddr::fromPtr(address),
        llvm::JITSymbolFlags::Exported | llvm::JITSymbolFlags::Callable};
  if (llvm::Error error =
          library.define(llvm::orc::absoluteSymbols(std::move(symbols))))
    return std::move(error);
  if (llvm::Error error = (*engine)->addObjectFile(
          llvm::MemoryBuffer::getMemBufferCopy(*object, "kernel")))
    return std::move(error);
  return std::unique_ptr<JIT>(new JIT(std::move(*engine)));
}

llvm::Expected<void *> JIT::lookupSymbol(llvm::StringRef symbol) const {
  auto address = engine->lookup(symbol);
  if (!address)
    return address.takeError();
  return address->toPtr<void *>();
}

llvm::Expected<KernelEntry> JIT::lookup(llvm::StringRef name) const {
  auto address = lookupSymbol(kernelEntrySymbol(name));
  if (!address)
    return address.takeError();
  return reinterpret_cast<KernelEntry>(*address);
}

} // namespace ember::native
