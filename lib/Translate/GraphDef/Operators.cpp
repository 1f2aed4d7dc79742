//===- Operators.cpp - What operators of TensorFlow return ----------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Operators.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace ember;
using namespace ember::graphdef;
using col::Effects;

static constexpr Operator operators[] = {
#define OPERATOR(NAME, EFFECTS, RESULTS) {NAME, Effects::EFFECTS, RESULTS},
#include "Operators.def"
#undef OPERATOR
};

const Operator *graphdef::findOperator(StringRef name) {
  static_assert(std::is_sorted(std::begin(operators), std::end(operators),
                               [](const Operator &a, const Operator &b) {
                                 return std::string_view(a.name) <
                                        std::string_view(b.name);
                               }),
                "operators are found by halving");
  const Operator *row = llvm::lower_bound(
      operators, name,
      [](const Operator &row, StringRef name) { return row.name < name; });
  return row != std::end(operators) && row->name == name ? row : nullptr;
}

namespace {
/// Reads the results of one node off its row.
class ResultReader {
public:
  ResultReader(const Node &node, EmitError emit) : node(node), emit(emit) {}

  LogicalResult add(StringRef result);
  SmallVector<Result> results;

private:
  FailureOr<const AttrValue *> getAttribute(StringRef name,
                                            AttrValue::ValueCase holds);
  FailureOr<DataType> getType(StringRef type);
  LogicalResult addList(StringRef name, StringRef types);
  LogicalResult addSame(StringRef name, StringRef type, StringRef number);

  const Node &node;
  EmitError emit;
};
} // namespace

FailureOr<const AttrValue *>
ResultReader::getAttribute(StringRef name, AttrValue::ValueCase holds) {
  auto found = node.attr().find(name.str());
  if (found == node.attr().end())
    return emit() << "has no attribute '" << name
                  << "', which says what its results are",
           failure();
  if (found->second.value_case() != holds)
    return emit() << "has an attribute '" << name
                  << "' that does not say what its results are",
           failure();
  return &found->second;
}

FailureOr<DataType> ResultReader::getType(StringRef type) {
  if (DataType fixed = findDataType(type))
    return fixed;
  auto [name, byDefault] = type.split('=');
  if (!byDefault.empty() && !node.attr().contains(name.str()))
    return findDataType(byDefault);
  FailureOr<const AttrValue *> value = getAttribute(name, AttrValue::kType);
  if (failed(value))
    return failure();
  return DataType((*value)->type());
}

LogicalResult ResultReader::addList(StringRef name, StringRef types) {
  FailureOr<const AttrValue *> value = getAttribute(types, AttrValue::kList);
  if (failed(value))
    return failure();
  for (auto [place, type] : llvm::enumerate((*value)->list().type()))
    results.push_back({name.str(), unsigned(place), DataType(type)});
  return success();
}

LogicalResult ResultReader::addSame(StringRef name, StringRef type,
                                    StringRef number) {
  // More than any model has, and less than a damaged number would be.
  constexpr int64_t mostResults = 1 << 16;
  FailureOr<const AttrValue *> value = getAttribute(number, AttrValue::kI);
  if (failed(value))
    return failure();
  int64_t count = (*value)->i();
  if (count < 0 || count > mostResults)
    return emit() << "has " << count << " results, by its attribute '" << number
                  << "'";
  FailureOr<DataType> each = getType(type);
  if (failed(each))
    return failure();
  for (int64_t place = 0; place < count; ++place)
    results.push_back({name.str(), unsigned(place), *each});
  return success();
}

LogicalResult ResultReader::add(StringRef result) {
  auto [name, type] = result.split(':');
  if (type.consume_back("..."))
    return addList(name, type);
  if (auto [each, number] = type.split('*'); !number.empty())
    return addSame(name, each, number);
  FailureOr<DataType> number = getType(type);
  if (succeeded(number))
    results.push_back({name.str(), 0, *number});
  return success(succeeded(number));
}

FailureOr<SmallVector<Result>>
graphdef::getResults(const Operator &known, const Node &node, EmitError emit) {
  ResultReader reader(node, emit);
  for (StringRef result : llvm::split(known.results, ' '))
    if (!result.empty() && failed(reader.add(result)))
      return failure();
  return std::move(reader.results);
}
