#include "adv_call.h"
#include "memory/ub_operand.h"

#include <algorithm>
#include <cinttypes>
#include <cstdarg>
#include <cstdio>
#include <cstring>

namespace sim {
namespace {

constexpr Rule kRoom = {"tmp-buffer-size",
                        "sharedTmpBuffer has at least the bytes that the function's GetXxxMaxMinTmpSize calls minValue",
                        "高阶API/数学计算/更多样例-83"};
constexpr Rule kImplicitRoom = {"tmp-buffer-left",
                                "a function without sharedTmpBuffer takes its room from what TPipe has not given out",
                                "高阶API/数学计算/更多样例-83"};
constexpr Rule kRoomApart = {"tmp-buffer-apart", "sharedTmpBuffer overlaps no other operand",
                             "高阶API/数学计算/更多样例-83"};
constexpr Rule kReduced = {"reduced-undefined", "an element that has never been written does not reach a reduction",
                           "高阶API/归约操作/Sum接口/Sum"};
constexpr Rule kApart = {"function-apart", "the function's source and destination do not overlap",
                         "通用说明和约束, 通用地址重叠约束"};
constexpr Rule kSameOrApart = {"function-same-or-apart",
                               "the function's source and destination are the same tensor or do not overlap",
                               "通用说明和约束, 通用地址重叠约束"};

template <typename T>
void LoadPlain(const void* from, size_t count, double* to) {
    const T* values = static_cast<const T*>(from);
    for (size_t i = 0; i < count; ++i) {
        to[i] = static_cast<double>(values[i]);
    }
}

template <typename T>
void StorePlain(const double* from, size_t count, void* to) {
    T* values = static_cast<T*>(to);
    for (size_t i = 0; i < count; ++i) {
        values[i] = static_cast<T>(from[i]);
    }
}

bool Overlap(const Tensor& a, const Tensor& b) {
    return a.place.addr < b.place.addr + b.bytes && b.place.addr < a.place.addr + a.bytes;
}

}  // namespace

void LoadValues(Dtype type, const void* from, size_t count, double* to) {
    const uint16_t* words = static_cast<const uint16_t*>(from);
    switch (type) {
        case Dtype::kHalf:
            for (size_t i = 0; i < count; ++i) {
                to[i] = static_cast<double>(HalfValue(words[i]));
            }
            return;
        case Dtype::kBfloat16:
            for (size_t i = 0; i < count; ++i) {
                to[i] = static_cast<double>(BfloatValue(words[i]));
            }
            return;
        case Dtype::kFloat:
            return LoadPlain<float>(from, count, to);
        case Dtype::kInt8:
            return LoadPlain<int8_t>(from, count, to);
        case Dtype::kUint8:
            return LoadPlain<uint8_t>(from, count, to);
        case Dtype::kInt16:
            return LoadPlain<int16_t>(from, count, to);
        case Dtype::kUint16:
            return LoadPlain<uint16_t>(from, count, to);
        case Dtype::kInt32:
            return LoadPlain<int32_t>(from, count, to);
        case Dtype::kUint32:
            return LoadPlain<uint32_t>(from, count, to);
        case Dtype::kInt64:
            return LoadPlain<int64_t>(from, count, to);
        case Dtype::kUint64:
            return LoadPlain<uint64_t>(from, count, to);
        case Dtype::kDouble:
            return LoadPlain<double>(from, count, to);
        case Dtype::kInt4:
            return;  // no function's page lists it
    }
}

void StoreValues(Dtype type, const double* from, size_t count, void* to) {
    uint16_t* words = static_cast<uint16_t*>(to);
    switch (type) {
        case Dtype::kHalf:
            for (size_t i = 0; i < count; ++i) {
                words[i] = HalfBits(static_cast<float>(from[i]));
            }
            return;
        case Dtype::kBfloat16:
            for (size_t i = 0; i < count; ++i) {
                words[i] = BfloatBits(static_cast<float>(from[i]));
            }
            return;
        case Dtype::kFloat:
            return StorePlain<float>(from, count, to);
        case Dtype::kInt8:
            return StorePlain<int8_t>(from, count, to);
        case Dtype::kUint8:
            return StorePlain<uint8_t>(from, count, to);
        case Dtype::kInt16:
            return StorePlain<int16_t>(from, count, to);
        case Dtype::kUint16:
            return StorePlain<uint16_t>(from, count, to);
        case Dtype::kInt32:
            return StorePlain<int32_t>(from, count, to);
        case Dtype::kUint32:
            return StorePlain<uint32_t>(from, count, to);
        case Dtype::kInt64:
            return StorePlain<int64_t>(from, count, to);
        case Dtype::kUint64:
            return StorePlain<uint64_t>(from, count, to);
        case Dtype::kDouble:
            return StorePlain<double>(from, count, to);
        case Dtype::kInt4:
            return;
    }
}

const uint8_t* AdvCall::Reads(const char* role, const Ub& place, uint64_t bytes) {
    sources_.push_back({role, place, bytes});
    return in_.Reads(role, place, bytes);
}

uint8_t* AdvCall::Writes(const char* role, const Ub& place, uint64_t bytes) {
    destinations_.push_back({role, place, bytes});
    return in_.Writes(role, place, bytes);
}

bool AdvCall::OnM200() const { return std::strcmp(in_.On().Request().soc->short_name, "ascend310p") == 0; }

// Of some shapes CANN's maxValue is below its minValue: a kernel may have either.
void AdvCall::Uses(const Ub* room, uint64_t least, uint64_t most) {
    if (most == 0) {
        return;
    }
    least = std::min(least, most);
    if (room == nullptr) {
        const Ub rest = in_.On().memory.buffers.Left(AscendC::TPosition::VECCALC);
        const uint64_t left = rest.end - rest.addr;
        if (left < least) {
            Fail(in_.Where(), kImplicitRoom, "%" PRIu64 " bytes are needed, but TPipe has given out %u of %u", least,
                 rest.addr, rest.end);
        }
        in_.Scratch("free UB", rest, std::min(left, most));
        return;
    }
    const uint64_t given = BytesLeft(*room);
    const Tensor used{"sharedTmpBuffer", *room, std::min(given, most)};
    for (const std::vector<Tensor>* tensors : {&sources_, &destinations_}) {
        for (const Tensor& tensor : *tensors) {
            if (Overlap(used, tensor)) {
                Fail(in_.Where(), kRoomApart,
                     "sharedTmpBuffer covers UB addresses %u to %" PRIu64 ", %s %u to %" PRIu64, used.place.addr,
                     used.place.addr + used.bytes, tensor.role, tensor.place.addr, tensor.place.addr + tensor.bytes);
            }
        }
    }
    if (given < least) {
        Fail(in_.Where(), kRoom, "sharedTmpBuffer has %" PRIu64 " bytes, but at least %" PRIu64 " are needed", given,
             least);
    }
    in_.Scratch(used.role, used.place, used.bytes);
}

void AdvCall::Require(const char* role, const Ub& place, uint64_t rows, uint64_t stride, uint64_t used,
                      Dtype type) const {
    const uint32_t element = BytesOf(type);
    if (stride == used) {
        in_.Require(role, place, rows * used, element, kReduced);
        return;
    }
    for (uint64_t row = 0; row < rows; ++row) {
        Ub part = place;
        part.addr += static_cast<uint32_t>(row * stride * element);
        in_.Require(role, part, used, element, kReduced);
    }
}

void AdvCall::KeepApart(const Tensor& to, const Tensor& from, bool same) const {
    if (Overlap(to, from) && !(same && to.place.addr == from.place.addr)) {
        Fail(in_.Where(), same ? kSameOrApart : kApart,
             "%s covers UB addresses %u to %" PRIu64 ", and %s %u to %" PRIu64, to.role, to.place.addr,
             to.place.addr + to.bytes, from.role, from.place.addr, from.place.addr + from.bytes);
    }
}

void AdvCall::KeepApart(const DeviceRule& fromOnePlace) const {
    for (const Tensor& to : destinations_) {
        for (const Tensor& from : sources_) {
            if (to.place.addr != from.place.addr) {
                KeepApart(to, from, false);
                continue;
            }
            LetPass(in_.Where(), fromOnePlace, "%s covers UB addresses %u to %" PRIu64 ", and %s %u to %" PRIu64,
                    to.role, to.place.addr, to.place.addr + to.bytes, from.role, from.place.addr,
                    from.place.addr + from.bytes);
        }
    }
}

void AdvCall::KeepApart(bool same) const {
    for (const Tensor& to : destinations_) {
        for (const Tensor& from : sources_) {
            KeepApart(to, from, same);
        }
    }
}

void AdvCall::KeepApartButFirst() const {
    for (const Tensor& to : destinations_) {
        for (const Tensor& from : sources_) {
            KeepApart(to, from, &to == destinations_.data() && &from == sources_.data());
        }
    }
}

void AdvCall::Refuse(const char* rule, const char* format, ...) const {
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    std::vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    Fail(in_.Where(), Rule{"function-parameters", rule, call_.page}, "%s", text);
}

}  // namespace sim
