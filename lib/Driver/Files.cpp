//===- Files.cpp - Files written whole or not at all ----------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Temporary file and rename for regular files, plain writes for the rest.
//
//===----------------------------------------------------------------------===//

#include "ember/Driver/Files.h"
#include "ember/Driver/TemporaryPath.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace llvm;
using namespace ember;

Error ember::makeError(const Twine &message) {
  return createStringError(inconvertibleErrorCode(), message);
}

Expected<std::unique_ptr<MemoryBuffer>> ember::readFile(StringRef path) {
  if (path != "-" && sys::fs::is_directory(path))
    return makeError("cannot read '" + path + "': is a directory");
  auto buffer = MemoryBuffer::getFileOrSTDIN(path, /*IsText=*/false,
                                             /*RequiresNullTerminator=*/true);
  if (std::error_code code = buffer.getError())
    return makeError("cannot read '" + path + "': " + code.message());
  return std::move(*buffer);
}

/// The one wording for every failed write.
static Error writeError(StringRef path, std::error_code code) {
  return makeError("cannot write '" + path + "': " + code.message());
}

/// Runs `write` on `os` and reports what the system said. The error is cleared
/// because a raw_fd_ostream destroyed with one ends the process.
static std::error_code writeAll(raw_fd_ostream &os,
                                llvm::function_ref<void(raw_ostream &)> write) {
  write(os);
  os.flush();
  std::error_code code = os.error();
  os.clear_error();
  return code;
}

/// True for what cannot be replaced by a rename: devices, pipes, sockets.
static bool isWrittenInPlace(StringRef path) {
  sys::fs::file_status status;
  return !sys::fs::status(path, status) && sys::fs::exists(status) &&
         !sys::fs::is_regular_file(status) && !sys::fs::is_directory(status);
}

Error ember::writeFile(StringRef path,
                       llvm::function_ref<void(raw_ostream &)> write) {
  if (path == "-") {
    if (std::error_code code = writeAll(outs(), write))
      return writeError("standard output", code);
    return Error::success();
  }
  if (isWrittenInPlace(path)) {
    std::error_code code;
    raw_fd_ostream os(path, code, sys::fs::CD_OpenExisting);
    if (!code)
      code = writeAll(os, write);
    if (code)
      return writeError(path, code);
    return Error::success();
  }
  if (sys::fs::is_directory(path))
    return writeError(path, make_error_code(std::errc::is_a_directory));

  std::string prefix = (path + ".tmp-").str();
  removeAbandoned(prefix);
  ErrorOr<TemporaryPath> temporary = TemporaryPath::createFile(prefix);
  if (!temporary)
    return writeError(path, temporary.getError());
  raw_fd_ostream os(temporary->getDescriptor(), /*shouldClose=*/false);
  std::error_code code = writeAll(os, write);
  if (!code)
    code = temporary->moveTo(path);
  return code ? writeError(path, code) : Error::success();
}

Error ember::checkWritable(StringRef path) {
  if (path == "-" || isWrittenInPlace(path))
    return Error::success();
  if (path.empty())
    return makeError("cannot write '': the file name is empty");
  if (sys::fs::is_directory(path))
    return writeError(path, make_error_code(std::errc::is_a_directory));
  StringRef folder = sys::path::parent_path(path);
  if (folder.empty())
    folder = ".";
  if (!sys::fs::exists(folder))
    return writeError(path,
                      make_error_code(std::errc::no_such_file_or_directory));
  if (!sys::fs::is_directory(folder))
    return writeError(path, make_error_code(std::errc::not_a_directory));
  if (std::error_code code =
          sys::fs::access(folder, sys::fs::AccessMode::Write))
    return writeError(path, code);
  return Error::success();
}
