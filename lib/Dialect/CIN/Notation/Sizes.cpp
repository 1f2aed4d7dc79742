//===- Sizes.cpp - Sizes of arrays that are known -------------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Names.h"
#include "Parser.h"

#include "mlir/IR/BuiltinTypes.h"

using namespace mlir;
using namespace ember::cin;

using Kind = Expression::Kind;

/// Whether `bindings` bind a variable, or give it a range.
static bool binds(const Bindings &bindings, StringRef variable) {
  return llvm::any_of(bindings.variables, [&](const Binding &binding) {
    return binding.variable == variable;
  });
}

namespace {
/// Finds out how many positions a variable of a statement has, from arrays of
/// which a size is known.
class VariableSize {
public:
  VariableSize(const NamedArrays &arrays, StringRef variable)
      : arrays(arrays), variable(variable) {}

  /// The size; kDynamic if none is known, or several are.
  int64_t find(const Statement &statement) {
    visit(*statement.value);
    bool isKnown = sizes.size() == 1 && !binds(statement.bindings, variable);
    return isKnown ? sizes.front() : ShapedType::kDynamic;
  }

private:
  void visit(const Expression &expression) {
    if (binds(expression.bindings, variable))
      return;
    if (expression.kind == Kind::access)
      visitAccess(expression);
    for (const ExpressionPtr &operand : expression.operands)
      if (operand)
        visit(*operand);
  }
  void visitAccess(const Expression &access);

  const NamedArrays &arrays;
  StringRef variable;
  SmallVector<int64_t> sizes;
};
} // namespace

void VariableSize::visitAccess(const Expression &access) {
  const auto *array = arrays.find(access.name);
  if (array == arrays.end() || array->second.shape.empty())
    return;
  for (auto [index, size] :
       llvm::zip_equal(access.operands, array->second.shape)) {
    bool isVariable =
        index && index->kind == Kind::name && index->name == variable;
    if (isVariable && ShapedType::isStatic(size) &&
        !llvm::is_contained(sizes, size))
      sizes.push_back(size);
  }
}

bool ember::cin::isShifted(const Statement &statement, StringRef variable,
                           const llvm::StringSet<> &variables) {
  bool isFound = false;
  walkStatement(statement, [&](const Expression &part, bool isIndex) {
    bool isSum =
        isIndex && (part.kind == Kind::call || part.kind == Kind::slice);
    isFound |= isSum &&
               llvm::is_contained(findFreeVariables(part, variables), variable);
  });
  return isFound;
}

LogicalResult ember::cin::setSizes(NamedArrays &arrays,
                                   ArrayRef<Statement> statements,
                                   const NotationOptions &options,
                                   MLIRContext *context) {
  for (auto &[name, array] : arrays)
    if (!array.format)
      array.shape.assign(array.rank, ShapedType::kDynamic);
  for (const auto &entry : options.shapes) {
    auto *array = arrays.find(entry.first());
    // That there is one has been found out by its type.
    if (array == arrays.end())
      continue;
    auto stored = dyn_cast_or_null<ArrayType>(array->second.format);
    bool hasWholeRows = stored && stored.getFormat().getEncoding() &&
                        stored.getFormat().isDense();
    bool isKnown = llvm::any_of(entry.second, ShapedType::isStatic);
    if (stored && isKnown && !hasWholeRows)
      return emitErrorAt(context, array->second.position)
             << "'" << entry.first()
             << "' has a format, and its sizes are of a call";
    size_t indices = array->second.rank, dimensions = entry.second.size();
    if (indices != dimensions)
      return emitErrorAt(context, array->second.position)
             << "'" << entry.first() << "' has " << indices
             << (indices == 1 ? " index" : " indices")
             << " in the statement, and is given with " << dimensions
             << (dimensions == 1 ? " dimension" : " dimensions");
    array->second.shape.assign(entry.second.begin(), entry.second.end());
    if (stored)
      array->second.format =
          ArrayType::get(context, array->second.shape, stored.getElementType(),
                         stored.getFormat());
  }
  for (const auto &entry : options.strided) {
    auto *array = arrays.find(entry.first());
    if (array == arrays.end())
      continue;
    if (array->second.format || array->second.isTemporary)
      return emitErrorAt(context, array->second.position)
             << "'" << entry.first() << "' is "
             << (array->second.format ? "stored in a format" : "a temporary")
             << ", and no array of the caller's whose rows could lie apart";
    array->second.isStrided = true;
  }
  for (const Statement &statement : statements) {
    NamedArray &target = arrays[statement.target->name];
    if (target.format)
      continue;
    llvm::StringSet<> variables = findVariables(statement);
    for (auto [index, size] :
         llvm::zip_equal(statement.target->operands, target.shape))
      if (index && index->kind == Kind::name && ShapedType::isDynamic(size) &&
          !isShifted(statement, index->name, variables))
        size = VariableSize(arrays, index->name).find(statement);
  }
  return success();
}
