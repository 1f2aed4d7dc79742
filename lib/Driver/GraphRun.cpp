//===- GraphRun.cpp - Running a graph of blocks ---------------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Driver/GraphRun.h"

#include "ember/Dialect/SAM/Evaluation/Evaluation.h"
#include "ember/Dialect/SAM/Evaluation/StoredElements.h"
#include "ember/Driver/ElementFile.h"
#include "ember/Driver/Files.h"
#include "ember/Driver/Source.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/AsmState.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;
using namespace mlir;
using namespace ember;

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

/// What a file has elements of a type as.
static std::optional<NpyType> findNpyType(mlir::Type element) {
  if (element.isF64())
    return NpyType::Float64;
  if (element.isF32())
    return NpyType::Float32;
  if (element.isF16())
    return NpyType::Float16;
  if (element.isInteger(1))
    return NpyType::Bool;
  if (element.isIndex() || element.isSignlessInteger(64))
    return NpyType::Int64;
  if (element.isSignlessInteger(32))
    return NpyType::Int32;
  if (element.isSignlessInteger(16))
    return NpyType::Int16;
  if (element.isSignlessInteger(8))
    return NpyType::Int8;
  return std::nullopt;
}

static TypedAttr readElement(mlir::Type element, const char *data,
                             unsigned bytes) {
  uint64_t bits = 0;
  std::memcpy(&bits, data, bytes);
  if (auto type = dyn_cast<FloatType>(element))
    return FloatAttr::get(
        type, APFloat(type.getFloatSemantics(), APInt(type.getWidth(), bits)));
  unsigned width = element.isIndex() ? 64 : element.getIntOrFloatBitWidth();
  return IntegerAttr::get(element, APInt(64, bits).zextOrTrunc(width));
}

static void writeElement(TypedAttr value, char *data, unsigned bytes) {
  uint64_t bits;
  if (auto number = dyn_cast<FloatAttr>(value))
    bits = number.getValue().bitcastToAPInt().getZExtValue();
  else
    bits = cast<IntegerAttr>(value).getValue().getZExtValue();
  std::memcpy(data, &bits, bytes);
}

static void printElement(TypedAttr value, raw_ostream &os) {
  if (auto number = dyn_cast<FloatAttr>(value)) {
    SmallString<16> text;
    number.getValue().toString(text);
    os << text;
    return;
  }
  if (value.getType().isInteger(1))
    os << (cast<IntegerAttr>(value).getValue().isZero() ? "false" : "true");
  else
    cast<IntegerAttr>(value).getValue().print(os, /*isSigned=*/true);
}

//===----------------------------------------------------------------------===//
// Arguments
//===----------------------------------------------------------------------===//

static std::string toText(mlir::Type type) {
  std::string text;
  raw_string_ostream(text) << type;
  return text;
}

static Expected<sam::TensorFormat> getFormat(mlir::Type type,
                                             const Twine &label) {
  std::string reason;
  if (auto format = sam::TensorFormat::of(type, reason))
    return *format;
  return makeError(label + ": " + toText(type) + " " + reason);
}

static Error checkShape(RankedTensorType type, ArrayRef<int64_t> shape,
                        StringRef path, const Twine &label) {
  bool fits = shape.size() == static_cast<size_t>(type.getRank());
  for (unsigned dimension = 0; fits && dimension < shape.size(); ++dimension)
    fits = type.isDynamicDim(dimension) ||
           type.getDimSize(dimension) == shape[dimension];
  if (fits)
    return Error::success();
  auto toString = [](int64_t size) { return std::to_string(size); };
  return makeError(label + ": '" + path + "' has the shape [" +
                   join(map_range(shape, toString), ", ") +
                   "], which is not that of " + toText(type));
}

/// An element from its text; null if it is none of the type.
static TypedAttr parseElement(mlir::Type type, StringRef text, bool negates) {
  if (auto floats = dyn_cast<FloatType>(type)) {
    APFloat value(floats.getFloatSemantics());
    auto status = value.convertFromString(text, APFloat::rmNearestTiesToEven);
    if (!status) {
      consumeError(status.takeError());
      return {};
    }
    if (negates)
      value.changeSign();
    return FloatAttr::get(floats, value);
  }
  int64_t value;
  if (text == "true" || text == "false")
    value = text == "true";
  else if (text.getAsInteger(10, value))
    return {};
  if (negates)
    value = -value;
  unsigned width = type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
  return IntegerAttr::get(type, APInt(64, value, true).sextOrTrunc(width));
}

/// A tensor from a file that lists elements.
static Expected<sam::StoredTensor> loadElements(RankedTensorType type,
                                                const sam::TensorFormat &format,
                                                StringRef path,
                                                const Twine &label) {
  Expected<ElementList> list = readElementFile(path);
  if (!list)
    return makeError(label + ": " + llvm::toString(list.takeError()));
  if (Error error = checkShape(type, list->shape, path, label))
    return std::move(error);
  std::vector<sam::ListedElement> elements;
  elements.reserve(list->elements.size());
  for (const ElementList::Element &element : list->elements) {
    TypedAttr value =
        parseElement(type.getElementType(), element.value, element.isNegated);
    if (!value)
      return makeError(label + ": '" + path + "': '" + element.value +
                       "' is no " + toText(type.getElementType()));
    elements.push_back({element.coordinates, value});
  }
  SmallVector<int64_t> twice;
  auto stored =
      sam::storeElements(format, list->shape, std::move(elements), twice);
  if (stored)
    return std::move(*stored);
  auto fromOne = [](int64_t coordinate) {
    return std::to_string(coordinate + 1);
  };
  return makeError(label + ": '" + path + "' has two elements at " +
                   join(map_range(twice, fromOne), " "));
}

static Expected<sam::StoredTensor>
loadTensor(RankedTensorType type, StringRef path, const Twine &label) {
  Expected<sam::TensorFormat> format = getFormat(type, label);
  if (!format)
    return format.takeError();
  if (isElementFile(path))
    return loadElements(type, *format, path, label);
  Expected<NpyArray> array = readNpy(path);
  if (!array)
    return array.takeError();
  std::optional<NpyType> expected = findNpyType(type.getElementType());
  if (!expected || array->getType() != *expected)
    return makeError(label + ": '" + path + "' has elements of " +
                     getNpyName(array->getType()) + ", and " + toText(type) +
                     (expected ? " those of " + getNpyName(*expected).str()
                               : std::string(" none that a file has")));
  ArrayRef<int64_t> shape = array->getShape();
  if (Error error = checkShape(type, shape, path, label))
    return std::move(error);
  std::vector<TypedAttr> elements;
  unsigned bytes = getNpyBytes(*expected);
  for (int64_t number = 0; number < array->getNumElements(); ++number)
    elements.push_back(readElement(type.getElementType(),
                                   array->getData() + number * bytes, bytes));
  return sam::store(*format, shape, elements);
}

static Expected<sam::StoredTensor> loadNumber(mlir::Type type, StringRef text,
                                              const Twine &label) {
  Expected<sam::TensorFormat> format = getFormat(type, label);
  if (!format)
    return format.takeError();
  sam::StoredTensor number{*format, {}, {}, {}};
  TypedAttr value = parseElement(type, text, /*negates=*/false);
  if (!value)
    return makeError(label + ": '" + text + "' is no " +
                     (isa<FloatType>(type) ? "number" : toText(type)));
  number.values.push_back(value);
  return number;
}

static Expected<GraphValue> loadArgument(mlir::Type type, StringRef text,
                                         unsigned number) {
  std::string label = "argument " + std::to_string(number);
  Expected<sam::StoredTensor> tensor = [&]() -> Expected<sam::StoredTensor> {
    auto ranked = dyn_cast<RankedTensorType>(type);
    if (!ranked && !type.isIntOrIndexOrFloat())
      return makeError(label + ": " + toText(type) +
                       " is neither a tensor nor a number");
    if (!ranked)
      return loadNumber(type, text, label);
    if (!text.consume_front("@") && !text.ends_with_insensitive(".npy") &&
        !isElementFile(text))
      return makeError(label + ": expected a file, .npy, .mtx or .tns, for " +
                       toText(type));
    return loadTensor(ranked, text, label);
  }();
  if (!tensor)
    return tensor.takeError();
  return GraphValue{type, std::move(*tensor)};
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

Expected<func::FuncOp> ember::findGraphFunction(ModuleOp module,
                                                StringRef name) {
  SmallVector<func::FuncOp> candidates;
  for (auto function : module.getOps<func::FuncOp>()) {
    bool hasGraph =
        function.walk([](sam::GraphOp) { return WalkResult::interrupt(); })
            .wasInterrupted();
    if (hasGraph && (name.empty() || function.getSymName() == name))
      candidates.push_back(function);
  }
  if (candidates.empty())
    return func::FuncOp();
  if (candidates.size() > 1)
    return makeError("choose a function with --entry=NAME, one of: " +
                     join(map_range(candidates,
                                    [](func::FuncOp function) {
                                      return function.getSymName();
                                    }),
                          ", "));
  return candidates.front();
}

namespace {
/// Evaluates what stands around graphs, and these.
class FunctionEvaluator {
public:
  FunctionEvaluator(raw_ostream *streams, GraphEngine engine)
      : streams(streams), engine(engine) {}

  void bind(mlir::Value value, GraphValue known) {
    values[value] = std::move(known);
  }
  const GraphValue &get(mlir::Value value) {
    return values.find(value)->second;
  }

  LogicalResult evaluate(Operation &op) {
    return llvm::TypeSwitch<Operation *, LogicalResult>(&op)
        .Case<arith::CmpIOp, arith::ConstantOp, cf::AssertOp, tensor::DimOp,
              tensor::EmptyOp, sam::ConvertOp, sam::GraphOp>(
            [&](auto known) { return evaluateOp(known); })
        .Default([](Operation *other) {
          return other->emitOpError("stands beside a sam.graph and is not "
                                    "evaluated: constants, sizes, "
                                    "what compares them, and tensor.empty are");
        });
  }

private:
  void bindIndex(mlir::Value value, int64_t number) {
    GraphValue index{value.getType(), {}};
    index.tensor.values.push_back(IntegerAttr::get(value.getType(), number));
    bind(value, std::move(index));
  }
  int64_t getIndex(mlir::Value value) {
    return cast<IntegerAttr>(get(value).tensor.values.front())
        .getValue()
        .getSExtValue();
  }

  LogicalResult evaluateOp(arith::ConstantOp op) {
    if (!isa<IntegerAttr, FloatAttr>(op.getValue()))
      return op.emitOpError("is no number, and stands beside a sam.graph");
    GraphValue number{op.getType(), {}};
    number.tensor.format.fill = op.getValue();
    number.tensor.values.push_back(op.getValue());
    bind(op, std::move(number));
    return success();
  }

  LogicalResult evaluateOp(arith::CmpIOp op) {
    if (!op.getLhs().getType().isIndex())
      return op.emitOpError("compares no sizes, beside a sam.graph");
    bool holds = arith::applyCmpPredicate(
        op.getPredicate(), APInt(64, getIndex(op.getLhs()), true),
        APInt(64, getIndex(op.getRhs()), true));
    bindIndex(op, holds);
    return success();
  }

  LogicalResult evaluateOp(cf::AssertOp op) {
    if (getIndex(op.getArg()))
      return success();
    return op.emitError() << op.getMsg();
  }

  LogicalResult evaluateOp(tensor::DimOp op) {
    int64_t dimension = getIndex(op.getIndex());
    const GraphValue &source = get(op.getSource());
    int64_t rank = source.tensor.shape.size();
    if (dimension < 0 || dimension >= rank)
      return op.emitOpError()
             << "asks for dimension " << dimension << " of " << rank;
    bindIndex(op, source.tensor.shape[dimension]);
    return success();
  }

  LogicalResult evaluateOp(tensor::EmptyOp op) {
    GraphValue empty{op.getType(), {}};
    int64_t elements = 1;
    // In a format, what is stored takes room, and not what there may be.
    bool isWhole = !cast<RankedTensorType>(op.getType()).getEncoding();
    for (OpFoldResult size : op.getMixedSizes()) {
      int64_t extent = isa<mlir::Value>(size)
                           ? getIndex(cast<mlir::Value>(size))
                           : cast<IntegerAttr>(cast<Attribute>(size)).getInt();
      if (extent < 0 || MulOverflow(elements, extent, elements) ||
          (isWhole && elements > (int64_t(1) << 32)))
        return op.emitOpError() << "is too large, or of a negative size";
      empty.tensor.shape.push_back(extent);
    }
    bind(op, std::move(empty));
    return success();
  }

  LogicalResult evaluateOp(sam::ConvertOp op) {
    const sam::StoredTensor &tensor = get(op.getSource()).tensor;
    std::string reason;
    // The verifier has seen that there is one.
    sam::TensorFormat format = *sam::TensorFormat::of(op.getType(), reason);
    bind(op, {op.getType(),
              sam::store(format, tensor.shape, sam::getElements(tensor))});
    return success();
  }

  LogicalResult evaluateOp(sam::GraphOp op) {
    std::vector<sam::StoredTensor> inputs;
    for (mlir::Value input : op.getInputs()) {
      if (input.getDefiningOp<tensor::EmptyOp>())
        return op.emitOpError("reads a tensor.empty, which holds nothing");
      inputs.push_back(get(input).tensor);
    }
    SmallVector<SmallVector<int64_t>> shapes;
    for (mlir::Value init : op.getInits())
      shapes.push_back(get(init).tensor.shape);
    AsmState names(op->getParentOp());
    auto list = [&](mlir::Value value, const sam::StreamLists &lists) {
      if (!streams)
        return;
      value.printAsOperand(*streams, names);
      *streams << " : " << value.getType() << " = " << sam::printTokens(lists)
               << "\n";
    };
    auto results = engine ? engine(op, inputs, shapes)
                          : sam::evaluate(op, inputs, shapes, list);
    if (failed(results))
      return failure();
    for (auto [value, tensor] : llvm::zip(op.getResults(), *results))
      bind(value, {value.getType(), std::move(tensor)});
    return success();
  }

  raw_ostream *streams;
  GraphEngine engine;
  llvm::DenseMap<mlir::Value, GraphValue> values;
};
} // namespace

Expected<std::vector<GraphValue>>
ember::runGraphFunction(func::FuncOp function, ArrayRef<std::string> arguments,
                        raw_ostream *streams, GraphEngine engine) {
  if (!function.getBody().hasOneBlock())
    return makeError("the function '" + function.getSymName() +
                     "' has branches around its graphs");
  if (arguments.size() != function.getNumArguments())
    return makeError("'" + function.getSymName() + "' takes " +
                     Twine(function.getNumArguments()) + " arguments, and " +
                     Twine(arguments.size()) + " are given");
  FunctionEvaluator evaluator(streams, engine);
  for (auto [number, parameter] : llvm::enumerate(function.getArguments())) {
    auto value = loadArgument(parameter.getType(), arguments[number], number);
    if (!value)
      return value.takeError();
    evaluator.bind(parameter, std::move(*value));
  }
  Block &body = function.getBody().front();
  for (Operation &op : body.without_terminator())
    if (failed(evaluator.evaluate(op)))
      return makeDiagnosedError();
  std::vector<GraphValue> results;
  for (mlir::Value result : body.getTerminator()->getOperands())
    results.push_back(evaluator.get(result));
  return results;
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

/// Prints elements from `at` on as nested lists.
static void printElements(ArrayRef<TypedAttr> elements, ArrayRef<int64_t> shape,
                          size_t &at, raw_ostream &os) {
  if (shape.empty())
    return printElement(elements[at++], os);
  os << "[";
  for (int64_t number = 0; number < shape.front(); ++number) {
    os << (number ? ", " : "");
    printElements(elements, shape.drop_front(), at, os);
  }
  os << "]";
}

/// Beyond this, how many there are says more than which they are.
static constexpr double mostPrinted = 1e5;

void ember::printGraphValue(const GraphValue &value, unsigned result,
                            raw_ostream &os) {
  os << "result " << result << ": " << value.type << " = ";
  double elements = 1;
  for (int64_t size : value.tensor.shape)
    elements *= double(size);
  if (elements > mostPrinted) {
    interleave(value.tensor.shape, os, " x ");
    os << " elements";
  } else {
    size_t at = 0;
    printElements(sam::getElements(value.tensor), value.tensor.shape, at, os);
  }
  os << ", " << value.tensor.values.size() << " stored\n";
}

static Error saveElements(const sam::StoredTensor &tensor, StringRef path) {
  size_t count = 0;
  sam::visitElements(tensor, [&](auto, auto) { ++count; });
  return writeElementFile(path, tensor.shape, count, [&](ElementPrinter print) {
    SmallString<32> text;
    sam::visitElements(tensor,
                       [&](ArrayRef<int64_t> coordinates, TypedAttr element) {
                         text.clear();
                         raw_svector_ostream stream(text);
                         printElement(element, stream);
                         print(coordinates, text);
                       });
  });
}

Error ember::saveGraphValue(const GraphValue &value, StringRef path) {
  if (isElementFile(path))
    return saveElements(value.tensor, path);
  mlir::Type element = getElementTypeOrSelf(value.type);
  std::optional<NpyType> type = findNpyType(element);
  if (!type)
    return makeError("a file cannot hold elements of " + toText(element));
  Expected<NpyArray> array = NpyArray::allocate(*type, value.tensor.shape);
  if (!array)
    return array.takeError();
  unsigned bytes = getNpyBytes(*type);
  for (auto [number, item] : llvm::enumerate(sam::getElements(value.tensor)))
    writeElement(item, array->getData() + number * bytes, bytes);
  SmallVector<int64_t> strides = getDenseStrides(array->getShape());
  return writeNpy(path, {*type, array->getShape(), strides, array->getData()});
}
