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

/// Emits the loops of bags on memrefs at the insertion point. A table whose
/// rows do not lie in one piece is copied where that pays, up to
/// `mostCopiedBytes`. Where lengths are summed up first, no loop hands on where
/// the next bag begins.
void emitLoops(NestBuilder &builder, embed::BagOp op, int64_t mostCopiedBytes,
               bool sumLengths);

} // namespace ember

#endif // EMBER_CONVERSION_EMBEDTOSCF_LOWERINGS_H
