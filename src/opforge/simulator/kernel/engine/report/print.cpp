// What a kernel prints: texts with their arguments, tensors, and the words of an assertion.
// Documentation: Utils-API/调测接口/printf, 基础API/调试接口/上板打印
#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <string>

#include "vector/arithmetic.h"
#include "launch/contexts.h"
#include "memory/local_memory.h"
#include "memory/ub_operand.h"

namespace sim {
namespace {

constexpr Rule kConversion = {
    "printf-conversion",
    "printf takes %d %i %ld %lld of integers, %u %lu %llu of integers that are not negative, %x of integers, %f %F of"
    " float, half and bfloat16_t, %s of texts and %p of addresses",
    "Utils-API/调测接口/printf"};
constexpr Rule kArguments = {"printf-arguments", "printf has as many arguments as its text has conversions",
                             "Utils-API/调测接口/printf"};
constexpr Rule kAssert = {"assert", "an assertion of the kernel holds", "基础API/调试接口/异常检测/assert"};
constexpr Rule kDumpPlace = {"dump-place", "DumpTensor prints tensors of the unified buffer, L1, L0C and global memory",
                             "基础API/调试接口/上板打印/DumpTensor"};
constexpr Rule kDumpRange = {"dump-range", "what DumpTensor prints lies inside its tensor",
                             "基础API/调试接口/上板打印/DumpTensor"};

// What one call prints at most; the device prints nothing of more.
constexpr size_t kMostBytes = 30 * 1024;

const char* KindName(Printed::Kind kind) {
    static constexpr const char* kNames[] = {"a signed integer", "an unsigned integer", "a floating-point number",
                                             "a text", "an address"};
    return kNames[kind];
}

bool Takes(char conversion, const Printed& value) {
    switch (conversion) {
        case 'd':
        case 'i':
            return value.kind == Printed::kSigned ||
                   (value.kind == Printed::kUnsigned && value.bits <= static_cast<uint64_t>(INT64_MAX));
        case 'u':
            return value.kind == Printed::kUnsigned || (value.kind == Printed::kSigned && value.number >= 0);
        case 'x':
        case 'X':
            return value.kind == Printed::kSigned || value.kind == Printed::kUnsigned;
        case 'f':
        case 'F':
            return value.kind == Printed::kFloat;
        case 's':
            return value.kind == Printed::kText;
        case 'p':
            return value.kind == Printed::kPointer || value.kind == Printed::kText;
        default:
            return false;
    }
}

// One conversion, with the flags and the width that stand in front of it.
std::string One(const std::string& flags, char conversion, const Printed& value) {
    char text[256];
    switch (conversion) {
        case 's':
            return value.text;
        case 'f':
        case 'F':
            std::snprintf(text, sizeof(text), (flags + conversion).c_str(), value.real);
            break;
        case 'p':
            std::snprintf(text, sizeof(text), "0x%" PRIx64, value.bits);
            break;
        default:
            std::snprintf(text, sizeof(text), (flags + "l" + conversion).c_str(), value.bits);
            break;
    }
    return text;
}

std::string Formatted(const char* format, const Printed* values, uint32_t count, const Call& call) {
    std::string text;
    uint32_t next = 0;
    for (const char* at = format; *at != '\0'; ++at) {
        if (*at != '%') {
            text += *at;
            continue;
        }
        if (at[1] == '%') {
            text += *++at;
            continue;
        }
        std::string flags = "%";
        for (++at; *at != '\0' && std::strchr("0123456789.+- #", *at) != nullptr; ++at) {
            flags += *at;
        }
        while (*at == 'l' || *at == 'h') {
            ++at;
        }
        if (next >= count) {
            Fail(call, kArguments, "conversion number %u of \"%s\" has no argument", next + 1, format);
        }
        const Printed& value = values[next++];
        if (!Takes(*at, value)) {
            Fail(call, kConversion, "argument %u of \"%s\" is %s, for %%%c", next, format, KindName(value.kind),
                 *at == '\0' ? ' ' : *at);
        }
        text += One(flags, *at, value);
    }
    if (next < count) {
        Fail(call, kArguments, "\"%s\" has %u conversions, the call %u arguments", format, next, count);
    }
    return text;
}

void Say(const std::string& text) {
    static std::mutex printing;
    const std::lock_guard<std::mutex> lock(printing);
    std::fputs(text.c_str(), stdout);
    std::fflush(stdout);
}

std::string Element(Dtype type, bool boolean, const uint8_t* at) {
    uint64_t bits = 0;
    std::memcpy(&bits, at, BytesOf(type));
    switch (type) {
        case Dtype::kHalf:
            return std::to_string(HalfValue(static_cast<uint16_t>(bits)));
        case Dtype::kBfloat16:
            return std::to_string(BfloatValue(static_cast<uint16_t>(bits)));
        case Dtype::kFloat: {
            float value;
            std::memcpy(&value, at, sizeof(value));
            return std::to_string(value);
        }
        case Dtype::kInt8:
            return std::to_string(static_cast<int8_t>(bits));
        case Dtype::kInt16:
            return std::to_string(static_cast<int16_t>(bits));
        case Dtype::kInt32:
            return std::to_string(static_cast<int32_t>(bits));
        case Dtype::kInt64:
            return std::to_string(static_cast<int64_t>(bits));
        default:
            return boolean ? (bits != 0 ? "1" : "0") : std::to_string(bits);
    }
}

const char* PrintedName(Dtype type, bool boolean) {
    switch (type) {
        case Dtype::kHalf:
            return "float16";
        case Dtype::kBfloat16:
            return "bfloat16";
        case Dtype::kFloat:
            return "float32";
        case Dtype::kInt8:
            return "int8";
        case Dtype::kUint8:
            return boolean ? "bool" : "uint8";
        case Dtype::kInt16:
            return "int16";
        case Dtype::kUint16:
            return "uint16";
        case Dtype::kInt32:
            return "int32";
        case Dtype::kUint32:
            return "uint32";
        case Dtype::kInt64:
            return "int64";
        default:
            return "uint64";
    }
}

// Brackets around each row of each dim; without a shape one row.
template <typename At>
std::string Rows(const Dump& dump, At at) {
    uint64_t all = dump.dims == 0 ? dump.count : 1;
    for (uint32_t i = 0; i < dump.dims; ++i) {
        all *= dump.shape[i];
    }
    std::string text;
    const uint32_t depth = dump.dims == 0 ? 1 : dump.dims;
    for (uint64_t i = 0; i < all; ++i) {
        // dims that begin here, and those that end behind this element
        uint64_t size = 1;
        uint32_t begins = 0;
        uint32_t ends = 0;
        for (uint32_t dim = depth; dim-- > 0;) {
            size *= dump.dims == 0 ? all : dump.shape[dim];
            begins += i % size == 0 ? 1 : 0;
            ends += (i + 1) % size == 0 ? 1 : 0;
        }
        text += std::string(begins, '[') + (i < dump.count ? at(i) : std::string("-")) + std::string(ends, ']');
        text += i + 1 == all ? "\n" : ends != 0 ? ",\n" : ", ";
    }
    return text.empty() ? "[]\n" : text;
}

template <typename At>
void Print(const Dump& dump, Dtype type, bool boolean, uint64_t addr, const char* position, At at) {
    std::string text = "DumpTensor: desc=" + std::to_string(dump.desc) + ", addr=" + std::to_string(addr) +
                       ", data_type=" + PrintedName(type, boolean) + ", position=" + position +
                       ", dump_size=" + std::to_string(dump.count) + "\n";
    if (uint64_t{dump.count} * BytesOf(type) > kMostBytes) {
        text += "(above 30 KiB: the device prints nothing of it)\n";
    } else {
        text += Rows(dump, at);
    }
    Say(text);
}

}  // namespace

void Print(const char* format, const Printed* values, uint32_t count, Site site) {
    const std::string text = Formatted(format, values, count, {"printf", site});
    if (text.size() <= kMostBytes) {
        Say(text);
    }
}

void AssertFailed(const char* api, const char* condition, const char* text, Site site) {
    Fail({api, site}, kAssert, "%s%s%s", condition, *text != '\0' ? ": " : "", text);
}

void AssertSaid(const char* api, const char* condition, const char* format, const Printed* values, uint32_t count,
                Site site) {
    const Call call{api, site};
    Fail(call, kAssert, "%s: %s", condition, Formatted(format, values, count, call).c_str());
}

// On the device all pipes are waited for before.
void DumpLocal(const char* api, const Dump& dump, Dtype type, bool boolean, const Ub& tensor, Site site) {
    Core& core = CurrentCore();
    core.Poll();
    const Call call{api, site};
    const Memory memory = tensor.memory;
    const MemorySize size = SizeOf(*core.Request().soc, memory);
    if (memory != Memory::kUb && memory != Memory::kL1 && memory != Memory::kL0C) {
        Fail(call, kDumpPlace, "the tensor lies in the %s", size.name);
    }
    const uint32_t element = BytesOf(type);
    if (tensor.addr + uint64_t{dump.count} * element > tensor.end) {
        Fail(call, kDumpRange, "%u elements of a tensor of %u", dump.count, BytesLeft(tensor) / element);
    }
    core.order.clocks.BarrierAll();
    LocalAccess access(call, "基础API/调试接口/上板打印/DumpTensor", Pipe::kScalar);
    access.Check("tensor", tensor, memory, uint64_t{dump.count} * element, 1);
    access.Issue(Work::None());
    Print(dump, type, boolean, tensor.addr, size.brief, [&](uint64_t i) {
        const bool known = access.AllDefined(tensor, i * element, element);
        return known ? Element(type, boolean, access.Read(tensor, i * element, element)) : std::string("?");
    });
}

void DumpGlobal(const char* api, const Dump& dump, Dtype type, bool boolean, uint64_t addr, Site site) {
    Core& core = CurrentCore();
    core.Poll();
    const Call call{api, site};
    const uint32_t element = BytesOf(type);
    core.memory.gm.Check(call, "reads", addr, uint64_t{dump.count} * element, false);
    core.order.clocks.BarrierAll();
    Print(dump, type, boolean, addr, "GM",
          [&](uint64_t i) { return Element(type, boolean, reinterpret_cast<const uint8_t*>(addr + i * element)); });
}

}  // namespace sim
