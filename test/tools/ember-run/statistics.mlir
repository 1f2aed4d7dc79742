// Loads of every stream, and what goes through the queues: totals and listing.
// RUN: rm -rf %t && mkdir -p %t
// RUN: %npy make %t/table.npy f32 "np.arange(12).reshape(3, 4)"
// RUN: %npy make %t/indices.npy index "[2, 0, 1]"
// RUN: %npy make %t/offsets.npy index "[0, 2, 2, 3]"
// RUN: %npy make %t/out.npy f32 "np.zeros((3, 4))"
// RUN: emberc %S/../Inputs/bag.mlir --emit=dlc -O0 -o %t/dlc.mlir
// RUN: ember-run %t/dlc.mlir @%t/table.npy @%t/indices.npy @%t/offsets.npy @%t/out.npy --stats=%t/stats.json --trace-queues=%t/queues.txt
// RUN: FileCheck %s --check-prefix=STATS --input-file=%t/stats.json
// RUN: FileCheck %s --check-prefix=TRACE --input-file=%t/queues.txt
// RUN: ember-run %t/dlc.mlir @%t/table.npy @%t/indices.npy @%t/offsets.npy @%t/out.npy --trace-queues=%t/again.txt --schedule=threads --queue-capacity=2
// RUN: cmp %t/queues.txt %t/again.txt

// Three operands for each of 12 elements: two positions and the value.
// STATS: "control_queue": {
// STATS-NEXT: "by_name": {
// STATS-NEXT: "done": 1,
// STATS-NEXT: "{{.*}}.ite": 12
// STATS-NEXT: },
// STATS-NEXT: "by_program": {
// STATS-NEXT: "bag.0": {
// STATS-NEXT: "done": 1,
// STATS-NEXT: "tu2.ite": 12
// STATS-NEXT: }
// STATS-NEXT: },
// STATS-NEXT: "bytes": 104,
// STATS-NEXT: "tokens": 13,
// STATS-NEXT: "values": 0
// STATS-NEXT: },
// STATS-NEXT: "data_queue": {
// STATS: "weight": {
// STATS-NEXT: "bytes": 48,
// STATS-NEXT: "operands": 12
// STATS: "by_type": {
// STATS-NEXT: "f32": {
// STATS-NEXT: "bytes": 48,
// STATS-NEXT: "operands": 12
// STATS-NEXT: },
// STATS-NEXT: "index": {
// STATS-NEXT: "bytes": 192,
// STATS-NEXT: "operands": 24
// STATS-NEXT: }
// STATS-NEXT: },
// STATS-NEXT: "bytes": 240,
// STATS-NEXT: "operands": 36,
// STATS-NEXT: "unaligned": 12
// STATS-NEXT: },
// STATS-NEXT: "entry": "bag",
// STATS-NEXT: "levels": {
// STATS-NEXT: "bag": "dlc"
// STATS-NEXT: },
// STATS-NEXT: "stores": [],
// STATS-NEXT: "streams": [
// STATS: "elements": 3,
// STATS-NEXT: "loads": 3,
// STATS-NEXT: "name": "indices"
// STATS: "elements": 6,
// STATS-NEXT: "loads": 6,
// STATS-NEXT: "name": "offsets"
// STATS: "elements": 12,
// STATS-NEXT: "loads": 12,
// STATS-NEXT: "name": "weight"

// TRACE: ctrl {{.*}}.ite
// TRACE-NEXT: data index 0
// TRACE-NEXT: data index 0
// TRACE-NEXT: data f32 8
// TRACE-NEXT: ctrl {{.*}}.ite
// TRACE-NEXT: data index 0
// TRACE-NEXT: data index 1
// TRACE-NEXT: data f32 9
// TRACE: ctrl {{.*}}.ite
// TRACE: data f32 6
// TRACE-NEXT: ctrl {{.*}}.ite
// TRACE-NEXT: data index 2
// TRACE-NEXT: data index 3
// TRACE-NEXT: data f32 7
// TRACE-NEXT: ctrl done
// TRACE-NOT: {{.}}
