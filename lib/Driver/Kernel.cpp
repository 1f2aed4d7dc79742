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
#include "ember/Target/Processor/TargetInfo.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include <cstdlib>

using namespace llvm;
using namespace ember;

Kernel::~Kernel() {
  if (!temporaryFolder.empty())
    sys::fs::remove_directories(temporaryFolder);
}

static Expected<std::string> computeKey(StringRef program,
                                        const CompileOptions &options) {
  Expected<TargetInfo> target = describeTarget(getTargetSpec(options));
  if (!target)
    return target.takeError();
  return KernelCache::computeKey({program, options.toText(),
                                  target->description(),
                                  getCompilerIdentity()});
}

static Error compileInto(StringRef folder, MemoryBufferRef program,
                         const CompileOptions &options, bool printRemarks) {
  // Compiling changes the module: each attempt parses its own.
  Expected<std::unique_ptr<Source>> source =
      Source::parse(MemoryBuffer::getMemBufferCopy(
                        program.getBuffer(), program.getBufferIdentifier()),
                    printRemarks);
  if (!source)
    return source.takeError();
  return compileKernel(**source, options, folder);
}

static Expected<Kernel> compileWithoutCache(MemoryBufferRef program,
                                            const CompileOptions &options,
                                            bool printRemarks) {
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
  if (Error error = compileInto(folder, program, options, printRemarks))
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

Expected<Kernel> ember::getKernel(std::unique_ptr<MemoryBuffer> program,
                                  const CompileOptions &options,
                                  std::optional<std::string> cacheFolder,
                                  bool printRemarks) {
  MemoryBufferRef text = program->getMemBufferRef();
  if (!cacheFolder)
    return compileWithoutCache(text, options, printRemarks);
  Expected<uint64_t> sizeBound = KernelCache::getSizeBound();
  if (!sizeBound)
    return sizeBound.takeError();
  KernelCache cache(*cacheFolder, *sizeBound, KernelCache::areShared());
  Expected<std::string> key = computeKey(text.getBuffer(), options);
  if (!key)
    return key.takeError();
  auto compileAside = [&](Error reason) {
    errs() << "warning: " << toString(std::move(reason))
           << "; compiling without it\n";
    return compileWithoutCache(text, options, printRemarks);
  };
  if (Error error = cache.prepare())
    return compileAside(std::move(error));
  if (!printRemarks)
    if (std::optional<CacheEntry> entry = cache.lookup(*key))
      return Kernel(*entry);

  bool compilationFailed = false;
  Expected<CacheEntry> entry = cache.insert(*key, [&](StringRef folder) {
    Error error = compileInto(folder, text, options, printRemarks);
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
