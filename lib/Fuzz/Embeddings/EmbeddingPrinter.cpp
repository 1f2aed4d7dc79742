//===- EmbeddingPrinter.cpp - Embedding operations as text ----------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ember/Fuzz/Embeddings/EmbeddingPrinter.h"
#include "ember/Fuzz/Embeddings/Steps.h"
#include "ember/Fuzz/Program/Printer.h"

namespace ember::fuzz {

namespace {

class EmbeddingPrinter {
public:
  EmbeddingPrinter(std::ostream &out, const Op &op,
                   const std::vector<std::string> &names,
                   const std::vector<Type> &types)
      : out(out), op(op), embedding(*op.embedding), names(names), types(types) {
  }

  void print();

private:
  /// " keyword(%a, %b : type, type)" for the operands of `roles`, if any.
  void printClause(const char *keyword, const std::vector<Role> &roles,
                   bool hasTypes = true);
  void printWords();
  void printSteps();
  void printFormat();

  std::ostream &out;
  const Op &op;
  const Embedding &embedding;
  const std::vector<std::string> &names;
  const std::vector<Type> &types;
};

} // namespace

void EmbeddingPrinter::printClause(const char *keyword,
                                   const std::vector<Role> &roles,
                                   bool hasTypes) {
  std::string values, valueTypes;
  for (Role role : roles)
    for (size_t position : embedding.positions(role)) {
      ValueId value = op.operands[position];
      values += (values.empty() ? "" : ", ") + names[value];
      valueTypes += (valueTypes.empty() ? "" : ", ") + printType(types[value]);
    }
  if (!values.empty())
    out << " " << keyword << "(" << values
        << (hasTypes ? " : " + valueTypes : "") << ")";
}

/// Functions that are what they usually are need not be named.
void EmbeddingPrinter::printSteps() {
  Scalar type = computedType(op, types);
  auto print = [&](const char *keyword, StepFunction step, StepFunction usual) {
    if (step != usual)
      out << " " << keyword << "(" << nameStep(step, type) << ")";
  };
  if (embedding.kind == Embedding::Message)
    out << " "
        << (embedding.reduction == Embedding::Mean
                ? "mean"
                : nameStep(embedding.combining, type));
  print("edge", embedding.edge, StepFunction::None);
  if (embedding.isVector)
    out << " vector";
  else
    print("total", embedding.total, StepFunction::Add);
  print("activation", embedding.activation, StepFunction::None);
  if (embedding.kind == Embedding::Message)
    print("weighting", embedding.weighting, StepFunction::Mul);
}

/// What stands in front of the operands.
void EmbeddingPrinter::printWords() {
  static const char *const reductions[] = {"sum", "mean", "max"};
  static const char *const models[] = {"transe", "distmult", "complex",
                                       "rotate"};
  if (embedding.hasSteps())
    printSteps();
  else if (embedding.isReducing())
    out << " " << reductions[embedding.reduction];
  if (embedding.kind == Embedding::Score) {
    out << " " << models[embedding.model];
    if (embedding.hasNorm())
      out << " norm " << embedding.norm;
  }
  if (embedding.kind >= Embedding::Gather)
    out << " block_size " << embedding.blockSize;
}

void EmbeddingPrinter::print() {
  static const char *const segments[] = {"offsets", "open_offsets", "lengths"};
  out << mnemonic(embedding.kind);
  printWords();
  printClause("tables", {Role::Table});
  printClause("indices", {Role::Indices});
  printClause(segments[embedding.segments], {Role::Segments});
  printClause("weights", {Role::Weights});
  printClause("padding", {Role::Padding}, /*hasTypes=*/false);
  printClause(embedding.isCoordinates ? "coo" : "csr",
              {Role::Rows, Role::Columns});
  printClause("values", {Role::Values});
  printClause("dense", {Role::Dense});
  printClause("rows", {Role::Left, Role::Right});
  printClause("messages", {Role::Messages});
  printClause("entities", {Role::Entities});
  printClause("relations", {Role::Relations});
  printClause("heads", {Role::Heads});
  printClause("types", {Role::Types});
  printClause("tails", {Role::Tails});
  printClause("rows", {Role::Source});
  printClause("queries", {Role::Queries});
  printClause("keys", {Role::Keys});
  printClause("scores", {Role::BlockWeights});
  printClause("values", {Role::BlockRows});
  printClause("blocks", {Role::Blocks});
  printClause("scale", {Role::Scale});
  printClause("outs", {Role::Init});
  printFormat();
  if (!op.results.empty())
    out << " -> " << printType(types[op.results[0]]);
}

void EmbeddingPrinter::printFormat() {
  if (!embedding.format)
    return;
  const RowLayout &format = *embedding.format;
  out << " format <" << format.encoding->name;
  if (format.parameters)
    out << ", " << format.parameters->name;
  out << (format.isLeading ? ", leading>" : ">");
}

void printEmbedding(std::ostream &out, const Op &op,
                    const std::vector<std::string> &names,
                    const std::vector<Type> &types) {
  EmbeddingPrinter(out, op, names, types).print();
}

} // namespace ember::fuzz
