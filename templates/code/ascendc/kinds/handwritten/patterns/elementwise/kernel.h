#ifndef {{ guard }}_KERNEL_H
#define {{ guard }}_KERNEL_H

#include "kernel_operator.h"
#include "{{ stem }}_bindings.h"

// {{ output.name }} = relu({{ formula }}), computed in float. Replace Add and Finish by your computation.
//
// A core has a range of elements and takes one tile after the other.
class {{ op_type }}Kernel : public {{ op_type }}Bindings {
public:
    __aicore__ inline void Init(AscendC::TPipe& pipe) {
{% for tensor in inputs %}
        pipe.InitBuffer({{ tensor.queue }}, kBuffers, tiling->tileElements * sizeof({{ tensor.type }}));
{% endfor %}
        pipe.InitBuffer({{ output.queue }}, kBuffers, tiling->tileElements * sizeof({{ output.type }}));
        pipe.InitBuffer(sumBuffer, tiling->tileElements * sizeof(float));
        pipe.InitBuffer(wideBuffer, tiling->tileElements * sizeof(float));
    }

    __aicore__ inline void Process() {
        const int64_t begin = tiling->elementsPerBlock * AscendC::GetBlockIdx();
        const int64_t end = Least(begin + tiling->elementsPerBlock, tiling->args.totalElements);
        for (int64_t offset = begin; offset < end; offset += tiling->tileElements) {
            const uint32_t elementCount = static_cast<uint32_t>(Least(end - offset, tiling->tileElements));
{% for tensor in inputs %}
            CopyIn({{ tensor.queue }}, {{ tensor.gm }}[offset], elementCount);
{% endfor %}
            AscendC::Duplicate(sumBuffer.Get<float>(), 0.0f, elementCount);
{% for tensor in inputs %}
            Add<{{ tensor.type }}>({{ tensor.queue }}, elementCount);
{% endfor %}
            Finish(elementCount);
            CopyOut(offset, elementCount);
        }
    }

private:
    // Buffers of each queue: while one tile is computed, the next one is copied in and the previous one out.
    static constexpr uint32_t kBuffers = 2;
    using Floats = AscendC::LocalTensor<float>;
    using InQueue = AscendC::TQue<AscendC::TPosition::VECIN, 1>;

    __aicore__ inline int64_t Least(int64_t a, int64_t b) { return a < b ? a : b; }

    template <typename Stored>
    __aicore__ inline void CopyIn(InQueue& queue, const AscendC::GlobalTensor<Stored>& from, uint32_t elementCount) {
        AscendC::LocalTensor<Stored> stored = queue.AllocTensor<Stored>();
        const AscendC::DataCopyExtParams copy{1, static_cast<uint32_t>(elementCount * sizeof(Stored)), 0, 0, 0};
        AscendC::DataCopyPad(stored, from, copy, AscendC::DataCopyPadExtParams<Stored>());
        queue.EnQue(stored);
    }

    // All computations are in float. The functions for other types convert a tile; those for float copy it.
    __aicore__ inline void Widen(const Floats& wide, const Floats& stored, uint32_t count) {
        AscendC::Muls(wide, stored, 1.0f, count);
    }
    template <typename Stored>
    __aicore__ inline void Widen(const Floats& wide, const AscendC::LocalTensor<Stored>& stored, uint32_t count) {
        AscendC::Cast(wide, stored, AscendC::RoundMode::CAST_NONE, count);
    }
    __aicore__ inline void Narrow(const Floats& stored, const Floats& wide, uint32_t count) {
        AscendC::Muls(stored, wide, 1.0f, count);
    }
    template <typename Stored>
    __aicore__ inline void Narrow(const AscendC::LocalTensor<Stored>& stored, const Floats& wide, uint32_t count) {
        AscendC::Cast(stored, wide, AscendC::RoundMode::CAST_RINT, count);
    }

    // Adds the next tile of an input to the sum.
    template <typename Stored>
    __aicore__ inline void Add(InQueue& queue, uint32_t elementCount) {
        AscendC::LocalTensor<Stored> stored = queue.DeQue<Stored>();
        Floats wide = wideBuffer.Get<float>();
        Floats sum = sumBuffer.Get<float>();
        Widen(wide, stored, elementCount);
        AscendC::Add(sum, sum, wide, elementCount);
        queue.FreeTensor(stored);
    }

    // Makes a tile of {{ output.name }} of the sum.
    __aicore__ inline void Finish(uint32_t elementCount) {
        Floats sum = sumBuffer.Get<float>();
        AscendC::Relu(sum, sum, elementCount);
        AscendC::LocalTensor<{{ output.type }}> {{ output.local }} = {{ output.queue }}.AllocTensor<{{ output.type }}>();
        Narrow({{ output.local }}, sum, elementCount);
        {{ output.queue }}.EnQue({{ output.local }});
    }

    __aicore__ inline void CopyOut(int64_t offset, uint32_t elementCount) {
        AscendC::LocalTensor<{{ output.type }}> {{ output.local }} = {{ output.queue }}.DeQue<{{ output.type }}>();
        const AscendC::DataCopyExtParams copy{1, static_cast<uint32_t>(elementCount * sizeof({{ output.type }})), 0, 0, 0};
        AscendC::DataCopyPad({{ output.gm }}[offset], {{ output.local }}, copy);
        {{ output.queue }}.FreeTensor({{ output.local }});
    }

{% for tensor in inputs %}
    InQueue {{ tensor.queue }};
{% endfor %}
    AscendC::TQue<AscendC::TPosition::VECOUT, 1> {{ output.queue }};
    AscendC::TBuf<AscendC::TPosition::VECCALC> sumBuffer;
    AscendC::TBuf<AscendC::TPosition::VECCALC> wideBuffer;
};

#endif  // {{ guard }}_KERNEL_H
