#include "kernel_operator.h"
#include "kernel_operator_list_tensor_intf.h"

using namespace AscendC;

class Rows {
public:
    __aicore__ inline Rows(TPipe* pipe, uint32_t rows, uint32_t columns)
        : rows_(rows), columns_(columns), down_((rows + 15) / 16) {
        pipe->InitBuffer(queue_, 2, 32);
    }

    __aicore__ inline void Write(GM_ADDR from, GM_ADDR to) {
        constexpr uint32_t width = 32 / sizeof(DTYPE_W);
        GlobalTensor<DTYPE_W> blocks, rows;
        blocks.SetGlobalBuffer((__gm__ DTYPE_W*)from);
        rows.SetGlobalBuffer((__gm__ DTYPE_W*)to);
        for (uint32_t row = 0; row < rows_; ++row) {
            for (uint32_t column = 0; column < columns_; column += width) {
                LocalTensor<DTYPE_W> line = queue_.AllocTensor<DTYPE_W>();
                DataCopy(line, blocks[(column / width * down_ * 16 + row) * width], width);
                queue_.EnQue(line);
                line = queue_.DeQue<DTYPE_W>();
                const uint32_t count = columns_ - column < width ? columns_ - column : width;
                DataCopyExtParams params{1, static_cast<uint32_t>(count * sizeof(DTYPE_W)), 0, 0, 0};
                DataCopyPad(rows[row * columns_ + column], line, params);
                queue_.FreeTensor(line);
            }
        }
    }

private:
    TQueBind<TPosition::VECIN, TPosition::VECOUT, 1> queue_;
    uint32_t rows_;
    uint32_t columns_;
    uint32_t down_;
};

extern "C" __global__ __aicore__ void unblock(GM_ADDR w, GM_ADDR instead, GM_ADDR more, GM_ADDR y, GM_ADDR last,
                                              GM_ADDR workspace, GM_ADDR tiling) {
    GET_TILING_DATA(size, tiling);
    TPipe pipe;
    Rows rows(&pipe, size.rows, size.columns);
    ListTensorDesc list((__gm__ void*)more);
    rows.Write(instead != nullptr ? instead : w, y);
    rows.Write((GM_ADDR)list.GetDataPtr<DTYPE_W>(size.more - 1), last);
}
