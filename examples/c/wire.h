/* What this example has instead of a protobuf runtime: reads the numbers and the bytes of a
 * message's own fields, writes numbers, reads a message from a file. */
#ifndef TORQSCHED_EXAMPLES_C_WIRE_H_
#define TORQSCHED_EXAMPLES_C_WIRE_H_

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* Bytes that belong to somebody else. */
typedef struct wire_bytes {
  const unsigned char* data;
  size_t size;
} wire_bytes;

static inline wire_bytes wire_view(const void* data, size_t size) {
  wire_bytes bytes;
  bytes.data = (const unsigned char*)data;
  bytes.size = size;
  return bytes;
}

/* Takes a number off the front; 0 where it is cut short. */
static inline int wire_take_number(wire_bytes* from, uint64_t* value) {
  unsigned shift;
  *value = 0;
  for (shift = 0; shift < 64 && from->size != 0; shift += 7) {
    const unsigned char byte = *from->data++;
    --from->size;
    *value |= (uint64_t)(byte & 0x7f) << shift;
    if (byte < 0x80) return 1;
  }
  return 0;
}

/* Finds the last field of this number: its value, or its bytes, whichever it has. 0 where there is
 * none; what stands behind bytes that are no message is not found. */
static inline int wire_find(wire_bytes message, uint32_t number, uint64_t* value,
                            wire_bytes* bytes) {
  uint64_t tag;
  int found = 0;
  while (message.size != 0 && wire_take_number(&message, &tag)) {
    uint64_t content;
    const int is_bytes = (tag & 7) == 2;
    if ((!is_bytes && (tag & 7) != 0) || !wire_take_number(&message, &content)) break;
    if (is_bytes && content > message.size) break;
    if (tag >> 3 == number) {
      *value = is_bytes ? 0 : content;
      *bytes = wire_view(is_bytes ? message.data : NULL, is_bytes ? (size_t)content : 0);
      found = 1;
    }
    if (is_bytes) {
      message.data += content;
      message.size -= (size_t)content;
    }
  }
  return found;
}

/* The number of this field; 0 where it is unset. */
static inline uint64_t wire_number(wire_bytes message, uint32_t number) {
  uint64_t value = 0;
  wire_bytes bytes;
  return wire_find(message, number, &value, &bytes) ? value : 0;
}

/* Whether this field is set. */
static inline int wire_has(wire_bytes message, uint32_t number) {
  uint64_t value;
  wire_bytes bytes;
  return wire_find(message, number, &value, &bytes);
}

/* The string or sub-message of this field; empty where it is unset. */
static inline wire_bytes wire_message(wire_bytes message, uint32_t number) {
  uint64_t value;
  wire_bytes bytes = {NULL, 0};
  wire_find(message, number, &value, &bytes);
  return bytes;
}

/* Writes a field with a number, at most 11 bytes where the field's is below 16; returns the end. */
static inline unsigned char* wire_put(unsigned char* at, uint32_t number, uint64_t value) {
  *at++ = (unsigned char)(number << 3);
  for (; value >= 0x80; value >>= 7) *at++ = (unsigned char)(value | 0x80);
  *at++ = (unsigned char)value;
  return at;
}

/* Prints a string. */
static inline void wire_print(FILE* file, wire_bytes text) {
  if (text.size != 0) fwrite(text.data, 1, text.size, file);
}

/* Reads a message from the file that is the only argument of the program. Where it cannot be read,
 * is empty, or has no room, it says so and ends the program. */
static inline size_t wire_read_argument(int argc, char** argv, unsigned char* data, size_t room) {
  FILE* const file = argc == 2 ? fopen(argv[1], "rb") : NULL;
  const size_t size = file == NULL ? 0 : fread(data, 1, room, file);
  if (file != NULL) fclose(file);
  if (size != 0 && size < room) return size;
  if (argc == 2) fprintf(stderr, "%s: cannot be read, is empty or too large; ", argv[1]);
  fprintf(stderr, "usage: %s REQUEST.binpb\n", argv[0]);
  exit(2);
}

#endif /* TORQSCHED_EXAMPLES_C_WIRE_H_ */
