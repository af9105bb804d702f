// What the functions above the instructions have in common: their operands as doubles, and the room beside them.
#ifndef OPFORGE_SIM_KERNEL_ADV_CALL_H
#define OPFORGE_SIM_KERNEL_ADV_CALL_H

#include <cstddef>
#include <string>
#include <vector>

#include "vector/arithmetic.h"
#include "vector/instruction.h"
#include "sim/adv.h"

namespace sim {

// Elements to double, which holds every value of up to 32 bits, and back with one rounding. Integers must be in range.
void LoadValues(Dtype type, const void* from, size_t count, double* to);
void StoreValues(Dtype type, const double* from, size_t count, void* to);

// What a function above the instructions touches.
struct Tensor {
    const char* role;
    Ub place;
    uint64_t bytes;
};

// One call: its operands, checked in the order of their declaration.
class AdvCall {
public:
    explicit AdvCall(const VectorCall& call) : call_(call), in_(call) {}

    const uint8_t* Reads(const char* role, const Ub& place, uint64_t bytes);
    uint8_t* Writes(const char* role, const Ub& place, uint64_t bytes);
    // The room beside them, of which at least `least` bytes are needed and at most `most` are used.
    void Uses(const Ub* room, uint64_t least, uint64_t most);
    // Fails where one of the first `used` elements of a row has never been written: it would reach a reduction.
    void Require(const char* role, const Ub& place, uint64_t rows, uint64_t stride, uint64_t used, Dtype type) const;
    // Fails where a destination overlaps a source. `same`: they may be the same tensor.
    void KeepApart(bool same) const;
    // The same, but devices let pass that both begin in one place.
    void KeepApart(const DeviceRule& fromOnePlace) const;
    // The same, but only the first destination may be the first source.
    void KeepApartButFirst() const;
    Instruction& Begin(uint64_t elements) {
        in_.IssueFunction(elements);
        return in_;
    }
    bool OnM200() const;  // Ascend310P
    // Fails with a rule of this function: its page is the call's.
    [[noreturn]] void Refuse(const char* rule, const char* format, ...) const __attribute__((format(printf, 3, 4)));

private:
    void KeepApart(const Tensor& to, const Tensor& from, bool same) const;

    const VectorCall& call_;
    Instruction in_;
    std::vector<Tensor> sources_;
    std::vector<Tensor> destinations_;
};

}  // namespace sim

#endif
