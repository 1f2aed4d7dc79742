//===- Cache.cpp - Kernels on disk, found by their content ----------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See the header for the layout of the folder and what it guarantees.
//
//===----------------------------------------------------------------------===//

#include "ember/Driver/Cache.h"
#include "ember/Driver/Files.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Chrono.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/SHA256.h"
#include "llvm/Support/xxhash.h"

using namespace llvm;
using namespace ember;

static constexpr StringLiteral kernelFiles[] = {"kernel.so", "kernel.json"};
static constexpr StringLiteral marker = "complete.json";
static constexpr StringLiteral incomplete = "incomplete";
static constexpr std::chrono::hours staleAge(1);

static std::string joinPath(StringRef folder, StringRef name) {
  SmallString<256> path(folder);
  sys::path::append(path, name);
  return path.str().str();
}

std::optional<std::string> KernelCache::getDefaultFolder() {
  if (auto folder = sys::Process::GetEnv("EMBER_CACHE_DIR");
      folder && !folder->empty())
    return folder;
  SmallString<256> folder;
  if (!sys::path::cache_directory(folder))
    return std::nullopt;
  return joinPath(folder, "ember");
}

std::string KernelCache::computeKey(ArrayRef<StringRef> parts) {
  SHA256 hash;
  for (StringRef part : parts) {
    // With its length in front, no two lists of parts read the same.
    hash.update(std::to_string(part.size()) + ":");
    hash.update(part);
  }
  // 160 bits name a kernel as surely as 256 and keep paths short.
  return toHex(ArrayRef(hash.final()).take_front(20), /*LowerCase=*/true);
}

/// Size and hash of a file, as the marker records them; null when unreadable.
static json::Value describeFile(StringRef path) {
  auto buffer = MemoryBuffer::getFile(path, /*IsText=*/false,
                                      /*RequiresNullTerminator=*/false);
  if (!buffer)
    return nullptr;
  StringRef bytes = (*buffer)->getBuffer();
  return json::Object{{"size", static_cast<int64_t>(bytes.size())},
                      {"hash", utohexstr(xxh3_64bits(bytes))}};
}

/// The marker of the kernel files in `folder`; null when one is missing.
static json::Value describeEntry(StringRef folder) {
  json::Object files;
  for (StringRef name : kernelFiles) {
    json::Value file = describeFile(joinPath(folder, name));
    if (file == nullptr)
      return nullptr;
    files[name] = std::move(file);
  }
  return files;
}

/// Whether the kernel files are those that the marker describes.
static bool isIntact(StringRef folder) {
  auto buffer = MemoryBuffer::getFile(joinPath(folder, marker));
  if (!buffer)
    return false;
  Expected<json::Value> recorded = json::parse((*buffer)->getBuffer());
  if (!recorded) {
    consumeError(recorded.takeError());
    return false;
  }
  return *recorded != nullptr && *recorded == describeEntry(folder);
}

/// A new folder in `parent` that no other process has.
static Expected<std::string> createUniqueFolder(StringRef parent) {
  if (std::error_code code = sys::fs::create_directories(parent))
    return errorCodeToError(code);
  for (int attempt = 0; attempt < 16; ++attempt) {
    std::string folder =
        joinPath(parent, utohexstr(sys::Process::GetRandomNumber()) + "-" +
                             utostr(sys::Process::getProcessId()));
    std::error_code code =
        sys::fs::create_directory(folder, /*IgnoreExisting=*/false);
    if (!code)
      return folder;
    if (code != std::errc::file_exists)
      return errorCodeToError(code);
  }
  return errorCodeToError(make_error_code(std::errc::file_exists));
}

/// Moves what is at `path` out of the way before deleting it, so that nobody
/// sees it half deleted.
static void removeEntry(StringRef path, StringRef parent) {
  Expected<std::string> grave = createUniqueFolder(parent);
  if (!grave) {
    consumeError(grave.takeError());
    return;
  }
  // Fails when another process was faster: then the folder is empty.
  (void)sys::fs::rename(path, joinPath(*grave, "entry"));
  sys::fs::remove_directories(*grave);
}

CacheEntry KernelCache::getEntry(StringRef key) const {
  std::string entry = joinPath(folder, key);
  return {joinPath(entry, kernelFiles[0]), joinPath(entry, kernelFiles[1])};
}

std::optional<CacheEntry> KernelCache::lookup(StringRef key) const {
  if (!isIntact(joinPath(folder, key)))
    return std::nullopt;
  return getEntry(key);
}

void KernelCache::removeStale() const {
  std::error_code code;
  auto now = std::chrono::system_clock::now();
  for (sys::fs::directory_iterator it(joinPath(folder, incomplete), code), end;
       !code && it != end; it.increment(code)) {
    ErrorOr<sys::fs::basic_file_status> status = it->status();
    if (status && now - status->getLastModificationTime() > staleAge)
      sys::fs::remove_directories(it->path());
  }
}

Expected<CacheEntry>
KernelCache::insert(StringRef key,
                    function_ref<Error(StringRef folder)> write) const {
  std::string parent = joinPath(folder, incomplete);
  Expected<std::string> temporary = createUniqueFolder(parent);
  if (!temporary)
    return makeError("cannot write to the kernel cache '" + folder +
                     "': " + toString(temporary.takeError()));
  removeStale();
  auto fail = [&](Error error) -> Error {
    sys::fs::remove_directories(*temporary);
    return error;
  };
  if (Error error = write(*temporary))
    return fail(std::move(error));
  json::Value description = describeEntry(*temporary);
  if (Error error = writeFile(joinPath(*temporary, marker),
                              [&](raw_ostream &os) { os << description; }))
    return fail(std::move(error));

  std::string target = joinPath(folder, key);
  std::error_code code;
  for (int attempt = 0; attempt < 3; ++attempt) {
    code = sys::fs::rename(*temporary, target);
    if (!code)
      return getEntry(key);
    // Another process was faster, or there is a damaged entry in our way.
    if (std::optional<CacheEntry> theirs = lookup(key)) {
      sys::fs::remove_directories(*temporary);
      return *theirs;
    }
    removeEntry(target, parent);
  }
  return fail(makeError("cannot write to the kernel cache '" + folder +
                        "': " + code.message()));
}
