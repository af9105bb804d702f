#ifndef {{ guard }}_KERNEL_H
#define {{ guard }}_KERNEL_H

#include "kernel_operator.h"
#include "{{ stem }}_bindings.h"

// Row i of {{ output.name }} = row {{ index.name }}[i] of {{ table.name }}. Change Place if your rows come from elsewhere.
//
// A core has a range of rows of {{ output.name }}. It reads many indices at a time, then copies row after row.
class {{ op_type }}Kernel : public {{ op_type }}Bindings {
public:
    __aicore__ inline void Init(AscendC::TPipe& pipe) {
        pipe.InitBuffer({{ index.queue }}, 1, tiling->tileIndices * sizeof({{ index.type }}));
        pipe.InitBuffer(rowQueue, kBuffers, tiling->tileColumns * sizeof({{ table.type }}));
    }

    __aicore__ inline void Process() {
        const int64_t begin = tiling->rowsPerBlock * AscendC::GetBlockIdx();
        const int64_t end = Least(begin + tiling->rowsPerBlock, tiling->rowCount);
        for (int64_t row = begin; row < end; row += tiling->tileIndices) {
            const uint32_t rows = static_cast<uint32_t>(Least(end - row, tiling->tileIndices));
            CopyIndices(row, rows);
            AscendC::LocalTensor<{{ index.type }}> {{ index.local }} = {{ index.queue }}.DeQue<{{ index.type }}>();
            for (uint32_t i = 0; i < rows; i++) {
                CopyRow(Place({{ index.local }}.GetValue(i)), (row + i) * tiling->columnCount);
            }
            {{ index.queue }}.FreeTensor({{ index.local }});
        }
    }

private:
    // Buffers of rows: while one is copied out, the next one is copied in.
    static constexpr uint32_t kBuffers = 2;

    __aicore__ inline int64_t Least(int64_t a, int64_t b) { return a < b ? a : b; }

    // The first element of the row that an index selects. Indices must be valid: opforge.yaml says which ones are.
    __aicore__ inline int64_t Place({{ index.type }} index) { return static_cast<int64_t>(index) * tiling->columnCount; }

    __aicore__ inline void CopyIndices(int64_t row, uint32_t rows) {
        AscendC::LocalTensor<{{ index.type }}> {{ index.local }} = {{ index.queue }}.AllocTensor<{{ index.type }}>();
        const AscendC::DataCopyExtParams copy{1, static_cast<uint32_t>(rows * sizeof({{ index.type }})), 0, 0, 0};
        AscendC::DataCopyPad({{ index.local }}, {{ index.gm }}[row], copy, AscendC::DataCopyPadExtParams<{{ index.type }}>());
        {{ index.queue }}.EnQue({{ index.local }});
    }

    // Copies a row, in parts if it is long. Nothing is computed, so one queue serves both directions.
    __aicore__ inline void CopyRow(int64_t from, int64_t to) {
        for (int64_t column = 0; column < tiling->columnCount; column += tiling->tileColumns) {
            const int64_t columns = Least(tiling->columnCount - column, tiling->tileColumns);
            const AscendC::DataCopyExtParams copy{1, static_cast<uint32_t>(columns * sizeof({{ table.type }})), 0, 0, 0};
            AscendC::LocalTensor<{{ table.type }}> rowLocal = rowQueue.AllocTensor<{{ table.type }}>();
            AscendC::DataCopyPad(rowLocal, {{ table.gm }}[from + column], copy, AscendC::DataCopyPadExtParams<{{ table.type }}>());
            rowQueue.EnQue(rowLocal);
            rowLocal = rowQueue.DeQue<{{ table.type }}>();
            AscendC::DataCopyPad({{ output.gm }}[to + column], rowLocal, copy);
            rowQueue.FreeTensor(rowLocal);
        }
    }

    AscendC::TQue<AscendC::TPosition::VECIN, 1> {{ index.queue }};
    AscendC::TQueBind<AscendC::TPosition::VECIN, AscendC::TPosition::VECOUT, 1> rowQueue;
};

#endif  // {{ guard }}_KERNEL_H
