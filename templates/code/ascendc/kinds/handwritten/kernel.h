// The kernel of {{ op_type }}. Write it here: opforge never changes this file once you have edited it.
// {{ example }} (the tensors in global memory) and `tiling` are in {{ stem }}_bindings.h, which opforge generates.
#ifndef {{ guard }}_KERNEL_H
#define {{ guard }}_KERNEL_H

#include "{{ stem }}_bindings.h"

class {{ op_type }}Kernel : public {{ op_type }}Bindings {
public:
    // The tensors are bound. Initialise the buffers of the queues here.
    __aicore__ inline void Init(AscendC::TPipe& pipe) {
{% for queue in queues %}
        pipe.InitBuffer({{ queue.buffers | wrap }});
{% endfor %}
    }

    // Each core processes a range of the first output's elements, tile by tile.
    __aicore__ inline void Process() {
        const int64_t begin = tiling->elementsPerBlock * AscendC::GetBlockIdx();
        const int64_t blockEnd = begin + tiling->elementsPerBlock;
        const int64_t end = blockEnd < {{ args }}totalElements ? blockEnd : {{ args }}totalElements;
        for (int64_t offset = begin; offset < end; offset += tiling->tileElements) {
            const int64_t left = end - offset;
            const uint32_t elementCount =
                left < tiling->tileElements ? static_cast<uint32_t>(left) : tiling->tileElements;
            CopyIn(offset, elementCount);
            Compute(elementCount);
            CopyOut(offset, elementCount);
        }
    }

private:
    // Buffers of each queue: while one tile is computed, the next one is copied in and the previous one out.
    static constexpr uint32_t kBuffers = 2;

    // KERNEL BODY NOT WRITTEN YET
    // Write the three functions, then delete the line above.

    // Copies a tile of each input from global memory into its queue:
{% for tensor in first_inputs %}
    //   AscendC::LocalTensor<{{ tensor.type }}> {{ tensor.local }} = {{ tensor.queue }}.AllocTensor<{{ tensor.type }}>();
    //   const AscendC::DataCopyExtParams copy{1, elementCount * static_cast<uint32_t>(sizeof({{ tensor.type }})), 0, 0, 0};
    //   AscendC::DataCopyPad({{ tensor.local }}, {{ tensor.gm }}[offset], copy, AscendC::DataCopyPadExtParams<{{ tensor.type }}>());
    //   {{ tensor.queue }}.EnQue({{ tensor.local }});
{% endfor %}
    __aicore__ inline void CopyIn(int64_t /* offset */, uint32_t /* elementCount */) {}

    // Takes the inputs' tiles from their queues, computes, and puts the outputs' tiles into theirs:
{% for tensor in first_inputs %}
    //   AscendC::LocalTensor<{{ tensor.type }}> {{ tensor.local }} = {{ tensor.queue }}.DeQue<{{ tensor.type }}>();
{% endfor %}
{% for tensor in first_outputs %}
    //   AscendC::LocalTensor<{{ tensor.type }}> {{ tensor.local }} = {{ tensor.queue }}.AllocTensor<{{ tensor.type }}>();
    //   ...
    //   {{ tensor.queue }}.EnQue({{ tensor.local }});
{% endfor %}
{% for tensor in first_inputs %}
    //   {{ tensor.queue }}.FreeTensor({{ tensor.local }});
{% endfor %}
    __aicore__ inline void Compute(uint32_t /* elementCount */) {}

    // Copies a tile of each output to global memory:
{% for tensor in first_outputs %}
    //   AscendC::LocalTensor<{{ tensor.type }}> {{ tensor.local }} = {{ tensor.queue }}.DeQue<{{ tensor.type }}>();
    //   const AscendC::DataCopyExtParams copy{1, elementCount * static_cast<uint32_t>(sizeof({{ tensor.type }})), 0, 0, 0};
    //   AscendC::DataCopyPad({{ tensor.gm }}[offset], {{ tensor.local }}, copy);
    //   {{ tensor.queue }}.FreeTensor({{ tensor.local }});
{% endfor %}
    __aicore__ inline void CopyOut(int64_t /* offset */, uint32_t /* elementCount */) {}

{% for queue in queues %}
    AscendC::TQue<AscendC::TPosition::{{ queue.position }}, 1> {{ queue.name }};
{% endfor %}
};

#endif  // {{ guard }}_KERNEL_H
