#include "loaded_part.h"

#include <dlfcn.h>
#include <link.h>

namespace sim {

LoadedPart LoadedPartOf(uintptr_t address) {
    struct Search {
        uintptr_t address;
        LoadedPart part;
    } search{address, {}};
    dl_iterate_phdr(
        [](dl_phdr_info* object, size_t, void* into) {
            Search& found = *static_cast<Search*>(into);
            for (int i = 0; i < object->dlpi_phnum; ++i) {
                const ElfW(Phdr) & part = object->dlpi_phdr[i];
                const uintptr_t begin = object->dlpi_addr + part.p_vaddr;
                if (part.p_type == PT_LOAD && found.address - begin < part.p_memsz) {
                    found.part = {begin, begin + part.p_memsz, (part.p_flags & PF_W) != 0};
                    return 1;
                }
            }
            return 0;
        },
        &search);
    return search.part;
}

LoadedPart KernelDataOf(uintptr_t address) {
    Dl_info info;
    link_map* object = nullptr;
    const bool found =
        dladdr1(reinterpret_cast<void*>(address), &info, reinterpret_cast<void**>(&object), RTLD_DL_LINKMAP) != 0;
    // what every kernel's object has
    return found && object != nullptr && dlsym(object, "sim_kernel_type") != nullptr ? LoadedPartOf(address)
                                                                                     : LoadedPart{};
}

}  // namespace sim
