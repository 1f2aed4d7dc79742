//===- Kernel.cpp - A function out of statements --------------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ExpressionEmitter.h"
#include "Parser.h"

#include "ember/Dialect/Ember/IR/Ember.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Verifier.h"

using namespace mlir;
using namespace ember;
using namespace ember::cin;

namespace {
/// A parameter of the kernel.
struct Parameter {
  std::string name;
  Type type;
};

/// The parameters of a kernel, and what arrays they are.
class KernelBuilder {
public:
  explicit KernelBuilder(MLIRContext *context) : context(context) {}

  void add(StringRef name, const NamedArray &array);
  OwningOpRef<ModuleOp> build(ArrayRef<Statement> statements, StringRef name);

private:
  MemRefType memoryOf(Type element, size_t rank = 1) {
    return MemRefType::get(SmallVector<int64_t>(rank, ShapedType::kDynamic),
                           element);
  }
  void addStored(StringRef name, const NamedArray &array);
  void assemble(OpBuilder &builder, Block &body, StringRef name, ArrayType type,
                llvm::StringMap<Value> &values);

  MLIRContext *context;
  std::vector<Parameter> inputs, outputs;
  llvm::MapVector<StringRef, ArrayType> stored;
};
} // namespace

static std::string nameLevel(StringRef array, StringRef what, size_t level) {
  return (array + "_" + what + Twine(level)).str();
}

/// What the arrays of a level are called.
static SmallVector<StringRef> namesOf(LevelKind kind) {
  switch (kind) {
  case LevelKind::dense:
    return {};
  case LevelKind::compressed:
    return {"positions", "coordinates"};
  case LevelKind::singleton:
    return {"coordinates"};
  case LevelKind::bitmap:
    return {"mask"};
  }
  llvm_unreachable("covered switch");
}

void KernelBuilder::addStored(StringRef name, const NamedArray &array) {
  auto type = cast<ArrayType>(array.format);
  stored[name] = type;
  for (size_t dimension = 0; dimension < array.rank; ++dimension)
    inputs.push_back(
        {nameLevel(name, "size", dimension), IndexType::get(context)});
  std::vector<Parameter> &parameters = array.isTarget ? outputs : inputs;
  for (auto [number, level] : llvm::enumerate(type.getFormat().getLevels())) {
    bool isMask = level.kind == LevelKind::bitmap;
    Type element = isMask ? IntegerType::get(context, 1) : array.index;
    for (StringRef what : namesOf(level.kind))
      parameters.push_back({nameLevel(name, what, number), memoryOf(element)});
  }
  parameters.push_back({(name + "_values").str(), memoryOf(array.element)});
}

void KernelBuilder::add(StringRef name, const NamedArray &array) {
  if (array.format)
    addStored(name, array);
  else
    (array.isTarget ? outputs : inputs)
        .push_back({name.str(), array.isScalar()
                                    ? array.element
                                    : memoryOf(array.element, array.rank)});
}

void KernelBuilder::assemble(OpBuilder &builder, Block &body, StringRef name,
                             ArrayType type, llvm::StringMap<Value> &values) {
  SmallVector<Value> levels, sizes;
  for (auto [number, level] : llvm::enumerate(type.getFormat().getLevels()))
    for (StringRef what : namesOf(level.kind))
      levels.push_back(values.lookup(nameLevel(name, what, number)));
  for (int64_t dimension = 0; dimension < type.getRank(); ++dimension)
    sizes.push_back(values.lookup(nameLevel(name, "size", dimension)));
  values[name] =
      AssembleOp::create(builder, locationOf(context, Position()), type,
                         values.lookup((name + "_values").str()), levels, sizes,
                         builder.getStringAttr(name));
}

OwningOpRef<ModuleOp> KernelBuilder::build(ArrayRef<Statement> statements,
                                           StringRef name) {
  OpBuilder builder(context);
  Location location = locationOf(context, Position());
  OwningOpRef<ModuleOp> module = ModuleOp::create(builder, location);
  builder.setInsertionPointToEnd(module->getBody());
  SmallVector<Type> types;
  SmallVector<Attribute> names;
  for (const std::vector<Parameter> *parameters : {&inputs, &outputs})
    for (const Parameter &parameter : *parameters) {
      types.push_back(parameter.type);
      names.push_back(builder.getStringAttr(parameter.name));
    }
  auto function = func::FuncOp::create(
      builder, location, name, builder.getFunctionType(types, TypeRange()));
  for (auto [number, mine] : llvm::enumerate(names))
    function.setArgAttr(number, nameAttr, mine);
  Block *entry = function.addEntryBlock();
  builder.setInsertionPointToEnd(entry);
  ValueRange arguments = entry->getArguments();
  auto evaluate = EvaluateOp::create(
      builder, location, TypeRange(), arguments.take_front(inputs.size()),
      arguments.drop_front(inputs.size()), builder.getArrayAttr(names));
  func::ReturnOp::create(builder, location);
  Block &body = evaluate.getRegion().emplaceBlock();
  llvm::StringMap<Value> values;
  for (auto [mine, type] : llvm::zip_equal(names, types)) {
    Value &value = values[cast<StringAttr>(mine).getValue()];
    if (value) {
      emitErrorAt(context, Position())
          << "two arrays, or parts of them, are called " << mine
          << ": give one another name";
      return nullptr;
    }
    value = body.addArgument(type, location);
  }
  builder.setInsertionPointToEnd(&body);
  for (auto &[array, type] : stored)
    assemble(builder, body, array, type, values);
  for (const Statement &statement : statements) {
    builder.setInsertionPointToEnd(&body);
    if (failed(emitStatement(builder, statement, values)))
      return nullptr;
  }
  if (failed(verify(*module)))
    return nullptr;
  for (auto forall : body.getOps<ForallOp>())
    if (failed(verifyOwnReads(forall)))
      return nullptr;
  return module;
}

OwningOpRef<ModuleOp>
ember::cin::buildFromNotation(StringRef text, const NotationOptions &options,
                              MLIRContext *context) {
  context->loadDialect<CINDialect, func::FuncDialect>();
  FailureOr<std::vector<Statement>> statements = parseStatements(text, context);
  if (failed(statements))
    return nullptr;
  FailureOr<NamedArrays> arrays = findArrays(*statements, options, context);
  if (failed(arrays))
    return nullptr;
  KernelBuilder kernel(context);
  for (auto &[name, array] : *arrays)
    kernel.add(name, array);
  return kernel.build(*statements, options.name);
}
