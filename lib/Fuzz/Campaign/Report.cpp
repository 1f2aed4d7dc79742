//===- Report.cpp - What is kept of a failure -----------------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Report.h"
#include "ember/Fuzz/Evaluation/Arithmetic.h"
#include "ember/Fuzz/Generator.h"
#include "ember/Fuzz/Program/Printer.h"
#include <filesystem>
#include <fstream>

namespace ember::fuzz {

/// The type as .npy files name it; floats that NumPy lacks become void.
static std::string npyType(Scalar type) {
  const ScalarType &scalar = scalarType(type);
  std::string kind = "i";
  if (scalar.isBoolean())
    kind = "b";
  else if (scalar.isFloat())
    kind = scalar.isInterchangeFloat() ? "f" : "V";
  return (scalar.bytes() == 1 ? "|" : "<") + kind +
         std::to_string(scalar.bytes());
}

static std::string toNpy(const Input &input) {
  std::string header = "{'descr': '" + npyType(input.element) +
                       "', 'fortran_order': False, 'shape': (";
  for (int64_t size : input.shape)
    header += std::to_string(size) + ", ";
  header += "), }";
  // Magic, version, length: 10 bytes; data starts at a multiple of 64.
  while ((header.size() + 11) % 64 != 0)
    header += ' ';
  header += '\n';
  std::string text("\x93NUMPY\x01\x00", 8);
  text += static_cast<char>(header.size() & 0xff);
  text += static_cast<char>(header.size() >> 8);
  text += header;
  for (uint64_t bits : input.bits)
    for (unsigned i = 0; i < byteSize(input.element); ++i)
      text += static_cast<char>(bits >> (8 * i) & 0xff);
  return text;
}

static bool writeFile(const std::filesystem::path &path,
                      const std::string &text) {
  std::ofstream file(path, std::ios::binary);
  file << text;
  return static_cast<bool>(file.flush());
}

std::string writeReport(const std::string &folder, const Program &program,
                        uint64_t seed, const Failure &failure) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error)
    return "cannot make " + folder + ": " + error.message();
  std::filesystem::path path = folder;
  Outcome expected = interpret(program, kStepLimit);
  // Of statements, the file has the command that makes a program of them.
  std::string command =
      "ember-run program.mlir --entry=" + program.entry().name;
  bool isWritten = true;
  for (size_t i = 0; i < program.inputs.size(); ++i) {
    const Input &input = program.inputs[i];
    if (!input.isMemRef) {
      command +=
          " " + std::to_string(signedValue(input.element, input.bits[0]));
      continue;
    }
    std::string name = "input" + std::to_string(i) + ".npy";
    isWritten &= writeFile(path / name, toNpy(input));
    command += " @" + name;
    if (expected.inputs.size() > i)
      isWritten &= writeFile(path / ("expected" + std::to_string(i) + ".npy"),
                             toNpy(expected.inputs[i]));
  }
  isWritten &= writeFile(path / "program.mlir", printProgram(program));
  isWritten &= writeFile(path / "description.txt",
                         "seed " + std::to_string(seed) + ", " + failure.kind +
                             ", " + failure.variant + ": " + failure.message +
                             "\n" + command + "\n");
  return isWritten ? "" : "cannot write into " + folder;
}

} // namespace ember::fuzz
