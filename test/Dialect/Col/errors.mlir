// One error a rule of the verifiers.

// RUN: ember-opt %s -split-input-file -verify-diagnostics

func.func @no_operator() {
  // expected-error @below {{'col.node' op names no operator of TensorFlow}}
  col.node "" "n"() pure : () -> ()
  return
}

// -----

func.func @outputs() {
  // expected-error @below {{'col.node' op has names of 2 outputs and 1 results}}
  %0 = col.node "Somebodys" "n"() outputs ["0", "1"] : () -> tensor<f32>
  return
}

// -----

// expected-error @below {{has values of type 'i1', expected integers of 8 to 64 bits, f64, f32, f16, bf16 or !col.text}}
func.func private @elements(!col.jagged<i1>)

// -----

func.func @dense(%x: tensor<?xi32>) {
  // expected-error @below {{'col.from_dense' op makes values of type 'i64' of elements of 'i32'}}
  %0 = col.from_dense %x : tensor<?xi32> -> !col.jagged<i64>
  return
}

// -----

func.func @dense_rank(%x: tensor<?x?x?xi64>) {
  // expected-error @below {{'col.from_dense' op operand #0 must be}}
  %0 = col.from_dense %x : tensor<?x?x?xi64> -> !col.jagged<i64>
  return
}

// -----

func.func @offsets(%x: tensor<?xi32>, %offsets: tensor<?xi64>) {
  // expected-error @below {{'col.from_offsets' op makes values of type 'f32' of elements of 'i32'}}
  %0 = col.from_offsets %x at %offsets : tensor<?xi32>, tensor<?xi64> -> !col.jagged<f32>
  return
}

// -----

func.func @no_offsets(%x: tensor<?xi64>, %offsets: tensor<0xi64>) {
  // expected-error @below {{'col.from_offsets' op has no offset, and the first row begins at one}}
  %0 = col.from_offsets %x at %offsets : tensor<?xi64>, tensor<0xi64> -> !col.jagged<i64>
  return
}

// -----

func.func @compared(%x: !col.jagged<f16>, %boundaries: tensor<?xf32>) {
  // expected-error @below {{'col.bucketize' op operand #0 must be jagged batch of i32, i64, f32 or f64, but got '!col.jagged<f16>'}}
  %0 = col.bucketize %x by %boundaries : !col.jagged<f16>, tensor<?xf32> -> !col.jagged<i64>
  return
}

// -----

func.func @boundaries(%x: !col.jagged<f64>, %boundaries: tensor<?xf64>) {
  // expected-error @below {{'col.bucketize' op operand #1 must be 1D tensor of 32-bit float values}}
  %0 = col.bucketize %x by %boundaries : !col.jagged<f64>, tensor<?xf64> -> !col.jagged<i64>
  return
}

// -----

func.func @number(%x: !col.jagged<i64>) {
  // expected-error @below {{'col.map' op has the operand "a", which is no number}}
  %0 = col.map min(%x, "a") : !col.jagged<i64> -> !col.jagged<i64>
  return
}

// -----

func.func @arity(%x: !col.jagged<i64>) {
  // expected-error @below {{'col.map' op gives 'min' 1 operands, and it takes 2}}
  %0 = col.map min(%x) : !col.jagged<i64> -> !col.jagged<i64>
  return
}

// -----

func.func @types(%x: !col.jagged<i64>) {
  // expected-error @below {{'col.map' op of 'min' has operands and a result of one type, not ('i64', 'f32') -> 'i64'}}
  %0 = col.map min(%x, 1.0 : f32) : !col.jagged<i64> -> !col.jagged<i64>
  return
}

// -----

func.func @function(%x: !col.jagged<i64>) {
  // expected-error @below {{'col.map' op calls @f, and there is no cin.function of that name}}
  %0 = col.map @f(%x) : !col.jagged<i64> -> !col.jagged<i64>
  return
}

// -----

func.func @predicate(%x: !col.jagged<i64>) {
  // expected-error @below {{'col.keep_if' op of 'min' has operands and a result of one type, not ('i64', 'i64') -> 'i1'}}
  %0 = col.keep_if min(%x, 1 : i64) : !col.jagged<i64>
  return
}

// -----

func.func @predicate_number(%x: !col.jagged<i64>) {
  // expected-error @below {{'col.keep_if' op has the operand unit, which is no number}}
  %0 = col.keep_if ne(%x, unit) : !col.jagged<i64>
  return
}

// -----

func.func @replacement_predicate(%x: !col.jagged<i64>) {
  // expected-error @below {{'col.replace_if' op gives 'ne' 1 operands, and it takes 2}}
  %0 = col.replace_if ne(%x) by 0 : i64 : !col.jagged<i64>
  return
}

// -----

func.func @replacement_number(%x: !col.jagged<i64>) {
  // expected-error @below {{'col.replace_if' op has the operand unit, which is no number}}
  %0 = col.replace_if ne(%x, unit) by 0 : i64 : !col.jagged<i64>
  return
}

// -----

func.func @replacement(%x: !col.jagged<i64>) {
  // expected-error @below {{'col.replace_if' op has a new value of type 'i32' among values of type 'i64'}}
  %0 = col.replace_if lt(%x, 0 : i64) by 0 : i32 : !col.jagged<i64>
  return
}

// -----

func.func @fill(%x: !col.jagged<i64>) {
  // expected-error @below {{'col.fill_empty' op has a new value of type 'f32' among values of type 'i64'}}
  %0 = col.fill_empty %x by 0.0 : f32 : !col.jagged<i64>
  return
}

// -----

func.func @rows(%x: !col.jagged<i64>, %table: tensor<?x8xf32>) {
  // expected-error @below {{'col.lookup' op makes rows of the type 'tensor<?x4xf32>' of those of 'tensor<?x8xf32>'}}
  %0 = col.lookup sum %x in %table : !col.jagged<i64>, tensor<?x8xf32> -> tensor<?x4xf32>
  return
}

// -----

func.func @ids(%x: !col.jagged<f32>, %table: tensor<?x8xf32>) {
  // expected-error @below {{'col.lookup' op operand #0 must be jagged batch of 32 or 64-bit integers, but got '!col.jagged<f32>'}}
  %0 = col.lookup sum %x in %table : !col.jagged<f32>, tensor<?x8xf32> -> tensor<?x8xf32>
  return
}

// -----

func.func @no_columns(%whole: tensor<?x8xf32>, %x: tensor<?xi64>) {
  // expected-error @below {{'col.insert_columns' op has 1 tensors of 2 columns}}
  %0 = col.insert_columns @column into %whole at [0, 8] from (%x : tensor<?xi64>) : tensor<?x8xf32>
  return
}

// -----

func.func @place(%whole: tensor<?x8xf32>, %x: tensor<?xi64>) {
  // expected-error @below {{'col.insert_columns' op has the place -8}}
  %0 = col.insert_columns @column into %whole at [-8] from (%x : tensor<?xi64>) : tensor<?x8xf32>
  return
}

// -----

func.func @no_function(%whole: tensor<?x8xf32>, %x: tensor<?xi64>) {
  // expected-error @below {{'col.insert_columns' op calls @column, which is no function}}
  %0 = col.insert_columns @column into %whole at [0] from (%x : tensor<?xi64>) : tensor<?x8xf32>
  return
}

// -----

func.func private @column(tensor<?xi64>, tensor<?x8xf32>, index) -> tensor<?x8xf32>
func.func @function_type(%whole: tensor<?x8xf32>, %x: tensor<?xi64>, %y: tensor<?xi32>) {
  // expected-error @below {{'col.insert_columns' op calls @column of type '(tensor<?xi64>, tensor<?x8xf32>, index) -> tensor<?x8xf32>' for column 1 of tensors of other types}}
  %0 = col.insert_columns @column into %whole at [0, 4] from (%x, %y : tensor<?xi64>, tensor<?xi32>) : tensor<?x8xf32>
  return
}

// -----

func.func @no_buckets(%x: !col.jagged<i64>) {
  // expected-error @below {{'col.hash' op attribute 'buckets' failed to satisfy constraint: 64-bit signless integer attribute whose value is positive}}
  %0 = col.hash %x into 0 : !col.jagged<i64> -> !col.jagged<i64>
  return
}

// -----

func.func @many_buckets(%x: !col.jagged<i64>) {
  %0 = col.hash %x into 2147483648 : !col.jagged<i64> -> !col.jagged<i32>
  // expected-error @below {{'col.hash' op has 2147483649 buckets, too many for ids of type 'i32'}}
  %1 = col.hash %x into 2147483649 : !col.jagged<i64> -> !col.jagged<i32>
  return
}

// -----

func.func @hash_of_floats(%x: !col.jagged<f32>) {
  // expected-error @below {{'col.hash' op operand #0 must be jagged batch of 32 or 64-bit integers or texts, but got '!col.jagged<f32>'}}
  %0 = col.hash %x into 10 : !col.jagged<f32> -> !col.jagged<i64>
  return
}

// -----

func.func @key(%x: !col.jagged<i64>) {
  // expected-error @below {{'col.hash' op has a key, which hashes of texts alone have}}
  %0 = col.hash %x into 7 by [1, 2] : !col.jagged<i64> -> !col.jagged<i64>
  return
}

// -----

func.func @key_words(%x: !col.jagged<!col.text>) {
  // expected-error @below {{'col.hash' op has a key of 1 words, expected 2}}
  %0 = col.hash %x into 7 by [1] : !col.jagged<!col.text> -> !col.jagged<i64>
  return
}

// -----

func.func @split(%x: !col.jagged<i64>) {
  // expected-error @below {{'col.split' op operand #0 must be jagged batch of texts}}
  %0 = col.split %x at "," : !col.jagged<i64>
  return
}

// -----

func.func @kept_texts(%x: !col.jagged<!col.text>) {
  // expected-error @below {{'col.keep_if' op keeps texts by something else than 'ne' and ""}}
  %0 = col.keep_if ne(%x, "a") : !col.jagged<!col.text>
  return
}

// -----

func.func @listed_twice(%x: !col.jagged<!col.text>) {
  // expected-error @below {{'col.find' op lists "a" twice}}
  %0 = col.find %x of ["a", "b", "a"] otherwise -1 : !col.jagged<!col.text> -> !col.jagged<i64>
  return
}

// -----

func.func @others(%x: !col.jagged<!col.text>) {
  // expected-error @below {{'col.find' op has to say what the id of other texts is: by 'into' or by 'otherwise'}}
  %0 = col.find %x of ["a"] into 3 otherwise -1 : !col.jagged<!col.text> -> !col.jagged<i64>
  return
}

// -----

func.func @found(%x: !col.jagged<!col.text>) {
  // expected-error @below {{'col.find' op makes ids of type 'i32', expected i64}}
  %0 = col.find %x of ["a"] otherwise 0 : !col.jagged<!col.text> -> !col.jagged<i32>
  return
}

// -----

func.func @places(%x: tensor<?xi64>, %places: tensor<?x3xi64>, %shape: tensor<2xi64>) {
  // expected-error @below {{'col.from_coordinates' op has places in 3 dimensions, and a shape of 2}}
  %0 = col.from_coordinates %x at %places of %shape : tensor<?xi64>, tensor<?x3xi64>, tensor<2xi64> -> !col.jagged<i64>
  return
}

// -----

func.func @weighed(%x: tensor<?xi64>, %w: tensor<?xf32>) {
  %0 = col.from_dense %x : tensor<?xi64> -> !col.jagged<i64>
  %1 = col.keep_if ge(%0, 0 : i64) : !col.jagged<i64>
  // expected-error @below {{'col.weigh' op weighs values that are not taken from a tensor in front of it}}
  %2 = col.weigh %1 by %w : !col.jagged<i64>, tensor<?xf32>
  return
}

// -----

func.func @weights(%x: tensor<?x3xi64>, %w: tensor<?x2xf32>) {
  %0 = col.from_dense %x : tensor<?x3xi64> -> !col.jagged<i64>
  // expected-error @below {{'col.weigh' op has weights of the type 'tensor<?x2xf32>' for values of the type 'tensor<?x3xi64>'}}
  %1 = col.weigh %0 by %w : !col.jagged<i64>, tensor<?x2xf32>
  return
}

// -----

func.func @text_ids(%x: tensor<?xi8>, %places: tensor<?x3x2xi64>, %recipe: tensor<8xi64>) {
  // expected-error @below {{'col.text_ids' op makes ids of the type 'tensor<?x4xi64>' of texts whose places are of the type 'tensor<?x3x2xi64>'}}
  %0 = col.text_ids %x at %places by %recipe : tensor<?xi8>, tensor<?x3x2xi64>, tensor<8xi64> -> tensor<?x4xi64>
  return
}
