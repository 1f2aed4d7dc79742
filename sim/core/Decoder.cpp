//===- Decoder.cpp - Instructions from their encodings --------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Sim/Core/Decoder.h"

#include "ember/Sim/Core/Semantics.h"

#include "llvm/MC/MCAsmInfo.h"
#include "llvm/MC/MCContext.h"
#include "llvm/MC/MCDisassembler/MCDisassembler.h"
#include "llvm/MC/MCInst.h"
#include "llvm/MC/MCInstPrinter.h"
#include "llvm/MC/MCInstrInfo.h"
#include "llvm/MC/MCRegisterInfo.h"
#include "llvm/MC/MCSchedule.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/MCTargetOptions.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <bit>
#include <optional>

extern "C" {
void LLVMInitializeAArch64TargetInfo();
void LLVMInitializeAArch64TargetMC();
void LLVMInitializeAArch64Disassembler();
}

using namespace ember::sim;
using namespace llvm;

namespace {
constexpr unsigned encodingBytes = 4;
/// How MRS and MSR name NZCV, the one register of the system that there is.
constexpr int64_t encodedFlags = 0xda10;

bool isOfSystemRegister(StringRef name) {
  return name == "MRS" || name == "MSR";
}

class MachineCodeDecoder final : public Decoder {
public:
  Error initialize();
  Expected<StaticInstruction> decode(uint32_t encoding, uint64_t pc) override;
  std::string print(uint32_t encoding, uint64_t pc) override;

private:
  std::optional<MCInst> disassemble(uint32_t encoding, uint64_t pc);
  /// The number that semantics use.
  unsigned numberOf(MCRegister reg) const;
  /// Appends the names that dependences use; none for the zero register.
  template <typename Names> void addNames(MCRegister reg, Names &names) const;
  void describe(const MCInst &inst, StaticInstruction &result) const;
  /// The class of `inst` in a model, or null if it has none.
  const MCSchedClassDesc *classOf(const MCSubtargetInfo &subtarget,
                                  const MCInst &inst) const;
  void schedule(const MCInst &inst, StaticInstruction &result) const;
  SmallVector<MicroOperation, 4>
  operationsOf(const MCSubtargetInfo &subtarget,
               const MCSchedClassDesc &schedClass) const;

  MCTargetOptions options;
  std::unique_ptr<MCRegisterInfo> registers;
  std::unique_ptr<MCAsmInfo> assembly;
  std::unique_ptr<MCInstrInfo> instructions;
  std::unique_ptr<MCSubtargetInfo> everything, n1, v1;
  std::unique_ptr<MCContext> context;
  std::unique_ptr<MCDisassembler> disassembler;
  std::unique_ptr<MCInstPrinter> printer;
};

Error MachineCodeDecoder::initialize() {
  LLVMInitializeAArch64TargetInfo();
  LLVMInitializeAArch64TargetMC();
  LLVMInitializeAArch64Disassembler();
  Triple triple("aarch64-unknown-linux-gnu");
  std::string message;
  const Target *target = TargetRegistry::lookupTarget(triple, message);
  if (!target)
    return createStringError(message);
  registers.reset(target->createMCRegInfo(triple));
  assembly.reset(target->createMCAsmInfo(*registers, triple, options));
  instructions.reset(target->createMCInstrInfo());
  everything.reset(target->createMCSubtargetInfo(triple, "", "+all"));
  n1.reset(target->createMCSubtargetInfo(triple, "neoverse-n1", ""));
  v1.reset(target->createMCSubtargetInfo(triple, "neoverse-v1", ""));
  context = std::make_unique<MCContext>(triple, assembly.get(), registers.get(),
                                        everything.get());
  disassembler.reset(target->createMCDisassembler(*everything, *context));
  printer.reset(target->createMCInstPrinter(triple, 0, *assembly, *instructions,
                                            *registers));
  if (!disassembler || !printer)
    return createStringError("this LLVM cannot decode AArch64");
  return Error::success();
}

std::optional<MCInst> MachineCodeDecoder::disassemble(uint32_t encoding,
                                                      uint64_t pc) {
  uint8_t bytes[encodingBytes];
  support::endian::write32le(bytes, encoding);
  MCInst inst;
  uint64_t size = 0;
  if (disassembler->getInstruction(inst, size, bytes, pc, nulls()) !=
      MCDisassembler::Success)
    return std::nullopt;
  return inst;
}

std::string MachineCodeDecoder::print(uint32_t encoding, uint64_t pc) {
  std::optional<MCInst> inst = disassemble(encoding, pc);
  if (!inst)
    return formatv(".inst {0:x}", encoding);
  std::string text;
  raw_string_ostream stream(text);
  printer->printInst(&*inst, pc, "", *everything, stream);
  std::replace(text.begin(), text.end(), '\t', ' ');
  return StringRef(text).trim().str();
}

unsigned MachineCodeDecoder::numberOf(MCRegister reg) const {
  StringRef name = registers->getName(reg);
  if (name == "XZR" || name == "WZR")
    return zeroRegister;
  return registers->getEncodingValue(reg);
}

template <typename Names>
void MachineCodeDecoder::addNames(MCRegister reg, Names &names) const {
  StringRef name = registers->getName(reg);
  if (name == "NZCV") {
    names.push_back(flagsName);
    return;
  }
  if (name == "FFR") {
    names.push_back(firstFaultName);
    return;
  }
  unsigned number = registers->getEncodingValue(reg), first = 0;
  switch (name.front()) {
  case 'X':
  case 'W':
  case 'S':
    if (name == "XZR" || name == "WZR")
      return;
    // S is of a float unless it is the stack pointer.
    first = name.front() == 'S' && name != "SP" ? firstVectorName : 0;
    break;
  case 'B':
  case 'H':
  case 'D':
  case 'Q':
  case 'Z':
    first = firstVectorName;
    break;
  case 'P':
    first = firstPredicateName;
    break;
  default:
    // Registers of control, which nothing changes.
    return;
  }
  if (name.starts_with("FP"))
    return;
  // "Q30_Q31_Q0" has three, which wrap around.
  unsigned count = name.count('_') + 1;
  unsigned range = first == firstPredicateName ? 16 : 32;
  for (unsigned i = 0; i < count; ++i)
    names.push_back(static_cast<uint8_t>(first + (number + i) % range));
}

void MachineCodeDecoder::describe(const MCInst &inst,
                                  StaticInstruction &result) const {
  const MCInstrDesc &desc = instructions->get(inst.getOpcode());
  StringRef name = instructions->getName(inst.getOpcode());
  for (unsigned i = 0; i < inst.getNumOperands(); ++i) {
    const MCOperand &operand = inst.getOperand(i);
    if (!operand.isReg() || !operand.getReg())
      continue;
    if (i < desc.getNumDefs())
      addNames(operand.getReg(), result.destinations);
    else
      addNames(operand.getReg(), result.sources);
  }
  for (MCPhysReg reg : desc.implicit_uses())
    addNames(reg, result.sources);
  for (MCPhysReg reg : desc.implicit_defs())
    addNames(reg, result.destinations);
  if (name == "MRS")
    result.sources.push_back(flagsName);
  else if (name == "MSR")
    result.destinations.push_back(flagsName);
  // An access that moves its base has the new base first.
  if ((desc.mayLoad() || desc.mayStore()) && !result.destinations.empty() &&
      (name.ends_with("pre") || name.ends_with("post") ||
       name.ends_with("_POST")))
    result.movedBase = result.destinations.front();
  auto makeUnique = [](auto &names) {
    llvm::sort(names);
    names.erase(llvm::unique(names), names.end());
  };
  makeUnique(result.sources);
  makeUnique(result.destinations);

  result.load = desc.mayLoad() || name.starts_with("PRF");
  result.store = desc.mayStore() && !name.starts_with("PRF");
  result.serialises = name == "DMB" || name == "DSB" || name == "ISB";
  if (result.serialises)
    result.load = result.store = false;
  if (desc.isReturn())
    result.branch = BranchKind::doesReturn;
  else if (desc.isCall())
    result.branch = desc.isIndirectBranch() || name == "BLR"
                        ? BranchKind::indirectCall
                        : BranchKind::call;
  else if (desc.isIndirectBranch())
    result.branch = BranchKind::indirect;
  else if (desc.isConditionalBranch())
    result.branch = BranchKind::conditional;
  else if (desc.isBranch())
    result.branch = BranchKind::jump;
}

const MCSchedClassDesc *
MachineCodeDecoder::classOf(const MCSubtargetInfo &subtarget,
                            const MCInst &inst) const {
  const MCSchedModel &model = subtarget.getSchedModel();
  unsigned number = instructions->get(inst.getOpcode()).getSchedClass();
  const MCSchedClassDesc *schedClass = model.getSchedClassDesc(number);
  while (schedClass->isValid() && schedClass->isVariant()) {
    number = subtarget.resolveVariantSchedClass(
        number, &inst, instructions.get(), model.getProcessorID());
    if (!number)
      return nullptr;
    schedClass = model.getSchedClassDesc(number);
  }
  return schedClass->isValid() && schedClass->NumMicroOps ? schedClass
                                                          : nullptr;
}

/// "N1UnitV0" is the first vector unit; V1's four are two pairs of ours.
std::optional<MicroOperation> portOf(StringRef resource) {
  StringRef name = resource.substr(resource.find("Unit") + 4);
  if (name == "Flg")
    return std::nullopt;
  StringRef units = name.drop_front();
  uint8_t unit = 0;
  switch (name.front()) {
  case 'B':
    return MicroOperation{PortKind::branch};
  case 'S':
    return MicroOperation{PortKind::simple};
  case 'M':
    return MicroOperation{PortKind::complex};
  case 'I':
  case 'J':
  case 'F':
    return MicroOperation{PortKind::integer};
  case 'L':
    return MicroOperation{PortKind::memory};
  case 'D':
    return MicroOperation{PortKind::storeData};
  case 'V':
    if (units == "0" || units == "02")
      unit = 1;
    else if (units == "1" || units == "13")
      unit = 2;
    return MicroOperation{PortKind::vector, unit};
  default:
    return std::nullopt;
  }
}

SmallVector<MicroOperation, 4>
MachineCodeDecoder::operationsOf(const MCSubtargetInfo &subtarget,
                                 const MCSchedClassDesc &schedClass) const {
  struct Use {
    unsigned resource;
    uint64_t units;
    int cycles;
  };
  const MCSchedModel &model = subtarget.getSchedModel();
  // The units of a resource, one bit for each resource without others in it.
  auto unitsOf = [&](unsigned resource) {
    const MCProcResourceDesc &desc = *model.getProcResource(resource);
    if (!desc.SubUnitsIdxBegin)
      return uint64_t{1} << resource;
    uint64_t units = 0;
    for (unsigned i = 0; i < desc.NumUnits; ++i)
      units |= uint64_t{1} << desc.SubUnitsIdxBegin[i];
    return units;
  };
  SmallVector<Use, 8> uses;
  for (const MCWriteProcResEntry *entry =
           subtarget.getWriteProcResBegin(&schedClass);
       entry != subtarget.getWriteProcResEnd(&schedClass); ++entry)
    uses.push_back({entry->ProcResourceIdx, unitsOf(entry->ProcResourceIdx),
                    entry->ReleaseAtCycle});
  // What uses a unit is listed for all groups with that unit as well.
  llvm::sort(uses, [](const Use &a, const Use &b) {
    return std::pair(std::popcount(a.units), a.resource) <
           std::pair(std::popcount(b.units), b.resource);
  });
  SmallVector<MicroOperation, 4> operations;
  int total = 0;
  for (size_t i = 0; i < uses.size(); ++i) {
    if (uses[i].cycles <= 0)
      continue;
    for (size_t j = i + 1; j < uses.size(); ++j)
      if ((uses[i].units & ~uses[j].units) == 0)
        uses[j].cycles -= uses[i].cycles;
    std::optional<MicroOperation> port =
        portOf(model.getProcResource(uses[i].resource)->Name);
    if (!port)
      continue;
    total += uses[i].cycles;
    port->cycles = static_cast<uint16_t>(uses[i].cycles);
    operations.push_back(*port);
  }
  // As many cycles as operations: each takes one, on any unit of its kind.
  if (total <= schedClass.NumMicroOps) {
    SmallVector<MicroOperation, 4> single;
    for (MicroOperation operation : operations)
      single.append(operation.cycles,
                    MicroOperation{operation.kind, operation.unit, 1});
    return single;
  }
  return operations;
}

void MachineCodeDecoder::schedule(const MCInst &inst,
                                  StaticInstruction &result) const {
  const MCSubtargetInfo *subtarget = n1.get();
  const MCSchedClassDesc *schedClass = classOf(*n1, inst);
  if (!schedClass) {
    subtarget = v1.get();
    schedClass = classOf(*v1, inst);
  }
  bool vector = llvm::any_of(result.destinations, [](unsigned name) {
    return name >= firstVectorName && name < flagsName;
  });
  if (schedClass) {
    result.latency = static_cast<uint16_t>(std::max(
        0, MCSchedModel::computeInstrLatency(*subtarget, *schedClass)));
    result.operations = operationsOf(*subtarget, *schedClass);
  } else {
    // Neither model says: the commonest case of its kind.
    result.latency = vector ? 2 : 1;
  }
  if (result.operations.empty())
    result.operations.push_back({result.load || result.store ? PortKind::memory
                                 : result.branch != BranchKind::none
                                     ? PortKind::branch
                                 : vector ? PortKind::vector
                                          : PortKind::integer});
}

Expected<StaticInstruction> MachineCodeDecoder::decode(uint32_t encoding,
                                                       uint64_t pc) {
  std::optional<MCInst> inst = disassemble(encoding, pc);
  if (!inst)
    return createStringError(
        formatv("{0:x}: {1:x8} is no instruction", pc, encoding));
  StringRef name = instructions->getName(inst->getOpcode());
  const Semantics *semantics = SemanticsTable::get().find(name);
  bool hasRegister =
      !isOfSystemRegister(name) ||
      llvm::any_of(*inst, [](const MCOperand &operand) {
        return operand.isImm() && operand.getImm() == encodedFlags;
      });
  if (!semantics || !semantics->execute || !hasRegister)
    return createStringError(
        formatv("{0:x}: the simulator does not know '{1}' ({2})", pc,
                print(encoding, pc), name));
  StaticInstruction result;
  result.functional.execute = semantics->execute;
  unsigned count = inst->getNumOperands();
  if (count > ember::sim::Instruction::mostOperands)
    return createStringError(formatv("{0:x}: '{1}' has {2} operands", pc,
                                     print(encoding, pc), count));
  for (unsigned i = 0; i < count; ++i) {
    const MCOperand &operand = inst->getOperand(i);
    result.functional.operand[i] =
        operand.isReg() ? numberOf(operand.getReg()) : operand.getImm();
  }
  if (semantics->prepare)
    semantics->prepare(result.functional);
  describe(*inst, result);
  schedule(*inst, result);
  return result;
}
} // namespace

Expected<std::unique_ptr<Decoder>> Decoder::create() {
  auto decoder = std::make_unique<MachineCodeDecoder>();
  if (Error error = decoder->initialize())
    return std::move(error);
  return decoder;
}
