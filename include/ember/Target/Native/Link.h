//===- Link.h - Linking a kernel library ------------------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Objects and the runtime archive become a shared library, by lld.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_TARGET_NATIVE_LINK_H
#define EMBER_TARGET_NATIVE_LINK_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <string>

namespace ember::native {

struct LinkOptions {
  /// libember_runtime.a; empty: looked for beside the running program.
  std::string runtimeArchive;
  /// ld.lld; empty: ld.lld-22, ld.lld of the search path, or LLVM's own folder.
  std::string linker;
  /// Target triple of the objects; empty is the host's.
  std::string triple;
};

/// Links object files into the shared library `output`. The kernel entries,
/// ember_configure and ember_free are its only dynamic symbols.
llvm::Error linkSharedLibrary(llvm::ArrayRef<std::string> objectFiles,
                              llvm::StringRef output,
                              const LinkOptions &options = {});

/// The same for one object that is in memory.
llvm::Error linkObjectCode(llvm::StringRef objectCode, llvm::StringRef output,
                           const LinkOptions &options = {});

} // namespace ember::native

#endif // EMBER_TARGET_NATIVE_LINK_H
