/* Loads the shared object of ../main.go and asks it what a request takes before and after.
 *
 *   cc examples/go/shared/host/main.c -ldl -o sdk/host
 *   sdk/host sdk/libtorqsched_example.so sdk/share/torqsched/streams/worked-example-1.binpb */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>

typedef int32_t (*makespans_function)(const uint8_t* request, size_t size, uint64_t* makespans);

int main(int count, char** arguments) {
  static uint8_t request[1 << 20];
  uint64_t makespans[2] = {0, 0};
  void* object;
  makespans_function makespans_of;
  FILE* file;
  size_t size;
  int32_t code;
  if (count != 3) return fprintf(stderr, "usage: %s OBJECT REQUEST.binpb\n", arguments[0]), 2;
  object = dlopen(arguments[1], RTLD_NOW | RTLD_LOCAL);
  if (object == NULL) return fprintf(stderr, "%s\n", dlerror()), 1;
  *(void**)&makespans_of = dlsym(object, "example_makespans");
  if (makespans_of == NULL) return fprintf(stderr, "%s: another object\n", arguments[1]), 1;
  file = fopen(arguments[2], "rb");
  if (file == NULL) return fprintf(stderr, "%s: cannot be read\n", arguments[2]), 2;
  size = fread(request, 1, sizeof(request), file);
  fclose(file);
  code = makespans_of(request, size, makespans);
  printf("code %d, %llu -> %llu cycles\n", code, (unsigned long long)makespans[0],
         (unsigned long long)makespans[1]);
  /* Half a request is TORQSCHED_INVALID_ARGUMENT. */
  printf("half of it: code %d\n", makespans_of(request, size / 2, makespans));
  return code == 0 ? 0 : 1;
}
