/* Enough of protobuf's wire format to write a request and read an answer in C without protobuf:
 * varints, length-delimited fields, and packed lists of varints. For tests only. */
#ifndef TORQSCHED_TESTS_CAPI_C_HOST_WIRE_H_
#define TORQSCHED_TESTS_CAPI_C_HOST_WIRE_H_

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* A message that is being written. */
typedef struct wire_writer {
  unsigned char bytes[4096];
  size_t size;
} wire_writer;

static inline void wire_varint(wire_writer* w, uint64_t value) {
  while (value >= 0x80) {
    w->bytes[w->size++] = (unsigned char)(value | 0x80);
    value >>= 7;
  }
  w->bytes[w->size++] = (unsigned char)value;
}

static inline void wire_number(wire_writer* w, uint32_t field, uint64_t value) {
  wire_varint(w, (uint64_t)field << 3);
  wire_varint(w, value);
}

static inline void wire_bytes(wire_writer* w, uint32_t field, const void* data, size_t size) {
  wire_varint(w, (uint64_t)field << 3 | 2);
  wire_varint(w, size);
  if (size != 0) memcpy(w->bytes + w->size, data, size);
  w->size += size;
}

static inline void wire_text(wire_writer* w, uint32_t field, const char* text) {
  wire_bytes(w, field, text, strlen(text));
}

static inline void wire_message(wire_writer* w, uint32_t field, const wire_writer* message) {
  wire_bytes(w, field, message->bytes, message->size);
}

/* One field of a message that is being read: a number, or bytes. */
typedef struct wire_field {
  uint32_t number;
  uint64_t value;            /* of a number */
  const unsigned char* data; /* of bytes, else NULL */
  size_t size;
} wire_field;

/* Reads a varint and moves *at behind it; 0 where it is cut short. */
static inline int wire_read_varint(const unsigned char** at, const unsigned char* end,
                                   uint64_t* value) {
  int shift;
  *value = 0;
  for (shift = 0; shift < 64 && *at != end; shift += 7) {
    const unsigned char byte = *(*at)++;
    *value |= (uint64_t)(byte & 0x7f) << shift;
    if (byte < 0x80) return 1;
  }
  return 0;
}

/* Reads the next field and moves *at behind it; 0 at the end, or where it is no varint or bytes. */
static inline int wire_next(const unsigned char** at, const unsigned char* end, wire_field* field) {
  uint64_t tag;
  if (*at == end || !wire_read_varint(at, end, &tag)) return 0;
  field->number = (uint32_t)(tag >> 3);
  field->data = NULL;
  field->size = 0;
  if (!wire_read_varint(at, end, &field->value)) return 0;
  if ((tag & 7) == 0) return 1;
  if ((tag & 7) != 2 || field->value > (uint64_t)(end - *at)) return 0;
  field->data = *at;
  field->size = (size_t)field->value;
  *at += field->size;
  return 1;
}

/* The last field of this number; 0 if there is none. */
static inline int wire_find(const void* message, size_t size, uint32_t number, wire_field* found) {
  const unsigned char* at = (const unsigned char*)message;
  const unsigned char* const end = at + size;
  wire_field field;
  int any = 0;
  while (wire_next(&at, end, &field)) {
    if (field.number != number) continue;
    *found = field;
    any = 1;
  }
  return any;
}

/* The number in this field; otherwise if it is unset. */
static inline uint64_t wire_get(const void* message, size_t size, uint32_t number,
                                uint64_t otherwise) {
  wire_field field;
  return wire_find(message, size, number, &field) ? field.value : otherwise;
}

#endif /* TORQSCHED_TESTS_CAPI_C_HOST_WIRE_H_ */
