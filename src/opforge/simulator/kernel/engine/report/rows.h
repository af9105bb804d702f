// What a transfer's rows and a vector instruction's operands mean for its time. Nothing is computed unless the core is
// timed.
#ifndef OPFORGE_SIM_KERNEL_REPORT_ROWS_H
#define OPFORGE_SIM_KERNEL_REPORT_ROWS_H

#include "core.h"
#include "launch/contexts.h"

namespace sim {

struct Lanewise;
struct Strided;

// The transfer's rows, and the sectors they touch because they are not aligned.
Work WithRows(const Core& core, Work work, const GmSpan& span);
// The share of `times` repeats with bank conflicts. Blocks inside a repeat follow each other, or all are the first one.
Work WithConflicts(const Core& core, Work work, const Lanewise& in, const Strided& dst, const Strided (&sources)[2],
                   uint32_t lanes, uint64_t times);

}  // namespace sim

#endif
