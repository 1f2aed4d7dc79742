// Compute halves of programs for the core beside an access unit.
typedef unsigned long word;

enum { launch = 0x00, take = 0x08, handBack = 0x10, wait = 0x18 };
enum { idBits = 2, ids = (1 << idBits) - 1 };
#define REGISTER(offset) (*(volatile word *)(device + (offset)))

// Sums up bags: token 0 has a row, operands of 16 floats; token 1 ends a bag.
void bags(char *device, word block, float *out, word width, word tokenBytes) {
  REGISTER(launch) = block;
  word *token = (word *)REGISTER(take);
  float *operand = (float *)((char *)token + tokenBytes);
  for (;;) {
    word next = *token++;
    word id = next & ids;
    if (id == 0) {
      for (word e = 0; e < width; e += 16) {
        for (word k = 0; k < 16; ++k)
          if (e + k < width)
            out[e + k] += operand[k];
        operand += 16;
      }
    } else if (id == 1) {
      out += width;
    } else if (next == ~0ul) {
      return;
    } else {
      REGISTER(handBack) = 0;
      token = (word *)REGISTER(take);
      operand = (float *)((char *)token + tokenBytes);
    }
  }
}

// The same where rows may cross chunks.
void longBags(char *device, word block, float *out, word width, word tokenBytes,
              word bytes) {
  REGISTER(launch) = block;
  char *chunk = (char *)REGISTER(take);
  word *token = (word *)chunk;
  char *operand = chunk + tokenBytes;
  for (;;) {
    word next = *token++;
    word id = next & ids;
    if (id == 0) {
      for (word e = 0; e < width; e += 16) {
        operand = (char *)(((word)operand + 63) & ~63ul);
        if (operand + 64 > chunk + bytes) {
          REGISTER(handBack) = 0;
          chunk = (char *)REGISTER(take);
          token = (word *)chunk;
          operand = chunk + tokenBytes;
        }
        for (word k = 0; k < 16; ++k)
          if (e + k < width)
            out[e + k] += ((float *)operand)[k];
        operand += 64;
      }
    } else if (id == 1) {
      out += width;
    } else if (next == ~0ul) {
      return;
    } else {
      REGISTER(handBack) = 0;
      chunk = (char *)REGISTER(take);
      token = (word *)chunk;
      operand = chunk + tokenBytes;
    }
  }
}

// For programs that store all themselves.
word launchAndWait(char *device, word block) {
  REGISTER(launch) = block;
  return REGISTER(wait);
}

// Takes so many chunks and keeps them.
void takeSome(char *device, word block, word count) {
  REGISTER(launch) = block;
  for (; count; --count)
    (void)REGISTER(take);
}

// Takes all chunks and looks at their ends alone: the chunks' addresses
// alternate.
word drain(char *device, word block, word slots) {
  REGISTER(launch) = block;
  for (word chunks = 1;; ++chunks) {
    volatile word *token = (volatile word *)REGISTER(take);
    while ((*token & ids) != ids)
      ++token;
    if (*token == ~0ul)
      return chunks;
    REGISTER(handBack) = 0;
  }
}
