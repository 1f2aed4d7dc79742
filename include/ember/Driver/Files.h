//===- Files.h - Files written whole or not at all --------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every file the tools write goes through here: to a temporary name beside the
// target, then renamed, so that a full disk or a killed process never leaves
// half a file under the name the user gave.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_DRIVER_FILES_H
#define EMBER_DRIVER_FILES_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

namespace ember {

/// An error that is its text, with no code of the system behind it.
llvm::Error makeError(const llvm::Twine &message);

/// Reads a whole file; "-" is standard input, a directory is an error.
llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>
readFile(llvm::StringRef path);

/// Writes what `write` prints to the file at `path`, and replaces the file only
/// once all of it is written. "-" is standard output; a device or a pipe is
/// written in place. Any failure, a full disk included, names the file.
llvm::Error writeFile(llvm::StringRef path,
                      llvm::function_ref<void(llvm::raw_ostream &)> write);

/// Fails where a later writeFile(path) is sure to: a directory, or a folder
/// that is missing or not writable. For a check before long work.
llvm::Error checkWritable(llvm::StringRef path);

} // namespace ember

#endif // EMBER_DRIVER_FILES_H
