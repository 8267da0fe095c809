#include "tests/capi/c_host_border.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static int crossings = 0;

int border_crossings(void) { return crossings; }

static void cross(const char* what) {
  ++crossings;
  fputs("crossed the border: ", stderr);
  fputs(what, stderr);
  fputc('\n', stderr);
}

/* The names that the linker asks for. */
char* __wrap_getenv(const char* name);
FILE* __wrap_fopen(const char* path, const char* mode);
int __wrap_open(const char* path, int flags, ...);
long __wrap_write(int file, const void* data, size_t size);
int __wrap___printf_chk(int flag, const char* format, ...);
int __wrap___fprintf_chk(FILE* file, int flag, const char* format, ...);
void __wrap_abort(void);

char* __wrap_getenv(const char* name) {
  cross(name);
  return NULL;
}

FILE* __wrap_fopen(const char* path, const char* mode) {
  (void)mode;
  cross(path);
  return NULL;
}

int __wrap_open(const char* path, int flags, ...) {
  (void)flags;
  cross(path);
  return -1;
}

long __wrap_write(int file, const void* data, size_t size) {
  (void)file;
  (void)data;
  (void)size;
  cross("write");
  return -1;
}

int __wrap___printf_chk(int flag, const char* format, ...) {
  (void)flag;
  cross(format);
  return 0;
}

/* The test's own messages come through here as well, where it is compiled with fortification. */
int __wrap___fprintf_chk(FILE* file, int flag, const char* format, ...) {
  va_list arguments;
  int written;
  (void)flag;
  cross(format);
  va_start(arguments, format);
  written = vfprintf(file, format, arguments);
  va_end(arguments);
  return written;
}

void __wrap_abort(void) {
  cross("abort");
  exit(1);
}
