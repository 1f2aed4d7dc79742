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
#include "ember/Driver/TemporaryPath.h"
#include "ember/Runtime/Ownership.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Chrono.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/SHA256.h"
#include "llvm/Support/xxhash.h"
#include <fcntl.h>
#include <sys/stat.h>

using namespace llvm;
using namespace ember;

static constexpr StringLiteral kernelFiles[] = {"kernel.so", "kernel.json"};
static constexpr StringLiteral marker = "complete.json";
static constexpr StringLiteral incomplete = "incomplete";
static constexpr uint64_t defaultSizeBound = uint64_t(1) << 30;
// Whoever has just been told of a kernel still has to load it.
static constexpr std::chrono::minutes minimumAge(10);

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

/// How often an entry is moved to its place before that counts as impossible.
static constexpr int maxAttempts = 100;

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

/// Whose folders of the cache are: everybody's whom the umask lets, or ours.
static sys::fs::perms getPermissions(bool shared) {
  return shared ? sys::fs::all_all : sys::fs::owner_all;
}

/// A new folder for an entry in the making, or one to be deleted.
static ErrorOr<TemporaryPath> createIncomplete(StringRef cache, bool shared) {
  std::string parent = joinPath(cache, incomplete);
  sys::fs::perms permissions = getPermissions(shared);
  if (std::error_code code = sys::fs::create_directories(
          parent, /*IgnoreExisting=*/true, permissions))
    return code;
  return TemporaryPath::createFolder(parent + "/", permissions);
}

/// Moves what is at `path` out of the way before deleting it, so that nobody
/// sees it half deleted.
static void removeEntry(StringRef path, StringRef cache, bool shared) {
  // Renaming fails when another process was faster.
  if (ErrorOr<TemporaryPath> grave = createIncomplete(cache, shared))
    (void)sys::fs::rename(path, joinPath(grave->getPath(), "entry"));
}

bool KernelCache::areShared() { return isSwitchedOn("EMBER_CACHE_SHARED"); }

Error KernelCache::prepare() const {
  if (std::error_code code = sys::fs::create_directories(
          folder, /*IgnoreExisting=*/true, getPermissions(shared)))
    return makeError("cannot write to the kernel cache '" + folder +
                     "': " + code.message());
  std::string reason = shared ? "" : whyNotOurs(folder);
  if (reason.empty())
    return Error::success();
  return makeError(
      "the kernel cache '" + folder + "' is not used: " + reason +
      " (make it yours alone, name another folder in EMBER_CACHE_DIR, or set "
      "EMBER_CACHE_SHARED=1 if it is shared on purpose)");
}

/// Whether nobody else can have put the entry there: the folder may have been
/// open to others before.
bool KernelCache::isOurs(StringRef entry) const {
  return shared || llvm::all_of(kernelFiles, [&](StringRef name) {
           return whyNotOurs(joinPath(entry, name)).empty();
         });
}

CacheEntry KernelCache::getEntry(StringRef key) const {
  std::string entry = joinPath(folder, key);
  return {joinPath(entry, kernelFiles[0]), joinPath(entry, kernelFiles[1])};
}

std::optional<CacheEntry> KernelCache::lookup(StringRef key) const {
  std::string entry = joinPath(folder, key);
  // First of all, so that nobody evicts it meanwhile.
  (void)utimensat(AT_FDCWD, joinPath(entry, marker).c_str(), nullptr, 0);
  if (!isIntact(entry) || !isOurs(entry))
    return std::nullopt;
  return getEntry(key);
}

Expected<uint64_t> KernelCache::getSizeBound() {
  auto text = sys::Process::GetEnv("EMBER_CACHE_SIZE");
  if (!text || text->empty())
    return defaultSizeBound;
  StringRef digits = *text;
  unsigned shift = digits.consume_back("K")   ? 10
                   : digits.consume_back("M") ? 20
                   : digits.consume_back("G") ? 30
                                              : 0;
  uint64_t count;
  if (digits.getAsInteger(10, count) || count > UINT64_MAX >> shift)
    return makeError("EMBER_CACHE_SIZE=" + *text +
                     ": expected a number of bytes, like 500M or 2G, or 0 for "
                     "no bound");
  return count << shift;
}

namespace {
/// What eviction has to know of an entry.
struct StoredEntry {
  std::string path;
  sys::TimePoint<> lastUse;
  uint64_t bytes;
};
} // namespace

/// The entry at `path`; nothing where there is something else.
static std::optional<StoredEntry> measureEntry(const std::string &path) {
  sys::fs::file_status status;
  if (sys::fs::status(joinPath(path, marker), status))
    return std::nullopt;
  StoredEntry entry{path, status.getLastModificationTime(), status.getSize()};
  for (StringRef name : kernelFiles)
    if (!sys::fs::status(joinPath(path, name), status))
      entry.bytes += status.getSize();
  return entry;
}

void KernelCache::evict() const {
  if (sizeBound == 0)
    return;
  std::vector<StoredEntry> entries;
  uint64_t total = 0;
  std::error_code code;
  for (sys::fs::directory_iterator it(folder, code), end; !code && it != end;
       it.increment(code))
    if (std::optional<StoredEntry> entry = measureEntry(it->path())) {
      total += entry->bytes;
      entries.push_back(std::move(*entry));
    }
  if (total <= sizeBound)
    return;
  llvm::sort(entries, [](const StoredEntry &a, const StoredEntry &b) {
    return std::tie(a.lastUse, a.path) < std::tie(b.lastUse, b.path);
  });
  auto youngest = std::chrono::system_clock::now() - minimumAge;
  for (const StoredEntry &entry : entries) {
    if (total <= sizeBound || entry.lastUse > youngest)
      return;
    total -= entry.bytes;
    // It may have been used since.
    if (auto now = measureEntry(entry.path); now && now->lastUse <= youngest)
      removeEntry(entry.path, folder, shared);
  }
}

Expected<CacheEntry>
KernelCache::insert(StringRef key,
                    llvm::function_ref<Error(StringRef folder)> write) const {
  auto unusable = [&](std::error_code code) {
    return makeError("cannot write to the kernel cache '" + folder +
                     "': " + code.message());
  };
  ErrorOr<TemporaryPath> temporary = createIncomplete(folder, shared);
  if (!temporary)
    return unusable(temporary.getError());
  removeAbandoned(joinPath(folder, incomplete) + "/");
  StringRef path = temporary->getPath();
  if (Error error = write(path))
    return std::move(error);
  json::Value description = describeEntry(path);
  if (Error error = writeFile(joinPath(path, marker),
                              [&](raw_ostream &os) { os << description; }))
    return std::move(error);

  // A linker gives what it writes to whom the umask does.
  if (!shared)
    for (StringRef name : kernelFiles)
      if (std::error_code code = sys::fs::setPermissions(
              joinPath(path, name), sys::fs::owner_read | sys::fs::owner_write))
        return unusable(code);

  std::string target = joinPath(folder, key);
  std::error_code code;
  // Each failure beside others is the success of one of them, but nobody waits
  // for ever on a folder that cannot be moved.
  for (int attempt = 0; attempt < maxAttempts; ++attempt) {
    code = temporary->moveTo(target);
    if (!code) {
      evict();
      return getEntry(key);
    }
    // Another process was faster, or there is a damaged entry in our way.
    if (std::optional<CacheEntry> theirs = lookup(key))
      return *theirs;
    removeEntry(target, folder, shared);
  }
  return unusable(code);
}
