#ifndef {{ guard }}_KERNEL_H
#define {{ guard }}_KERNEL_H

// The cube cores work alone: Matmul calls them here, and not by messages of vector cores.
#define ASCENDC_CUBE_ONLY

#include "kernel_operator.h"
#include "lib/matmul_intf.h"
{% if biased %}
#include "opforge/bias_rows.h"
{% endif %}
#include "{{ stem }}_tiling.h"

{{ formula | comment }}
//
// Each cube core computes some tiles of the output. Products are summed in float32; the copy to memory rounds them.
{% if biased %}
// The sums begin with the bias.
{% endif %}
template <{{ types | wrap }}>
class {{ op_type }}Kernel {
public:
    // MDL loads several steps of K at once. With checks for matrices with a row distance of 65535 elements or more,
    // which are loaded row by row, and with UnitFlag: a product leaves L0C while the next one is computed.
    static constexpr MatmulConfig kConfig = GetMDLConfig(true, false, 0, false, false, false, true);

    using LeftMatrix = matmul::MatmulType<AscendC::TPosition::GM, CubeFormat::ND, {{ left.type }}{% if left.transposed %}, true{% endif %}>;
    using RightMatrix = matmul::MatmulType<AscendC::TPosition::GM, CubeFormat::ND, {{ right.type }}{% if right.transposed %}, true{% endif %}>;
    using Product = matmul::MatmulType<AscendC::TPosition::GM, CubeFormat::ND, {{ result_type }}>;
    using Bias = matmul::MatmulType<AscendC::TPosition::GM, CubeFormat::ND, {{ bias_in_cube }}>;
    // The entry function registers it.
    matmul::Matmul<LeftMatrix, RightMatrix, Product, Bias, kConfig> matmulObj;

    __aicore__ inline void Init({{ init_parameters | wrap }}) {
        tiling = &tilingData;
{% for operand in operands %}
        {{ operand.gm }}.SetGlobalBuffer(reinterpret_cast<__gm__ {{ operand.type }}*>({{ operand.address }}));
{% endfor %}
{% for bias in biases %}
        {{ bias.in_cube }} = bias_rows::PlaceInCube<{{ bias.type }}>({{ bias.arguments | wrap }});
{% endfor %}
    }
{% if widens %}

    // The vector cores widen a bias for the cube core of their block, which waits for both.
    __aicore__ inline void WidenBias() {
        if constexpr (bias_rows::kWidens<{{ bias_type }}>) {
{% if given %}
            if ({{ given }}) {
{% for bias in biases %}
                bias_rows::Widen({{ bias.in_cube }}, {{ bias.gm }}, tiling->columnCount);
{% endfor %}
            }
{% else %}
{% for bias in biases %}
            bias_rows::Widen({{ bias.in_cube }}, {{ bias.gm }}, tiling->columnCount);
{% endfor %}
{% endif %}
            AscendC::CrossCoreSetFlag<2, PIPE_MTE3>(bias_rows::kWidened);
        }
    }
{% endif %}

    // Neighbouring tiles are computed at the same time, so that they share what L2 holds. Tiles are numbered column by
    // column within groups of rows of tiles.
    __aicore__ inline void Process() {
{% if widens %}
        if constexpr (bias_rows::kWidens<{{ bias_type }}>) {
            AscendC::CrossCoreWaitFlag(bias_rows::kWidened);
        }
{% endif %}
        for (int64_t tile = AscendC::GetBlockIdx(); tile < tiling->tileCount; tile += AscendC::GetBlockNum()) {
            const int64_t groupTiles = tiling->tileGroup * tiling->columnTiles;
            const int64_t firstRow = tile / groupTiles * tiling->tileGroup;
            const int64_t groupRows = Least(tiling->tileCount / tiling->columnTiles - firstRow, tiling->tileGroup);
            Multiply((firstRow + tile % groupTiles % groupRows) * tiling->tileRows,
                     tile % groupTiles / groupRows * tiling->tileColumns);
        }
        matmulObj.End();
    }

{% if biased %}
    // The operands have no elements, so that all products are zero. Each vector core fills some rows with the bias.
    __aicore__ inline void ProcessWithoutProducts() {
{% for product in products %}
        bias_rows::Fill({{ product.fill_arguments | wrap }});
{% endfor %}
    }
{% else %}
    // The operands have no elements, so that all products are zero. Each vector core fills its share: whole lines of
    // memory.
    __aicore__ inline void ProcessWithoutProducts() {
        constexpr int64_t kLine = 512 / sizeof({{ result_type }});
        const int64_t coreCount = AscendC::GetBlockNum() * AscendC::GetTaskRation();
        const int64_t elementCount = tiling->rowCount * tiling->columnCount;
        const int64_t share = (elementCount + coreCount * kLine - 1) / (coreCount * kLine) * kLine;
        const int64_t begin = AscendC::GetBlockIdx() * share;
        if (begin >= elementCount) {
            return;
        }
        const int64_t count = Least(elementCount - begin, share);
{% for product in products %}
        AscendC::GlobalTensor<{{ result_type }}> {{ product.part }} = {{ product.result }}[begin];
        AscendC::InitGlobalMemory({{ product.part }}, count, {{ result_type }}());
{% endfor %}
    }
{% endif %}

private:
    __aicore__ inline void Multiply(int64_t row, int64_t column) {
        const int64_t rows = Least(tiling->rowCount - row, tiling->tileRows);
        const int64_t columns = Least(tiling->columnCount - column, tiling->tileColumns);
        const int64_t place = row * tiling->columnCount + column;
        matmulObj.SetSingleShape(rows, columns, tiling->innerCount);
{% for product in products %}
        matmulObj.SetTensorA({{ product.left }}[{{ left.place }}]{% if left.transposed %}, true{% endif %});
        matmulObj.SetTensorB({{ product.right }}[{{ right.place }}]{% if right.transposed %}, true{% endif %});
{% if given %}
        if ({{ given }}) {
            matmulObj.SetBias({{ product.bias }}[column]);
        }
{% elif biased %}
        matmulObj.SetBias({{ product.bias }}[column]);
{% endif %}
        matmulObj.IterateAll({{ product.result }}[place]);
{% endfor %}
    }

    __aicore__ inline int64_t Least(int64_t value, int64_t limit) { return value < limit ? value : limit; }

    const {{ op_type }}TilingData* tiling;
{% for operand in operands %}
    AscendC::GlobalTensor<{{ operand.type }}> {{ operand.gm }};
{% endfor %}
{% for bias in biases %}
    AscendC::GlobalTensor<{{ bias_in_cube }}> {{ bias.in_cube }};
{% endfor %}
};

#endif  // {{ guard }}_KERNEL_H
