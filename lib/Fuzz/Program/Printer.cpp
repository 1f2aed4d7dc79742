//===- Printer.cpp - Programs as MLIR text --------------------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Writes the text by hand: printing through MLIR would need MLIR's builders,
// which are part of what is tested.
//
//===----------------------------------------------------------------------===//

#include "ember/Fuzz/Program/Printer.h"
#include "ember/Fuzz/Embeddings/EmbeddingPrinter.h"
#include "ember/Fuzz/Embeddings/Steps.h"
#include "ember/Fuzz/Evaluation/Arithmetic.h"
#include "ember/Fuzz/Statements/StatementPrinter.h"
#include <sstream>

namespace ember::fuzz {

static std::string printSize(int64_t size) {
  return size == kDynamic ? "?" : std::to_string(size);
}

std::string printType(const Type &type) {
  if (!type.isMemRef)
    return spelling(type.element);
  std::string text = type.isTensor ? "tensor<" : "memref<";
  for (int64_t size : type.shape)
    text += printSize(size) + "x";
  text += spelling(type.element);
  if (type.layout) {
    text += ", strided<[";
    for (size_t i = 0; i < type.layout->strides.size(); ++i)
      text += (i ? ", " : "") + printSize(type.layout->strides[i]);
    text += "]";
    if (type.layout->offset != 0)
      text += ", offset: " + printSize(type.layout->offset);
    text += ">";
  }
  return text + ">";
}

static std::string globalName(uint64_t position) {
  return "constant" + std::to_string(position);
}

/// The elements are written as their bytes, which is exact for every type.
static void printGlobal(std::ostringstream &out, const Input &global,
                        uint64_t position) {
  out << "  memref.global \"private\" constant @" << globalName(position)
      << " : " << printType(Type::memref(global.element, global.shape))
      << " = dense<\"0x";
  unsigned bytes = bitWidth(global.element) / 8;
  for (uint64_t bits : global.bits)
    for (unsigned byte = 0; byte < bytes; ++byte) {
      char hex[3];
      std::snprintf(hex, sizeof hex, "%02X",
                    static_cast<unsigned>(bits >> 8 * byte & 0xff));
      out << hex;
    }
  out << "\">\n";
}

namespace {

class Printer {
public:
  Printer(const Program &program, std::ostringstream &out)
      : program(program), out(out) {}

  void print(const Function &function);

private:
  void printBlock(const Block &block, const char *terminator);
  void printOp(const Op &op);
  void printConstant(const Op &op);
  void printFor(const Op &op);
  void printWhile(const Op &op);
  void printIf(const Op &op);
  void printSubView(const Op &op);
  void printTranspose(const Op &op);
  void printDim(const Op &op);
  /// "%a, %b" for the operands from `first` on.
  void printList(const std::vector<ValueId> &values, size_t first = 0);
  void printTypes(const std::vector<ValueId> &values, size_t first = 0);
  void printResults(const Op &op);

  std::string name(ValueId value) const { return names[value]; }
  std::string type(ValueId value) const {
    return printType(function->types[value]);
  }
  std::ostream &line() { return out << std::string(indent, ' '); }

  const Program &program;
  std::ostringstream &out;
  const Function *function = nullptr;
  std::vector<std::string> names;
  unsigned indent = 2;
};

} // namespace

void Printer::printList(const std::vector<ValueId> &values, size_t first) {
  for (size_t i = first; i < values.size(); ++i)
    out << (i > first ? ", " : "") << name(values[i]);
}

void Printer::printTypes(const std::vector<ValueId> &values, size_t first) {
  for (size_t i = first; i < values.size(); ++i)
    out << (i > first ? ", " : "") << type(values[i]);
}

void Printer::printResults(const Op &op) {
  if (op.results.empty())
    return;
  printList(op.results);
  out << " = ";
}

void Printer::printConstant(const Op &op) {
  Scalar scalar = function->types[op.results[0]].element;
  out << "arith.constant ";
  if (scalar == Scalar::I1) {
    out << (op.immediate ? "true" : "false");
    return;
  }
  if (isInteger(scalar)) {
    out << signedValue(scalar, op.immediate);
  } else {
    char hex[32];
    std::snprintf(hex, sizeof hex, "0x%0*llX",
                  static_cast<int>(bitWidth(scalar) / 4),
                  static_cast<unsigned long long>(op.immediate));
    out << hex;
  }
  out << " : " << spelling(scalar);
}

void Printer::printFor(const Op &op) {
  const Block &body = op.regions[0];
  out << "scf.for " << name(body.arguments[0]) << " = " << name(op.operands[0])
      << " to " << name(op.operands[1]) << " step " << name(op.operands[2]);
  if (!op.results.empty()) {
    out << " iter_args(";
    for (size_t k = 0; k < op.results.size(); ++k)
      out << (k ? ", " : "") << name(body.arguments[1 + k]) << " = "
          << name(op.operands[3 + k]);
    out << ") -> (";
    printTypes(op.results);
    out << ")";
  }
  out << " {\n";
  printBlock(body, "scf.yield");
  line() << "}";
}

void Printer::printWhile(const Op &op) {
  const Block &test = op.regions[0], &body = op.regions[1];
  out << "scf.while (";
  for (size_t k = 0; k < test.arguments.size(); ++k)
    out << (k ? ", " : "") << name(test.arguments[k]) << " = "
        << name(op.operands[k]);
  out << ") : (";
  printTypes(op.operands);
  out << ") -> (";
  printTypes(op.results);
  out << ") {\n";
  indent += 2;
  for (const Op &inner : test.ops)
    printOp(inner);
  line() << "scf.condition(" << name(test.yields[0]) << ") ";
  printList(test.yields, 1);
  out << " : ";
  printTypes(test.yields, 1);
  out << "\n";
  indent -= 2;
  line() << "} do {\n";
  line() << "^bb0(";
  for (size_t k = 0; k < body.arguments.size(); ++k)
    out << (k ? ", " : "") << name(body.arguments[k]) << ": "
        << type(body.arguments[k]);
  out << "):\n";
  printBlock(body, "scf.yield");
  line() << "}";
}

void Printer::printIf(const Op &op) {
  out << "scf.if " << name(op.operands[0]);
  if (!op.results.empty()) {
    out << " -> (";
    printTypes(op.results);
    out << ")";
  }
  out << " {\n";
  printBlock(op.regions[0], "scf.yield");
  line() << "}";
  if (op.regions.size() == 1)
    return;
  out << " else {\n";
  printBlock(op.regions[1], "scf.yield");
  line() << "}";
}

void Printer::printSubView(const Op &op) {
  size_t next = 1;
  auto printArray = [&](const std::vector<int64_t> &values) {
    out << "[";
    for (size_t i = 0; i < values.size(); ++i)
      out << (i ? ", " : "")
          << (values[i] == kDynamic ? name(op.operands[next++])
                                    : std::to_string(values[i]));
    out << "]";
  };
  out << "memref.subview " << name(op.operands[0]);
  printArray(op.offsets);
  out << " ";
  printArray(op.sizes);
  out << " ";
  printArray(op.strides);
  out << " : " << type(op.operands[0]) << " to " << type(op.results[0]);
}

/// All dimensions, in reverse.
void Printer::printTranspose(const Op &op) {
  const Type &source = function->types[op.operands[0]];
  size_t rank = source.shape.size();
  auto printDimensions = [&](bool isReversed) {
    out << "(";
    for (size_t i = 0; i < rank; ++i)
      out << (i ? ", d" : "d") << (isReversed ? rank - 1 - i : i);
    out << ")";
  };
  out << "memref.transpose " << name(op.operands[0]) << " ";
  printDimensions(false);
  out << " -> ";
  printDimensions(true);
  out << " : " << type(op.operands[0]) << " to " << type(op.results[0]);
}

/// The dimension is an operand in MLIR; a constant of its own keeps it local.
void Printer::printDim(const Op &op) {
  std::string dimension = name(op.results[0]) + "_dimension";
  line() << dimension << " = arith.constant " << op.immediate << " : index\n";
  line() << name(op.results[0]) << " = "
         << (function->types[op.operands[0]].isTensor ? "tensor" : "memref")
         << ".dim " << name(op.operands[0]) << ", " << dimension << " : "
         << type(op.operands[0]) << "\n";
}

void Printer::printOp(const Op &op) {
  if (op.opcode == Opcode::Dim)
    return printDim(op);
  line();
  printResults(op);
  switch (op.opcode) {
  case Opcode::Constant:
    printConstant(op);
    break;
  case Opcode::For:
    printFor(op);
    break;
  case Opcode::If:
    printIf(op);
    break;
  case Opcode::While:
    printWhile(op);
    break;
  case Opcode::SubView:
    printSubView(op);
    break;
  case Opcode::Transpose:
    printTranspose(op);
    break;
  case Opcode::Load:
    out << "memref.load " << name(op.operands[0]) << "[";
    printList(op.operands, 1);
    out << "] : " << type(op.operands[0]);
    break;
  case Opcode::Store:
    out << "memref.store " << name(op.operands[0]) << ", "
        << name(op.operands[1]) << "[";
    printList(op.operands, 2);
    out << "] : " << type(op.operands[1]);
    break;
  case Opcode::Call:
    out << "func.call @" << program.functions[op.immediate].name << "(";
    printList(op.operands);
    out << ") : (";
    printTypes(op.operands);
    out << ") -> (";
    printTypes(op.results);
    out << ")";
    break;
  case Opcode::GetGlobal:
    out << "memref.get_global @" << globalName(op.immediate) << " : "
        << type(op.results[0]);
    break;
  case Opcode::Alloc:
  case Opcode::Alloca:
  case Opcode::Empty:
    out << mnemonic(op.opcode) << "(";
    printList(op.operands);
    out << ") : " << type(op.results[0]);
    break;
  case Opcode::Embed:
    printEmbedding(out, op, names, function->types);
    break;
  case Opcode::Assert:
    out << "cf.assert " << name(op.operands[0]) << ", \"holds\"";
    break;
  case Opcode::CmpI:
  case Opcode::CmpF:
    out << mnemonic(op.opcode) << " "
        << (op.opcode == Opcode::CmpI ? kIntegerPredicates
                                      : kFloatPredicates)[op.immediate]
        << ", ";
    printList(op.operands);
    out << " : " << type(op.operands[0]);
    break;
  default:
    out << mnemonic(op.opcode) << " ";
    printList(op.operands);
    out << " : ";
    if (isCast(op.opcode) || op.opcode == Opcode::Cast)
      out << type(op.operands[0]) << " to " << type(op.results[0]);
    else if (op.opcode == Opcode::Copy)
      out << type(op.operands[0]) << " to " << type(op.operands[1]);
    else
      out << type(op.opcode == Opcode::Select ? op.operands[1]
                                              : op.operands[0]);
  }
  out << "\n";
}

void Printer::printBlock(const Block &block, const char *terminator) {
  indent += 2;
  for (const Op &op : block.ops)
    printOp(op);
  bool isReturn = std::string(terminator) == "return";
  if (!block.yields.empty() || isReturn) {
    line() << terminator << " ";
    printList(block.yields);
    if (!block.yields.empty()) {
      out << " : ";
      printTypes(block.yields);
    }
    out << "\n";
  }
  indent -= 2;
}

void Printer::print(const Function &target) {
  function = &target;
  names.clear();
  for (size_t i = 0; i < target.types.size(); ++i)
    names.push_back("%v" + std::to_string(i));
  line() << "func.func " << (target.isPrivate ? "private " : "") << "@"
         << target.name << "(";
  bool hasNames = hasEmbeddings(program);
  for (size_t i = 0; i < target.body.arguments.size(); ++i) {
    ValueId argument = target.body.arguments[i];
    names[argument] = "%" + target.parameterNames[i];
    out << (i ? ", " : "") << name(argument) << ": " << type(argument);
    if (hasNames)
      out << " {ember.name = \"" << target.parameterNames[i] << "\"}";
  }
  out << ")";
  if (!target.results.empty()) {
    out << " -> (";
    for (size_t i = 0; i < target.results.size(); ++i)
      out << (i ? ", " : "") << printType(target.results[i]);
    out << ")";
  }
  out << " {\n";
  printBlock(target.body, "return");
  line() << "}\n";
}

/// Statements, which other tools than ours have no syntax for, as a comment.
static std::string printNotation(const Notation &notation) {
  std::ostringstream out;
  for (const UserFunction &function : notation.functions)
    out << printFunction(function);
  out << "// emberc --emit=cin";
  if (!notation.functions.empty())
    out << " --functions=THIS_FILE";
  for (const std::string &option : arrayOptions(notation))
    out << " '" << option << "'";
  out << " --notation '\n";
  std::istringstream lines(printStatements(notation));
  for (std::string line; std::getline(lines, line);)
    out << "// " << line << "\n";
  out << "// '\n";
  return out.str();
}

std::string printProgram(const Program &program) {
  if (program.notation)
    return printNotation(*program.notation);
  std::ostringstream out;
  out << "module {\n";
  for (size_t i = 0; i < program.globals.size(); ++i)
    printGlobal(out, program.globals[i], i);
  out << printStepFunctions(program);
  for (const Function &function : program.functions)
    Printer(program, out).print(function);
  out << "}\n";
  return out.str();
}

} // namespace ember::fuzz
