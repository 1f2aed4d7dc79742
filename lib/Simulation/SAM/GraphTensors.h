//===- GraphTensors.h - What the tensors of a graph store -------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The elements of tensors as the simulator takes them.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_LIB_SIMULATION_SAM_GRAPHTENSORS_H
#define EMBER_LIB_SIMULATION_SAM_GRAPHTENSORS_H

#include "ember/Dialect/SAM/Evaluation/Storage.h"
#include "ember/Sim/SAM/Tensor.h"

namespace ember {

/// What differs from what the format does not store, by the coordinates of
/// levels; of a number, it.
sim::sam::Elements collectElements(const sam::StoredTensor &tensor);

} // namespace ember

#endif // EMBER_LIB_SIMULATION_SAM_GRAPHTENSORS_H
