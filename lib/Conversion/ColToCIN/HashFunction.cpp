//===- HashFunction.cpp - The bucket of an integer ------------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A decimal text has at most 20 bytes, which are three words in registers: each
// digit is put in front of those that are there. FarmHash has one way for each
// of 1 to 3, 4 to 7, 8 to 16 and 17 to 32 bytes, and reads words of 4 and 8
// bytes at both ends of the text, which here are shifts.
//
//===----------------------------------------------------------------------===//

#include "HashFunction.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

using namespace mlir;
using namespace ember;

// Odd numbers that spread bits well.
static constexpr uint64_t primes[] = {0xc3a5c85c97cb3127, 0xb492b66fbe98f273,
                                      0x9ae16a3b2f90404f};

namespace {
/// The words of a text, first bytes first, and its length in bytes.
struct Text {
  Value words[3], length;
};

/// Writes unsigned arithmetic on 64 bits.
class HashWriter {
public:
  HashWriter(ImplicitLocOpBuilder &builder)
      : builder(builder), type(builder.getI64Type()) {}

  Value write(Value number, Value buckets);

private:
  Value word(uint64_t value) {
    return arith::ConstantOp::create(
        builder, builder.getIntegerAttr(type, static_cast<int64_t>(value)));
  }
  Value add(Value a, Value b) { return arith::AddIOp::create(builder, a, b); }
  Value subtract(Value a, Value b) {
    return arith::SubIOp::create(builder, a, b);
  }
  Value multiply(Value a, Value b) {
    return arith::MulIOp::create(builder, a, b);
  }
  Value exclusive(Value a, Value b) {
    return arith::XOrIOp::create(builder, a, b);
  }
  Value left(Value a, Value bits) {
    return arith::ShLIOp::create(builder, a, bits);
  }
  Value right(Value a, Value bits) {
    return arith::ShRUIOp::create(builder, a, bits);
  }
  Value rotated(Value a, uint64_t bits) {
    return arith::OrIOp::create(builder, right(a, word(bits)),
                                left(a, word(64 - bits)));
  }
  Value folded(Value a) { return exclusive(a, right(a, word(47))); }
  Value isAtLeast(Value a, uint64_t bound) {
    return arith::CmpIOp::create(builder, arith::CmpIPredicate::uge, a,
                                 word(bound));
  }
  Value choose(Value condition, llvm::function_ref<Value()> then,
               llvm::function_ref<Value()> otherwise);
  Value mixed(Value first, Value second, Value factor);
  Value getFactor(Value length) {
    return add(word(primes[2]), left(length, word(1)));
  }
  /// The eight bytes from `byte` on, which is 0 to 8, of two words.
  Value wordAt(Value first, Value second, Value byte);

  Text writeText(Value number);
  Value hashUpTo3(const Text &text);
  Value hashUpTo7(const Text &text);
  Value hashUpTo16(const Text &text);
  Value hashUpTo32(const Text &text);

  ImplicitLocOpBuilder &builder;
  Type type;
};
} // namespace

Value HashWriter::choose(Value condition, llvm::function_ref<Value()> then,
                         llvm::function_ref<Value()> otherwise) {
  auto choice = scf::IfOp::create(builder, type, condition, /*withElse=*/true);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(choice.thenBlock());
  scf::YieldOp::create(builder, then());
  builder.setInsertionPointToStart(choice.elseBlock());
  scf::YieldOp::create(builder, otherwise());
  return choice.getResult(0);
}

Value HashWriter::mixed(Value first, Value second, Value factor) {
  Value low = folded(multiply(exclusive(first, second), factor));
  return multiply(folded(multiply(exclusive(second, low), factor)), factor);
}

Value HashWriter::wordAt(Value first, Value second, Value byte) {
  // In two steps, as no word is shifted by all of its bits at once.
  Value bits = left(byte, word(3));
  Value half = right(bits, word(1)), rest = subtract(bits, half);
  Value back = subtract(word(64), bits);
  Value backHalf = right(back, word(1)), backRest = subtract(back, backHalf);
  return arith::OrIOp::create(builder, right(right(first, half), rest),
                              left(left(second, backHalf), backRest));
}

//===----------------------------------------------------------------------===//
// Texts
//===----------------------------------------------------------------------===//

Text HashWriter::writeText(Value number) {
  Value zero = word(0);
  Value isNegative =
      arith::CmpIOp::create(builder, arith::CmpIPredicate::slt, number, zero);
  // That of the least integer is itself, unsigned.
  Value magnitude = arith::SelectOp::create(builder, isNegative,
                                            subtract(zero, number), number);
  auto putInFront = [&](Value byte, ValueRange words) -> SmallVector<Value> {
    auto shifted = [&](Value before, Value word) -> Value {
      return arith::OrIOp::create(builder, left(word, this->word(8)),
                                  right(before, this->word(56)));
    };
    return {arith::OrIOp::create(builder, left(words[0], word(8)), byte),
            shifted(words[0], words[1]), shifted(words[1], words[2]),
            add(words[3], word(1))};
  };
  SmallVector<Value> initial = {magnitude, zero, zero, zero, zero};
  auto digits = scf::WhileOp::create(
      builder, SmallVector<Type>(5, type), initial,
      [&](OpBuilder &nested, Location location, ValueRange state) {
        OpBuilder::InsertionGuard guard(builder);
        builder.setInsertionPointToEnd(nested.getInsertionBlock());
        Value ten = word(10);
        Value rest = arith::DivUIOp::create(builder, state[0], ten);
        Value digit = subtract(state[0], multiply(rest, ten));
        SmallVector<Value> next =
            putInFront(add(digit, word('0')), state.drop_front());
        next.insert(next.begin(), rest);
        Value isMore = arith::CmpIOp::create(builder, arith::CmpIPredicate::ne,
                                             rest, word(0));
        scf::ConditionOp::create(builder, isMore, next);
      },
      [&](OpBuilder &nested, Location location, ValueRange state) {
        scf::YieldOp::create(nested, location, state);
      });
  ValueRange words = digits.getResults().drop_front();
  SmallVector<Value> withSign = putInFront(word('-'), words);
  auto choose = [&](unsigned part) -> Value {
    return arith::SelectOp::create(builder, isNegative, withSign[part],
                                   words[part]);
  };
  return {{choose(0), choose(1), choose(2)}, choose(3)};
}

//===----------------------------------------------------------------------===//
// Fingerprints
//===----------------------------------------------------------------------===//

Value HashWriter::hashUpTo3(const Text &text) {
  auto byteAt = [&](Value byte) -> Value {
    return arith::AndIOp::create(
        builder, right(text.words[0], left(byte, word(3))), word(0xff));
  };
  Value middle = byteAt(right(text.length, word(1)));
  Value last = byteAt(subtract(text.length, word(1)));
  Value ends = add(byteAt(word(0)), left(middle, word(8)));
  Value rest = add(text.length, left(last, word(2)));
  return multiply(folded(exclusive(multiply(ends, word(primes[2])),
                                   multiply(rest, word(primes[0])))),
                  word(primes[2]));
}

Value HashWriter::hashUpTo7(const Text &text) {
  Value mask = word(0xffffffff);
  Value first = arith::AndIOp::create(builder, text.words[0], mask);
  Value bits = left(subtract(text.length, word(4)), word(3));
  Value last = arith::AndIOp::create(builder, right(text.words[0], bits), mask);
  return mixed(add(text.length, left(first, word(3))), last,
               getFactor(text.length));
}

Value HashWriter::hashUpTo16(const Text &text) {
  Value factor = getFactor(text.length);
  Value first = add(text.words[0], word(primes[2]));
  Value last =
      wordAt(text.words[0], text.words[1], subtract(text.length, word(8)));
  return mixed(add(multiply(rotated(last, 37), factor), first),
               multiply(add(rotated(first, 25), last), factor), factor);
}

Value HashWriter::hashUpTo32(const Text &text) {
  Value factor = getFactor(text.length);
  Value first = multiply(text.words[0], word(primes[1]));
  Value second = text.words[1];
  Value byte = subtract(text.length, word(16));
  Value last = multiply(wordAt(text.words[1], text.words[2], byte), factor);
  Value before = wordAt(text.words[0], text.words[1], byte);
  Value sum = add(add(rotated(add(first, second), 43), rotated(last, 30)),
                  multiply(before, word(primes[2])));
  Value turned =
      add(add(first, rotated(add(second, word(primes[2])), 18)), last);
  return mixed(sum, turned, factor);
}

Value HashWriter::write(Value number, Value buckets) {
  Text text = writeText(number);
  Value fingerprint = choose(
      isAtLeast(text.length, 8),
      [&] {
        return choose(
            isAtLeast(text.length, 17), [&] { return hashUpTo32(text); },
            [&] { return hashUpTo16(text); });
      },
      [&] {
        return choose(
            isAtLeast(text.length, 4), [&] { return hashUpTo7(text); },
            [&] { return hashUpTo3(text); });
      });
  return arith::RemUIOp::create(builder, fingerprint, buckets);
}

cin::FunctionOp ember::makeHashFunction(ModuleOp module, SymbolTable &symbols) {
  ImplicitLocOpBuilder builder(module.getLoc(), module.getContext());
  Type type = builder.getI64Type();
  OperationState state(module.getLoc(), cin::FunctionOp::getOperationName());
  state.addAttribute("sym_name", builder.getStringAttr("hash_bucket"));
  state.addAttribute("function_type", TypeAttr::get(builder.getFunctionType(
                                          {type, type}, type)));
  state.addRegion();
  auto function = cast<cin::FunctionOp>(Operation::create(state));
  Block &body = function.getBody().emplaceBlock();
  body.addArguments({type, type}, {module.getLoc(), module.getLoc()});
  builder.setInsertionPointToStart(&body);
  Value bucket =
      HashWriter(builder).write(body.getArgument(0), body.getArgument(1));
  cin::ReturnOp::create(builder, bucket);
  symbols.insert(function);
  return function;
}
