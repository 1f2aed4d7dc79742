//===- MachineFileTest.cpp - Machines in files ----------------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Sim/Machine/MachineParameters.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include "gtest/gtest.h"

using namespace ember::sim;
namespace json = llvm::json;

namespace {
/// A folder for files of machines, gone afterwards.
struct Folder {
  Folder() {
    EXPECT_FALSE(llvm::sys::fs::createUniqueDirectory("machines", path));
  }
  ~Folder() { llvm::sys::fs::remove_directories(path); }
  std::string write(llvm::StringRef name, llvm::StringRef text) {
    std::string file = (path + "/" + name).str();
    std::error_code error;
    llvm::raw_fd_ostream stream(file, error);
    stream << text;
    return file;
  }
  std::string errorOf(llvm::StringRef text) {
    std::string file = write("m.json", text);
    std::string message = llvm::toString(readMachine(file).takeError());
    std::string start = "machine file " + file + ": ";
    EXPECT_EQ(message.substr(0, start.size()), start);
    return message.substr(std::min(message.size(), start.size()));
  }
  llvm::SmallString<128> path;
};

std::vector<std::string> presets() {
  std::vector<std::string> files;
  std::error_code error;
  for (llvm::sys::fs::directory_iterator at(EMBER_MACHINES, error), end;
       at != end && !error; at.increment(error))
    if (!llvm::StringRef(at->path()).ends_with("schema.json"))
      files.push_back(at->path());
  std::sort(files.begin(), files.end());
  return files;
}

json::Value parsed(llvm::StringRef file) {
  auto text = llvm::cantFail(
      llvm::errorOrToExpected(llvm::MemoryBuffer::getFile(file)));
  return llvm::cantFail(json::parse(text->getBuffer()));
}

/// Whether all that an object says is a property of a schema.
void expectKnown(const json::Object &object, const json::Object &schema,
                 llvm::StringRef path) {
  const json::Object *properties = schema.getObject("properties");
  ASSERT_TRUE(properties) << path.str();
  for (const auto &[key, value] : object) {
    const json::Object *property = properties->getObject(key);
    ASSERT_TRUE(property) << path.str() << key.str();
    if (const json::Object *part = value.getAsObject())
      expectKnown(*part, *property, (path + key.str() + ".").str());
  }
}
} // namespace

TEST(MachineFile, PresetsAreMachines) {
  json::Object schema = machineSchema();
  EXPECT_EQ(presets().size(), 13u);
  for (const std::string &file : presets()) {
    SCOPED_TRACE(file);
    llvm::Expected<MachineParameters> machine = readMachine(file);
    ASSERT_TRUE(static_cast<bool>(machine))
        << llvm::toString(machine.takeError());
    json::Value described = parsed(file);
    EXPECT_TRUE(described.getAsObject()->getString("about"));
    expectKnown(*described.getAsObject(), schema, "");
    expectKnown(describeMachine(*machine), schema, "");
  }
}

TEST(MachineFile, SchemaIsAsGenerated) {
  std::string file = EMBER_MACHINES "/machine.schema.json";
  EXPECT_EQ(parsed(file), json::Value(machineSchema()))
      << "write it again: ninja ember-sim-schema && bin/ember-sim-schema > "
      << file;
}

TEST(MachineFile, WhatIsWrittenIsReadBack) {
  Folder folder;
  llvm::Expected<MachineParameters> desktop =
      readMachine(EMBER_MACHINES "/ddr4-desktop.json");
  ASSERT_TRUE(static_cast<bool>(desktop));
  json::Value described(describeMachine(*desktop));
  std::string file =
      folder.write("whole.json", llvm::formatv("{0:2}", described).str());
  llvm::Expected<MachineParameters> again = readMachine(file);
  ASSERT_TRUE(static_cast<bool>(again)) << llvm::toString(again.takeError());
  EXPECT_EQ(json::Value(describeMachine(*again)), described);
  MachineParameters builtIn;
  builtIn.memory = ddr4Desktop();
  EXPECT_EQ(
      *described.getAsObject()->get("memory"),
      *json::Value(describeMachine(builtIn)).getAsObject()->get("memory"));
}

TEST(MachineFile, ExtendingChangesOnlyWhatItSays) {
  llvm::Expected<MachineParameters> twice =
      readMachine(EMBER_MACHINES "/paper-double-rob-lsq-mshr.json");
  ASSERT_TRUE(static_cast<bool>(twice)) << llvm::toString(twice.takeError());
  MachineParameters paper;
  EXPECT_EQ(twice->core.reorderBuffer, 2 * paper.core.reorderBuffer);
  EXPECT_EQ(twice->core.loadQueue, 2 * paper.core.loadQueue);
  EXPECT_EQ(twice->l1d.mshrs, 2 * paper.l1d.mshrs);
  EXPECT_EQ(twice->l2.mshrs, 2 * paper.l2.mshrs);
  EXPECT_EQ(twice->l2.size, paper.l2.size);
}

TEST(MachineFile, ErrorsNameFileAndParameter) {
  Folder folder;
  EXPECT_EQ(folder.errorOf("{\"l2\": {\"way\": 3}}"),
            "l2.way: no such parameter; the nearest is 'ways'");
  EXPECT_EQ(folder.errorOf("{\"cores\": 65}"),
            "cores: 65 is no whole number from 1 to 64");
  EXPECT_EQ(folder.errorOf("{\"l2\": {\"ways\": 3}}"),
            "l2: size over ways is no power of two of lines");
  EXPECT_EQ(folder.errorOf("{\"lastLevel\": {\"clock\": 5}}"),
            "lastLevel: clock is no divisor of 12 GHz");
  EXPECT_EQ(folder.errorOf("{\"l2Tlb\": {\"pageSize\": 65536}}"),
            "l1Tlb.pageSize and l2Tlb.pageSize differ");
  EXPECT_EQ(folder
                .errorOf("{\"cores\": 64, \"mesh\": {\"columns\": 2, "
                         "\"rows\": 1}}")
                .substr(0, 30),
            "mesh.columns and mesh.rows: 76");
  EXPECT_EQ(folder.errorOf("[]"), "describe the machine as an object, { ... }");
  EXPECT_EQ(folder.errorOf("{\"cores\" 3}").substr(0, 8), "no JSON:");
  EXPECT_NE(folder.errorOf("{\"extends\": \"m.json\"}").find("extends itself"),
            std::string::npos);
  EXPECT_EQ(folder.errorOf("{\"extends\": 3}"),
            "extends: name a file as a string");
  std::string missing = llvm::toString(readMachine("none.json").takeError());
  EXPECT_EQ(missing.substr(0, 24), "machine file none.json: ");
}
