//===- Kernel.cpp - A kernel from the cache or the compiler ---------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The key is made of the program's text, so that a kernel in the cache is found
// without even parsing the program.
//
//===----------------------------------------------------------------------===//

#include "ember/Driver/Kernel.h"
#include "ember/Driver/CompilerIdentity.h"
#include "ember/Driver/Files.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include <cstdlib>

using namespace llvm;
using namespace ember;

Kernel::~Kernel() {
  if (!temporaryFolder.empty())
    sys::fs::remove_directories(temporaryFolder);
}

namespace {
/// A program to compile, perhaps more than once: compiling changes the module.
class Program {
public:
  Program(std::unique_ptr<MemoryBuffer> text, const CompileOptions &options,
          bool printRemarks)
      : text(std::move(text)), options(options), printRemarks(printRemarks) {}

  /// Reads it and says what it is for. Fails as reading and that do.
  Error parse();
  /// All that a kernel depends on: the program with its target, how it is
  /// compiled, and by what.
  std::string computeKey() const;
  Error compileInto(StringRef folder);

private:
  std::unique_ptr<MemoryBuffer> text;
  const CompileOptions &options;
  bool printRemarks;
  /// None once it was compiled.
  std::unique_ptr<Source> source;
};
} // namespace

Error Program::parse() {
  auto copy = MemoryBuffer::getMemBufferCopy(text->getBuffer(),
                                             text->getBufferIdentifier());
  Expected<std::unique_ptr<Source>> parsed =
      Source::parse(std::move(copy), printRemarks);
  if (!parsed)
    return parsed.takeError();
  source = std::move(*parsed);
  return setTarget(source->getModule(), options);
}

std::string Program::computeKey() const {
  std::string module;
  raw_string_ostream os(module);
  // Messages of a kernel name lines of the program.
  source->getModule().print(
      os, mlir::OpPrintingFlags().enableDebugInfo().useLocalScope());
  return KernelCache::computeKey(
      {module, options.toText(), getCompilerIdentity()});
}

Error Program::compileInto(StringRef folder) {
  if (!source)
    if (Error error = parse())
      return error;
  std::unique_ptr<Source> compiled = std::move(source);
  return compileKernel(*compiled, options, folder);
}

static Expected<Kernel> compileWithoutCache(Program &program) {
  SmallString<128> parent;
  sys::path::system_temp_directory(/*ErasedOnReboot=*/true, parent);
  std::string folder = (parent + "/emberc-XXXXXX").str();
  // For this user alone.
  if (!mkdtemp(folder.data())) {
    std::error_code code(errno, std::generic_category());
    return createStringError(code, "cannot create a temporary folder: " +
                                       code.message());
  }
  SmallString<128> library(folder), manifest(folder);
  sys::path::append(library, "kernel.so");
  sys::path::append(manifest, "kernel.json");
  Kernel kernel({library.str().str(), manifest.str().str()}, folder);
  if (Error error = program.compileInto(folder))
    return std::move(error);
  return kernel;
}

/// Whether there is no room for a kernel in a folder. A linker that runs out of
/// it does not say so: what it writes is mapped.
static bool isFull(StringRef folder) {
  constexpr uint64_t leastRoom = uint64_t(1) << 20;
  ErrorOr<sys::fs::space_info> space = sys::fs::disk_space(folder);
  return space && space->available < leastRoom;
}

Expected<Kernel> ember::getKernel(std::unique_ptr<MemoryBuffer> text,
                                  const CompileOptions &options,
                                  std::optional<std::string> cacheFolder,
                                  bool printRemarks) {
  Program program(std::move(text), options, printRemarks);
  if (!cacheFolder)
    return compileWithoutCache(program);
  Expected<uint64_t> sizeBound = KernelCache::getSizeBound();
  if (!sizeBound)
    return sizeBound.takeError();
  KernelCache cache(*cacheFolder, *sizeBound, KernelCache::areShared());
  if (Error error = program.parse())
    return std::move(error);
  std::string key = program.computeKey();
  auto compileAside = [&](Error reason) {
    errs() << "warning: " << toString(std::move(reason))
           << "; compiling without it\n";
    return compileWithoutCache(program);
  };
  if (Error error = cache.prepare())
    return compileAside(std::move(error));
  if (!printRemarks)
    if (std::optional<CacheEntry> entry = cache.lookup(key))
      return Kernel(*entry);

  bool compilationFailed = false;
  Expected<CacheEntry> entry = cache.insert(key, [&](StringRef folder) {
    Error error = program.compileInto(folder);
    compilationFailed = static_cast<bool>(error);
    return error;
  });
  if (entry)
    return Kernel(*entry);
  if (compilationFailed && isFull(*cacheFolder)) {
    consumeError(entry.takeError());
    return compileAside(makeError("there is no room in the kernel cache '" +
                                  *cacheFolder + "'"));
  }
  if (compilationFailed)
    return entry.takeError();
  return compileAside(entry.takeError());
}
