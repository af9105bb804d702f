// The rows of x whose entry of keep is true, one behind the other. Each core has some rows, and counts what is kept of
// those before them to know where its own go. How many there are in all is only known here, so the last core writes
// the shape of y.
#include "kernel_operator.h"
#include "masked_rows_tiling.h"

using namespace AscendC;

constexpr uint64_t kWideShape = 1ULL << 31;  // the dimensions are uint64

template <typename T>
class MaskedRows {
public:
    __aicore__ inline MaskedRows(GM_ADDR x, GM_ADDR keep, GM_ADDR y, GM_ADDR shape, const MaskedRowsTilingData& tiling)
        : tiling_(tiling) {
        const uint64_t elements = static_cast<uint64_t>(tiling.rows) * tiling.columns;
        x_.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(x), elements);
        keep_.SetGlobalBuffer(reinterpret_cast<__gm__ uint8_t*>(keep), tiling.rows);
        y_.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(y), elements);
        shape_.SetGlobalBuffer(reinterpret_cast<__gm__ uint64_t*>(shape), 9);
        pipe_.InitBuffer(rows_, 2, tiling.tile * sizeof(T));
    }

    __aicore__ inline void Process() {
        const uint32_t first = GetBlockIdx() * tiling_.perBlock;
        const uint32_t behind = first + tiling_.perBlock < tiling_.rows ? first + tiling_.perBlock : tiling_.rows;
        uint32_t kept = 0;
        for (uint32_t row = 0; row < first; ++row) {
            kept += keep_.GetValue(row);
        }
        for (uint32_t row = first; row < behind; ++row) {
            if (keep_.GetValue(row) != 0) {
                CopyRow(row, kept++);
            }
        }
        if (behind == tiling_.rows) {
            SayShape(kept);
        }
    }

private:
    __aicore__ inline void CopyRow(uint32_t from, uint32_t to) {
        for (uint32_t column = 0; column < tiling_.columns; column += tiling_.tile) {
            const uint32_t rest = tiling_.columns - column;
            const uint32_t count = rest < tiling_.tile ? rest : tiling_.tile;
            const DataCopyExtParams part{1, static_cast<uint32_t>(count * sizeof(T)), 0, 0, 0};
            LocalTensor<T> loaded = rows_.AllocTensor<T>();
            DataCopyPad(loaded, x_[static_cast<uint64_t>(from) * tiling_.columns + column], part,
                        DataCopyPadExtParams<T>{});
            rows_.EnQue(loaded);
            LocalTensor<T> row = rows_.DeQue<T>();
            DataCopyPad(y_[static_cast<uint64_t>(to) * tiling_.columns + column], row, part);
            rows_.FreeTensor(row);
        }
    }

    // Rank, then the dimensions; they stand in one line of the data cache, which is written back at once.
    __aicore__ inline void SayShape(uint32_t kept) {
        shape_.SetValue(0, kWideShape | 2);
        shape_.SetValue(1, kept);
        shape_.SetValue(2, tiling_.columns);
        DataCacheCleanAndInvalid<uint64_t, CacheLine::SINGLE_CACHE_LINE, DcciDst::CACHELINE_OUT>(shape_);
    }

    MaskedRowsTilingData tiling_;
    TPipe pipe_;
    TQueBind<TPosition::VECIN, TPosition::VECOUT, 2> rows_;
    GlobalTensor<T> x_, y_;
    GlobalTensor<uint8_t> keep_;
    GlobalTensor<uint64_t> shape_;
};

extern "C" __global__ __aicore__ void masked_rows(GM_ADDR x, GM_ADDR keep, GM_ADDR y, GM_ADDR shapeOut,
                                                  GM_ADDR workspace, GM_ADDR tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
    REGISTER_TILING_DEFAULT(MaskedRowsTilingData);
    GET_TILING_DATA(data, tiling);
    MaskedRows<DTYPE_X>(x, keep, y, shapeOut, data).Process();
}
