//===- RingOps.td - The operations of the ring dialect -----*- tablegen -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_DIALECT_RING_IR_RINGOPS_TD
#define EMBER_DIALECT_RING_IR_RINGOPS_TD

include "ember/Dialect/Ring/IR/RingDialect.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

class Ring_Op<string mnemonic, list<Trait> traits = []>
    : Op<Ring_Dialect, mnemonic, traits>;

// What happens to rings happens in order.
def Ring_Memory : Resource<"::ember::ring::RingResource">;
def Ring_Effect : MemoryEffects<[MemRead<Ring_Memory>, MemWrite<Ring_Memory>]>;

class Ring_SlotHolds<string value> : TypesMatchWith<
    "the value has the type of the slot's operand", "slot", value,
    "::llvm::cast<::ember::ring::SlotType>($_self).getOperandType()">;

// Operations of one half alone.
class Ring_HalfTrait<string name> : NativeOpTrait<name> {
  let cppNamespace = "::ember::ring";
}
class Ring_AccessOp<string mnemonic, list<Trait> traits = [Ring_Effect]>
    : Ring_Op<mnemonic, !listconcat([Ring_HalfTrait<"OfAccessHalf">], traits)>;
class Ring_ComputeOp<string mnemonic, list<Trait> traits = [Ring_Effect]>
    : Ring_Op<mnemonic, !listconcat([Ring_HalfTrait<"OfComputeHalf">], traits)>;

//===----------------------------------------------------------------------===//
// Around both halves
//===----------------------------------------------------------------------===//

def Ring_CreateOp : Ring_Op<"create"> {
  let summary = "An empty ring";
  let description = [{
    With a `capacity`, it holds as many operands of the largest size, or tokens;
    without one, the machine chooses. Every capacity from 1 up gives the same
    values.

    ```mlir
    %data = ring.create : !ring.data<64>
    %tokens = ring.create capacity 16 : !ring.tokens
    ```
  }];
  let arguments = (ins OptionalAttr<I64Attr>:$capacity);
  let results = (outs Res<AnyTypeOf<[Ring_Data, Ring_Tokens]>, "the ring",
                          [MemAlloc<Ring_Memory>]>:$ring);
  let assemblyFormat = [{
    (`capacity` $capacity^)? attr-dict `:` qualified(type($ring))
  }];
  let hasVerifier = 1;
}

def Ring_RunOp : Ring_Op<"run", [
    AttrSizedOperandSegments, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "Runs both halves of a program beside each other";
  let description = [{
    Calls both functions with their arguments, and returns what the compute half
    returns, once both have ended. They share the rings that they are given:
    every ring goes to both. Messages call the program by its name.

    ```mlir
    %last = ring.run "f" access @f.access.0(%in, %data, %tokens : memref<?xf32>, !ring.data<8>, !ring.tokens)
                         compute @f.compute.0(%out, %data, %tokens : memref<?xf32>, !ring.data<8>, !ring.tokens) -> index
    ```
  }];
  let arguments = (ins StrAttr:$name, FlatSymbolRefAttr:$access, Variadic<AnyType>:$accessArgs,
                       FlatSymbolRefAttr:$compute,
                       Variadic<AnyType>:$computeArgs);
  let results = (outs Variadic<AnyType>:$results);
  let assemblyFormat = [{
    $name `access` $access `(` ($accessArgs^ `:` type($accessArgs))? `)`
    `compute` $compute `(` ($computeArgs^ `:` type($computeArgs))? `)`
    attr-dict (`->` type($results)^)?
  }];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// The access half
//===----------------------------------------------------------------------===//

def Ring_AcquireOp : Ring_AccessOp<"acquire"> {
  let summary = "Room for an operand";
  let description = [{
    Waits until there is room for an operand of the slot's type, one that belongs
    to a token with the id `token`.

    ```mlir
    %slot = ring.acquire %data for 0 : !ring.data<64> -> !ring.slot<vector<16xf32>>
    ```
  }];
  let arguments = (ins Ring_Data:$ring, I64Attr:$token);
  let results = (outs Ring_Slot:$slot);
  let assemblyFormat = [{
    $ring `for` $token attr-dict `:` qualified(type($ring)) `->` qualified(type($slot))
  }];
  let hasVerifier = 1;
}

def Ring_StoreOp : Ring_AccessOp<"store", [Ring_Effect, Ring_SlotHolds<"value">]> {
  let summary = "Writes an operand to its slot";
  let description = [{
    ```mlir
    ring.store %v, %slot : !ring.slot<f32>
    ```
  }];
  let arguments = (ins AnyType:$value, Ring_Slot:$slot);
  let assemblyFormat = "$value `,` $slot attr-dict `:` qualified(type($slot))";
}

def Ring_CommitOp : Ring_AccessOp<"commit"> {
  let summary = "Pushes the operand in a slot";
  let description = [{
    From here on the compute half may see it.

    ```mlir
    ring.commit %slot : !ring.slot<f32>
    ```
  }];
  let arguments = (ins Ring_Slot:$slot);
  let assemblyFormat = "$slot attr-dict `:` qualified(type($slot))";
}

def Ring_PushOp : Ring_AccessOp<"push"> {
  let summary = "Pushes a token";
  let description = [{
    The token `id`, with a `value` of at most 64 bits where the ring's tokens
    have room for values. Where `ring.follows` says that the value does not fit,
    it must be the next operand.

    ```mlir
    ring.push %tokens, 0 : !ring.tokens
    ring.push %tokens, 1 value %v : !ring.tokens<2>, f32
    ```
  }];
  let arguments = (ins Ring_Tokens:$ring, I64Attr:$id, Optional<AnyType>:$value);
  let assemblyFormat = [{
    $ring `,` $id (`value` $value^)? attr-dict
    `:` qualified(type($ring)) (`,` type($value)^)?
  }];
  let hasVerifier = 1;
}

def Ring_FollowsOp : Ring_AccessOp<"follows", [Pure]> {
  let summary = "Whether a value does not fit a token";
  let description = [{
    Asked only of types that may not fit.

    ```mlir
    %follows = ring.follows %x in %tokens : f64, !ring.tokens<2>
    ```
  }];
  let arguments = (ins AnyType:$value, Ring_Tokens:$ring);
  let results = (outs I1:$result);
  let assemblyFormat = [{
    $value `in` $ring attr-dict `:` type($value) `,` qualified(type($ring))
  }];
  let hasVerifier = 1;
}

def Ring_EndOp : Ring_AccessOp<"end"> {
  let summary = "Pushes the token that ends the program";
  let description = [{
    ```mlir
    ring.end %tokens : !ring.tokens
    ```
  }];
  let arguments = (ins Ring_Tokens:$ring);
  let assemblyFormat = "$ring attr-dict `:` qualified(type($ring))";
}

def Ring_TraceOperandOp : Ring_AccessOp<"trace_operand"> {
  let summary = "Reports an operand to the run-time statistics";
  let description = [{
    The operand that has been stored to the slot, under the name of its stream.

    ```mlir
    ring.trace_operand %slot, "weight" : !ring.slot<f32>
    ```
  }];
  let arguments = (ins Ring_Slot:$slot, StrAttr:$stream);
  let assemblyFormat = "$slot `,` $stream attr-dict `:` qualified(type($slot))";
}

def Ring_TraceTokenOp : Ring_AccessOp<"trace_token"> {
  let summary = "Reports a token to the run-time statistics";
  let description = [{
    Under the name of its event, and that of the program and of the point in it
    that profiles know it by; with the value it holds.

    ```mlir
    ring.trace_token 0, "bag.0" at "e.ite" named "e.ite"
    ring.trace_token 0, "bag.0" at "e.ite" named "e.ite" value %v : f32
    ```
  }];
  let arguments = (ins I64Attr:$id, StrAttr:$program, StrAttr:$point,
                       StrAttr:$event, Optional<AnyType>:$value);
  let assemblyFormat = [{
    $id `,` $program `at` $point `named` $event
    (`value` $value^ `:` type($value))? attr-dict
  }];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// The compute half
//===----------------------------------------------------------------------===//

def Ring_WaitOp : Ring_ComputeOp<"wait"> {
  let summary = "The oldest operand";
  let description = [{
    Waits until there is one; it must be of the slot's type and belong to a token
    with the id `token`.

    ```mlir
    %slot = ring.wait %data for 0 : !ring.data<64> -> !ring.slot<vector<16xf32>>
    ```
  }];
  let arguments = (ins Ring_Data:$ring, I64Attr:$token);
  let results = (outs Ring_Slot:$slot);
  let assemblyFormat = [{
    $ring `for` $token attr-dict `:` qualified(type($ring)) `->` qualified(type($slot))
  }];
  let hasVerifier = 1;
}

def Ring_LoadOp : Ring_ComputeOp<"load", [
    MemoryEffects<[MemRead<Ring_Memory>]>, Ring_SlotHolds<"value">]> {
  let summary = "Reads an operand from its slot";
  let description = [{
    ```mlir
    %v = ring.load %slot : !ring.slot<f32>
    ```
  }];
  let arguments = (ins Ring_Slot:$slot);
  let results = (outs AnyType:$value);
  let assemblyFormat = "$slot attr-dict `:` qualified(type($slot))";
}

def Ring_ReleaseOp : Ring_ComputeOp<"release"> {
  let summary = "Pops the operand in a slot";
  let description = [{
    From here on the access half may overwrite it.

    ```mlir
    ring.release %slot : !ring.slot<f32>
    ```
  }];
  let arguments = (ins Ring_Slot:$slot);
  let assemblyFormat = "$slot attr-dict `:` qualified(type($slot))";
}

def Ring_PopOp : Ring_ComputeOp<"pop"> {
  let summary = "Pops a token";
  let description = [{
    Waits until there is one. `more` is false for the token that ends the
    program, behind which there are no others.

    ```mlir
    %token, %more = ring.pop %tokens : !ring.tokens<2>
    ```
  }];
  let arguments = (ins Ring_Tokens:$ring);
  let results = (outs I64:$token, I1:$more);
  let assemblyFormat = "$ring attr-dict `:` qualified(type($ring))";
}

def Ring_TokenIdOp : Ring_ComputeOp<"token_id", [Pure]> {
  let summary = "The id of a token";
  let description = [{
    ```mlir
    %id = ring.token_id %token in %tokens : !ring.tokens<2>
    ```
  }];
  let arguments = (ins I64:$token, Ring_Tokens:$ring);
  let results = (outs I64:$id);
  let assemblyFormat = "$token `in` $ring attr-dict `:` qualified(type($ring))";
}

def Ring_TokenFollowsOp : Ring_ComputeOp<"token_follows", [Pure]> {
  let summary = "Whether the value of a token follows in the data ring";
  let description = [{
    Asked only of types that may not fit.

    ```mlir
    %follows = ring.token_follows %token in %tokens of f64 : !ring.tokens<2>
    ```
  }];
  let arguments = (ins I64:$token, Ring_Tokens:$ring, TypeAttr:$valueType);
  let results = (outs I1:$result);
  let assemblyFormat = [{
    $token `in` $ring `of` $valueType attr-dict `:` qualified(type($ring))
  }];
  let hasVerifier = 1;
}

def Ring_TokenValueOp : Ring_ComputeOp<"token_value", [Pure]> {
  let summary = "The value that a token holds";
  let description = [{
    Means nothing where the value follows.

    ```mlir
    %v = ring.token_value %token in %tokens : !ring.tokens<2> -> f32
    ```
  }];
  let arguments = (ins I64:$token, Ring_Tokens:$ring);
  let results = (outs AnyType:$value);
  let assemblyFormat = [{
    $token `in` $ring attr-dict `:` qualified(type($ring)) `->` type($value)
  }];
  let hasVerifier = 1;
}

#endif // EMBER_DIALECT_RING_IR_RINGOPS_TD
