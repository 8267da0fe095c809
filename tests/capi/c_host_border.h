/* Counts what must never cross the border: the linker (--wrap) sends the archive's calls to the
 * environment, to files and standard streams, and to abort to the functions in c_host_border.c. */
#ifndef TORQSCHED_TESTS_CAPI_C_HOST_BORDER_H_
#define TORQSCHED_TESTS_CAPI_C_HOST_BORDER_H_

/* How many such calls there were. */
int border_crossings(void);

#endif /* TORQSCHED_TESTS_CAPI_C_HOST_BORDER_H_ */
