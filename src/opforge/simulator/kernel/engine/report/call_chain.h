// Through which functions of the kernel a call came: from the stack at the moment of a failure, by the line tables that
// every kernel object has (-g1), as addr2line of the compiler's binutils reads them.
#ifndef OPFORGE_SIM_KERNEL_REPORT_CALL_CHAIN_H
#define OPFORGE_SIM_KERNEL_REPORT_CALL_CHAIN_H

#include <string>
#include <vector>

#include "kernel_api.h"

namespace sim {

struct Frame {
    std::string function;  // "KernelAdd::Compute(int)"
    std::string file;
    int line;
};

// Return addresses, innermost first.
std::vector<void*> StackNow();

// The kernel's own functions among them, innermost first, those that the compiler has inlined too; without the kernel
// API's. `inKernel` is any address inside of the kernel object. Empty where there is no addr2line.
std::vector<Frame> CallChain(const std::vector<void*>& stack, const void* inKernel);

// A Site that is a place in the kernel's code, where no header has told file and line: the address an access returns
// to.
inline constexpr int kCodeLine = -1;
inline Site SiteOf(const void* returnsTo) { return {static_cast<const char*>(returnsTo), kCodeLine}; }
inline bool IsCode(const Site& site) { return site.line == kCodeLine; }

// File and line of either kind of Site; "" and 0 where they are not known.
struct SourceLine {
    std::string file;
    int line = 0;
};
SourceLine PlaceOf(const Site& site);
// "file:line", or "?:0".
std::string Where(const Site& site);

}  // namespace sim

#endif
