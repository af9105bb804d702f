// One instruction whose result is computed as a whole: reductions, gathers, sorts, and the functions above the
// instructions (softmax, quantisation). Functions that go lane by lane through a mask are vector.cpp's.
//
//     Instruction in(call);
//     const float* x = in.Reads<float>("src", src, n * 4);
//     float* y = in.Writes<float>("dst", dst, 32);
//     in.Issue(n);                       // bounds, alignment and order are checked; nothing was touched so far
//     in.Require("src", src, n, 4, kRule);  // where an undefined element must not pass
//     ... compute ...
//     in.Define(dst, 4);
#ifndef OPFORGE_SIM_KERNEL_VECTOR_INSTRUCTION_H
#define OPFORGE_SIM_KERNEL_VECTOR_INSTRUCTION_H

#include <initializer_list>
#include <vector>

#include "core.h"
#include "memory/ub_operand.h"

namespace sim {

class Instruction {
public:
    explicit Instruction(const VectorCall& call, Pipe pipe = Pipe::kVector);

    // Operands, before Issue(): `bytes` from the tensor's start. Fails where they do not lie inside the tensor, start
    // at no multiple of 32 bytes, or belong to a freed buffer.
    template <typename T = uint8_t>
    const T* Reads(const char* role, const Ub& place, uint64_t bytes) {
        return reinterpret_cast<const T*>(Add({role, place, bytes, false}));
    }
    template <typename T = uint8_t>
    T* Writes(const char* role, const Ub& place, uint64_t bytes) {
        return reinterpret_cast<T*>(Add({role, place, bytes, true}));
    }
    // Room that the function overwrites: undefined afterwards.
    void Scratch(const char* role, const Ub& place, uint64_t bytes) {
        Add({role, place, bytes, true});
        scratch_.push_back({place, bytes});
    }

    // The operands are complete. `elements` are the results, for the counters and the time line.
    void Issue(uint64_t elements);
    void Issue(const Work& work);
    // Of a function that the hardware executes as several instructions.
    void IssueFunction(uint64_t elements);

    // What is defined, after Issue(). Without checks all is, and these do nothing. A value from before AllocTensor is
    // known as well, where it is let pass.
    bool Known(const Ub& place, uint64_t offset, uint64_t bytes) const;
    // For values that are moved: kValue or why there is none, for DefineAs. Nothing is let pass yet.
    Origin OriginOf(const Ub& place, uint64_t offset, uint64_t bytes) const;
    void DefineAs(const Ub& place, uint64_t bytes, uint64_t offset, Origin origin);
    void Define(const Ub& place, uint64_t bytes, uint64_t offset = 0, bool defined = true);
    // Element i of dst is defined where element i of every source is. Sizes in bytes.
    struct Lane {
        Ub place;
        uint32_t element;
    };
    void DefineLanes(const Lane& dst, std::initializer_list<Lane> sources, uint64_t count);
    // Fails at the first of `count` elements that is undefined: for addresses, branches and reductions.
    void Require(const char* role, const Ub& place, uint64_t count, uint32_t element, const Rule& rule) const;

    const Call& Where() const { return call_; }
    Core& On() const { return core_; }

private:
    uint8_t* Add(const Operand& operand);
    Work WorkOf(uint64_t elements) const;

    struct Room {
        Ub place;
        uint64_t bytes;
    };
    Core& core_;
    Call call_;
    const char* page_;
    Pipe pipe_;
    std::vector<Operand> operands_;
    std::vector<Room> scratch_;
};

}  // namespace sim

#endif
