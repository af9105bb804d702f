// Copies that change the order of what they move, slices, and padding by a register. "// <- here" marks what is
// refused.
#include "kernel_operator.h"

using namespace AscendC;

struct CopiesTiling {
    uint32_t count;  // elements of x and z
};

using T = DTYPE_X;

struct Data {
    GlobalTensor<T> x, z;
    uint32_t count;
    LocalTensor<T> ub;
};

template <HardEvent event>
__aicore__ inline void Order() {
    SetFlag<event>(EVENT_ID0);
    WaitFlag<event>(EVENT_ID0);
}

// ---- wrong ---------------------------------------------------------------------------------------------------------

__aicore__ inline void slice_of_no_dims(Data& d) {
    SliceInfo one(0, 31, 0, 1, 32);
    DataCopy(d.ub, d.x, &one, &one, 0);  // <- here
}

__aicore__ inline void slice_of_long_rows(Data& d) {
    SliceInfo two[] = {{0, 31, 0, 1, 32}, {0, 1, 0, 2, 2}};
    DataCopy(d.ub, d.x, two, two, 2);  // <- here
}

__aicore__ inline void slice_of_other_lengths(Data& d) {
    SliceInfo to(0, 31, 0, 1, 32), from(0, 31, 0, 2, 32);
    DataCopy(d.ub, d.x, &to, &from);  // <- here
}

__aicore__ inline void slice_of_more_pieces(Data& d) {
    const uint32_t per = 32 / sizeof(T);
    SliceInfo to(0, 2 * per - 1, 0, 1, 64), from(0, 3 * per - 1, 0, 1, 64);
    DataCopy(d.ub, d.x, &to, &from);  // <- here
}

__aicore__ inline void slice_behind_its_dim(Data& d) {
    const uint32_t per = 32 / sizeof(T);
    SliceInfo to(0, per - 1, 0, 1, per), from(per, 2 * per - 1, 0, 1, 2 * per - 1);
    DataCopy(d.ub, d.x, &to, &from);  // <- here
}

__aicore__ inline void rows_of_odd_width(Data& d) {
    DataCopy(d.z, d.ub, Nz2NdParamsFull(1, 2, 17, 1, 2, 32, 1));  // <- here
}

__aicore__ inline void rows_never_written(Data& d) {
    DataCopy(d.z, d.ub, Nz2NdParamsFull(1, 2, 16, 1, 2, 16, 1));  // <- here
}

__aicore__ inline void enhanced(Data& d) {
    DataCopyEnhancedParams params;
    params.isRelu = true;
    DataCopy(d.ub, d.x, DataCopyParams(1, 1, 0, 0), params);  // <- here
}

__aicore__ inline void columns_without_a_row(Data& d) {
    DataCopy(d.ub, d.x, Nd2NzParams(1, 2, 16, 0, 0, 2, 1, 0));  // <- here
}

// ---- right ---------------------------------------------------------------------------------------------------------

// Two matrices of 3 rows and 19 columns to fractals in the unified buffer, and they as they are to z.
__aicore__ inline void ok_rows_to_columns(Data& d) {
    const uint16_t per = 32 / sizeof(T);
    Duplicate(d.ub, T(0), d.count);
    Order<HardEvent::V_MTE2>();
    DataCopy(d.ub, d.x, Nd2NzParams(2, 3, 19, 100, 24, 4, 1, 16 * per));
    Order<HardEvent::MTE2_MTE3>();
    DataCopy(d.z, d.ub, d.count);
}

// Fractals back: two matrices of 3 rows and 32 columns.
__aicore__ inline void ok_columns_to_rows(Data& d) {
    DataCopy(d.ub, d.x, d.count);
    Order<HardEvent::MTE2_MTE3>();
    DataCopy(d.z, d.ub, Nz2NdParamsFull(2, 3, 32, 1, 4, 40, 150));
}

// The example of the page, for float: four pieces of three blocks out of 3 * 87 elements.
__aicore__ inline void ok_slices(Data& d) {
    SliceInfo from[] = {{16, 70, 7, 3, 87}, {0, 2, 1, 1, 3}};
    SliceInfo to[] = {{0, 47, 0, 3, 48}, {0, 1, 0, 1, 2}};
    DataCopy(d.ub, d.x, to, from, 2);
    Order<HardEvent::MTE2_MTE3>();
    SliceInfo back[] = {{1, 55, 7, 3, 64}, {0, 3, 2, 1, 4}};
    DataCopy(d.z, d.ub, back, to, 2);
}

__aicore__ inline void ok_pad_value(Data& d) {
    SetPadValue<T>(T(5));
    DataCopyPad(d.ub, d.x, DataCopyExtParams(1, 3 * sizeof(T), 0, 0, 0), DataCopyPadExtParams<T>(false, 1, 1, T(0)));
    Order<HardEvent::MTE2_MTE3>();
    DataCopy(d.z, d.ub, 32 / sizeof(T));
}

__aicore__ inline void ok_enhanced_by_nothing(Data& d) {
    DataCopyEnhancedParams params;
    DataCopy(d.ub, d.x, DataCopyParams(2, 1, 1, 0), params);
    PipeBarrier<PIPE_ALL>();
    DataCopy(d.ub[512], d.ub, DataCopyParams(1, 2, 0, 0), params);
    PipeBarrier<PIPE_ALL>();
    DataCopy(d.z, d.ub[512], DataCopyParams(1, 2, 0, 0), params);
}

// clang-format off
#define CASES(CASE) \
    CASE(slice_of_no_dims) \
    CASE(slice_of_long_rows) \
    CASE(slice_of_other_lengths) \
    CASE(slice_of_more_pieces) \
    CASE(slice_behind_its_dim) \
    CASE(rows_of_odd_width) \
    CASE(rows_never_written) \
    CASE(enhanced) \
    CASE(columns_without_a_row) \
    CASE(ok_rows_to_columns) \
    CASE(ok_columns_to_rows) \
    CASE(ok_slices) \
    CASE(ok_pad_value) \
    CASE(ok_enhanced_by_nothing)
// clang-format on

extern "C" __global__ __aicore__ void copies(GM_ADDR x, GM_ADDR z, GM_ADDR workspace, GM_ADDR tiling) {
    GET_TILING_DATA_WITH_STRUCT(CopiesTiling, data, tiling);
    TPipe pipe;
    TBuf<TPosition::VECIN> buffer;
    pipe.InitBuffer(buffer, 8192);
    Data d{{}, {}, data.count, buffer.Get<T>()};
    d.x.SetGlobalBuffer((__gm__ T*)x, data.count);
    d.z.SetGlobalBuffer((__gm__ T*)z, data.count);
    uint64_t key = 0;
#define CASE(name)              \
    if (TILING_KEY_IS(key++)) { \
        name(d);                \
    }
    CASES(CASE)
#undef CASE
}
