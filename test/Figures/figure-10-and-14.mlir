// The decoupled programs of figures 10 and 14 of the paper: structure of access and compute program, and
// the contents of the queues when they run.

// The example of figure 10(a): two segments, {0, 2} and {5}; row r of the table holds 4r to 4r + 3.
// RUN: %npy make %t.idxs.npy index "[0, 2, 5]"
// RUN: %npy make %t.ptrs.npy index "[0, 2, 3]"
// RUN: %npy make %t.vals.npy f32 "np.arange(24).reshape(6, 4)"
// RUN: %npy make %t.out.npy f32 "np.zeros((2, 4))"
// RUN: %npy make %t.expected.npy f32 "[[8, 10, 12, 14], [20, 21, 22, 23]]"

// RUN: ember-opt %s --scf-to-slc --optimize="opt-level=0 vector-length=2" --slc-to-dlc=opt-level=0 -o %t.0.mlir
// RUN: FileCheck %s --check-prefix=F14A --input-file=%t.0.mlir
// RUN: ember-run %t.0.mlir --entry=sls @%t.idxs.npy @%t.ptrs.npy @%t.vals.npy @%t.out.npy --save=3:%t.0.npy --queue-capacity=1 --trace-queues=%t.0.txt
// RUN: %npy compare %t.0.npy %t.expected.npy
// RUN: grep ctrl %t.0.txt | FileCheck %s --check-prefix=F14A-CONTROL
// RUN: grep data %t.0.txt | FileCheck %s --check-prefix=F14A-DATA

// RUN: ember-opt %s --scf-to-slc --optimize="opt-level=1 vector-length=2" --slc-to-dlc=opt-level=1 -o %t.1.mlir
// RUN: FileCheck %s --check-prefix=F14B --input-file=%t.1.mlir
// RUN: ember-run %t.1.mlir --entry=sls @%t.idxs.npy @%t.ptrs.npy @%t.vals.npy @%t.out.npy --save=3:%t.1.npy --queue-capacity=1 --trace-queues=%t.1.txt
// RUN: %npy compare %t.1.npy %t.expected.npy
// RUN: grep ctrl %t.1.txt | FileCheck %s --check-prefix=F14B-CONTROL
// RUN: grep data %t.1.txt | FileCheck %s --check-prefix=F14B-DATA

// RUN: ember-opt %s --scf-to-slc --optimize="opt-level=2 vector-length=2" --slc-to-dlc=opt-level=2 -o %t.2.mlir
// RUN: FileCheck %s --check-prefix=F14C --input-file=%t.2.mlir
// RUN: ember-run %t.2.mlir --entry=sls @%t.idxs.npy @%t.ptrs.npy @%t.vals.npy @%t.out.npy --save=3:%t.2.npy --queue-capacity=1 --trace-queues=%t.2.txt
// RUN: %npy compare %t.2.npy %t.expected.npy
// RUN: grep ctrl %t.2.txt | FileCheck %s --check-prefix=F14C-CONTROL
// RUN: grep data %t.2.txt | FileCheck %s --check-prefix=F14C-DATA

// RUN: ember-opt %s --scf-to-slc --optimize="opt-level=3 vector-length=2" --slc-to-dlc=opt-level=3 -o %t.3.mlir
// RUN: FileCheck %s --check-prefix=F14D --input-file=%t.3.mlir
// RUN: ember-run %t.3.mlir --entry=sls @%t.idxs.npy @%t.ptrs.npy @%t.vals.npy @%t.out.npy --save=3:%t.3.npy --queue-capacity=1 --trace-queues=%t.3.txt
// RUN: %npy compare %t.3.npy %t.expected.npy
// RUN: grep ctrl %t.3.txt | FileCheck %s --check-prefix=F14D-CONTROL
// RUN: grep data %t.3.txt | FileCheck %s --check-prefix=F14D-DATA

// Figures 10(c), 10(d), 10(e) and 14(a): one token and three operands an element.
// F14A-LABEL: func.func @sls(
// F14A-SAME: %[[V0:[a-zA-Z0-9_]+]]: memref<?xindex>, %[[V1:[a-zA-Z0-9_]+]]: memref<?xindex>, %[[V2:[a-zA-Z0-9_]+]]: memref<?x4xf32>, %[[V3:[a-zA-Z0-9_]+]]: memref<?x4xf32>) {
// F14A: %[[V4:[a-zA-Z0-9_]+]] = arith.constant 0 : index
// F14A: %[[V7:[a-zA-Z0-9_]+]] = memref.dim %[[V3]], %[[V4]] : memref<?x4xf32>
// F14A: access {
// F14A-DAG: %[[V4:[a-zA-Z0-9_]+]] = arith.constant 0 : index
// F14A-DAG: %[[V5:[a-zA-Z0-9_]+]] = arith.constant 1 : index
// F14A-DAG: %[[V6:[a-zA-Z0-9_]+]] = arith.constant 4 : index
// F14A: %[[V8:[a-zA-Z0-9_]+]] = dlc.new_tu %[[V4]] to %[[V7]] step %[[V5]]
// F14A-NEXT: %[[V9:[a-zA-Z0-9_]+]] = dlc.get_ind_var %[[V8]] : !slc.stream<index>
// F14A-NEXT: %[[V10:[a-zA-Z0-9_]+]] = dlc.alu_str %[[V8]], add %[[V9]], %[[V5]] : !slc.stream<index>, index -> !slc.stream<index>
// F14A-NEXT: %[[V11:[a-zA-Z0-9_]+]] = dlc.mem_str %[[V8]], %[[V1]][%[[V9]]] : memref<?xindex>[!slc.stream<index>] -> !slc.stream<index>
// F14A-NEXT: %[[V12:[a-zA-Z0-9_]+]] = dlc.mem_str %[[V8]], %[[V1]][%[[V10]]] : memref<?xindex>[!slc.stream<index>] -> !slc.stream<index>
// F14A-NEXT: %[[V13:[a-zA-Z0-9_]+]] = dlc.new_tu %[[V11]] to %[[V12]] step %[[V5]] in %[[V8]] : !slc.stream<index>, !slc.stream<index>
// F14A-NEXT: %[[V14:[a-zA-Z0-9_]+]] = dlc.get_ind_var %[[V13]] : !slc.stream<index>
// F14A-NEXT: %[[V15:[a-zA-Z0-9_]+]] = dlc.mem_str %[[V13]], %[[V0]][%[[V14]]] : memref<?xindex>[!slc.stream<index>] -> !slc.stream<index>
// F14A-NEXT: %[[V16:[a-zA-Z0-9_]+]] = dlc.new_tu %[[V4]] to %[[V6]] step %[[V5]] in %[[V13]]
// F14A-NEXT: %[[V17:[a-zA-Z0-9_]+]] = dlc.get_ind_var %[[V16]] : !slc.stream<index>
// F14A-NEXT: %[[V18:[a-zA-Z0-9_]+]] = dlc.mem_str %[[V16]], %[[V2]][%[[V15]], %[[V17]]] : memref<?x4xf32>[!slc.stream<index>, !slc.stream<index>] -> !slc.stream<f32>
// F14A-NEXT: dlc.register_callback %[[V16]], ite, 0
// F14A-NEXT: dlc.register_operand %[[V16]], ite, %[[V9]] for 0 : !slc.stream<index>
// F14A-NEXT: dlc.register_operand %[[V16]], ite, %[[V17]] for 0 : !slc.stream<index>
// F14A-NEXT: dlc.register_operand %[[V16]], ite, %[[V18]] for 0 : !slc.stream<f32>
// F14A: compute {
// F14A: dlc.compute_loop
// F14A-NEXT: case 0 {
// F14A-NEXT: %[[V19:[a-zA-Z0-9_]+]] = dlc.pop_operand : index
// F14A-NEXT: %[[V20:[a-zA-Z0-9_]+]] = dlc.pop_operand : index
// F14A-NEXT: %[[V21:[a-zA-Z0-9_]+]] = dlc.pop_operand : f32
// F14A-NEXT: %[[V22:[a-zA-Z0-9_]+]] = memref.load %[[V3]][%[[V19]], %[[V20]]] : memref<?x4xf32>
// F14A-NEXT: %[[V23:[a-zA-Z0-9_]+]] = arith.addf %[[V22]], %[[V21]] : f32
// F14A-NEXT: memref.store %[[V23]], %[[V3]][%[[V19]], %[[V20]]] : memref<?x4xf32>
// F14A: return

// F14A-CONTROL: ctrl tu2.ite
// F14A-CONTROL-NEXT: ctrl tu2.ite
// F14A-CONTROL-NEXT: ctrl tu2.ite
// F14A-CONTROL-NEXT: ctrl tu2.ite
// F14A-CONTROL-NEXT: ctrl tu2.ite
// F14A-CONTROL-NEXT: ctrl tu2.ite
// F14A-CONTROL-NEXT: ctrl tu2.ite
// F14A-CONTROL-NEXT: ctrl tu2.ite
// F14A-CONTROL-NEXT: ctrl tu2.ite
// F14A-CONTROL-NEXT: ctrl tu2.ite
// F14A-CONTROL-NEXT: ctrl tu2.ite
// F14A-CONTROL-NEXT: ctrl tu2.ite
// F14A-CONTROL-NEXT: ctrl done
// F14A-CONTROL-NOT: ctrl

// F14A-DATA: data index 0
// F14A-DATA-NEXT: data index 0
// F14A-DATA-NEXT: data f32 0
// F14A-DATA-NEXT: data index 0
// F14A-DATA-NEXT: data index 1
// F14A-DATA-NEXT: data f32 1
// F14A-DATA-NEXT: data index 0
// F14A-DATA-NEXT: data index 2
// F14A-DATA-NEXT: data f32 2
// F14A-DATA-NEXT: data index 0
// F14A-DATA-NEXT: data index 3
// F14A-DATA-NEXT: data f32 3
// F14A-DATA-NEXT: data index 0
// F14A-DATA-NEXT: data index 0
// F14A-DATA-NEXT: data f32 8
// F14A-DATA-NEXT: data index 0
// F14A-DATA-NEXT: data index 1
// F14A-DATA-NEXT: data f32 9
// F14A-DATA-NEXT: data index 0
// F14A-DATA-NEXT: data index 2
// F14A-DATA-NEXT: data f32 10
// F14A-DATA-NEXT: data index 0
// F14A-DATA-NEXT: data index 3
// F14A-DATA-NEXT: data f32 11
// F14A-DATA-NEXT: data index 1
// F14A-DATA-NEXT: data index 0
// F14A-DATA-NEXT: data f32 20
// F14A-DATA-NEXT: data index 1
// F14A-DATA-NEXT: data index 1
// F14A-DATA-NEXT: data f32 21
// F14A-DATA-NEXT: data index 1
// F14A-DATA-NEXT: data index 2
// F14A-DATA-NEXT: data f32 22
// F14A-DATA-NEXT: data index 1
// F14A-DATA-NEXT: data index 3
// F14A-DATA-NEXT: data f32 23
// F14A-DATA-NOT: data

// Figure 14(b): vectorised.
// F14B-LABEL: func.func @sls(
// F14B-SAME: %[[V0:[a-zA-Z0-9_]+]]: memref<?xindex>, %[[V1:[a-zA-Z0-9_]+]]: memref<?xindex>, %[[V2:[a-zA-Z0-9_]+]]: memref<?x4xf32>, %[[V3:[a-zA-Z0-9_]+]]: memref<?x4xf32>) {
// F14B: %[[V4:[a-zA-Z0-9_]+]] = arith.constant 0 : index
// F14B: %[[V7:[a-zA-Z0-9_]+]] = memref.dim %[[V3]], %[[V4]] : memref<?x4xf32>
// F14B: access {
// F14B-DAG: %[[V4:[a-zA-Z0-9_]+]] = arith.constant 0 : index
// F14B-DAG: %[[V5:[a-zA-Z0-9_]+]] = arith.constant 1 : index
// F14B-DAG: %[[V6:[a-zA-Z0-9_]+]] = arith.constant 4 : index
// F14B: %[[V8:[a-zA-Z0-9_]+]] = dlc.new_tu %[[V4]] to %[[V7]] step %[[V5]]
// F14B-NEXT: %[[V9:[a-zA-Z0-9_]+]] = dlc.get_ind_var %[[V8]] : !slc.stream<index>
// F14B-NEXT: %[[V10:[a-zA-Z0-9_]+]] = dlc.alu_str %[[V8]], add %[[V9]], %[[V5]] : !slc.stream<index>, index -> !slc.stream<index>
// F14B-NEXT: %[[V11:[a-zA-Z0-9_]+]] = dlc.mem_str %[[V8]], %[[V1]][%[[V9]]] : memref<?xindex>[!slc.stream<index>] -> !slc.stream<index>
// F14B-NEXT: %[[V12:[a-zA-Z0-9_]+]] = dlc.mem_str %[[V8]], %[[V1]][%[[V10]]] : memref<?xindex>[!slc.stream<index>] -> !slc.stream<index>
// F14B-NEXT: %[[V13:[a-zA-Z0-9_]+]] = dlc.new_tu %[[V11]] to %[[V12]] step %[[V5]] in %[[V8]] : !slc.stream<index>, !slc.stream<index>
// F14B-NEXT: %[[V14:[a-zA-Z0-9_]+]] = dlc.get_ind_var %[[V13]] : !slc.stream<index>
// F14B-NEXT: %[[V15:[a-zA-Z0-9_]+]] = dlc.mem_str %[[V13]], %[[V0]][%[[V14]]] : memref<?xindex>[!slc.stream<index>] -> !slc.stream<index>
// F14B-NEXT: %[[V16:[a-zA-Z0-9_]+]] = dlc.new_tu %[[V4]] to %[[V6]] step %[[V5]] in %[[V13]] vector<2>
// F14B-NEXT: %[[V17:[a-zA-Z0-9_]+]] = dlc.get_ind_var %[[V16]] : !slc.stream<vector<2xindex>>
// F14B-NEXT: %[[V18:[a-zA-Z0-9_]+]] = dlc.mem_str %[[V16]], %[[V2]][%[[V15]], %[[V17]]] contiguous : memref<?x4xf32>[!slc.stream<index>, !slc.stream<vector<2xindex>>] -> !slc.stream<vector<2xf32>>
// F14B-NEXT: dlc.register_callback %[[V16]], ite, 0
// F14B-NEXT: dlc.register_operand %[[V16]], ite, %[[V9]] for 0 : !slc.stream<index>
// F14B-NEXT: dlc.register_operand %[[V16]], ite, %[[V17]][0] for 0 : !slc.stream<vector<2xindex>>
// F14B-NEXT: dlc.register_operand %[[V16]], ite, %[[V18]] for 0 : !slc.stream<vector<2xf32>>
// F14B: compute {
// F14B: dlc.compute_loop
// F14B-NEXT: case 0 {
// F14B-NEXT: %[[V19:[a-zA-Z0-9_]+]] = dlc.pop_operand : index
// F14B-NEXT: %[[V20:[a-zA-Z0-9_]+]] = dlc.pop_operand : index
// F14B-NEXT: %[[V21:[a-zA-Z0-9_]+]] = dlc.pop_operand : vector<2xf32>
// F14B-NEXT: %[[V22:[a-zA-Z0-9_]+]] = vector.load %[[V3]][%[[V19]], %[[V20]]] : memref<?x4xf32>, vector<2xf32>
// F14B-NEXT: %[[V23:[a-zA-Z0-9_]+]] = arith.addf %[[V22]], %[[V21]] : vector<2xf32>
// F14B-NEXT: vector.store %[[V23]], %[[V3]][%[[V19]], %[[V20]]] : memref<?x4xf32>, vector<2xf32>
// F14B: return

// F14B-CONTROL: ctrl tu2.ite
// F14B-CONTROL-NEXT: ctrl tu2.ite
// F14B-CONTROL-NEXT: ctrl tu2.ite
// F14B-CONTROL-NEXT: ctrl tu2.ite
// F14B-CONTROL-NEXT: ctrl tu2.ite
// F14B-CONTROL-NEXT: ctrl tu2.ite
// F14B-CONTROL-NEXT: ctrl done
// F14B-CONTROL-NOT: ctrl

// F14B-DATA: data index 0
// F14B-DATA-NEXT: data index 0
// F14B-DATA-NEXT: data vector<2xf32> {{\[}}0, 1]
// F14B-DATA-NEXT: data index 0
// F14B-DATA-NEXT: data index 2
// F14B-DATA-NEXT: data vector<2xf32> {{\[}}2, 3]
// F14B-DATA-NEXT: data index 0
// F14B-DATA-NEXT: data index 0
// F14B-DATA-NEXT: data vector<2xf32> {{\[}}8, 9]
// F14B-DATA-NEXT: data index 0
// F14B-DATA-NEXT: data index 2
// F14B-DATA-NEXT: data vector<2xf32> {{\[}}10, 11]
// F14B-DATA-NEXT: data index 1
// F14B-DATA-NEXT: data index 0
// F14B-DATA-NEXT: data vector<2xf32> {{\[}}20, 21]
// F14B-DATA-NEXT: data index 1
// F14B-DATA-NEXT: data index 2
// F14B-DATA-NEXT: data vector<2xf32> {{\[}}22, 23]
// F14B-DATA-NOT: data

// Figure 14(c): bufferised; one token a row.
// F14C-LABEL: func.func @sls(
// F14C-SAME: %[[V0:[a-zA-Z0-9_]+]]: memref<?xindex>, %[[V1:[a-zA-Z0-9_]+]]: memref<?xindex>, %[[V2:[a-zA-Z0-9_]+]]: memref<?x4xf32>, %[[V3:[a-zA-Z0-9_]+]]: memref<?x4xf32>) {
// F14C: %[[V5:[a-zA-Z0-9_]+]] = arith.constant 0 : index
// F14C: %[[V8:[a-zA-Z0-9_]+]] = memref.dim %[[V3]], %[[V5]] : memref<?x4xf32>
// F14C: access {
// F14C-DAG: %[[V5:[a-zA-Z0-9_]+]] = arith.constant 0 : index
// F14C-DAG: %[[V6:[a-zA-Z0-9_]+]] = arith.constant 1 : index
// F14C-DAG: %[[V7:[a-zA-Z0-9_]+]] = arith.constant 4 : index
// F14C: %[[V9:[a-zA-Z0-9_]+]] = dlc.new_tu %[[V5]] to %[[V8]] step %[[V6]]
// F14C-NEXT: %[[V10:[a-zA-Z0-9_]+]] = dlc.get_ind_var %[[V9]] : !slc.stream<index>
// F14C-NEXT: %[[V11:[a-zA-Z0-9_]+]] = dlc.alu_str %[[V9]], add %[[V10]], %[[V6]] : !slc.stream<index>, index -> !slc.stream<index>
// F14C-NEXT: %[[V12:[a-zA-Z0-9_]+]] = dlc.mem_str %[[V9]], %[[V1]][%[[V10]]] : memref<?xindex>[!slc.stream<index>] -> !slc.stream<index>
// F14C-NEXT: %[[V13:[a-zA-Z0-9_]+]] = dlc.mem_str %[[V9]], %[[V1]][%[[V11]]] : memref<?xindex>[!slc.stream<index>] -> !slc.stream<index>
// F14C-NEXT: %[[V14:[a-zA-Z0-9_]+]] = dlc.new_tu %[[V12]] to %[[V13]] step %[[V6]] in %[[V9]] : !slc.stream<index>, !slc.stream<index>
// F14C-NEXT: %[[V15:[a-zA-Z0-9_]+]] = dlc.get_ind_var %[[V14]] : !slc.stream<index>
// F14C-NEXT: %[[V16:[a-zA-Z0-9_]+]] = dlc.mem_str %[[V14]], %[[V0]][%[[V15]]] : memref<?xindex>[!slc.stream<index>] -> !slc.stream<index>
// F14C-NEXT: %[[V17:[a-zA-Z0-9_]+]] = dlc.new_tu %[[V5]] to %[[V7]] step %[[V6]] in %[[V14]] vector<2>
// F14C-NEXT: %[[V18:[a-zA-Z0-9_]+]] = dlc.get_ind_var %[[V17]] : !slc.stream<vector<2xindex>>
// F14C-NEXT: %[[V19:[a-zA-Z0-9_]+]] = dlc.mem_str %[[V17]], %[[V2]][%[[V16]], %[[V18]]] contiguous : memref<?x4xf32>[!slc.stream<index>, !slc.stream<vector<2xindex>>] -> !slc.stream<vector<2xf32>>
// F14C-NEXT: dlc.register_callback %[[V17]], end, 0 announced
// F14C-NEXT: dlc.register_operand %[[V17]], beg, %[[V10]] for 0 : !slc.stream<index>
// F14C-NEXT: dlc.register_operand %[[V17]], ite, %[[V19]] for 0 : !slc.stream<vector<2xf32>>
// F14C: compute {
// F14C-DAG: %[[V4:[a-zA-Z0-9_]+]] = arith.constant 2 : index
// F14C-DAG: %[[V5:[a-zA-Z0-9_]+]] = arith.constant 0 : index
// F14C-DAG: %[[V6:[a-zA-Z0-9_]+]] = arith.constant 1 : index
// F14C: dlc.compute_loop
// F14C-NEXT: case 0 {
// F14C-NEXT: %[[V20:[a-zA-Z0-9_]+]] = dlc.pop_operand : index
// F14C-NEXT: scf.for %[[V21:[a-zA-Z0-9_]+]] = %[[V5]] to %[[V4]] step %[[V6]] {
// F14C-NEXT: %[[V22:[a-zA-Z0-9_]+]] = dlc.pop_operand : vector<2xf32>
// F14C-NEXT: %[[V23:[a-zA-Z0-9_]+]] = arith.muli %[[V21]], %[[V4]] : index
// F14C-NEXT: %[[V24:[a-zA-Z0-9_]+]] = vector.load %[[V3]][%[[V20]], %[[V23]]] : memref<?x4xf32>, vector<2xf32>
// F14C-NEXT: %[[V25:[a-zA-Z0-9_]+]] = arith.addf %[[V24]], %[[V22]] : vector<2xf32>
// F14C-NEXT: vector.store %[[V25]], %[[V3]][%[[V20]], %[[V23]]] : memref<?x4xf32>, vector<2xf32>
// F14C: return

// F14C-CONTROL: ctrl tu2.end
// F14C-CONTROL-NEXT: ctrl tu2.end
// F14C-CONTROL-NEXT: ctrl tu2.end
// F14C-CONTROL-NEXT: ctrl done
// F14C-CONTROL-NOT: ctrl

// F14C-DATA: data index 0
// F14C-DATA-NEXT: data vector<2xf32> {{\[}}0, 1]
// F14C-DATA-NEXT: data vector<2xf32> {{\[}}2, 3]
// F14C-DATA-NEXT: data index 0
// F14C-DATA-NEXT: data vector<2xf32> {{\[}}8, 9]
// F14C-DATA-NEXT: data vector<2xf32> {{\[}}10, 11]
// F14C-DATA-NEXT: data index 1
// F14C-DATA-NEXT: data vector<2xf32> {{\[}}20, 21]
// F14C-DATA-NEXT: data vector<2xf32> {{\[}}22, 23]
// F14C-DATA-NOT: data

// Figure 14(d): aligned; nothing but rows in the data queue.
// F14D-LABEL: func.func @sls(
// F14D-SAME: %[[V0:[a-zA-Z0-9_]+]]: memref<?xindex>, %[[V1:[a-zA-Z0-9_]+]]: memref<?xindex>, %[[V2:[a-zA-Z0-9_]+]]: memref<?x4xf32>, %[[V3:[a-zA-Z0-9_]+]]: memref<?x4xf32>) {
// F14D: %[[V5:[a-zA-Z0-9_]+]] = arith.constant 0 : index
// F14D: %[[V8:[a-zA-Z0-9_]+]] = memref.dim %[[V3]], %[[V5]] : memref<?x4xf32>
// F14D: access {
// F14D-DAG: %[[V5:[a-zA-Z0-9_]+]] = arith.constant 0 : index
// F14D-DAG: %[[V6:[a-zA-Z0-9_]+]] = arith.constant 1 : index
// F14D-DAG: %[[V7:[a-zA-Z0-9_]+]] = arith.constant 4 : index
// F14D: %[[V9:[a-zA-Z0-9_]+]] = dlc.new_tu %[[V5]] to %[[V8]] step %[[V6]]
// F14D-NEXT: %[[V10:[a-zA-Z0-9_]+]] = dlc.get_ind_var %[[V9]] : !slc.stream<index>
// F14D-NEXT: %[[V11:[a-zA-Z0-9_]+]] = dlc.alu_str %[[V9]], add %[[V10]], %[[V6]] : !slc.stream<index>, index -> !slc.stream<index>
// F14D-NEXT: %[[V12:[a-zA-Z0-9_]+]] = dlc.mem_str %[[V9]], %[[V1]][%[[V10]]] : memref<?xindex>[!slc.stream<index>] -> !slc.stream<index>
// F14D-NEXT: %[[V13:[a-zA-Z0-9_]+]] = dlc.mem_str %[[V9]], %[[V1]][%[[V11]]] : memref<?xindex>[!slc.stream<index>] -> !slc.stream<index>
// F14D-NEXT: %[[V14:[a-zA-Z0-9_]+]] = dlc.new_tu %[[V12]] to %[[V13]] step %[[V6]] in %[[V9]] : !slc.stream<index>, !slc.stream<index>
// F14D-NEXT: %[[V15:[a-zA-Z0-9_]+]] = dlc.get_ind_var %[[V14]] : !slc.stream<index>
// F14D-NEXT: %[[V16:[a-zA-Z0-9_]+]] = dlc.mem_str %[[V14]], %[[V0]][%[[V15]]] : memref<?xindex>[!slc.stream<index>] -> !slc.stream<index>
// F14D-NEXT: %[[V17:[a-zA-Z0-9_]+]] = dlc.new_tu %[[V5]] to %[[V7]] step %[[V6]] in %[[V14]] vector<2>
// F14D-NEXT: %[[V18:[a-zA-Z0-9_]+]] = dlc.get_ind_var %[[V17]] : !slc.stream<vector<2xindex>>
// F14D-NEXT: %[[V19:[a-zA-Z0-9_]+]] = dlc.mem_str %[[V17]], %[[V2]][%[[V16]], %[[V18]]] contiguous : memref<?x4xf32>[!slc.stream<index>, !slc.stream<vector<2xindex>>] -> !slc.stream<vector<2xf32>>
// F14D-NEXT: dlc.register_callback %[[V17]], end, 0 announced
// F14D-NEXT: dlc.register_operand %[[V17]], ite, %[[V19]] for 0 : !slc.stream<vector<2xf32>>
// F14D-NEXT: dlc.register_callback %[[V14]], end, 1
// F14D: compute {
// F14D-DAG: %[[V4:[a-zA-Z0-9_]+]] = arith.constant 2 : index
// F14D-DAG: %[[V5:[a-zA-Z0-9_]+]] = arith.constant 0 : index
// F14D-DAG: %[[V6:[a-zA-Z0-9_]+]] = arith.constant 1 : index
// F14D: %[[V20:[a-zA-Z0-9_]+]] = dlc.compute_loop iter_args(%[[V5]]) -> (index)
// F14D-NEXT: case 0 {
// F14D-NEXT: ^bb0(%[[V21:[a-zA-Z0-9_]+]]: index):
// F14D-NEXT: scf.for %[[V22:[a-zA-Z0-9_]+]] = %[[V5]] to %[[V4]] step %[[V6]] {
// F14D-NEXT: %[[V23:[a-zA-Z0-9_]+]] = dlc.pop_operand : vector<2xf32>
// F14D-NEXT: %[[V24:[a-zA-Z0-9_]+]] = arith.muli %[[V22]], %[[V4]] : index
// F14D-NEXT: %[[V25:[a-zA-Z0-9_]+]] = vector.load %[[V3]][%[[V21]], %[[V24]]] : memref<?x4xf32>, vector<2xf32>
// F14D-NEXT: %[[V26:[a-zA-Z0-9_]+]] = arith.addf %[[V25]], %[[V23]] : vector<2xf32>
// F14D-NEXT: vector.store %[[V26]], %[[V3]][%[[V21]], %[[V24]]] : memref<?x4xf32>, vector<2xf32>
// F14D: dlc.yield %[[V21]] : index
// F14D: case 1 {
// F14D-NEXT: ^bb0(%[[V27:[a-zA-Z0-9_]+]]: index):
// F14D-NEXT: %[[V28:[a-zA-Z0-9_]+]] = arith.addi %[[V27]], %[[V6]] : index
// F14D-NEXT: dlc.yield %[[V28]] : index
// F14D: return

// F14D-CONTROL: ctrl tu2.end
// F14D-CONTROL-NEXT: ctrl tu2.end
// F14D-CONTROL-NEXT: ctrl tu1.end
// F14D-CONTROL-NEXT: ctrl tu2.end
// F14D-CONTROL-NEXT: ctrl tu1.end
// F14D-CONTROL-NEXT: ctrl done
// F14D-CONTROL-NOT: ctrl

// F14D-DATA: data vector<2xf32> {{\[}}0, 1]
// F14D-DATA-NEXT: data vector<2xf32> {{\[}}2, 3]
// F14D-DATA-NEXT: data vector<2xf32> {{\[}}8, 9]
// F14D-DATA-NEXT: data vector<2xf32> {{\[}}10, 11]
// F14D-DATA-NEXT: data vector<2xf32> {{\[}}20, 21]
// F14D-DATA-NEXT: data vector<2xf32> {{\[}}22, 23]
// F14D-DATA-NOT: data

func.func @sls(%idxs: memref<?xindex>, %ptrs: memref<?xindex>, %vals: memref<?x4xf32>, %out: memref<?x4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %emb_len = arith.constant 4 : index
  %num_batches = memref.dim %out, %c0 : memref<?x4xf32>
  scf.for %b = %c0 to %num_batches step %c1 {
    %b1 = arith.addi %b, %c1 : index
    %beg = memref.load %ptrs[%b] : memref<?xindex>
    %end = memref.load %ptrs[%b1] : memref<?xindex>
    scf.for %p = %beg to %end step %c1 {
      %i = memref.load %idxs[%p] : memref<?xindex>
      scf.for %e = %c0 to %emb_len step %c1 {
        %val = memref.load %vals[%i, %e] : memref<?x4xf32>
        %acc = memref.load %out[%b, %e] : memref<?x4xf32>
        %sum = arith.addf %acc, %val : f32
        memref.store %sum, %out[%b, %e] : memref<?x4xf32>
      }
    }
  }
  return
}
