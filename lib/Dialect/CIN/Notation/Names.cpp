//===- Names.cpp - What the names of a notation are -----------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Names.h"
#include "Parser.h"
#include "Types.h"

#include "ember/Dialect/CIN/IR/CIN.h"

#include <cmath>

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace ember;
using namespace ember::cin;

using Kind = Expression::Kind;

static void
walkBindings(const Bindings &bindings,
             llvm::function_ref<void(const Expression &, bool isIndex)> visit) {
  for (const Binding &binding : bindings.variables)
    binding.visit([&](const Expression &part) {
      walkExpressions(part, visit, /*isIndex=*/true);
    });
  if (bindings.condition)
    walkExpressions(*bindings.condition, visit);
}

void ember::cin::walkExpressions(
    const Expression &expression,
    llvm::function_ref<void(const Expression &, bool isIndex)> visit,
    bool isIndex) {
  visit(expression, isIndex);
  bool areIndices = llvm::is_contained(
      {Kind::access, Kind::member, Kind::slice}, expression.kind);
  for (const ExpressionPtr &operand : expression.operands)
    if (operand)
      walkExpressions(*operand, visit, isIndex || areIndices);
  walkBindings(expression.bindings, visit);
}

void ember::cin::walkStatement(
    const Statement &statement,
    llvm::function_ref<void(const Expression &, bool isIndex)> visit) {
  walkExpressions(*statement.target, visit);
  walkExpressions(*statement.value, visit);
  walkBindings(statement.bindings, visit);
}

llvm::StringSet<> ember::cin::findVariables(const Statement &statement) {
  llvm::StringSet<> variables;
  auto addBound = [&](const Bindings &bindings) {
    for (const Binding &binding : bindings.variables)
      variables.insert(binding.variable);
  };
  addBound(statement.bindings);
  walkStatement(statement, [&](const Expression &part, bool) {
    addBound(part.bindings);
    if (part.kind == Kind::slice)
      variables.insert(part.name);
    if (part.kind != Kind::access && part.kind != Kind::member)
      return;
    for (const ExpressionPtr &index : part.operands)
      if (index->kind == Kind::name)
        variables.insert(index->name);
  });
  return variables;
}

SmallVector<std::string>
ember::cin::findFreeVariables(const Expression &expression,
                              const llvm::StringSet<> &variables) {
  SmallVector<std::string> found;
  auto add = [&](const std::string &name) {
    if (!llvm::is_contained(found, name))
      found.push_back(name);
  };
  auto addAll = [&](const Expression &part) {
    for (const std::string &name : findFreeVariables(part, variables))
      add(name);
  };
  bool isName = expression.kind == Kind::name || expression.kind == Kind::slice;
  if (isName && variables.contains(expression.name))
    add(expression.name);
  for (const ExpressionPtr &operand : expression.operands)
    if (operand)
      addAll(*operand);
  const Bindings &bindings = expression.bindings;
  if (bindings.condition)
    addAll(*bindings.condition);
  for (const Binding &binding : bindings.variables)
    binding.visit(addAll);
  // Bounds know the variables beside theirs, too.
  llvm::erase_if(found, [&](const std::string &name) {
    return llvm::any_of(bindings.variables, [&](const Binding &binding) {
      return binding.variable == name;
    });
  });
  return found;
}

/// Enters what `part` names; failure after an error.
static LogicalResult addArray(NamedArrays &arrays, const Expression &part,
                              bool isIndex, MLIRContext *context) {
  size_t rank = part.kind == Kind::name ? 0 : part.operands.size();
  auto [place, isNew] =
      arrays.insert({part.name, NamedArray{part.position, rank}});
  NamedArray &array = place->second;
  array.isIndex |= isIndex;
  array.isRange |= part.kind == Kind::member;
  if (array.rank == NamedArray::unknownRank)
    array.rank = rank;
  if (array.rank == rank)
    return success();
  InFlightDiagnostic error = emitErrorAt(context, part.position)
                             << "'" << part.name << "' has " << rank
                             << (rank == 1 ? " index" : " indices")
                             << " here, and " << array.rank << " before";
  error.attachNote(locationOf(context, array.position)) << "here";
  return error;
}

/// The number that a fill is, as a value of its type; null if it is none.
static TypedAttr makeFill(double fill, Type element) {
  if (auto number = dyn_cast<FloatType>(element)) {
    auto attribute = FloatAttr::get(number, fill);
    bool isTooLarge = attribute.getValue().isInfinity() && !std::isinf(fill);
    return isTooLarge ? TypedAttr() : attribute;
  }
  bool isBoolean = element.isInteger(1);
  unsigned width =
      element.isIndex() ? 64 : std::min(64u, element.getIntOrFloatBitWidth());
  double most = isBoolean ? 2 : std::ldexp(1.0, static_cast<int>(width) - 1);
  if (std::trunc(fill) != fill || fill >= most ||
      fill < (isBoolean ? 0 : -most))
    return nullptr;
  return IntegerAttr::get(element, static_cast<int64_t>(fill));
}

/// Whether one statement assigns to an array, once to each element: only such
/// are appended to arrays in a format.
static bool isAppendedTo(StringRef name, ArrayRef<Statement> statements) {
  const Statement *only = nullptr;
  for (const Statement &statement : statements) {
    if (statement.target->name != name)
      continue;
    if (only)
      return false;
    only = &statement;
  }
  return only && !only->function && only->keeps == Statement::Keeps::only &&
         llvm::all_of(only->target->operands, [](const ExpressionPtr &index) {
           return index->kind == Kind::name;
         });
}

static bool isDense(ArrayRef<Level> levels) {
  return llvm::all_of(levels, [](const Level &level) {
    return level.kind == LevelKind::dense;
  });
}

/// Enters formats and fills; failure after an error.
static LogicalResult setFormats(NamedArrays &arrays,
                                ArrayRef<Statement> statements,
                                const NotationOptions &options,
                                MLIRContext *context) {
  auto find = [&](StringRef name, StringRef what) -> NamedArray * {
    auto *found = arrays.find(name);
    if (found != arrays.end())
      return &found->second;
    emitErrorAt(context, Position())
        << "a " << what << " of '" << name
        << "' is given, and no statement names such an array";
    return nullptr;
  };
  for (const auto &entry : options.fills) {
    if (!find(entry.first(), "fill"))
      return failure();
    if (!options.formats.contains(entry.first()))
      return emitErrorAt(context, Position())
             << "'" << entry.first()
             << "' has a fill and no format in which anything is not stored";
  }
  for (const auto &entry : options.formats) {
    NamedArray *array = find(entry.first(), "format");
    if (!array)
      return failure();
    std::optional<NamedFormat> format =
        parseNamedFormat(entry.second, array->rank, context);
    if (!format)
      return emitErrorAt(context, array->position)
             << "'" << entry.first() << "' has " << array->rank
             << (array->rank == 1 ? " dimension" : " dimensions") << ", and '"
             << entry.second << "' is no format of that many: expected "
             << llvm::join(getFormatNames(), ", ")
             << ", or a level for each dimension, such as "
                "'dense,compressed@1,0', or an encoding, such as 'int8'";
    bool isOther = format->encoding || !format->index.isInteger(64);
    if (array->isTemporary && isOther)
      return emitErrorAt(context, array->position)
             << "'" << entry.first()
             << "' is a temporary, of which elements are not encoded, and "
                "positions are of i64";
    auto given = options.fills.find(entry.first());
    if (format->encoding && isDense(format->levels) &&
        given != options.fills.end())
      return emitErrorAt(context, array->position)
             << "'" << entry.first()
             << "' has a fill, and all of its elements are stored, as rows of "
                "bytes: leave the fill out, or say what is stored, such as "
                "'csr/int8'";
    TypedAttr fill = makeFill(given == options.fills.end() ? 0 : given->second,
                              array->element);
    if (!fill)
      return emitErrorAt(context, array->position)
             << "the fill of '" << entry.first() << "' is no number of type "
             << array->element;
    auto fail = [&] { return emitErrorAt(context, array->position); };
    RowFormatAttr encoding;
    if (format->encoding) {
      encoding = RowFormatAttr::getChecked(
          function_ref<InFlightDiagnostic()>(fail), context,
          format->encoding->encoding, format->encoding->parameters,
          format->encoding->isLeading);
      if (!encoding)
        return failure();
    }
    // What else is assigned to has to be in memory, which a dense temporary is
    // as well: nobody sees its levels.
    bool isMissing = options.missing.contains(entry.first());
    if (array->isTemporary && !array->isRange && !isMissing &&
        isDense(format->levels) && !isAppendedTo(entry.first(), statements)) {
      array->initial = given == options.fills.end() ? TypedAttr() : fill;
      continue;
    }
    FormatAttr attribute = FormatAttr::getChecked(
        function_ref<InFlightDiagnostic()>(fail), context,
        ArrayRef<Level>(format->levels), ArrayRef<unsigned>(format->order),
        isMissing ? TypedAttr() : fill,
        /*storesFill=*/!options.unstored.contains(entry.first()), encoding);
    if (!attribute)
      return failure();
    SmallVector<int64_t> shape(array->rank, ShapedType::kDynamic);
    array->format = ArrayType::getChecked(
        function_ref<InFlightDiagnostic()>(fail), context,
        ArrayRef<int64_t>(shape), array->element, attribute);
    if (!array->format)
      return failure();
    array->index = format->index;
  }
  return success();
}

/// Whether the arrays whose sizes statements read are the caller's, and have
/// those dimensions; failure after an error.
static LogicalResult checkSizes(const NamedArrays &arrays,
                                ArrayRef<Statement> statements,
                                MLIRContext *context) {
  bool isWrong = false;
  auto check = [&](const Expression &part, bool) {
    if (isWrong || part.kind != Kind::size)
      return;
    const auto *found = arrays.find(part.name);
    size_t dimension = std::stoul(part.operands.front()->name);
    isWrong = true;
    bool isRead =
        found != arrays.end() && found->second.rank != NamedArray::unknownRank;
    if (!isRead)
      emitErrorAt(context, part.position)
          << "no statement reads '" << part.name
          << "', of which a size is read: declare its type and its dimensions";
    else if (found->second.isTarget)
      emitErrorAt(context, part.position)
          << "'" << part.name
          << "' is assigned to, and its size follows from what it is assigned: "
             "read that of an array that is given";
    else if (dimension >= found->second.rank)
      emitErrorAt(context, part.position)
          << "'" << part.name << "' has " << found->second.rank
          << (found->second.rank == 1 ? " dimension" : " dimensions")
          << ", and no dimension " << dimension;
    else
      isWrong = false;
  };
  for (const Statement &statement : statements)
    walkStatement(statement, check);
  return failure(isWrong);
}

FailureOr<NamedArrays> ember::cin::findArrays(ArrayRef<Statement> statements,
                                              const NotationOptions &options,
                                              MLIRContext *context) {
  NamedArrays arrays;
  // Of the statements so far.
  llvm::StringSet<> known;
  bool isWrong = false;
  for (const Statement &statement : statements) {
    llvm::StringSet<> variables = findVariables(statement);
    walkStatement(statement, [&](const Expression &part, bool isIndex) {
      // Of some arrays nothing but a size is read, which their type says the
      // rank of.
      if (part.kind == Kind::size) {
        auto shape = options.shapes.find(part.name);
        arrays.insert(
            {part.name, NamedArray{part.position, shape == options.shapes.end()
                                                      ? NamedArray::unknownRank
                                                      : shape->second.size()}});
      }
      bool isArray =
          part.kind == Kind::access || part.kind == Kind::member ||
          (part.kind == Kind::name && !variables.contains(part.name));
      if (!isArray || isWrong)
        return;
      if (variables.contains(part.name)) {
        emitErrorAt(context, part.position)
            << "'" << part.name << "' is a variable and an array";
        isWrong = true;
        return;
      }
      isWrong = failed(addArray(arrays, part, isIndex, context));
    });
    if (isWrong)
      return failure();
    NamedArray &target = arrays[statement.target->name];
    bool isNamedBefore = known.contains(statement.target->name);
    if (statement.isDeclaration && isNamedBefore)
      return emitErrorAt(context, statement.target->position)
             << "'" << statement.target->name
             << "' is named before: 'let' stands where it is assigned to "
                "first";
    target.isTemporary |= statement.isDeclaration;
    target.isTarget = true;
    for (const auto &entry : arrays)
      known.insert(entry.first);
  }
  if (failed(checkSizes(arrays, statements, context)))
    return failure();
  bool isForCaller = llvm::any_of(statements, [&](const Statement &statement) {
    return !arrays[statement.target->name].isTemporary;
  });
  if (!isForCaller) {
    emitErrorAt(context, statements.front().target->position)
        << "all that is assigned to is declared by 'let', and nobody gets any "
           "of it: leave 'let' out for a result";
    return failure();
  }
  for (const auto &entry : options.types)
    if (!arrays.contains(entry.first())) {
      emitErrorAt(context, Position())
          << "'" << entry.first()
          << "' is given, and no statement names such an array";
      return failure();
    }
  // What is assigned to has the type of what is assigned to it first.
  for (auto &[name, array] : arrays) {
    array.element = options.types.lookup(name);
    if (!array.element && array.isIndex)
      array.element = IntegerType::get(context, 64);
    else if (!array.element && array.isRange && !options.formats.contains(name))
      array.element = IntegerType::get(context, 1);
    else if (!array.element && !array.isTarget)
      array.element = Float32Type::get(context);
  }
  for (const Statement &statement : statements) {
    // Before it is assigned to, an array that a statement reads has to be
    // given.
    walkStatement(statement, [&](const Expression &part, bool) {
      auto *found = arrays.find(part.name);
      bool isRead = &part != statement.target.get() && found != arrays.end();
      if (isRead && !found->second.element)
        found->second.element = Float32Type::get(context);
    });
    NamedArray &target = arrays[statement.target->name];
    if (!target.element)
      target.element = findAssignedType(statement, arrays, context);
  }
  for (auto &[name, array] : arrays) {
    bool isPosition =
        !isa<FloatType>(array.element) && !array.element.isInteger(1);
    if (array.isIndex && !isPosition) {
      emitErrorAt(context, array.position)
          << "'" << name << "' is the index of something, and its elements are "
          << "of type " << array.element;
      return failure();
    }
  }
  if (failed(setFormats(arrays, statements, options, context)) ||
      failed(setSizes(arrays, statements, options, context)))
    return failure();
  for (const auto &entry : options.compact) {
    auto *found = arrays.find(entry.first());
    bool isResult = found != arrays.end() && found->second.isTarget &&
                    !found->second.isTemporary && !found->second.format &&
                    found->second.rank > 0;
    if (!isResult)
      return emitErrorAt(context, Position())
             << "'" << entry.first()
             << "' is to be stored without gaps, and is no dense array with "
                "indices that a statement assigns to for the caller";
    found->second.isCompact = true;
  }
  for (auto &[name, array] : arrays)
    if (array.isRange && !array.format && !array.element.isInteger(1)) {
      emitErrorAt(context, array.position)
          << "a variable ranges over what '" << name << "' stores, and it is "
          << "dense: give it a format, or have it hold booleans, of type i1, "
             "not "
          << array.element;
      return failure();
    }
  return std::move(arrays);
}
