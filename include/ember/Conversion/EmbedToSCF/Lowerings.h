//===- Lowerings.h - The nest of every embedding operation ---- -*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_CONVERSION_EMBEDTOSCF_LOWERINGS_H
#define EMBER_CONVERSION_EMBEDTOSCF_LOWERINGS_H

#include "ember/Conversion/EmbedToSCF/NestBuilder.h"
#include "ember/Dialect/Embed/IR/Embed.h"

namespace ember {

/// Each emits the loops of one operation on memrefs that is no statement yet at
/// the insertion point: of any bag and product with values of blocks, and of
/// other operations on a table whose rows are encoded.
/// A table whose rows do not lie in one piece is copied where that pays, up to
/// `mostCopiedBytes`. Where lengths are summed up first, no loop hands on where
/// the next bag begins.
void emitLoops(NestBuilder &builder, embed::BagOp op, int64_t mostCopiedBytes,
               bool sumLengths);
void emitLoops(NestBuilder &builder, embed::SpMMOp op);
void emitLoops(NestBuilder &builder, embed::GatherOp op);
void emitLoops(NestBuilder &builder, embed::BlockValuesOp op);

} // namespace ember

#endif // EMBER_CONVERSION_EMBEDTOSCF_LOWERINGS_H
