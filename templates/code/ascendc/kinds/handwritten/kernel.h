#ifndef {{ guard }}_KERNEL_H
#define {{ guard }}_KERNEL_H

#include "kernel_operator.h"
{% if lists %}
#include "kernel_operator_list_tensor_intf.h"
{% endif %}
#include "{{ stem }}_tiling.h"

// Each core has a stretch of the first output's elements, and goes through it tile by tile.
{{ template_line }}
class {{ op_type }}Kernel {
public:
    {{ init_signature }} {
        tiling_ = &tilingData;
{% for tensor in tensors %}
        {{ tensor.member }}.SetGlobalBuffer(reinterpret_cast<__gm__ {{ tensor.type }}*>({{ tensor.name }}));
{% endfor %}
{% for list in lists %}
        {{ list.member }}.Init(reinterpret_cast<__gm__ void*>({{ list.name }}));
{% endfor %}
    }

    __aicore__ inline void Process() {
        const int64_t begin = tiling_->elementsPerBlock * AscendC::GetBlockIdx();
        const int64_t blockEnd = begin + tiling_->elementsPerBlock;
        const int64_t end = blockEnd < tiling_->totalElements ? blockEnd : tiling_->totalElements;
        for (int64_t offset = begin; offset < end; offset += tiling_->tileElements) {
            const int64_t left = end - offset;
            ProcessTile(offset, left < tiling_->tileElements ? static_cast<uint32_t>(left) : tiling_->tileElements);
        }
    }

private:
    // KERNEL BODY NOT WRITTEN YET
    __aicore__ inline void ProcessTile(int64_t /* offset */, uint32_t /* elementCount */) {}

{% for list in lists %}
    // One of {{ list.count }} tensors.
    {{ list.signature }} {
        AscendC::GlobalTensor<{{ list.type }}> tensor;
        tensor.SetGlobalBuffer({{ list.member }}.GetDataPtr<__gm__ {{ list.type }}>(index));
        return tensor;
    }

{% endfor %}
    const {{ op_type }}TilingData* tiling_;
{% for tensor in tensors %}
    AscendC::GlobalTensor<{{ tensor.type }}> {{ tensor.member }};
{% endfor %}
{% for list in lists %}
    AscendC::ListTensorDesc {{ list.member }};
{% endfor %}
};

#endif  // {{ guard }}_KERNEL_H
