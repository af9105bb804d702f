// What a transfer's rows and a vector instruction's operands mean for its time. Nothing is computed unless the core is
// timed.
#ifndef OPFORGE_SIM_KERNEL_REPORT_ROWS_H
#define OPFORGE_SIM_KERNEL_REPORT_ROWS_H

#include "core.h"
#include "launch/contexts.h"

namespace sim {

struct Lanewise;

// The transfer's rows, and the sectors they touch because they are not aligned.
Work WithRows(const Core& core, Work work, const GmSpan& span);
// The bank conflicts of dense operands.
Work WithConflicts(const Core& core, Work work, const Lanewise& in);

}  // namespace sim

#endif
