//===- CompilerIdentity.cpp - Which build of the compiler this is ---------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Build ids are hashes of the linked code, so that a rebuild that changes
// nothing keeps the cache warm and any other makes it miss.
//
//===----------------------------------------------------------------------===//

#include "ember/Driver/CompilerIdentity.h"
#include "ember/Target/Native/CodeGen.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MathExtras.h"
#include <elf.h>
#include <link.h>

using namespace llvm;
using namespace ember;

/// The build id among the notes of a segment, in hexadecimal, or nothing.
static std::string findBuildId(ArrayRef<uint8_t> notes) {
  while (notes.size() >= sizeof(ElfW(Nhdr))) {
    ElfW(Nhdr) header;
    std::memcpy(&header, notes.data(), sizeof(header));
    size_t descriptor = sizeof(header) + alignTo(header.n_namesz, 4);
    size_t end = descriptor + alignTo(header.n_descsz, 4);
    if (end > notes.size())
      break;
    if (header.n_type == NT_GNU_BUILD_ID)
      return toHex(notes.slice(descriptor, header.n_descsz));
    notes = notes.drop_front(end);
  }
  return "";
}

/// Adds the build id of one loaded object to the text at `data`.
static int addBuildId(dl_phdr_info *info, size_t, void *data) {
  for (const ElfW(Phdr) &segment :
       ArrayRef(info->dlpi_phdr, info->dlpi_phnum)) {
    if (segment.p_type != PT_NOTE)
      continue;
    auto *notes =
        reinterpret_cast<const uint8_t *>(info->dlpi_addr + segment.p_vaddr);
    std::string id = findBuildId(ArrayRef(notes, segment.p_memsz));
    if (id.empty())
      continue;
    *static_cast<std::string *>(data) += id + "\n";
    return 0;
  }
  return 0;
}

/// Size and time of a file that is linked into kernels, or nothing.
static std::string describeInstalledFile(StringRef name) {
  Expected<std::string> path = native::findInstalledFile(name);
  sys::fs::file_status status;
  if (!path) {
    consumeError(path.takeError());
    return "";
  }
  if (sys::fs::status(*path, status))
    return "";
  auto time = status.getLastModificationTime().time_since_epoch().count();
  return (name + " " + Twine(status.getSize()) + " " + Twine(time) + "\n")
      .str();
}

std::string ember::getCompilerIdentity() {
  std::string identity;
  dl_iterate_phdr(addBuildId, &identity);
  identity += describeInstalledFile("libember_runtime.a");
  identity += describeInstalledFile("ember_queue.bc");
  return identity;
}
