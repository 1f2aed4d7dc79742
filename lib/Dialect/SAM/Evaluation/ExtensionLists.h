//===- ExtensionLists.h - Blocks of extensions on nested lists --*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_LIB_DIALECT_SAM_EVALUATION_EXTENSIONLISTS_H
#define EMBER_LIB_DIALECT_SAM_EVALUATION_EXTENSIONLISTS_H

#include "ListBlocks.h"

namespace ember::sam {

using ListStreams = llvm::SmallVector<StreamLists>;
using StreamsBeside = llvm::ArrayRef<const StreamLists *>;

/// Chunks, the coordinates in them, and what is beside these.
std::optional<ListStreams> splitLists(const StreamLists &coordinates,
                                      int64_t factor, bool isRelative,
                                      StreamsBeside beside,
                                      std::string &reason);
/// Coordinates, and what is beside them, of chunks and coordinates in them.
std::optional<ListStreams>
flattenLists(const StreamLists &outer, const StreamLists &inner, int64_t factor,
             bool isRelative, StreamsBeside beside, std::string &reason);

/// All data in one list.
StreamLists dropStops(const StreamLists &stream);
/// Values by coordinates, and these, of points.
std::optional<ListStreams> accumulatePoints(cin::Function function,
                                            mlir::Type element,
                                            const StreamLists &values,
                                            StreamsBeside coordinates,
                                            std::string &reason);

/// The elements of the outermost list, each lane's in turn.
ListStreams dealLists(const StreamLists &stream, int64_t lanes);
std::optional<StreamLists> joinLanes(StreamsBeside lanes, std::string &reason);

/// Words of bits, and positions beside them.
struct WordLists {
  StreamLists words, positions;

  /// The words of a fiber of so many coordinates, of which some are there, and
  /// the position of the first of them; nothing is there without one.
  void append(llvm::ArrayRef<int64_t> coordinates, int64_t size, unsigned width,
              std::optional<int64_t> position);
};
/// Words for the lists of a stream.
WordLists makeWordsAround(const StreamLists &stream, unsigned levels);
/// Word by word; none if they are in other lists.
std::optional<StreamLists> joinWords(StreamsBeside sides, bool isUnion,
                                     std::string &reason);
/// Coordinates of bits, and positions of sides: words, each with positions.
std::optional<ListStreams> expandWords(const StreamLists &joined,
                                       StreamsBeside words,
                                       StreamsBeside positions, unsigned width,
                                       std::string &reason);

} // namespace ember::sam

#endif // EMBER_LIB_DIALECT_SAM_EVALUATION_EXTENSIONLISTS_H
