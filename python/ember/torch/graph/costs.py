"""What calls cost: from where on a kernel gains more than PyTorch's own operations take.

Each number is a measured one; `./run bench models` shows what follows from it.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

# A kernel with its gradient is called through autograd's interface to Python, which takes as long
# as PyTorch does for so many operations of few elements, forth and back.
OPERATIONS_OF_A_GRADIENT = 9
# From so many elements on PyTorch's operations, few as they are, take longer.
LEAST_DIFFERENTIATED = 1 << 13
# The same where PyTorch makes the gradients of tables of those of looked-up rows: then it has them
# looked up, too.
LEAST_DIFFERENTIATED_OF_ROWS = 1 << 15
