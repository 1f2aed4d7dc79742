//===- RingDialect.td - The ring dialect and its types -----*- tablegen -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_DIALECT_RING_IR_RINGDIALECT_TD
#define EMBER_DIALECT_RING_IR_RINGDIALECT_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"

def Ring_Dialect : Dialect {
  let name = "ring";
  let cppNamespace = "::ember::ring";
  let summary = "Rings: what joins an access and a compute program";
  let description = [{
    Below dlc, a program is two ordinary functions of scf, arith, memref and
    vector code, an access half and a compute half, that meet in rings: memory
    that one fills and the other one empties, again and again, in order. A data
    ring holds operands of any size, a token ring the control tokens.

    The access half writes an operand where it has acquired room, and commits
    it; the compute half waits for it, reads it and releases it. A token is
    pushed and popped as a whole.

    ```mlir
    func.func private @sum.access.0(%in: memref<?xf32>, %n: index,
                                    %data: !ring.data<8>, %tokens: !ring.tokens)
        attributes {ring.half = #ring.half<access>} {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      scf.for %i = %c0 to %n step %c1 {
        %v = memref.load %in[%i] : memref<?xf32>
        ring.push %tokens, 0 : !ring.tokens
        %slot = ring.acquire %data for 0 : !ring.data<8> -> !ring.slot<f32>
        ring.store %v, %slot : !ring.slot<f32>
        ring.commit %slot : !ring.slot<f32>
      }
      ring.end %tokens : !ring.tokens
      return
    }
    ```

    Nothing here says where rings live: `ring-to-native` makes them queues of the
    runtime between two threads. Other machines have them in memory that two
    groups of threads share, or fill them by an access unit; a machine with such
    a unit takes the compute half alone.

    A function that uses rings says by `ring.half` which half it is. With it, the
    protocol is verified through the structured control flow of the function:

    - a slot is committed (released) once, in the block that acquired (waited
      for) it, and before the next one of that ring: the oldest slot is the only
      one;
    - it is stored to before its commit and not afterwards, and not read after
      its release;
    - operands belong to tokens that the access half pushes, and its last act is
      to push the one that ends the program;
    - rings and slots go nowhere else: not through calls, loops or memory.

    Where `ring.run` shows both halves, the operands of each token must be waited
    for with the types and in the order in which they are acquired.
  }];
  let useDefaultTypePrinterParser = 1;
  let useDefaultAttributePrinterParser = 1;
  let hasOperationAttrVerify = 1;
  let extraClassDeclaration = [{
    /// The attribute of functions that are one half of a program.
    static constexpr llvm::StringLiteral halfAttr = "ring.half";
  }];
}

def Ring_HalfEnum : I32EnumAttr<"Half", "a half of a program", [
    I32EnumAttrCase<"access", 0>,
    I32EnumAttrCase<"compute", 1>,
  ]> {
  let cppNamespace = "::ember::ring";
  let genSpecializedAttr = 0;
}

def Ring_Half : EnumAttr<Ring_Dialect, Ring_HalfEnum, "half"> {
  let summary = "Which half of a program a function is";
  let description = [{
    As `ring.half` of a function: `access` fills rings, `compute` empties them.

    ```mlir
    func.func private @f.compute.0(%data: !ring.data<8>, %tokens: !ring.tokens)
        attributes {ring.half = #ring.half<compute>}
    ```
  }];
  let assemblyFormat = "`<` $value `>`";
}

def Ring_Data : TypeDef<Ring_Dialect, "Data"> {
  let mnemonic = "data";
  let summary = "A ring of operands";
  let description = [{
    Operands take up to `operandBytes`, a multiple of 8, each.

    ```mlir
    !ring.data<64>
    ```
  }];
  let parameters = (ins "int64_t":$operandBytes);
  let assemblyFormat = "`<` $operandBytes `>`";
  let genVerifyDecl = 1;
}

def Ring_Tokens : TypeDef<Ring_Dialect, "Tokens"> {
  let mnemonic = "tokens";
  let summary = "A ring of tokens";
  let description = [{
    A token is a word of 64 bits: an id of `idBits`, and in the rest what value
    fits there. A value that does not fit follows in the data ring. Without
    `idBits`, tokens are ids alone.

    ```mlir
    !ring.tokens
    !ring.tokens<2>
    ```
  }];
  let parameters = (ins DefaultValuedParameter<"int64_t", "0">:$idBits);
  let assemblyFormat = "(`<` $idBits^ `>`)?";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// True if a token can carry values of `type` at all.
    bool canCarry(::mlir::Type type) const;
    /// True if values of `type` may need more bits than there are: one more bit
    /// then says whether the value follows in the data ring.
    bool mayFollow(::mlir::Type type) const;
    /// The id of the token that ends a program: all ones.
    int64_t getEndId() const;
  }];
}

def Ring_Slot : TypeDef<Ring_Dialect, "Slot"> {
  let mnemonic = "slot";
  let summary = "The place of an operand in a data ring";
  let description = [{
    Of a scalar or a vector of fixed length, whose elements are index, integers
    or floats of up to 1024 bits.

    ```mlir
    !ring.slot<f32>
    !ring.slot<vector<16xi1>>
    ```
  }];
  let parameters = (ins "::mlir::Type":$operandType);
  let assemblyFormat = "`<` $operandType `>`";
  let genVerifyDecl = 1;
  let builders = [
    TypeBuilderWithInferredContext<(ins "::mlir::Type":$operandType), [{
      return $_get(operandType.getContext(), operandType);
    }]>
  ];
}

#endif // EMBER_DIALECT_RING_IR_RINGDIALECT_TD
