//===- Kernel.h - A kernel from the cache or the compiler -------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The way to a compiled kernel: out of the cache, or compiled and put there,
// or compiled into a temporary folder where there is no usable cache.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_DRIVER_KERNEL_H
#define EMBER_DRIVER_KERNEL_H

#include "ember/Driver/Cache.h"
#include "ember/Driver/Compile.h"

namespace ember {

/// The files of a kernel. A folder outside of the cache goes with the object.
class Kernel {
public:
  Kernel(CacheEntry files, std::string temporaryFolder = "")
      : files(std::move(files)), temporaryFolder(std::move(temporaryFolder)) {}
  Kernel(Kernel &&other)
      : files(std::move(other.files)),
        temporaryFolder(std::exchange(other.temporaryFolder, "")) {}
  Kernel &operator=(Kernel &&) = delete;
  ~Kernel();

  const std::string &getLibrary() const { return files.library; }
  const std::string &getManifest() const { return files.manifest; }
  bool isCached() const { return temporaryFolder.empty(); }

private:
  CacheEntry files;
  std::string temporaryFolder;
};

/// The kernel of a program. A cache that cannot be used costs a warning;
/// with `printRemarks` the program is compiled even if the cache has it.
llvm::Expected<Kernel> getKernel(std::unique_ptr<llvm::MemoryBuffer> text,
                                 const CompileOptions &options,
                                 std::optional<std::string> cacheFolder,
                                 bool printRemarks);

} // namespace ember

#endif // EMBER_DRIVER_KERNEL_H
