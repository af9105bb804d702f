// What is known of values on their way between global memory and a core.
#ifndef OPFORGE_SIM_KERNEL_MEMORY_GM_VALUES_H
#define OPFORGE_SIM_KERNEL_MEMORY_GM_VALUES_H

#include <optional>
#include <vector>

#include "core.h"

namespace sim {

// With all checks, after GlobalMemory::Check has found the access good.

// The bytes of global memory at `from` are now in the unified buffer at `to`.
void MarkLoaded(Core& core, uint64_t from, uint64_t bytes, uint32_t to, const Call& call);
// Fails where one of the bytes that the scalar unit reads has no value.
void RequireGm(Core& core, uint64_t addr, uint64_t bytes, const Call& call);
// Whether all bytes have values; for what reads them into memories other than the unified buffer.
bool DefinedInGm(const Core& core, uint64_t addr, uint64_t bytes);
// Why the first byte that has none has none.
std::string WhyLackingInGm(Core& core, uint64_t addr, uint64_t bytes, const Call& call);
// The bytes have been written; `marks` (GmMarks) says which of them have no value, null: all have one.
void MarkStored(Core& core, uint64_t to, uint64_t bytes, const Origin* marks = nullptr);
// The same for a transfer that combines them with what is there.
void MarkCombined(Core& core, uint64_t to, uint64_t bytes, const Origin* marks, const Call& call);

// What bytes of the unified buffer are worth that are about to be stored.
class Leaving {
public:
    // From `begin` to `end`, to global memory at `to`.
    Leaving(Core& core, uint32_t begin, uint32_t end, uint64_t to, const Call& call);
    // The first byte without a value, where the documentation refuses to store it. What goes behind the end of a tensor
    // is nobody's result. Whether an allocation that may be a workspace has results shows at the launch's end.
    std::optional<uint32_t> refused;
    // For MarkStored.
    const Origin* Marks() const { return marks_.empty() ? nullptr : marks_.data(); }

private:
    std::vector<Origin> marks_;
};

}  // namespace sim

#endif
