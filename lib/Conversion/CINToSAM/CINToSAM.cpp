//===- CINToSAM.cpp - Statements as graphs of blocks ----------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Conversion/CINToSAM/Passes.h"

#include "GraphValues.h"
#include "TransposedArrays.h"
#include "ember/Dialect/SAM/IR/SAM.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace ember {
#define GEN_PASS_DEF_CONVERTCINTOSAM
#include "ember/Conversion/CINToSAM/Passes.h.inc"
} // namespace ember

using namespace mlir;
using namespace ember;

namespace {
/// Makes a function with a graph of one with a statement.
class FunctionConversion {
public:
  FunctionConversion(func::FuncOp function, StatementPaths paths,
                     const TransposedArrays &transposed, bool drops)
      : function(function), paths(std::move(paths)), transposed(transposed),
        builder(this->paths.statement.getLoc(), function), drops(drops) {}

  LogicalResult run() {
    collectInputs();
    func::FuncOp made = makeFunction();
    if (failed(makeGraph(made))) {
      made.erase();
      return failure();
    }
    function.erase();
    return success();
  }

private:
  /// Numbers and arrays that the statement reads, in the order of the
  /// evaluation's operands.
  void collectInputs() {
    llvm::SetVector<Value> arrays;
    for (const AccessPath &path : paths.accesses)
      arrays.insert(path.array);
    paths.statement.walk([&](Operation *op) {
      for (Value operand : op->getOperands())
        if (isa<BlockArgument>(operand) &&
            cast<BlockArgument>(operand).getOwner() ==
                paths.evaluate.getBody() &&
            !isa<ShapedType>(operand.getType()))
          arrays.insert(operand);
    });
    // Copies of an array stand behind each other.
    SmallVector<std::pair<unsigned, unsigned>> order;
    for (auto [position, array] : llvm::enumerate(arrays))
      order.push_back({getNumber(array), position});
    llvm::sort(order);
    for (auto [number, position] : order)
      inputs.push_back(arrays[position]);
    for (Value input : inputs)
      if (parameters.empty() ||
          getNumber(parameters.back()) != getNumber(input))
        parameters.push_back(input);
    auto result = cast<ShapedType>(getOriginalType(paths.result.array));
    for (auto [variable, dimension] :
         llvm::zip(paths.result.variables, paths.result.format.order))
      if (result.isDynamicDim(dimension) && !findDimension(variable))
        sized.push_back(variable);
  }

  /// Which operand of the evaluation an array's values are.
  static unsigned getNumber(Value array) {
    if (auto assemble = array.getDefiningOp<cin::AssembleOp>())
      array = assemble.getValues();
    auto argument = dyn_cast<BlockArgument>(array);
    return argument ? argument.getArgNumber() : 0;
  }

  /// The type that an array, which may be a copy, has where the function is
  /// called.
  Type getOriginalType(Value array) const {
    Type original = transposed.lookup(array);
    return original ? original : getTensorType(array);
  }

  /// The parameter that an array is passed as.
  Value getParameter(func::FuncOp made, Value input) const {
    const auto *parameter = llvm::find_if(parameters, [&](Value known) {
      return getNumber(known) == getNumber(input);
    });
    return made.getArgument(parameter - parameters.begin());
  }

  func::FuncOp makeFunction() {
    SmallVector<Type> types = llvm::map_to_vector(
        parameters, [&](Value array) { return getOriginalType(array); });
    types.append(sized.size(), builder.getIndexType());
    Type result = getOriginalType(paths.result.array);
    auto made =
        func::FuncOp::create(builder, function.getSymName(),
                             builder.getFunctionType(types, TypeRange(result)));
    made.setVisibility(function.getVisibility());
    SmallVector<std::string> names = llvm::map_to_vector(
        parameters, [&](Value array) { return paths.getName(array); });
    for (unsigned variable : sized)
      names.push_back(paths.variables[variable].name);
    for (auto [number, name] : llvm::enumerate(names))
      made.setArgAttr(number, "ember.name", builder.getStringAttr(name));
    made.addEntryBlock();
    return made;
  }

  /// A tensor as large as what the result is computed of says, or whoever
  /// calls the function.
  Value makeInit(func::FuncOp made) {
    auto type = cast<RankedTensorType>(getTensorType(paths.result.array));
    SmallVector<Value> sizes;
    for (int64_t dimension = 0; dimension < type.getRank(); ++dimension) {
      if (!type.isDynamicDim(dimension))
        continue;
      unsigned level = llvm::find(paths.result.format.order, dimension) -
                       paths.result.format.order.begin();
      unsigned variable = paths.result.variables[level];
      if (std::optional<Dimension> read = findDimension(variable)) {
        sizes.push_back(makeSize(made, *read));
        continue;
      }
      unsigned number = llvm::find(sized, variable) - sized.begin();
      sizes.push_back(made.getArgument(parameters.size() + number));
    }
    return tensor::EmptyOp::create(builder, type, sizes);
  }

  using Dimension = std::pair<Value, unsigned>;

  Value makeSize(func::FuncOp made, Dimension dimension) {
    Value index = arith::ConstantIndexOp::create(builder, dimension.second);
    return tensor::DimOp::create(builder, getParameter(made, dimension.first),
                                 index);
  }

  void requireSame(func::FuncOp made, Dimension a, Dimension b,
                   const Twine &what) {
    int64_t first = cast<ShapedType>(a.first.getType()).getDimSize(a.second);
    int64_t second = cast<ShapedType>(b.first.getType()).getDimSize(b.second);
    if (a == b || (first == second && !ShapedType::isDynamic(first)))
      return;
    auto describe = [&](Dimension dimension) {
      return "dimension " + std::to_string(dimension.second) + " of '" +
             paths.getName(dimension.first) + "'";
    };
    Value isSame = arith::CmpIOp::create(builder, arith::CmpIPredicate::eq,
                                         makeSize(made, a), makeSize(made, b));
    cf::AssertOp::create(builder, isSame,
                         builder.getStringAttr(what + ": " + describe(a) +
                                               " and " + describe(b) +
                                               " are not of one size"));
  }

  /// Asks whether dimensions with the same index are of one size.
  void requireSizes(func::FuncOp made) {
    for (auto [number, variable] : llvm::enumerate(paths.variables)) {
      llvm::SetVector<Dimension> dimensions;
      for (const AccessPath &path : paths.accesses)
        if (std::optional<unsigned> level = path.findLevel(number))
          dimensions.insert({path.array, path.format.order[*level]});
      for (Dimension dimension : dimensions)
        requireSame(made, dimensions[0], dimension, variable.name);
    }
    for (auto same : paths.evaluate.getBody()->getOps<cin::SameSizeOp>())
      if (llvm::is_contained(inputs, same.getFirst()) &&
          llvm::is_contained(inputs, same.getSecond()))
        requireSame(made, {same.getFirst(), same.getFirstDimension()},
                    {same.getSecond(), same.getSecondDimension()},
                    same.getVariable().value_or(
                        same.getMessage().value_or("cin.same_size")));
  }

  /// Asks whether there are coordinates without which values would be missing.
  void requireCoordinates(func::FuncOp made) {
    for (unsigned number : paths.required.set_bits()) {
      Dimension dimension = *findDimension(number);
      std::string name = paths.variables[number].name;
      Value none = arith::ConstantIndexOp::create(builder, 0);
      Value isThere = arith::CmpIOp::create(builder, arith::CmpIPredicate::ne,
                                            makeSize(made, dimension), none);
      cf::AssertOp::create(
          builder, isThere,
          builder.getStringAttr(
              name + ": dimension " + Twine(dimension.second) + " of '" +
              paths.getName(dimension.first) +
              "' has no elements, and loops inside of that over '" + name +
              "' would assign nothing: choose an order with '" + name +
              "' innermost"));
    }
  }

  /// A dimension of what is read that a variable is the index of; none if the
  /// result alone has it.
  std::optional<Dimension> findDimension(unsigned variable) {
    for (const AccessPath &path : paths.accesses)
      if (std::optional<unsigned> level = path.findLevel(variable))
        return Dimension(path.array, path.format.order[*level]);
    return std::nullopt;
  }

  /// The tensor with its levels in the order of another type.
  Value convertTo(Type type, Value tensor) {
    if (tensor.getType() == type)
      return tensor;
    return sam::ConvertOp::create(builder, type, tensor);
  }

  LogicalResult makeGraph(func::FuncOp made) {
    builder.setInsertionPointToStart(&made.getBody().front());
    requireSizes(made);
    requireCoordinates(made);
    Value init = makeInit(made);
    SmallVector<Value> operands =
        llvm::map_to_vector(inputs, [&](Value input) -> Value {
          return convertTo(getTensorType(input), getParameter(made, input));
        });
    auto graph = sam::GraphOp::create(builder, TypeRange(init.getType()),
                                      operands, ValueRange(init));
    func::ReturnOp::create(
        builder,
        convertTo(getOriginalType(paths.result.array), graph.getResult(0)));
    Block &body = graph.getRegion().emplaceBlock();
    SmallVector<Attribute> names;
    auto add = [&](Value array) {
      names.push_back(builder.getStringAttr(paths.getName(array)));
      return body.addArgument(getTensorType(array), builder.getLoc());
    };
    for (Value input : inputs)
      tensors[input] = add(input);
    paths.resultTensor = add(paths.result.array);
    graph->setAttr("names", builder.getArrayAttr(names));
    builder.setInsertionPointToStart(&body);
    GraphIteration iteration(paths, builder, tensors);
    if (failed(iteration.build()))
      return failure();
    GraphValues(paths, iteration, builder, tensors, drops).build();
    dropDead(body);
    return success();
  }

  /// Blocks that nobody takes a stream from.
  static void dropDead(Block &body) {
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(body)))
      if (isOpTriviallyDead(&op))
        op.erase();
  }

  func::FuncOp function;
  StatementPaths paths;
  const TransposedArrays &transposed;
  ImplicitLocOpBuilder builder;
  bool drops;
  /// What the graph reads, and what the function is given: one for copies of
  /// one array.
  SmallVector<Value> inputs, parameters;
  /// Variables that the result alone has, which are parameters behind these.
  SmallVector<unsigned> sized;
  llvm::DenseMap<Value, Value> tensors;
};

struct ConvertCINToSAM
    : public ember::impl::ConvertCINToSAMBase<ConvertCINToSAM> {
  using ConvertCINToSAMBase::ConvertCINToSAMBase;

  void runOnOperation() override {
    if (empty != "keep" && empty != "drop") {
      getOperation().emitError() << "convert-cin-to-sam: empty=" << empty
                                 << " is neither keep nor drop";
      return signalPassFailure();
    }
    for (auto function :
         llvm::make_early_inc_range(getOperation().getOps<func::FuncOp>()))
      if (failed(convert(function)))
        return signalPassFailure();
  }

  /// The variable of that name, after an error if there is none.
  FailureOr<StatementVariable *> findVariable(StatementPaths &paths,
                                              StringRef name, StringRef what) {
    for (StatementVariable &variable : paths.variables)
      if (variable.name == name)
        return &variable;
    return paths.statement.emitOpError() << "is to " << what << " '" << name
                                         << "', which is no variable of it";
  }

  /// How variables are to be iterated.
  LogicalResult accelerate(StatementPaths &paths) {
    for (const std::string &name : gallop) {
      auto variable = findVariable(paths, name, "gallop along");
      if (failed(variable))
        return failure();
      (*variable)->gallops = true;
    }
    for (const std::string &text : bitvector) {
      auto [name, bits] = StringRef(text).split(':');
      unsigned width;
      if (bits.getAsInteger(10, width) || width < 1 || width > 64)
        return paths.statement.emitOpError()
               << "is to be joined by words of bits as '" << text
               << "' says: expected NAME:WIDTH, with 1 to 64 bits";
      auto variable = findVariable(paths, name, "join words of bits along");
      if (failed(variable))
        return failure();
      (*variable)->width = width;
    }
    return success();
  }

  LogicalResult convert(func::FuncOp function) {
    SmallVector<cin::EvaluateOp> evaluations;
    function.walk([&](cin::EvaluateOp op) { evaluations.push_back(op); });
    if (evaluations.empty())
      return success();
    if (evaluations.size() > 1)
      return evaluations[1].emitOpError(
          "is a second evaluation in its function, and a graph is made of one");
    cin::EvaluateOp evaluate = evaluations.front();
    for (Operation &op : function.getBody().getOps())
      if (&op != evaluate && !isa<func::ReturnOp>(op))
        return op.emitOpError("stands beside the statement that a graph is to "
                              "be made of");
    FailureOr<StatementPaths> paths = collectPaths(evaluate);
    SmallVector<std::string> names(order.begin(), order.end());
    if (failed(paths) || failed(orderVariables(*paths, names, transpose)))
      return failure();
    TransposedArrays transposed;
    if (transpose)
      transposed = transposeArrays(*paths);
    if (!transposed.empty()) {
      SmallVector<unsigned> known = paths->order;
      paths = collectPaths(evaluate);
      if (failed(paths) || failed(keepOrder(*paths, known)))
        return failure();
    }
    if (failed(accelerate(*paths)))
      return failure();
    return FunctionConversion(function, std::move(*paths), transposed,
                              empty == "drop")
        .run();
  }
};
} // namespace
