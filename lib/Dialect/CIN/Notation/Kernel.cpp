//===- Kernel.cpp - A function out of statements --------------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ExpressionEmitter.h"
#include "Parser.h"
#include "ScheduleText.h"
#include "ember/Dialect/CIN/Transforms/Shapes.h"

#include "ember/Dialect/Ember/IR/Ember.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Verifier.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringSet.h"

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
  /// A kernel that evaluates statements, or one that counts what arrays in a
  /// format, which it is not given, store then.
  enum class Purpose : uint8_t { evaluate, count };

  KernelBuilder(MLIRContext *context, Purpose purpose)
      : context(context), purpose(purpose) {}

  void add(StringRef name, const NamedArray &array);
  /// Has statements read what one of them stores in an array that is counted:
  /// it is stored in a temporary as well.
  void keep(StringRef name) { keptArrays.insert(name); }
  /// Adds the function to `module`; failure after an error.
  LogicalResult build(ModuleOp module, ArrayRef<Statement> statements,
                      ArrayRef<WrittenSchedule> schedules, DictionaryAttr hints,
                      StringRef name);

private:
  bool counts(const NamedArray &array) const {
    return purpose == Purpose::count && array.isTarget;
  }
  MemRefType memoryOf(Type element,
                      ArrayRef<int64_t> shape = {ShapedType::kDynamic}) {
    return MemRefType::get(shape, element);
  }
  MemRefType memoryOf(const NamedArray &array) {
    MemRefType whole = memoryOf(array.element, array.shape);
    if (!array.isStrided || array.rank == 0)
      return whole;
    SmallVector<int64_t> strides(array.rank, ShapedType::kDynamic);
    strides.back() = 1;
    return MemRefType::get(
        array.shape, array.element,
        StridedLayoutAttr::get(context, ShapedType::kDynamic, strides));
  }
  void addStored(StringRef name, const NamedArray &array);
  /// A temporary that is stored as an array that is counted, and as large.
  Value makeKept(OpBuilder &builder, const Expression &target, Value counted);
  /// Names a temporary; its sizes follow from the statements.
  void declare(OpBuilder &builder, StringRef name, const NamedArray &array,
               llvm::StringMap<Value> &values);
  /// Says how large temporaries are, and what they hold at first; failure after
  /// an error.
  LogicalResult completeTemporaries(EvaluateOp evaluate);
  /// Notes what callers have to know of parameters that are assigned to.
  void describeRooms(func::FuncOp function, EvaluateOp evaluate);
  void assemble(OpBuilder &builder, Block &body, StringRef name, ArrayType type,
                llvm::StringMap<Value> &values);

  MLIRContext *context;
  Purpose purpose;
  std::vector<Parameter> inputs, outputs;
  llvm::MapVector<StringRef, ArrayType> stored;
  /// Those of them that a kernel counts.
  llvm::StringSet<> countedArrays;
  /// Those of these whose values statements need.
  llvm::StringSet<> keptArrays;
  /// With the place where each is named first.
  llvm::MapVector<StringRef, NamedArray> temporaries;
  /// Those that are stored without gaps.
  SmallVector<StringRef> compact;
};
} // namespace

static std::string nameLevel(StringRef array, StringRef what, size_t level) {
  return (array + "_" + what + Twine(level)).str();
}

/// What gets how much of an array is stored.
static std::string nameCount(StringRef array) {
  return (array + "_count").str();
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
    if (type.isDynamicDim(dimension))
      inputs.push_back(
          {nameLevel(name, "size", dimension), IndexType::get(context)});
  if (counts(array)) {
    countedArrays.insert(name);
    outputs.push_back(
        {(name + "_counts").str(), memoryOf(IntegerType::get(context, 64))});
    return;
  }
  std::vector<Parameter> &parameters = array.isTarget ? outputs : inputs;
  for (auto [number, level] : llvm::enumerate(type.getFormat().getLevels())) {
    bool isMask = level.kind == LevelKind::bitmap;
    Type element = isMask ? IntegerType::get(context, 1) : array.index;
    for (StringRef what : namesOf(level.kind))
      parameters.push_back({nameLevel(name, what, number), memoryOf(element)});
  }
  // Rows of bytes, if elements are encoded.
  MemRefType values = memoryOf(array.element);
  if (RowFormatAttr encoding = type.getFormat().getEncoding()) {
    unsigned last = type.getFormat().getDimensionOf(type.getRank() - 1);
    int64_t length = type.getDimSize(last), bytes = ShapedType::kDynamic;
    if (ShapedType::isStatic(length))
      bytes = encoding.getLayout().rowBytes(length);
    values =
        memoryOf(IntegerType::get(context, 8), {ShapedType::kDynamic, bytes});
  }
  parameters.push_back({(name + "_values").str(), values});
}

void KernelBuilder::add(StringRef name, const NamedArray &array) {
  if (array.isTemporary)
    temporaries[name] = array;
  else if (array.format)
    addStored(name, array);
  else
    (array.isTarget ? outputs : inputs)
        .push_back({name.str(),
                    array.isScalar() ? array.element : Type(memoryOf(array))});
  if (array.isCompact) {
    compact.push_back(name);
    outputs.push_back(
        {nameCount(name), memoryOf(IntegerType::get(context, 64), {1})});
  }
}

void KernelBuilder::assemble(OpBuilder &builder, Block &body, StringRef name,
                             ArrayType type, llvm::StringMap<Value> &values) {
  SmallVector<Value> levels, sizes;
  Value counted = countedArrays.contains(name)
                      ? values.lookup((name + "_counts").str())
                      : Value();
  for (auto [number, level] : llvm::enumerate(type.getFormat().getLevels()))
    for (StringRef what : namesOf(level.kind))
      if (!counted)
        levels.push_back(values.lookup(nameLevel(name, what, number)));
  for (int64_t dimension = 0; dimension < type.getRank(); ++dimension)
    if (type.isDynamicDim(dimension))
      sizes.push_back(values.lookup(nameLevel(name, "size", dimension)));
  values[name] = AssembleOp::create(
      builder, locationOf(context, Position()), type,
      counted ? counted : values.lookup((name + "_values").str()), levels,
      sizes, builder.getStringAttr(name), /*counting=*/counted != nullptr);
}

Value KernelBuilder::makeKept(OpBuilder &builder, const Expression &target,
                              Value counted) {
  Location location = locationOf(context, target.position);
  auto type = cast<ArrayType>(counted.getType());
  SmallVector<Value> sizes;
  for (int64_t dimension = 0; dimension < type.getRank(); ++dimension)
    if (type.isDynamicDim(dimension))
      sizes.push_back(ExtentOp::create(
          builder, location, builder.getIndexType(), counted, dimension));
  // What is stored depends on whether an array is read or computed anew, and
  // has to be the same where statements are evaluated.
  return TemporaryOp::create(builder, location, type, sizes, TypedAttr(),
                             builder.getStringAttr(target.name),
                             /*kept=*/true);
}

void KernelBuilder::declare(OpBuilder &builder, StringRef name,
                            const NamedArray &array,
                            llvm::StringMap<Value> &values) {
  SmallVector<int64_t> shape(array.rank, ShapedType::kDynamic);
  Type type =
      array.format ? array.format : Type(memoryOf(array.element, shape));
  values[name] = TemporaryOp::create(
      builder, locationOf(context, array.position), type, ValueRange(),
      TypedAttr(), builder.getStringAttr(name));
}

LogicalResult KernelBuilder::completeTemporaries(EvaluateOp evaluate) {
  for (auto temporary :
       llvm::make_early_inc_range(evaluate.getRegion().getOps<TemporaryOp>())) {
    std::string name = temporary.getName()->str();
    if (keptArrays.contains(name))
      continue;
    Location location = temporary.getLoc();
    Room room = findRoom(evaluate, temporary);
    if (room.isGiven)
      return emitError(location)
             << "'" << name
             << "' is a temporary, and is read before anything is assigned "
                "to it";
    OpBuilder builder(temporary);
    SmallVector<Value> sizes;
    for (auto [dimension, largest] : llvm::enumerate(room.largest)) {
      auto type = cast<ShapedType>(temporary.getType());
      if (!type.isDynamicDim(dimension))
        continue;
      if (!largest)
        return emitError(location)
               << "nothing says how large dimension " << dimension << " of '"
               << name << "' is, which is a temporary";
      sizes.push_back(makeSize(builder, location, *largest));
    }
    temporary.getSizesMutable().assign(sizes);
    if (room.initial) {
      TypedAttr initial = temporaries.lookup(name).initial;
      temporary.setInitialAttr(initial ? initial : room.initial);
    }
  }
  return success();
}

void KernelBuilder::describeRooms(func::FuncOp function, EvaluateOp evaluate) {
  auto describe = [&](Value array) {
    Room room = findRoom(evaluate, array);
    auto assemble = array.getDefiningOp<AssembleOp>();
    auto set = [&](Value parameter, StringRef attribute, Attribute value) {
      unsigned number = cast<BlockArgument>(parameter).getArgNumber();
      function.setArgAttr(number, attribute, value);
    };
    Builder builder(context);
    if (assemble) {
      for (auto [parameter, size] :
           llvm::zip_equal(assemble.getSizes(), room.sizes))
        set(parameter, sizesAttr, builder.getArrayAttr(size));
      return;
    }
    if (auto given = array.getDefiningOp<CompactOp>()) {
      set(given.getMemory(), sizesAttr, builder.getArrayAttr(room.sizes));
      set(given.getCount(), sizesAttr,
          builder.getArrayAttr(builder.getI64ArrayAttr(0)));
      return;
    }
    set(array, sizesAttr, builder.getArrayAttr(room.sizes));
    if (room.initial)
      set(array, initialAttr, room.initial);
    if (room.isGiven)
      set(array, givenAttr, builder.getUnitAttr());
  };
  llvm::SetVector<Value> targets;
  // Nobody outside knows temporaries and workspaces.
  evaluate.getRegion().walk([&](AssignOp assign) {
    Value array = assign.getArray();
    if (!array.getDefiningOp<TemporaryOp>() &&
        !isa<WhereOp>(array.getParentBlock()->getParentOp()))
      targets.insert(assign.getArray());
  });
  llvm::for_each(targets, describe);
}

/// What to expect of arrays; failure after an error.
static FailureOr<DictionaryAttr> buildHints(const NamedArrays &arrays,
                                            const NotationOptions &options,
                                            MLIRContext *context) {
  NamedAttrList hints;
  for (const auto &[array, what] : arrays) {
    auto density = options.densities.find(array);
    auto sizes = options.sizes.find(array);
    bool hasSizes = sizes != options.sizes.end();
    if (density == options.densities.end() && !hasSizes)
      continue;
    if (hasSizes && sizes->second.size() != what.rank)
      return emitErrorAt(context, what.position)
             << "'" << array << "' has " << what.rank << " dimensions, and "
             << sizes->second.size() << " sizes are expected";
    FloatAttr part;
    if (density != options.densities.end())
      part = Builder(context).getF64FloatAttr(density->second);
    auto fail = [&] { return emitErrorAt(context, what.position); };
    auto hint = HintAttr::getChecked(
        function_ref<InFlightDiagnostic()>(fail), context, part,
        hasSizes ? ArrayRef(sizes->second) : ArrayRef<int64_t>());
    if (!hint)
      return failure();
    hints.set(array, hint);
  }
  auto verifyNames = [&](const auto &given, StringRef what) -> LogicalResult {
    for (const auto &entry : given)
      if (arrays.find(entry.first()) == arrays.end())
        return emitErrorAt(context, Position())
               << what << " of '" << entry.first()
               << "', which no statement names";
    return success();
  };
  if (failed(verifyNames(options.densities, "there is a density")) ||
      failed(verifyNames(options.sizes, "there are sizes")))
    return failure();
  return hints.getDictionary(context);
}

LogicalResult KernelBuilder::build(ModuleOp module,
                                   ArrayRef<Statement> statements,
                                   ArrayRef<WrittenSchedule> schedules,
                                   DictionaryAttr hints, StringRef name) {
  Location location = locationOf(context, Position());
  auto builder = OpBuilder::atBlockEnd(module.getBody());
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
      return failure();
    }
    value = body.addArgument(type, location);
  }
  builder.setInsertionPointToEnd(&body);
  for (auto &[array, type] : stored)
    assemble(builder, body, array, type, values);
  for (StringRef array : compact)
    values[array] = CompactOp::create(builder, location, values.lookup(array),
                                      values.lookup(nameCount(array)));
  for (auto &[array, declared] : temporaries)
    declare(builder, array, declared, values);
  // What a statement of the text becomes ends with what assigns its value.
  SmallVector<std::pair<ForallOp, size_t>> written;
  auto emit = [&](const Statement &statement, size_t number) {
    builder.setInsertionPointToEnd(&body);
    if (failed(emitStatement(builder, statement, values)))
      return failure();
    written.push_back({dyn_cast<ForallOp>(body.back()), number});
    return success();
  };
  for (auto [number, statement] : llvm::enumerate(statements)) {
    if (failed(emit(statement, number)))
      return failure();
    const Expression &target = *statement.target;
    if (!keptArrays.contains(target.name))
      continue;
    Value &array = values[target.name];
    builder.setInsertionPointToEnd(&body);
    array = makeKept(builder, target, array);
    if (failed(emit(statement, number)))
      return failure();
  }
  if (failed(completeTemporaries(evaluate)) || failed(verify(module)))
    return failure();
  for (auto forall : body.getOps<ForallOp>())
    if (failed(verifyOwnReads(forall)))
      return failure();
  if (!hints.empty())
    evaluate->setAttr(CINDialect::hintsAttr, hints);
  for (auto [forall, number] : written)
    if (forall && number < schedules.size() &&
        failed(setSchedule(forall, schedules[number])))
      return failure();
  describeRooms(function, evaluate);
  return success();
}

/// Whether an array that is assigned to has coordinates, so that only
/// evaluating tells how much it stores.
static bool isListedTarget(const NamedArray &array) {
  return array.isTarget && !array.isTemporary && array.format &&
         llvm::any_of(cast<ArrayType>(array.format).getFormat().getLevels(),
                      [](const Level &level) { return level.isListed(); });
}

/// The statements that say how much such arrays store: not those behind the
/// last that assigns to one.
static ArrayRef<Statement> findCounted(const NamedArrays &arrays,
                                       ArrayRef<Statement> statements) {
  auto isListed = [&](const Statement &statement) {
    return isListedTarget(arrays.find(statement.target->name)->second);
  };
  while (!statements.empty() && !isListed(statements.back()))
    statements = statements.drop_back();
  return statements;
}

/// What `statements` name: arrays, and functions.
static llvm::StringSet<> findNames(ArrayRef<Statement> statements) {
  llvm::StringSet<> names;
  for (const Statement &statement : statements)
    walkStatement(statement, [&](const Expression &part, bool) {
      names.insert(part.name);
    });
  return names;
}

/// Results in a format that `statements` read: counts alone do not give their
/// values.
static llvm::StringSet<> findKept(const NamedArrays &arrays,
                                  ArrayRef<Statement> statements) {
  llvm::StringSet<> kept;
  for (const Statement &statement : statements)
    walkStatement(statement, [&](const Expression &part, bool) {
      const auto *found = arrays.find(part.name);
      if (&part != statement.target.get() && found != arrays.end() &&
          found->second.isTarget && !found->second.isTemporary &&
          found->second.format)
        kept.insert(part.name);
    });
  return kept;
}

OwningOpRef<ModuleOp>
ember::cin::buildFromNotation(StringRef text, const NotationOptions &options,
                              MLIRContext *context) {
  context->loadDialect<CINDialect, EmberDialect, func::FuncDialect>();
  OwningOpRef<ModuleOp> module =
      ModuleOp::create(locationOf(context, Position()));
  if (ModuleOp functions = options.functions)
    for (auto function : functions.getOps<FunctionOp>())
      module->push_back(function->clone());
  FailureOr<std::vector<Statement>> statements =
      parseStatements(text, *module, context);
  if (failed(statements))
    return nullptr;
  FailureOr<NamedArrays> arrays = findArrays(*statements, options, context);
  if (failed(arrays))
    return nullptr;
  FailureOr<std::vector<WrittenSchedule>> schedules =
      parseSchedules(options.schedule, *module, context);
  if (failed(schedules))
    return nullptr;
  if (schedules->size() > statements->size()) {
    emitError(FileLineColLoc::get(context, "schedule", 1, 1))
        << "there are " << schedules->size() << " schedules for "
        << statements->size()
        << (statements->size() == 1 ? " statement" : " statements");
    return nullptr;
  }
  FailureOr<DictionaryAttr> hints = buildHints(*arrays, options, context);
  if (failed(hints))
    return nullptr;
  auto build = [&](KernelBuilder::Purpose purpose, ArrayRef<Statement> mine,
                   StringRef name) {
    KernelBuilder kernel(context, purpose);
    llvm::StringSet<> named = findNames(mine);
    for (auto &[array, what] : *arrays)
      if (named.contains(array))
        kernel.add(array, what);
    if (purpose == KernelBuilder::Purpose::count)
      for (const auto &array : findKept(*arrays, mine))
        kernel.keep(array.getKey());
    return kernel.build(*module, mine, *schedules, *hints, name);
  };
  if (failed(
          build(KernelBuilder::Purpose::evaluate, *statements, options.name)))
    return nullptr;
  ArrayRef<Statement> counted = findCounted(*arrays, *statements);
  if (options.counts && !counted.empty() &&
      failed(build(KernelBuilder::Purpose::count, counted,
                   options.name + "_counts")))
    return nullptr;
  dropUnusedFunctions(*module);
  if (options.approximates)
    module->walk([](CallOp call) {
      auto builtin = dyn_cast<BuiltinAttr>(call.getCalleeAttr());
      StringRef name = builtin ? builtin->name : "";
      if (name == "sin" || name == "cos")
        call.setApproximate(true);
    });
  return module;
}
