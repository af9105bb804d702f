// Wrong gathers, sorts and transposes. The tiling key chooses; "// <- here" marks what is refused.
#include "kernel_operator.h"

using namespace AscendC;

struct IndexCasesTiling {
    uint32_t count;
};

// f holds 1, w holds 0; fresh has never been written. UB addresses 0, 4096, 8192 and 16384.
struct Data {
    LocalTensor<float> f;
    LocalTensor<uint32_t> w;
    LocalTensor<float> z;
    LocalTensor<float> fresh;
    LocalTensor<int32_t> index;
    LocalTensor<bool> finish;
    uint64_t kept;
    uint16_t lengths[4];
};

// ---- wrong ---------------------------------------------------------------------------------------------------------

__aicore__ inline void gather_by_offsets_that_nobody_wrote(Data& d) {
    Gather(d.z, d.f, d.fresh.ReinterpretCast<uint32_t>(), 0, 64);  // <- here
}

__aicore__ inline void gather_from_inside_of_an_element(Data& d) {
    Gather(d.z, d.f, d.w, 2, 64);  // <- here
}

__aicore__ inline void gather_from_behind_the_tensor(Data& d) {
    Duplicate(d.w, 4096u, 64);
    Gather(d.z, d.f, d.w, 0, 64);  // <- here
}

__aicore__ inline void gather_into_the_source(Data& d) {
    Gather(d.f, d.f, d.w, 0, 64);  // <- here
}

__aicore__ inline void gather_by_65_of_64_lanes(Data& d) {
    Gather(d.z, d.f, d.w, 0, 65, 1, 8);  // <- here
}

__aicore__ inline void gather_more_than_there_is(Data& d) {
    Gather(d.z, d.f, d.w, 0, 0xffffffffu);  // <- here
}

__aicore__ inline void blocks_from_between_blocks(Data& d) {
    Duplicate(d.w, 4u, 64);
    Gatherb(d.z.ReinterpretCast<uint32_t>(), d.f.ReinterpretCast<uint32_t>(), d.w, 1, {1, 8});  // <- here
}

__aicore__ inline void blocks_from_behind_the_tensor(Data& d) {
    Duplicate(d.w, 4096u, 64);
    Gatherb(d.z.ReinterpretCast<uint32_t>(), d.f.ReinterpretCast<uint32_t>(), d.w, 1, {1, 8});  // <- here
}

__aicore__ inline void eighth_of_seven_patterns(Data& d) {
    GatherMask(d.z, d.f, static_cast<uint8_t>(8), false, 0, {1, 1, 8, 0}, d.kept);  // <- here
}

__aicore__ inline void gather_none_by_counter(Data& d) {
    GatherMask(d.z, d.f, static_cast<uint8_t>(1), true, 0, {1, 1, 8, 0}, d.kept);  // <- here
}

__aicore__ inline void pattern_that_nobody_wrote(Data& d) {
    GatherMask(d.z, d.f, d.fresh.ReinterpretCast<uint32_t>(), false, 0, {1, 1, 8, 0}, d.kept);  // <- here
}

__aicore__ inline void gather_by_mask_over_the_source(Data& d) {
    GatherMask(d.f[8], d.f, static_cast<uint8_t>(7), false, 0, {1, 1, 8, 0}, d.kept);  // <- here
}

__aicore__ inline void progression_of_nothing(Data& d) {
    ArithProgression(d.z, 0.0f, 1.0f, 0);  // <- here
}

__aicore__ inline void progression_that_falls(Data& d) {
    ArithProgression(d.z, 0.0f, -1.0f, 8);  // <- here
}

__aicore__ inline void sort_of_256_groups(Data& d) {
    Sort32(d.z, d.f, d.w, 256);  // <- here
}

__aicore__ inline void sort_of_scores_that_nobody_wrote(Data& d) {
    Sort32(d.z, d.fresh, d.w, 1);  // <- here
}

__aicore__ inline void sort_in_place(Data& d) {
    Sort32(d.f, d.f, d.w, 1);  // <- here
}

__aicore__ inline void merge_of_scores_that_nobody_wrote(Data& d) {
    MrgSort(d.z, {d.fresh, d.f, d.f, d.f}, MrgSort4Info(d.lengths, false, 3, 1));  // <- here
}

__aicore__ inline void merge_of_4096(Data& d) {
    d.lengths[0] = 4096;
    MrgSort(d.z, {d.f, d.f, d.f, d.f}, MrgSort4Info(d.lengths, false, 3, 1));  // <- here
}

__aicore__ inline void merge_of_the_first_and_third(Data& d) {
    MrgSort(d.z, {d.f, d.f, d.f, d.f}, MrgSort4Info(d.lengths, false, 5, 1));  // <- here
}

__aicore__ inline void merge_in_place(Data& d) {
    MrgSort(d.f, {d.f, d.f, d.f, d.f}, MrgSort4Info(d.lengths, false, 3, 1));  // <- here
}

__aicore__ inline void merge_from_inside_of_a_pair(Data& d) {
    MrgSort(d.z, {d.f[1], d.f, d.f, d.f}, MrgSort4Info(d.lengths, false, 3, 1));  // <- here
}

__aicore__ inline void merge_lists_that_lie_anywhere_twice(Data& d) {
    MrgSort(d.z, {d.f, d.f, d.f, d.f}, MrgSort4Info(d.lengths, false, 15, 2));  // <- here
}

__aicore__ inline void result_of_no_merge(Data& d) {
    MrgSort(d.z, {d.f, d.f, d.f, d.f}, MrgSort4Info(d.lengths, false, 3, 1));
    uint16_t a, b, c, e;
    GetMrgSortResult(a, b, c, e);  // <- here
}

__aicore__ inline void sort_without_room(Data& d) {
    LocalTensor<float> tmp = d.fresh[992];     // 32 floats are left
    Sort<float, true>(d.z, d.f, d.w, tmp, 4);  // <- here
}

__aicore__ inline void channels_of_a_part_of_a_block(Data& d) {
    const TransposeParamsExt params(1, 3, 1, 5, TransposeType::TRANSPOSE_NCHW2NHWC);
    Transpose(d.z, d.f, d.w.ReinterpretCast<uint8_t>(), params);  // <- here
}

__aicore__ inline void channels_in_place(Data& d) {
    const TransposeParamsExt params(1, 3, 1, 8, TransposeType::TRANSPOSE_NCHW2NHWC);
    Transpose(d.f, d.f, d.fresh.ReinterpretCast<uint8_t>(), params);  // <- here
}

__aicore__ inline void matrix_of_floats_as_of_16_bits(Data& d) {
    Transpose(d.z, d.f, d.w.ReinterpretCast<uint8_t>(), TransposeParamsExt());  // <- here
}

__aicore__ inline void blocks_of_bfloat16_by_addresses(Data&) {
    uint64_t lists[16] = {};
    TransDataTo5HD<bfloat16_t>(lists, lists, TransDataTo5HDParams());  // <- here
}

__aicore__ inline void fractals_by_transpose(Data& d) {
    const TransposeParamsExt params(1, 3, 1, 8, TransposeType::TRANSPOSE_NZ2ND_0213);
    Transpose(d.z, d.f, d.w.ReinterpretCast<uint8_t>(), params);  // <- here
}

__aicore__ inline TopkTiling Tiled(int32_t elements, int32_t room) {
    TopkTiling tiling;
    tiling.allDataSize = elements;
    tiling.tmpLocalSize = room;
    return tiling;
}

__aicore__ inline void top_of_rows_of_33(Data& d) {
    TopK<float>(d.z, d.index, d.f, d.index, d.finish, 3, Tiled(33, 512), {1, 33, 33});  // <- here
}

__aicore__ inline void top_3_of_2(Data& d) {
    TopK<float>(d.z, d.index, d.f, d.index, d.finish, 3, Tiled(32, 512), {1, 32, 2});  // <- here
}

__aicore__ inline void top_without_a_tiling(Data& d) {
    TopK<float>(d.z, d.index, d.f, d.index, d.finish, 3, Tiled(0, 0), {2, 32, 32});  // <- here
}

__aicore__ inline void top_without_room(Data& d) {
    TopK<float>(d.z, d.index, d.f, d.index, d.finish, 3, Tiled(32, 50000), {1, 32, 32});  // <- here
}

__aicore__ inline void top_of_values_that_nobody_wrote(Data& d) {
    TopK<float>(d.z, d.index, d.fresh, d.index, d.finish, 3, Tiled(32, 512), {1, 32, 32});  // <- here
}

__aicore__ inline void top_by_flags_that_nobody_wrote(Data& d) {
    TopK<float, false, true>(d.z, d.index, d.f, d.index, d.finish, 3, Tiled(32, 512), {1, 32, 32});  // <- here
}

__aicore__ inline void top_in_place(Data& d) {
    TopK<float>(d.f, d.index, d.f, d.index, d.finish, 3, Tiled(32, 512), {1, 32, 32});  // <- here
}

// clang-format off
#define CASES(CASE) \
    CASE(gather_by_offsets_that_nobody_wrote) \
    CASE(gather_from_inside_of_an_element) \
    CASE(gather_from_behind_the_tensor) \
    CASE(gather_into_the_source) \
    CASE(gather_by_65_of_64_lanes) \
    CASE(gather_more_than_there_is) \
    CASE(blocks_from_between_blocks) \
    CASE(blocks_from_behind_the_tensor) \
    CASE(eighth_of_seven_patterns) \
    CASE(gather_none_by_counter) \
    CASE(pattern_that_nobody_wrote) \
    CASE(gather_by_mask_over_the_source) \
    CASE(progression_of_nothing) \
    CASE(progression_that_falls) \
    CASE(sort_of_256_groups) \
    CASE(sort_of_scores_that_nobody_wrote) \
    CASE(sort_in_place) \
    CASE(merge_of_scores_that_nobody_wrote) \
    CASE(merge_of_4096) \
    CASE(merge_of_the_first_and_third) \
    CASE(merge_in_place) \
    CASE(merge_from_inside_of_a_pair) \
    CASE(merge_lists_that_lie_anywhere_twice) \
    CASE(result_of_no_merge) \
    CASE(sort_without_room) \
    CASE(channels_of_a_part_of_a_block) \
    CASE(channels_in_place) \
    CASE(matrix_of_floats_as_of_16_bits) \
    CASE(blocks_of_bfloat16_by_addresses) \
    CASE(fractals_by_transpose) \
    CASE(top_of_rows_of_33) \
    CASE(top_3_of_2) \
    CASE(top_without_a_tiling) \
    CASE(top_without_room) \
    CASE(top_of_values_that_nobody_wrote) \
    CASE(top_by_flags_that_nobody_wrote) \
    CASE(top_in_place)
// clang-format on

extern "C" __global__ __aicore__ void index_cases(GM_ADDR x, GM_ADDR z, GM_ADDR workspace, GM_ADDR tiling) {
    REGISTER_TILING_DEFAULT(IndexCasesTiling);
    GET_TILING_DATA(data, tiling);
    TPipe pipe;
    TBuf<TPosition::VECCALC> ones, zeros, result, fresh;
    pipe.InitBuffer(ones, 4096);
    pipe.InitBuffer(zeros, 4096);
    pipe.InitBuffer(result, 8192);
    pipe.InitBuffer(fresh, 4096);
    Data d{ones.Get<float>(),           zeros.Get<uint32_t>(), result.Get<float>(), fresh.Get<float>(),
           result.Get<int32_t>()[1024], fresh.Get<bool>(),     data.count,          {8, 8, 8, 8}};
    Duplicate(d.f, 1.0f, 1024);
    Duplicate(d.w, 0u, 1024);
#define CASE(name)              \
    if (TILING_KEY_IS(key++)) { \
        name(d);                \
    }
    int key = 0;
    CASES(CASE)
}
