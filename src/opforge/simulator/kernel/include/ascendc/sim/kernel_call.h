// What an .asc source becomes beside its own text: on the host a kernel function hands its arguments to the runtime,
// on the device it takes them from there. Written around the source by bisheng (tools/bisheng/asc_source.py).
// Documentation: guide/编程指南/语言扩展层/SIMD-BuiltIn关键字, 核函数配置
#include "private.h"
#ifndef ASCENDC_SIM_KERNEL_CALL_H
#define ASCENDC_SIM_KERNEL_CALL_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <type_traits>
#include <typeinfo>

// One 8-byte word of a launch's arguments. An address is checked, a word of a struct may be one.
struct sim_kernel_word {
    const char* name;
    uint32_t kind;  // 0: a number, 1: an address, 2: part of a struct
    uint64_t value;
};

// The kernels of one source: their shared object, and their names in its order.
struct sim_kernel_module {
    const unsigned char* begin;
    const unsigned char* end;
    const char* const* names;
    uint32_t count;
};

extern "C" {
// What the next sim_kernel_call of this thread is launched with.
void sim_kernel_configure(uint64_t blocks, uint64_t dynamicUb, void* stream);
// The words in the order of the parameters, then the workspace; errors are kept for aclrtSynchronizeStream.
void sim_kernel_call(const sim_kernel_module* module, const char* key, const char* kernel, const sim_kernel_word* words,
                     uint32_t count);
}

namespace sim {
namespace asc {

// dynUBufSize may be nullptr.
template <typename Size>
void Configure(uint64_t blocks, Size dynamicUb, void* stream = nullptr) {
    if constexpr (std::is_null_pointer<Size>::value) {
        sim_kernel_configure(blocks, 0, stream);
    } else {
        sim_kernel_configure(blocks, static_cast<uint64_t>(dynamicUb), stream);
    }
}

template <typename T>
inline constexpr size_t kWords = (sizeof(T) + 7) / 8;

template <typename T>
void Put(sim_kernel_word*& to, const char* name, const T& value) {
    static_assert(std::is_trivially_copyable<T>::value,
                  "a kernel's parameter is an address, a number or a struct that may be copied byte by byte "
                  "(语言扩展层/SIMD-BuiltIn关键字)");
    uint64_t words[kWords<T>] = {};
    memcpy(words, &value, sizeof(T));
    constexpr uint32_t kKind = std::is_pointer<T>::value ? 1 : std::is_class<T>::value ? 2 : 0;
    for (const uint64_t word : words) {
        *to++ = {name, kKind, word};
    }
}

template <typename... T>
void Launch(const sim_kernel_module& module, const char* key, const char* kernel, int workspace,
            const char* const* names, const T&... values) {
    sim_kernel_word words[(kWords<T> + ... + size_t{1})];
    sim_kernel_word* to = words;
    int index = 0;
    uint64_t room = 0;
    const auto put = [&](const auto& value) {
        if (index == workspace) {
            memcpy(&room, &value, sizeof(value) < sizeof(room) ? sizeof(value) : sizeof(room));
        }
        Put(to, index == workspace ? "workspace" : names[index], value);
        ++index;
    };
    (put(values), ...);
    *to++ = {"workspace", 0, room};
    sim_kernel_call(&module, key, kernel, words, static_cast<uint32_t>(to - words));
}

// Gives a kernel its parameters, one after the other.
class Arguments {
public:
    explicit Arguments(const uint64_t* words) : next_(words) {}
    template <typename T>
    operator T() {
        alignas(T) unsigned char bytes[sizeof(T)];
        memcpy(bytes, next_, sizeof(T));
        next_ += kWords<T>;
        return *reinterpret_cast<T*>(bytes);
    }

private:
    const uint64_t* next_;
};

// What <cassert> makes of assert in a kernel.
inline void AssertFailed(const char* condition, const char* file, int line, const char*) {
    sim::AssertFailed("assert", condition, "", Site{file, line});
}

// The kernel's entry stays in the object, where bisheng looks for it.
inline void Keep(void (*run)(const uint64_t*)) { asm volatile("" : : "r"(run)); }

}  // namespace asc
}  // namespace sim

#endif
