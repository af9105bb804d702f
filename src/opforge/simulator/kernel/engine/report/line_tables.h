// What addr2line says of addresses. A process in a sandbox starts no programs: a helper process that it made before
// (sim_engine_before_sandbox) runs addr2line for it.
#ifndef OPFORGE_SIM_KERNEL_REPORT_LINE_TABLES_H
#define OPFORGE_SIM_KERNEL_REPORT_LINE_TABLES_H

#include <cstdint>
#include <string>
#include <vector>

namespace sim {

// For each offset into the object file: the offset, then two lines for each function there, its name and its place.
// "" where addr2line cannot be run.
std::string LinesOf(const std::string& object, const std::vector<uint64_t>& offsets);

}  // namespace sim

#endif
