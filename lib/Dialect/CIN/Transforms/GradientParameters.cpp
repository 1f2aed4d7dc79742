//===- GradientParameters.cpp - What a gradient takes and gives -----------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A function of gradients takes all that its statements may need at first; what
// none of them reads is dropped at the end.
//
//===----------------------------------------------------------------------===//

#include "GradientFunction.h"

#include "ember/Dialect/Ember/IR/Ember.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace ember;
using namespace ember::cin;

//===----------------------------------------------------------------------===//
// What is asked for
//===----------------------------------------------------------------------===//

Value GradientFunction::find(StringRef name, StringRef option) {
  for (auto assemble : evaluate.getRegion().getOps<AssembleOp>())
    if (!assemble.getLocating() && getName(assemble) == name)
      return assemble;
  for (BlockArgument argument : evaluate.getBody()->getArguments())
    if (getName(argument) == name) {
      for (Operation *user : argument.getUsers())
        if (auto whole = dyn_cast<AssembleOp>(user)) {
          function.emitError() << "'" << name << "', which '" << option
                               << "' names, is a part of '" << getName(whole)
                               << "': name that array";
          return {};
        }
      return argument;
    }
  // Of an array in a format, a gradient may read the values alone.
  if (isOfGradient)
    for (BlockArgument argument : evaluate.getBody()->getArguments())
      if (getName(argument) == (name + "_values").str())
        return argument;
  function.emitError() << "there is no array '" << name << "', which '"
                       << option << "' names";
  return {};
}

bool ember::cin::isAssigned(Value array) {
  // A number may be what is assigned.
  return llvm::any_of(array.getUsers(), [&](Operation *user) {
    auto assign = dyn_cast<AssignOp>(user);
    return assign && assign.getArray() == array;
  });
}

LogicalResult GradientFunction::readNames(ArrayRef<std::string> ofNames,
                                          ArrayRef<std::string> wrtNames) {
  if (ofNames.empty() || wrtNames.empty())
    return function.emitError(
        "a gradient is of something, with respect to something: name arrays "
        "for both");
  auto refuse = [&](StringRef array, const Twine &reason) {
    return function.emitError() << "'" << array << "' " << reason;
  };
  for (const std::string &name : ofNames) {
    Value array = find(name, "of");
    if (!array)
      return failure();
    if (!isAssigned(array))
      return refuse(name,
                    "has no gradient to give: no statement assigns to it");
    if (isa<ArrayType>(array.getType()))
      return refuse(name, "is in a format: only dense results have gradients");
    if (llvm::is_contained(of, array))
      return refuse(name, "is named twice");
    of.push_back(array);
  }
  for (const std::string &name : wrtNames) {
    Value array = find(name, "wrt");
    if (!array)
      return failure();
    if (isAssigned(array))
      return refuse(name, "is assigned to: gradients are by what is given");
    if (auto stored = array.getDefiningOp<AssembleOp>();
        stored && stored.getEncoding())
      return refuse(name, "is encoded: gradients are by floats");
    if (llvm::is_contained(wrt, array))
      return refuse(name, "is named twice");
    wrt.push_back(array);
  }
  for (Value array : llvm::concat<Value>(of, wrt))
    if (Type element = getElementTypeOrSelf(array.getType());
        !isa<FloatType>(element))
      return refuse(getName(array), "has elements of type " +
                                        llvm::formatv("{0}", element) +
                                        ", and only floats have gradients");
  return success();
}

//===----------------------------------------------------------------------===//
// Parameters
//===----------------------------------------------------------------------===//

MemRefType ember::cin::getGradientArray(Value array) {
  if (auto assemble = array.getDefiningOp<AssembleOp>())
    array = assemble.getValues();
  Type element = getGradientType(getElementTypeOrSelf(array.getType()));
  if (auto shaped = dyn_cast<ShapedType>(array.getType()))
    return MemRefType::get(shaped.getShape(), element);
  return MemRefType::get({}, element);
}

/// What the gradient by an array is called: of one in a format, it is that of
/// its values.
static Value getGivenArray(Value array) {
  auto assemble = array.getDefiningOp<AssembleOp>();
  return assemble ? Value(assemble.getValues()) : array;
}

void GradientFunction::createFunction() {
  for (BlockArgument argument : evaluate.getBody()->getArguments())
    addParameter(getName(argument), argument.getType());
  for (Value array : of)
    addParameter(getGradientName(array), getGradientArray(array));
  inputCount = names.size();
  for (Value array : wrt)
    addParameter(getGradientName(getGivenArray(array)),
                 getGradientArray(array));
  Location location = evaluate.getLoc();
  builder.setInsertionPointAfter(function);
  made = func::FuncOp::create(builder, location, name,
                              builder.getFunctionType(types, TypeRange()));
  Block *entry = made.addEntryBlock();
  builder.setInsertionPointToEnd(entry);
  ValueRange arguments = entry->getArguments();
  gradients = EvaluateOp::create(builder, location, TypeRange(),
                                 arguments.take_front(inputCount),
                                 arguments.drop_front(inputCount), ArrayAttr());
  func::ReturnOp::create(builder, location);
  Block &body = gradients.getRegion().emplaceBlock();
  for (Type type : types)
    body.addArgument(type, location);
  for (auto [mine, theirs] :
       llvm::zip(evaluate.getBody()->getArguments(), body.getArguments()))
    forward.map(mine, theirs);
  builder.setInsertionPointToEnd(&body);
  for (auto assemble : evaluate.getRegion().getOps<AssembleOp>())
    builder.clone(*assemble, forward);
  // Of lengths that are given; others are looked for when something reads them.
  for (auto scan : evaluate.getRegion().getOps<ScanOp>())
    if (!isAssigned(scan.getLengths()) && forward.contains(scan.getLengths()))
      builder.clone(*scan, forward);
  marker = ForallOp::create(builder, location, ValueRange(), ValueRange(),
                            ArrayRef<bool>(), ArrayAttr(), IterationAttr());
  marker.getRegion().emplaceBlock();
  ValueRange added =
      body.getArguments().drop_front(evaluate.getBody()->getNumArguments());
  for (auto [number, array] : llvm::enumerate(of))
    adjoints[array] = {added[number], false, true, std::nullopt};
  for (auto [number, array] : llvm::enumerate(wrt)) {
    unsigned position = static_cast<unsigned>(number);
    adjoints[array] = {added[of.size() + number], true, false, position};
  }
}

void GradientFunction::readSizesOfGradients() {
  for (Value array : wrt) {
    Value given = forward.lookupOrNull(array);
    if (!given || !isa<BlockArgument>(given))
      continue;
    if (llvm::all_of(given.getUsers(), llvm::IsaPred<ExtentOp>))
      given.replaceAllUsesWith(adjoints[array].array);
  }
}

LogicalResult GradientFunction::finish() {
  marker->erase();
  readSizesOfGradients();
  Block &body = *gradients.getBody();
  for (bool changed = true; changed;) {
    changed = false;
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(body)))
      if (isa<AssembleOp, TemporaryOp, ExtentOp, ApplyOp, LiteralOp, ScanOp>(
              op) &&
          op.use_empty()) {
        op.erase();
        changed = true;
      }
  }
  // Names stand in front of statements.
  Operation *first = nullptr;
  for (Operation &op : llvm::make_early_inc_range(body)) {
    if (isa<ForallOp>(op))
      first = first ? first : &op;
    else if (first)
      op.moveBefore(first);
  }
  for (size_t number = types.size(); number-- > 0;) {
    bool isUsed = number >= inputCount || !body.getArgument(number).use_empty();
    if (isUsed)
      continue;
    body.eraseArgument(number);
    gradients.getInputsMutable().erase(number);
    (void)made.eraseArgument(number);
    names.erase(names.begin() + number);
    --inputCount;
  }
  Builder attributes(made.getContext());
  SmallVector<Attribute> all;
  for (auto [number, name] : llvm::enumerate(names)) {
    if (llvm::is_contained(ArrayRef(names).take_front(number), name))
      return made.emitError() << "two arrays of a gradient are called '" << name
                              << "': give the one that is read another name";
    all.push_back(attributes.getStringAttr(name));
    made.setArgAttr(number, nameAttr, all.back());
  }
  gradients.setNamesAttr(attributes.getArrayAttr(all));
  // Gradients are as large as what they are by.
  for (auto [number, array] : llvm::enumerate(wrt)) {
    Value given = getGivenArray(array);
    SmallVector<Attribute> sizes;
    auto type = dyn_cast<ShapedType>(given.getType());
    for (int64_t dimension = 0; type && dimension < type.getRank();
         ++dimension) {
      Attribute last =
          attributes.getArrayAttr({attributes.getStringAttr(getName(given)),
                                   attributes.getI64IntegerAttr(dimension),
                                   attributes.getI64IntegerAttr(1)});
      sizes.push_back(
          attributes.getArrayAttr({attributes.getI64IntegerAttr(0), last}));
    }
    made.setArgAttr(inputCount + number, sizesAttr,
                    attributes.getArrayAttr(sizes));
  }
  return success();
}
