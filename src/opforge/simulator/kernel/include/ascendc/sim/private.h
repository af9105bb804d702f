// Included first by every private header: they may be reached only through a public header of the kernel API.
#ifndef ASCENDC_SIM_PUBLIC_HEADER
#error "this header is private to the simulated toolkit: include kernel_operator.h"
#endif
