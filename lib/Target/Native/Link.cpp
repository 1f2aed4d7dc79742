//===- Link.cpp - Linking a kernel library --------------------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Target/Native/Link.h"
#include "ember/Target/Native/CodeGen.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/Triple.h"

namespace ember::native {

/// What a kernel library shows to whoever loads it.
static constexpr llvm::StringLiteral exports =
    "{ global: ember_kernel_*; ember_configure; ember_free; ember_use_team; "
    "local: *; };\n";

static llvm::Expected<std::string> findLinker(llvm::StringRef given) {
  if (!given.empty()) {
    if (llvm::sys::fs::can_execute(given))
      return given.str();
    return llvm::createStringError("the linker '" + given +
                                   "' cannot be executed");
  }
  for (llvm::StringRef name : {"ld.lld-22", "ld.lld"}) {
    if (auto path = llvm::sys::findProgramByName(name))
      return *path;
    if (auto path = llvm::sys::findProgramByName(name, {EMBER_LLVM_TOOLS_DIR}))
      return *path;
  }
  return llvm::createStringError(
      "linking a kernel library needs ld.lld, which is not on this machine: "
      "install the package lld-22");
}

/// The system's libraries that kernels use (memory, threads, elementary
/// functions), by path: a linker driver is not needed to know them.
static llvm::SmallVector<std::string> systemLibraries(llvm::Triple triple) {
  std::string multiarch = (triple.getArchName() + "-linux-gnu").str();
  std::string folders[] = {"/lib/" + multiarch,
                           "/usr/lib/" + multiarch,
                           "/lib64",
                           "/usr/lib64",
                           "/lib",
                           "/usr/lib"};
  llvm::StringRef loader =
      triple.isAArch64() ? "ld-linux-aarch64.so.1" : "ld-linux-x86-64.so.2";
  llvm::SmallVector<std::string> libraries;
  for (llvm::StringRef name :
       {llvm::StringRef("libc.so.6"), llvm::StringRef("libm.so.6"), loader}) {
    for (const std::string &folder : folders) {
      llvm::SmallString<128> path(folder);
      llvm::sys::path::append(path, name);
      if (!llvm::sys::fs::exists(path))
        continue;
      libraries.push_back(path.str().str());
      break;
    }
  }
  return libraries;
}

/// Writes `content` to a new temporary file.
static llvm::Expected<std::string> writeTemporary(llvm::StringRef suffix,
                                                  llvm::StringRef content) {
  int file;
  llvm::SmallString<128> path;
  if (std::error_code code =
          llvm::sys::fs::createTemporaryFile("ember", suffix, file, path))
    return llvm::createStringError(code, "cannot create a temporary file: " +
                                             code.message());
  llvm::raw_fd_ostream stream(file, /*shouldClose=*/true);
  stream << content;
  stream.close();
  if (stream.has_error()) {
    std::string why = stream.error().message();
    stream.clear_error();
    llvm::sys::fs::remove(path);
    return llvm::createStringError("cannot write '" + path + "': " + why);
  }
  return path.str().str();
}

llvm::Error linkSharedLibrary(llvm::ArrayRef<std::string> objectFiles,
                              llvm::StringRef output,
                              const LinkOptions &options) {
  llvm::Expected<std::string> linker = findLinker(options.linker);
  if (!linker)
    return linker.takeError();
  std::string runtime = options.runtimeArchive;
  if (runtime.empty()) {
    auto found = findInstalledFile("libember_runtime.a");
    if (!found)
      return found.takeError();
    runtime = *found;
  }
  auto script = writeTemporary("ver", exports);
  if (!script)
    return script.takeError();
  llvm::FileRemover removeScript(*script);
  auto messages = writeTemporary("log", "");
  if (!messages)
    return messages.takeError();
  llvm::FileRemover removeMessages(*messages);

  llvm::Triple triple(options.triple.empty() ? llvm::sys::getProcessTriple()
                                             : options.triple);
  auto libraries = systemLibraries(triple);
  std::string versionScript = "--version-script=" + *script;
  llvm::SmallVector<llvm::StringRef> arguments = {*linker,
                                                  "-shared",
                                                  "-Bsymbolic",
                                                  "--gc-sections",
                                                  "--strip-debug",
                                                  "--hash-style=gnu",
                                                  "-z",
                                                  "now",
                                                  "-z",
                                                  "relro",
                                                  "-u",
                                                  "ember_configure",
                                                  "-u",
                                                  "ember_free",
                                                  "-u",
                                                  "ember_use_team",
                                                  versionScript,
                                                  "-o",
                                                  output};
  arguments.append(objectFiles.begin(), objectFiles.end());
  arguments.push_back(runtime);
  if (!libraries.empty()) {
    // With the system's libraries in sight, what is undefined is an error now
    // instead of when the kernel is loaded.
    arguments.append({"-z", "defs", "--as-needed"});
    arguments.append(libraries.begin(), libraries.end());
  }

  std::string failure;
  std::optional<llvm::StringRef> redirects[] = {llvm::StringRef(""),
                                                llvm::StringRef(*messages),
                                                llvm::StringRef(*messages)};
  int status = llvm::sys::ExecuteAndWait(*linker, arguments, std::nullopt,
                                         redirects, /*SecondsToWait=*/0,
                                         /*MemoryLimit=*/0, &failure);
  if (status == 0)
    return llvm::Error::success();
  if (failure.empty())
    if (auto log = llvm::MemoryBuffer::getFile(*messages))
      failure = (*log)->getBuffer().rtrim().split('\n').first.str();
  llvm::StringRef reason(failure);
  reason.consume_front("ld.lld: ");
  reason.consume_front("error: ");
  return llvm::createStringError("linking '" + output + "' failed: " + reason);
}

llvm::Error linkObjectCode(llvm::StringRef objectCode, llvm::StringRef output,
                           const LinkOptions &options) {
  auto object = writeTemporary("o", objectCode);
  if (!object)
    return object.takeError();
  llvm::FileRemover removeObject(*object);
  std::string files[] = {*object};
  return linkSharedLibrary(files, output, options);
}

} // namespace ember::native
