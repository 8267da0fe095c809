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
int __wrap_fprintf(FILE* file, const char* format, ...);
void __wrap_perror(const char* text);
unsigned __wrap__ZNSt6thread20hardware_concurrencyEv(void);
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

static int print(FILE* file, const char* format, va_list arguments) {
  cross(format);
  return vfprintf(file, format, arguments);
}

/* The test's own messages come through one of these two as well. */
int __wrap___fprintf_chk(FILE* file, int flag, const char* format, ...) {
  va_list arguments;
  int written;
  (void)flag;
  va_start(arguments, format);
  written = print(file, format, arguments);
  va_end(arguments);
  return written;
}

int __wrap_fprintf(FILE* file, const char* format, ...) {
  va_list arguments;
  int written;
  va_start(arguments, format);
  written = print(file, format, arguments);
  va_end(arguments);
  return written;
}

void __wrap_perror(const char* text) { cross(text); }

/* std::thread::hardware_concurrency: the C library reads a file to count processors. */
unsigned __wrap__ZNSt6thread20hardware_concurrencyEv(void) {
  cross("hardware_concurrency");
  return 1;
}

void __wrap_abort(void) {
  cross("abort");
  exit(1);
}
