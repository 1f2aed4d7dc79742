//===- StreamBuilder.h - Streams of two operands ----------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_LIB_CONVERSION_DLCTOTMU_STREAMBUILDER_H
#define EMBER_LIB_CONVERSION_DLCTOTMU_STREAMBUILDER_H

#include "FixedValues.h"
#include "LanePlan.h"

#include <map>

namespace ember {

/// A layer that is built.
struct BuiltLayer {
  LanePlan plan;
  /// By lanes.
  llvm::SmallVector<tmu::TUOpInterface> units;
  /// Streams of its units stand in front of it.
  tmu::LayerOpInterface op;
};

/// Builds what streams of an access program are in the unit of a lane. Streams
/// are built where they are first asked for, in the outermost layer that knows
/// what they are made of, and forwarded from there. Before, all has been
/// verified to be what a unit can do.
class StreamBuilder {
public:
  StreamBuilder(FixedValues &fixed, mlir::OpBuilder &builder)
      : fixed(fixed), builder(builder) {}

  /// Adds the next layer, within those added before.
  void addLayer(BuiltLayer layer);
  size_t getDepth() const { return layers.size(); }
  BuiltLayer &getLayer(size_t depth) { return layers[depth]; }

  /// What element `element` of `value` (of a vector; else 0) is in `lane` of
  /// the layer at `depth`: a stream there, or something fixed.
  mlir::Value get(mlir::Value value, size_t depth, size_t lane = 0,
                  int64_t element = 0);
  /// The same, always as a stream.
  mlir::Value getStream(mlir::Value value, size_t depth, size_t lane = 0,
                        int64_t element = 0);
  /// `value`, fixed or a stream there, as a stream.
  mlir::Value toStream(mlir::Value value, size_t depth, size_t lane);
  /// The stream of the layer at `depth` that has what `value`, a stream of the
  /// layer around, has.
  mlir::Value forward(mlir::Value value, size_t depth, size_t lane);
  mlir::Value compute(slc::AluOp opcode, mlir::Value lhs, mlir::Value rhs,
                      size_t depth, size_t lane);
  /// Builds the loads or the store that `access`, of the layer at `depth`, is.
  void buildAccess(slc::MemoryStreamOpInterface access, size_t depth);

private:
  struct Place {
    size_t depth, lane;
    int64_t element;
  };

  /// The outermost layer that knows `value`.
  size_t getHome(mlir::Value value);
  size_t findHome(mlir::Value value);
  mlir::Value build(mlir::Value value, Place place);
  mlir::Value buildVisited(Place place);
  mlir::Value buildMask(dlc::NewTUOp unit, Place place);
  mlir::Value buildComputed(slc::StreamOpInterface stream, Place place);
  mlir::Value buildArithmetic(dlc::AluStrOp alu, Place place);
  mlir::Value buildLoad(dlc::MemStrOp load, Place place);
  mlir::Value buildSum(dlc::AccStrOp sum, Place place);
  void buildStore(dlc::StoreStrOp store, Place place);
  /// The position of the element that `access` accesses, in its memory.
  mlir::Value buildPosition(slc::MemoryStreamOpInterface access, Place place);
  /// Null where the mask is always on, or is the lane's.
  mlir::Value buildAccessMask(mlir::Value mask, Place place);
  mlir::Value multiply(mlir::Value lhs, mlir::Value factor, Place place);
  /// The operation that is made once for the same name and operands.
  mlir::Value once(llvm::StringRef name, int64_t kind,
                   mlir::ValueRange operands, mlir::Type type,
                   llvm::function_ref<mlir::Value()> create);

  mlir::Value getUnit(size_t depth, size_t lane) {
    return layers[depth].units[lane].getTu();
  }
  void setPlace(size_t depth) { builder.setInsertionPoint(layers[depth].op); }

  FixedValues &fixed;
  mlir::OpBuilder &builder;
  llvm::SmallVector<BuiltLayer, 0> layers;
  /// By the unit of `dlc`.
  llvm::DenseMap<mlir::Value, size_t> depths;
  llvm::DenseMap<mlir::Value, size_t> homes;
  std::map<std::tuple<void *, size_t, size_t, int64_t>, mlir::Value> built;
  std::map<std::pair<std::pair<std::string, int64_t>, std::vector<void *>>,
           mlir::Value>
      made;
};

} // namespace ember

#endif // EMBER_LIB_CONVERSION_DLCTOTMU_STREAMBUILDER_H
