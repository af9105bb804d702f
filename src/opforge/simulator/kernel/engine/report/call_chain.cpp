#include "call_chain.h"

#include <dlfcn.h>
#include <link.h>
#include <unwind.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <sstream>

#include "line_tables.h"

namespace sim {
namespace {

constexpr size_t kMostFrames = 64;

_Unwind_Reason_Code Visit(_Unwind_Context* context, void* stack) {
    auto& frames = *static_cast<std::vector<void*>*>(stack);
    int interrupted = 0;
    const uintptr_t ip = _Unwind_GetIPInfo(context, &interrupted);
    if (ip == 0 || frames.size() == kMostFrames) {
        return _URC_END_OF_STACK;
    }
    // where a signal came, the instruction itself, as if its first byte were a call
    frames.push_back(reinterpret_cast<void*>(ip + (interrupted != 0 ? 1 : 0)));
    return _URC_NO_REASON;
}

// "/path/file.cpp:41 (discriminator 2)"
bool Place(const std::string& text, Frame* frame) {
    const size_t colon = text.rfind(':', text.find(" (discriminator"));
    if (colon == std::string::npos || text[0] == '?') {
        return false;
    }
    // Files of a project are named from its folder, which stands for the one that a kernel was compiled in.
    const size_t begin = text.rfind("./", 0) == 0 ? 2 : 0;
    frame->file = text.substr(begin, colon - begin);
    frame->line = std::atoi(text.c_str() + colon + 1);
    return frame->line > 0;
}

// A kernel of an .asc source is a function of a local struct in its host's side, as bisheng writes it:
// "scale<2>(float*)::SimKernel0_::simKernel_scale(unsigned long const*)", or its last part alone.
void OfItsOwnName(std::string* function) {
    constexpr const char* kEntry = "simKernel_";
    if (function->rfind(kEntry, 0) == 0) {
        function->erase(0, std::strlen(kEntry));
    } else if (const size_t local = function->find("::SimKernel"); local != std::string::npos) {
        function->erase(local);
    }
}

}  // namespace

SourceLine PlaceOf(const Site& site) {
    if (!IsCode(site)) {
        return site.file != nullptr ? SourceLine{site.file, site.line} : SourceLine{};
    }
    static std::mutex mutex;
    static std::map<const void*, SourceLine> found;  // a kernel's loop comes by often, and addr2line is a process
    const std::lock_guard<std::mutex> lock(mutex);
    const auto [it, fresh] = found.try_emplace(site.file);
    if (fresh) {
        const std::vector<Frame> chain = CallChain({const_cast<char*>(site.file)}, site.file);
        it->second = chain.empty() ? SourceLine{} : SourceLine{chain[0].file, chain[0].line};
    }
    return it->second;
}

std::string Where(const Site& site) {
    const SourceLine place = PlaceOf(site);
    return (place.file.empty() ? "?" : place.file) + ":" + std::to_string(place.line);
}

std::vector<void*> StackNow() {
    std::vector<void*> stack;
    _Unwind_Backtrace(&Visit, &stack);
    return stack;
}

std::vector<Frame> CallChain(const std::vector<void*>& stack, const void* inKernel) {
    Dl_info info;
    link_map* kernel = nullptr;
    if (dladdr1(inKernel, &info, reinterpret_cast<void**>(&kernel), RTLD_DL_LINKMAP) == 0) {
        return {};
    }
    std::vector<uint64_t> offsets;
    for (void* address : stack) {
        link_map* object = nullptr;
        Dl_info of;
        // a return address is behind its call
        char* const call = static_cast<char*>(address) - 1;
        if (dladdr1(call, &of, reinterpret_cast<void**>(&object), RTLD_DL_LINKMAP) != 0 && object == kernel) {
            offsets.push_back(reinterpret_cast<uintptr_t>(call) - kernel->l_addr);
        }
    }
    if (offsets.empty()) {
        return {};
    }
    std::istringstream lines(LinesOf(info.dli_fname, offsets));
    std::vector<Frame> frames;
    std::string function;
    std::string place;
    while (std::getline(lines, function)) {
        if (function.rfind("0x", 0) == 0) {
            continue;  // the address, by -a
        }
        OfItsOwnName(&function);
        Frame frame;
        if (std::getline(lines, place) && Place(place, &frame) && function != "sim_kernel_entry" &&
            frame.file.find("/include/ascendc/") == std::string::npos) {
            frame.function = function;
            frames.push_back(std::move(frame));
        }
    }
    return frames;
}

}  // namespace sim
