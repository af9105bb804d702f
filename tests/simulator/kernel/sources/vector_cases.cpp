// What the functions of the vector unit refuse: the tiling key chooses a case, and a comment marks its line.
#include "kernel_operator.h"

using namespace AscendC;

struct VectorCasesTiling {
    uint32_t count;
};

// 139264 bytes of ones, room for results, and room that nobody has written.
struct Data {
    LocalTensor<float> f, z, fresh;
    LocalTensor<half> h;
    uint32_t count;
};

__aicore__ inline void cast_that_grows_over_its_source(Data& d) {
    Cast(d.f, d.h, RoundMode::CAST_NONE, 128);  // <- here
}

__aicore__ inline void repeats_that_read_what_they_wrote(Data& d) {
    Exp(d.f[8], d.f, 8, 2, {1, 1, 1, 1});  // <- here
}

__aicore__ inline void products_into_one_destination(Data& d) {
    MulAddRelu(d.z, d.f, d.z, 64, 2, {1, 1, 1, 0, 8, 0});  // <- here
}

__aicore__ inline void an_odd_number_of_half_bytes(Data& d) {
    Cast(d.h, d.fresh.ReinterpretCast<int4b_t>(), RoundMode::CAST_NONE, 7);  // <- here
}

__aicore__ inline void copy_4096_blocks_on(Data& d) {
    Copy(d.z, d.f, 8, 2, {1, 1, 8, 4096});  // <- here
}

__aicore__ inline void lanes_beyond_a_repeat(Data&) {
    SetVectorMask<float>(65);  // <- here
}

__aicore__ inline void reduction_of_256_repeats(Data& d) {
    WholeReduceSum(d.z, d.f, 64, 256, 1, 1, 8);  // <- here
}

__aicore__ inline void addition_of_256_repeats(Data& d) {
    const uint64_t lanes = 8;
    const int32_t repeats = static_cast<int32_t>(d.count) + 256;
    Add(d.z, d.f, d.f, lanes, repeats, {1, 1, 1, 1, 1, 1});  // <- here
}

__aicore__ inline void repeats_below_nothing(Data& d) {
    const uint64_t lanes = 8;
    Duplicate(d.z, 1.0f, lanes, static_cast<int>(d.count) - 1, 1, 8);  // <- here
}

__aicore__ inline void reduction_by_a_negative_stride(Data& d) {
    WholeReduceSum(d.z, d.f, 64, 2, 1, 1, -8);  // <- here
}

__aicore__ inline void reduction_to_an_odd_place(Data& d) {
    WholeReduceMax(d.z[1], d.f, 64, 1, 1, 1, 8);  // <- here
}

__aicore__ inline void reduction_of_what_nobody_wrote(Data& d) {
    Duplicate(d.fresh, 1.0f, 60);
    WholeReduceSum(d.z, d.fresh, 64, 1, 1, 1, 8);  // <- here
}

__aicore__ inline void sum_of_what_nobody_wrote(Data& d) {
    ReduceSum(d.z, d.fresh, d.z, 5);  // <- here
}

__aicore__ inline void sum_of_less_than_nothing(Data& d) {
    ReduceSum(d.z, d.f, d.z, -1);  // <- here
}

__aicore__ inline void index_beyond_16_bits(Data& d) {
    Duplicate(d.h, static_cast<half>(1), 65600);
    d.h.SetValue(65540, static_cast<half>(2));
    ReduceMax(d.h, d.h, d.h, 65600, true);  // <- here
}

__aicore__ inline void register_of_no_reduction(Data&) {
    float value = 0;
    GetReduceRepeatMaxMinSpr(value);  // <- here
}

__aicore__ inline void register_of_no_sum(Data&) {
    (void)GetReduceRepeatSumSpr<float>();  // <- here
}

__aicore__ inline void index_of_a_whole_reduction(Data& d) {
    float value = 0, index = 0;
    ReduceMax(d.z, d.f, d.f, 64);
    GetReduceMaxMinCount(value, index);  // <- here
}

__aicore__ inline void broadcast_over_its_source(Data& d) {
    Brcb(d.f, d.f, 1, {1, 8});  // <- here
}

// clang-format off
#define CASES(CASE) \
    CASE(cast_that_grows_over_its_source) \
    CASE(repeats_that_read_what_they_wrote) \
    CASE(products_into_one_destination) \
    CASE(an_odd_number_of_half_bytes) \
    CASE(copy_4096_blocks_on) \
    CASE(lanes_beyond_a_repeat) \
    CASE(reduction_of_256_repeats) \
    CASE(addition_of_256_repeats) \
    CASE(repeats_below_nothing) \
    CASE(reduction_by_a_negative_stride) \
    CASE(reduction_to_an_odd_place) \
    CASE(reduction_of_what_nobody_wrote) \
    CASE(sum_of_what_nobody_wrote) \
    CASE(sum_of_less_than_nothing) \
    CASE(index_beyond_16_bits) \
    CASE(register_of_no_reduction) \
    CASE(register_of_no_sum) \
    CASE(index_of_a_whole_reduction) \
    CASE(broadcast_over_its_source)
// clang-format on

extern "C" __global__ __aicore__ void vector_cases(GM_ADDR x, GM_ADDR z, GM_ADDR workspace, GM_ADDR tiling) {
    REGISTER_TILING_DEFAULT(VectorCasesTiling);
    GET_TILING_DATA(data, tiling);
    TPipe pipe;
    TBuf<TPosition::VECCALC> ones, result, fresh;
    pipe.InitBuffer(ones, 139264);
    pipe.InitBuffer(result, 4096);
    pipe.InitBuffer(fresh, 4096);
    Data d{ones.Get<float>(), result.Get<float>(), fresh.Get<float>(), ones.Get<half>(), data.count};
    Duplicate(d.f, 1.0f, 34816);
    Duplicate(d.z, 1.0f, 1024);
#define CASE(name)              \
    if (TILING_KEY_IS(key++)) { \
        name(d);                \
    }
    int key = 0;
    CASES(CASE)
}
