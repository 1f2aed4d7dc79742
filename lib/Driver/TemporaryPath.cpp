//===- TemporaryPath.cpp - Files and folders in the making ----------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Driver/TemporaryPath.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Chrono.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/Signals.h"
#include "llvm/Support/raw_ostream.h"
#include <cerrno>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace llvm;
using namespace ember;

static constexpr size_t randomDigits = 8;
static constexpr std::chrono::hours staleAge(1);

static std::error_code lastError() {
  return std::error_code(errno, std::generic_category());
}

/// Whether `path` names what `descriptor` has open.
static bool isAt(int descriptor, const std::string &path) {
  struct stat open, named;
  return fstat(descriptor, &open) == 0 && lstat(path.c_str(), &named) == 0 &&
         open.st_dev == named.st_dev && open.st_ino == named.st_ino;
}

enum class Lock { Taken, Free, Unknown };

/// Takes the lock of an open file or folder, if that can be done.
static Lock tryLock(int descriptor) {
  if (flock(descriptor, LOCK_EX | LOCK_NB) == 0)
    return Lock::Free;
  return errno == EWOULDBLOCK ? Lock::Taken : Lock::Unknown;
}

/// Removes a file, or a folder with all that is in it.
static void removeAll(const std::string &path) {
  sys::fs::remove_directories(path);
  sys::fs::remove(path);
}

TemporaryPath::TemporaryPath(std::string path, int descriptor)
    : path(std::move(path)), descriptor(descriptor) {}

TemporaryPath::TemporaryPath(TemporaryPath &&other)
    : path(std::exchange(other.path, {})),
      descriptor(std::exchange(other.descriptor, -1)) {}

TemporaryPath::~TemporaryPath() {
  if (!path.empty()) {
    removeAll(path);
    sys::DontRemoveFileOnSignal(path);
  }
  if (descriptor >= 0)
    close(descriptor);
}

std::error_code TemporaryPath::moveTo(StringRef target) {
  if (std::error_code code = sys::fs::rename(path, target))
    return code;
  sys::DontRemoveFileOnSignal(path);
  path.clear();
  return {};
}

ErrorOr<TemporaryPath> TemporaryPath::create(const Twine &prefix, bool isFolder,
                                             sys::fs::perms permissions) {
  for (int attempt = 0; attempt < 128; ++attempt) {
    std::string path;
    raw_string_ostream(path)
        << prefix << format_hex_no_prefix(sys::Process::GetRandomNumber(), 8);
    if (isFolder && mkdir(path.c_str(), permissions) != 0) {
      if (errno == EEXIST)
        continue;
      return lastError();
    }
    int flags = isFolder ? O_RDONLY | O_DIRECTORY : O_RDWR | O_CREAT | O_EXCL;
    int descriptor = open(path.c_str(), flags | O_CLOEXEC, permissions);
    if (descriptor < 0) {
      // Before it is locked, a folder may be taken for abandoned.
      if (errno == EEXIST || (isFolder && errno == ENOENT))
        continue;
      return lastError();
    }
    TemporaryPath temporary(path, descriptor);
    if (tryLock(descriptor) == Lock::Taken || !isAt(descriptor, path))
      continue;
    sys::RemoveFileOnSignal(path);
    return temporary;
  }
  return make_error_code(std::errc::file_exists);
}

ErrorOr<TemporaryPath> TemporaryPath::createFile(const Twine &prefix) {
  return create(prefix, /*isFolder=*/false,
                sys::fs::all_read | sys::fs::all_write);
}

ErrorOr<TemporaryPath> TemporaryPath::createFolder(const Twine &prefix,
                                                   sys::fs::perms permissions) {
  return create(prefix, /*isFolder=*/true, permissions);
}

/// Removes what is at `path` if the process that made it is gone.
static void removeIfAbandoned(const std::string &path) {
  int descriptor = open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
  if (descriptor < 0)
    return;
  Lock lock = tryLock(descriptor);
  sys::fs::file_status status;
  bool isOld =
      !sys::fs::status(descriptor, status) &&
      std::chrono::system_clock::now() - status.getLastModificationTime() >
          staleAge;
  if ((lock == Lock::Free || (lock == Lock::Unknown && isOld)) &&
      isAt(descriptor, path))
    removeAll(path);
  close(descriptor);
}

void ember::removeAbandoned(const Twine &prefix) {
  std::string text = prefix.str();
  StringRef folder = sys::path::parent_path(text);
  StringRef namePrefix = StringRef(text).drop_front(folder.size());
  namePrefix.consume_front("/");
  std::error_code code;
  for (sys::fs::directory_iterator it(folder.empty() ? "." : folder, code,
                                      /*follow_symlinks=*/false),
       end;
       !code && it != end; it.increment(code)) {
    StringRef digits = sys::path::filename(it->path());
    if (digits.consume_front(namePrefix) && digits.size() == randomDigits &&
        all_of(digits, isHexDigit))
      removeIfAbandoned(it->path());
  }
}
