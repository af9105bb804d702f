// What orders the pipes of one core among each other, and behind what it has been told of other cores.
#ifndef OPFORGE_SIM_KERNEL_ORDER_ORDER_H
#define OPFORGE_SIM_KERNEL_ORDER_ORDER_H

#include "clocks.h"
#include "events.h"
#include "polling.h"
#include "report/timeline.h"

namespace sim {

struct Order {
    PipeClocks clocks;
    CoreClock others;  // what this core has been told of other cores' pipes
    Events events;
    Polling polling;
    Timeline timeline;
};

}  // namespace sim

#endif
