//===- Program.cpp - Code from an object file -----------------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Sim/Core/Program.h"

#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>

using namespace ember::sim;
using namespace llvm;
using object::ELF64LEObjectFile;

namespace ember::sim {
class ProgramLoader {
public:
  ProgramLoader(const ELF64LEObjectFile &file, Program &program,
                GuestMemory &memory, const Program *library)
      : file(file), program(program), memory(memory), library(library) {}

  Error loadObject(uint64_t base);
  Error loadSegments();

private:
  Error addSymbols(bool relocatable);
  Error relocate(const object::SectionRef &section);
  Expected<uint64_t> addressOf(const object::SymbolRef &symbol);
  Program::Part &allocate(uint64_t address, uint64_t size);

  const ELF64LEObjectFile &file;
  Program &program;
  GuestMemory &memory;
  const Program *library;
  /// Where the sections of an object are, by their index.
  DenseMap<uint64_t, size_t> partOfSection;
};
} // namespace ember::sim

Program::Part &ProgramLoader::allocate(uint64_t address, uint64_t size) {
  program.parts.push_back(
      {address, size,
       std::make_unique<uint8_t[]>(std::max<uint64_t>(size, 1))});
  return program.parts.back();
}

Expected<uint64_t> ProgramLoader::addressOf(const object::SymbolRef &symbol) {
  Expected<object::section_iterator> section = symbol.getSection();
  if (!section)
    return section.takeError();
  Expected<uint64_t> value = symbol.getValue();
  if (!value)
    return value.takeError();
  auto part = *section == file.section_end()
                  ? partOfSection.end()
                  : partOfSection.find((*section)->getIndex());
  if (part == partOfSection.end()) {
    Expected<StringRef> name = symbol.getName();
    if (!name)
      return name.takeError();
    if (library && !name->empty())
      if (auto found = library->symbols.find(*name);
          found != library->symbols.end())
        return found->second;
    return createStringError(
        formatv("the object uses '{0}', which is not in it", *name));
  }
  return program.parts[part->second].address + *value;
}

namespace {
/// Puts bits of a value into an instruction.
void patch(uint8_t *at, uint64_t value, unsigned bits, unsigned shift) {
  uint32_t mask = static_cast<uint32_t>(maskTrailingOnes<uint64_t>(bits))
                  << shift;
  uint32_t old = support::endian::read32le(at);
  support::endian::write32le(
      at, (old & ~mask) | (static_cast<uint32_t>(value << shift) & mask));
}
void patchPage(uint8_t *at, uint64_t value) {
  patch(at, value & 3, 2, 29);
  patch(at, value >> 2, 19, 5);
}

/// False if the type of relocation is not known.
bool apply(uint64_t type, uint8_t *at, uint64_t place, uint64_t target) {
  constexpr uint64_t page = ~uint64_t{4095};
  uint64_t relative = target - place, low = target & 4095;
  switch (type) {
  case ELF::R_AARCH64_NONE:
    break;
  case ELF::R_AARCH64_ABS64:
    support::endian::write64le(at, target);
    break;
  case ELF::R_AARCH64_ABS32:
    support::endian::write32le(at, static_cast<uint32_t>(target));
    break;
  case ELF::R_AARCH64_PREL64:
    support::endian::write64le(at, relative);
    break;
  case ELF::R_AARCH64_PREL32:
  case ELF::R_AARCH64_PLT32:
    support::endian::write32le(at, static_cast<uint32_t>(relative));
    break;
  case ELF::R_AARCH64_CALL26:
  case ELF::R_AARCH64_JUMP26:
    patch(at, relative >> 2, 26, 0);
    break;
  case ELF::R_AARCH64_CONDBR19:
  case ELF::R_AARCH64_LD_PREL_LO19:
    patch(at, relative >> 2, 19, 5);
    break;
  case ELF::R_AARCH64_TSTBR14:
    patch(at, relative >> 2, 14, 5);
    break;
  case ELF::R_AARCH64_ADR_PREL_LO21:
    patchPage(at, relative);
    break;
  case ELF::R_AARCH64_ADR_PREL_PG_HI21:
  case ELF::R_AARCH64_ADR_PREL_PG_HI21_NC:
    patchPage(at, ((target & page) - (place & page)) >> 12);
    break;
  case ELF::R_AARCH64_ADD_ABS_LO12_NC:
  case ELF::R_AARCH64_LDST8_ABS_LO12_NC:
    patch(at, low, 12, 10);
    break;
  case ELF::R_AARCH64_LDST16_ABS_LO12_NC:
    patch(at, low >> 1, 12, 10);
    break;
  case ELF::R_AARCH64_LDST32_ABS_LO12_NC:
    patch(at, low >> 2, 12, 10);
    break;
  case ELF::R_AARCH64_LDST64_ABS_LO12_NC:
    patch(at, low >> 3, 12, 10);
    break;
  case ELF::R_AARCH64_LDST128_ABS_LO12_NC:
    patch(at, low >> 4, 12, 10);
    break;
  case ELF::R_AARCH64_MOVW_UABS_G0:
  case ELF::R_AARCH64_MOVW_UABS_G0_NC:
    patch(at, target, 16, 5);
    break;
  case ELF::R_AARCH64_MOVW_UABS_G1:
  case ELF::R_AARCH64_MOVW_UABS_G1_NC:
    patch(at, target >> 16, 16, 5);
    break;
  case ELF::R_AARCH64_MOVW_UABS_G2:
  case ELF::R_AARCH64_MOVW_UABS_G2_NC:
    patch(at, target >> 32, 16, 5);
    break;
  case ELF::R_AARCH64_MOVW_UABS_G3:
    patch(at, target >> 48, 16, 5);
    break;
  default:
    return false;
  }
  return true;
}
} // namespace

Error ProgramLoader::relocate(const object::SectionRef &section) {
  Expected<object::section_iterator> target = section.getRelocatedSection();
  if (!target)
    return target.takeError();
  if (*target == file.section_end())
    return Error::success();
  auto found = partOfSection.find((*target)->getIndex());
  if (found == partOfSection.end())
    return Error::success();
  Program::Part &part = program.parts[found->second];
  for (const object::RelocationRef &relocation : section.relocations()) {
    Expected<uint64_t> symbol = addressOf(*relocation.getSymbol());
    if (!symbol)
      return symbol.takeError();
    Expected<int64_t> addend = object::ELFRelocationRef(relocation).getAddend();
    if (!addend)
      return addend.takeError();
    uint64_t offset = relocation.getOffset();
    unsigned width = relocation.getType() == ELF::R_AARCH64_ABS64 ||
                             relocation.getType() == ELF::R_AARCH64_PREL64
                         ? 8
                         : 4;
    if (offset + width > part.size)
      return createStringError("a relocation is outside of its section");
    if (!apply(relocation.getType(), part.bytes.get() + offset,
               part.address + offset,
               *symbol + static_cast<uint64_t>(*addend))) {
      SmallString<32> name;
      relocation.getTypeName(name);
      return createStringError(
          formatv("the simulator does not know the relocation {0}", name));
    }
  }
  return Error::success();
}

Error ProgramLoader::addSymbols(bool relocatable) {
  for (const object::ELFSymbolRef &symbol : file.symbols()) {
    Expected<StringRef> name = symbol.getName();
    if (!name)
      return name.takeError();
    if (name->empty() || symbol.getELFType() == ELF::STT_SECTION)
      continue;
    Expected<uint64_t> address =
        relocatable ? addressOf(symbol) : symbol.getValue();
    if (address)
      program.symbols[*name] = *address;
    else
      consumeError(address.takeError());
  }
  return Error::success();
}

Error ProgramLoader::loadObject(uint64_t base) {
  uint64_t address = base;
  for (const object::SectionRef &ref : file.sections()) {
    object::ELFSectionRef section(ref);
    if (!(section.getFlags() & ELF::SHF_ALLOC))
      continue;
    address =
        alignTo(address, std::max<uint64_t>(1, section.getAlignment().value()));
    partOfSection[section.getIndex()] = program.parts.size();
    Program::Part &part = allocate(address, section.getSize());
    if (!section.isBSS()) {
      Expected<StringRef> contents = section.getContents();
      if (!contents)
        return contents.takeError();
      memcpy(part.bytes.get(), contents->data(), contents->size());
    }
    address += section.getSize();
  }
  for (const object::SectionRef &section : file.sections())
    if (Error error = relocate(section))
      return error;
  for (const object::SectionRef &ref : file.sections()) {
    auto found = partOfSection.find(ref.getIndex());
    if (found == partOfSection.end() || !ref.getSize())
      continue;
    Expected<StringRef> name = ref.getName();
    if (!name)
      return name.takeError();
    Program::Part &part = program.parts[found->second];
    bool writable = object::ELFSectionRef(ref).getFlags() & ELF::SHF_WRITE;
    if (Error error = memory.map(*name, part.address, part.bytes.get(),
                                 part.size, writable))
      return error;
  }
  return addSymbols(/*relocatable=*/true);
}

Error ProgramLoader::loadSegments() {
  auto headers = file.getELFFile().program_headers();
  if (!headers)
    return headers.takeError();
  for (const auto &header : *headers) {
    if (header.p_type != ELF::PT_LOAD || !header.p_memsz)
      continue;
    Program::Part &part = allocate(header.p_vaddr, header.p_memsz);
    StringRef data = file.getData();
    if (header.p_offset + header.p_filesz > data.size() ||
        header.p_filesz > header.p_memsz)
      return createStringError("a segment is outside of its file");
    memcpy(part.bytes.get(), data.data() + header.p_offset, header.p_filesz);
    if (Error error = memory.map("the program", part.address, part.bytes.get(),
                                 part.size, header.p_flags & ELF::PF_W))
      return error;
  }
  return addSymbols(/*relocatable=*/false);
}

Expected<std::unique_ptr<Program>> Program::load(MemoryBufferRef file,
                                                 uint64_t base,
                                                 GuestMemory &memory,
                                                 const Program *library) {
  Expected<std::unique_ptr<object::ObjectFile>> object =
      object::ObjectFile::createELFObjectFile(file);
  if (!object)
    return object.takeError();
  auto *elf = dyn_cast<ELF64LEObjectFile>(object->get());
  if (!elf || elf->getArch() != Triple::aarch64)
    return createStringError(
        formatv("{0} is no file of AArch64", file.getBufferIdentifier()));
  auto program = std::make_unique<Program>();
  ProgramLoader loader(*elf, *program, memory, library);
  Error error = elf->isRelocatableObject() ? loader.loadObject(base)
                                           : loader.loadSegments();
  if (error)
    return std::move(error);
  return program;
}

Expected<uint64_t> Program::find(StringRef symbol) const {
  auto found = symbols.find(symbol);
  if (found == symbols.end())
    return createStringError(
        formatv("the program has no symbol '{0}'", symbol));
  return found->second;
}

uint64_t Program::end() const {
  uint64_t end = 0;
  for (const Part &part : parts)
    end = std::max(end, part.address + part.size);
  return end;
}
