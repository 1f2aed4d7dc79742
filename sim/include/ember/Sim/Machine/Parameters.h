//===- Parameters.h - What a machine's description may say ------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each part of a machine has a struct of parameters whose members are their
// defaults, and one function that shows each to a visitor with its name, range
// and origin:
//
//   struct LinkParameters {
//     uint64_t cycles = 1;
//     void visit(ParameterVisitor &visitor) {
//       visitor.integer({"cycles", "cycles", "from router to router",
//                        Origin::stated, "figure 5"}, cycles, {1, 64});
//     }
//   };
//
// Reading a description, writing one, its schema and its page in the docs all
// follow from that function.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_SIM_MACHINE_PARAMETERS_H
#define EMBER_SIM_MACHINE_PARAMETERS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace ember::sim {

/// Where a default comes from.
enum class Origin {
  /// The paper states it.
  stated,
  /// Another publication or a measurement of such a machine does.
  published,
  /// It follows from others.
  derived,
  /// Nobody says: a reasoned default, to be swept.
  unknown,
};

llvm::StringRef nameOf(Origin origin);

struct ParameterInfo {
  llvm::StringRef name;
  /// "cycles", "bytes", "ns", "GHz"; empty for plain numbers.
  llvm::StringRef unit;
  llvm::StringRef description;
  Origin origin;
  /// The source of a default, or why it is what it is.
  llvm::StringRef reason;
};

struct IntegerRange {
  uint64_t least = 0;
  uint64_t most = std::numeric_limits<uint32_t>::max();
  bool powerOfTwo = false;
};

struct NumberRange {
  double least = 0;
  double most = std::numeric_limits<double>::infinity();
};

class ParameterVisitor {
public:
  virtual ~ParameterVisitor() = default;

  virtual void integer(const ParameterInfo &info, uint64_t &value,
                       IntegerRange range = {}) = 0;
  virtual void number(const ParameterInfo &info, double &value,
                      NumberRange range = {}) = 0;
  virtual void flag(const ParameterInfo &info, bool &value) = 0;
  /// `value` is an index into `names`.
  virtual void choice(const ParameterInfo &info, unsigned &value,
                      llvm::ArrayRef<llvm::StringRef> names) = 0;

  template <typename Enum>
  void choice(const ParameterInfo &info, Enum &value,
              llvm::ArrayRef<llvm::StringRef> names) {
    auto index = static_cast<unsigned>(value);
    choice(info, index, names);
    value = static_cast<Enum>(index);
  }

  /// A part of the machine, with parameters of its own.
  template <typename Parameters>
  void part(llvm::StringRef name, llvm::StringRef description,
            Parameters &parameters) {
    enter(name, description);
    parameters.visit(*this);
    leave();
  }

protected:
  virtual void enter(llvm::StringRef name, llvm::StringRef description) = 0;
  virtual void leave() = 0;
};

/// Sets parameters from an object. What it leaves out stays as it is. The error
/// names each part of it that is wrong by its path, "l2.ways: ...".
class ParameterReader final : public ParameterVisitor {
public:
  explicit ParameterReader(const llvm::json::Object &object);

  void integer(const ParameterInfo &info, uint64_t &value,
               IntegerRange range) override;
  void number(const ParameterInfo &info, double &value,
              NumberRange range) override;
  void flag(const ParameterInfo &info, bool &value) override;
  void choice(const ParameterInfo &info, unsigned &value,
              llvm::ArrayRef<llvm::StringRef> names) override;

  /// What was wrong, names that no parameter has included.
  llvm::Error takeError();

protected:
  void enter(llvm::StringRef name, llvm::StringRef description) override;
  void leave() override;

private:
  struct Scope {
    std::string path;
    /// Null where the description says nothing about the part.
    const llvm::json::Object *object;
    std::vector<llvm::StringRef> known;
  };

  /// The member of that name, or null.
  const llvm::json::Value *find(llvm::StringRef name);
  void complain(llvm::StringRef name, const llvm::Twine &message);
  void findUnknown(const Scope &scope);

  std::vector<Scope> scopes;
  std::vector<std::string> errors;
};

/// Makes an object of all parameters.
class ParameterWriter final : public ParameterVisitor {
public:
  ParameterWriter() : objects(1) {}

  void integer(const ParameterInfo &info, uint64_t &value,
               IntegerRange range) override;
  void number(const ParameterInfo &info, double &value,
              NumberRange range) override;
  void flag(const ParameterInfo &info, bool &value) override;
  void choice(const ParameterInfo &info, unsigned &value,
              llvm::ArrayRef<llvm::StringRef> names) override;

  llvm::json::Object take() { return std::move(objects.back()); }

protected:
  void enter(llvm::StringRef name, llvm::StringRef description) override;
  void leave() override;

private:
  std::vector<std::string> names;
  std::vector<llvm::json::Object> objects;
};

/// Makes a JSON schema (draft 2020-12) of what descriptions may say.
class ParameterSchema final : public ParameterVisitor {
public:
  ParameterSchema() : properties(1) {}

  void integer(const ParameterInfo &info, uint64_t &value,
               IntegerRange range) override;
  void number(const ParameterInfo &info, double &value,
              NumberRange range) override;
  void flag(const ParameterInfo &info, bool &value) override;
  void choice(const ParameterInfo &info, unsigned &value,
              llvm::ArrayRef<llvm::StringRef> names) override;

  llvm::json::Object take(llvm::StringRef title);

protected:
  void enter(llvm::StringRef name, llvm::StringRef description) override;
  void leave() override;

private:
  void add(const ParameterInfo &info, llvm::json::Object schema);

  std::vector<std::pair<std::string, std::string>> parts;
  std::vector<llvm::json::Object> properties;
};

} // namespace ember::sim

#endif
