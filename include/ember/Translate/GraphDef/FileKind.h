//===- FileKind.h - What TensorFlow keeps graphs in -------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_TRANSLATE_GRAPHDEF_FILEKIND_H
#define EMBER_TRANSLATE_GRAPHDEF_FILEKIND_H

namespace ember::graphdef {

/// What a file holds: a graph, or a model with its graph and signatures.
enum class FileKind { graph, savedModel };

} // namespace ember::graphdef

#endif // EMBER_TRANSLATE_GRAPHDEF_FILEKIND_H
