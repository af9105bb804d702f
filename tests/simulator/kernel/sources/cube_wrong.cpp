// Kernels by cube intrinsics that break a rule, and some that look as if they did: the tiling key chooses. The line
// that a message names has a comment "// <- here", an earlier one that it speaks of "// <- there".
#include "kernel_operator.h"

using namespace AscendC;

struct Data {
    GlobalTensor<half> a, b;
    GlobalTensor<float> z, work;
    LocalTensor<half> a1, b1, a2, b2;
    LocalTensor<float> c;
    LocalTensor<uint64_t> scales;
};

template <HardEvent event>
__aicore__ inline void Pass() {
    SetFlag<event>(EVENT_ID0);
    WaitFlag<event>(EVENT_ID0);
}

__aicore__ inline LoadData2DParams Fractals(uint8_t count) { return LoadData2DParams(0, count, 1, 0, 0, false, 0); }
__aicore__ inline MmadParams Square() { return MmadParams(16, 16, 16, 0, false, true); }
__aicore__ inline FixpipeParamsV220 Rows() { return FixpipeParamsV220(16, 16, 16, 16, false); }

// One fractal of each operand in L0A and L0B.
__aicore__ inline void Bring(Data& d) {
    DataCopy(d.a1, d.a, 256);
    DataCopy(d.b1, d.b, 256);
    Pass<HardEvent::MTE2_MTE1>();
    LoadData(d.a2, d.a1, Fractals(1));
    LoadData(d.b2, d.b1, Fractals(1));
    Pass<HardEvent::MTE1_M>();
}

__aicore__ inline void Multiply(Data& d) {
    Bring(d);
    Mmad(d.c, d.a2, d.b2, Square());
    Pass<HardEvent::M_FIX>();
}

// ---- order
// -----------------------------------------------------------------------------------------------------------

__aicore__ inline void no_event_into_l0(Data& d) {
    DataCopy(d.a1, d.a, 256);           // <- there
    LoadData(d.a2, d.a1, Fractals(1));  // <- here
}

__aicore__ inline void no_event_into_mmad(Data& d) {
    DataCopy(d.a1, d.a, 256);
    Pass<HardEvent::MTE2_MTE1>();
    LoadData(d.a2, d.a1, Fractals(1));  // <- there
    LoadData(d.b2, d.a1, Fractals(1));
    Mmad(d.c, d.a2, d.b2, Square());  // <- here
}

__aicore__ inline void no_event_into_fixpipe(Data& d) {
    Bring(d);
    Mmad(d.c, d.a2, d.b2, Square());  // <- there
    Fixpipe(d.z, d.c, Rows());        // <- here
}

__aicore__ inline void overwritten_in_l0(Data& d) {
    Bring(d);
    Mmad(d.c, d.a2, d.b2, Square());    // <- there
    LoadData(d.a2, d.a1, Fractals(1));  // <- here
}

__aicore__ inline void overwritten_in_l1(Data& d) {
    DataCopy(d.a1, d.a, 256);
    Pass<HardEvent::MTE2_MTE1>();
    LoadData(d.a2, d.a1, Fractals(1));  // <- there
    DataCopy(d.a1, d.a, 256);           // <- here
}

__aicore__ inline void overwritten_in_l0c(Data& d) {
    Multiply(d);
    Fixpipe(d.z, d.c, Rows());        // <- there
    Mmad(d.c, d.a2, d.b2, Square());  // <- here
}

__aicore__ inline void no_barrier_between_small_sums(Data& d) {
    Bring(d);
    Mmad(d.c, d.a2, d.b2, Square());                                 // <- there
    Mmad(d.c, d.a2, d.b2, MmadParams(16, 16, 16, 0, false, false));  // <- here
}

__aicore__ inline void no_barrier_between_copies(Data& d) {
    DataCopy(d.a1, d.a, 256);      // <- there
    DataCopy(d.a1[16], d.a, 256);  // <- here
}

__aicore__ inline void read_before_written_out(Data& d) {
    Multiply(d);
    Fixpipe(d.work, d.c, Rows());                          // <- there
    DataCopy(d.a1.ReinterpretCast<float>(), d.work, 256);  // <- here
}

__aicore__ inline void unordered_with_the_vector_core(Data& d) {
    if ASCEND_IS_AIC {
        Multiply(d);
        Fixpipe(d.work, d.c, Rows());  // <- there
        CrossCoreSetFlag<2, PIPE_MTE2>(3);
    } else {
        CrossCoreWaitFlag(3);
        if (GetSubBlockIdx() == 0) {
            LocalTensor<float> ub(TPosition::VECCALC, 0, 256);
            DataCopy(ub, d.work, 256);  // <- here
        }
    }
}

// ---- undefined
// -------------------------------------------------------------------------------------------------------

__aicore__ inline void mmad_of_nothing(Data& d) {
    Mmad(d.c, d.a2, d.b2, Square());
    Pass<HardEvent::M_FIX>();
    Fixpipe(d.z, d.c, Rows());  // <- here
}

__aicore__ inline void fixpipe_of_nothing(Data& d) {
    Fixpipe(d.z, d.c, Rows());  // <- here
}

__aicore__ inline void more_columns_than_computed(Data& d) {
    Bring(d);
    Mmad(d.c, d.a2, d.b2, MmadParams(16, 13, 16, 0, false, true));
    Pass<HardEvent::M_FIX>();
    Fixpipe(d.z, d.c, Rows());  // <- here
}

__aicore__ inline GlobalTensor<int8_t> Bytes(const GlobalTensor<float>& tensor) {
    GlobalTensor<int8_t> bytes;
    bytes.SetGlobalBuffer((__gm__ int8_t*)tensor.GetPhyAddr(0));
    return bytes;
}

__aicore__ inline void fixpipe_of_undefined_scales(Data& d) {
    Multiply(d);
    FixpipeParamsV220 f = Rows();
    f.quantPre = VQF322B8_PRE;
    Fixpipe(Bytes(d.z), d.c, d.scales, f);  // <- here
}

__aicore__ inline void l1_out_of_nothing(Data& d) {
    DataCopy(d.b, d.a1, 256);  // <- here
}

// ---- places
// ----------------------------------------------------------------------------------------------------------

__aicore__ inline void mmad_on_aiv(Data& d) {
    if ASCEND_IS_AIV {
        Mmad(d.c, d.a2, d.b2, Square());  // <- here
    }
}

__aicore__ inline void into_l1_on_aiv(Data& d) {
    if ASCEND_IS_AIV {
        DataCopy(d.a1, d.a, 256);  // <- here
    }
}

__aicore__ inline void mmad_of_l1(Data& d) {
    Mmad(d.c, d.a1, d.b2, Square());  // <- here
}

__aicore__ inline void load_into_l0c(Data& d) {
    LoadData(d.c, d.a1.ReinterpretCast<float>(), Fractals(1));  // <- here
}

__aicore__ inline void unaligned_fractal(Data& d) {
    LoadData(d.a2[16], d.a1, Fractals(1));  // <- here
}

__aicore__ inline void behind_the_tensor(Data& d) {
    LoadData(d.a2, d.a1, Fractals(3));  // <- here
}

__aicore__ inline void behind_l0a(Data&) {
    LocalTensor<half> a2(TPosition::A2, 65536 - 512, 512);  // <- here
}

__aicore__ inline void l1_overflow(Data&) {
    TPipe pipe;
    TQue<TPosition::A1, 1> first, second;
    pipe.InitBuffer(first, 2, 200 * 1024);
    pipe.InitBuffer(second, 1, 200 * 1024);  // <- here
}

__aicore__ inline void l0c_overflow(Data&) {
    TPipe pipe;
    TQue<TPosition::CO1, 1> sums;
    pipe.InitBuffer(sums, 2, 96 * 1024);  // <- here
}

__aicore__ inline void bias_in_l0a(Data& d) {
    Bring(d);
    Mmad(d.c, d.a2, d.b2, d.a2.ReinterpretCast<float>(), Square());  // <- here
}

// ---- parameters
// ------------------------------------------------------------------------------------------------------

__aicore__ inline void no_whole_blocks(Data& d) {
    DataCopy(d.a1, d.a, 260);  // <- here
    DataCopy(d.b1, d.b, 256);
    Pass<HardEvent::MTE2_MTE1>();
    LoadData(d.a2, d.a1, Fractals(1));
    LoadData(d.b2, d.b1, Fractals(1));
    Pass<HardEvent::MTE1_M>();
    Mmad(d.c, d.a2, d.b2, Square());
    Pass<HardEvent::M_FIX>();
    Fixpipe(d.z, d.c, Rows());
}

__aicore__ inline void too_many_blocks(Data& d) {
    DataCopy(d.a1, d.a, DataCopyParams(4096, 1, 0, 0));  // <- here
}

__aicore__ inline void rows_of_nothing(Data& d) {
    DataCopy(d.a1, d.a, Nd2NzParams(1, 16, 16, 0, 0, 16, 1, 0));  // <- here
}

__aicore__ inline void transposed_bytes(Data& d) {
    LoadData(d.a2.ReinterpretCast<int8_t>(), d.a1.ReinterpretCast<int8_t>(),  // <- here
             LoadData2DParams(0, 1, 1, 0, 0, true, 0));
}

__aicore__ inline void transposed_from_gm(Data& d) {
    LoadData(d.a2, d.a, LoadData2DParams(0, 1, 1, 0, 0, true, 0));  // <- here
}

__aicore__ inline void backwards_out_of_the_tensor(Data& d) {
    LoadData(d.a2, d.a1, LoadData2DParams(1, 3, 1, 0, 0, false, 1));  // <- here
}

__aicore__ inline void nibbles_into_l0a(Data& d) {
    LoadDataWithTranspose(d.a2.ReinterpretCast<int4b_t>(), d.a1.ReinterpretCast<int4b_t>(),  // <- here
                          LoadData2dTransposeParams(0, 1, 1, 0, 0));
}

__aicore__ inline LoadData3DParamsV2<half> Image() {
    LoadData3DParamsV2<half> p;
    p.l1H = 1;
    p.l1W = 16;
    p.channelSize = 16;
    p.kExtension = 16;
    p.mExtension = 16;
    return p;
}

__aicore__ inline void image_of_few_channels(Data& d) {
    LoadData3DParamsV2<half> p = Image();
    p.channelSize = 4;
    LoadData(d.a2, d.a1, p);  // <- here
}

__aicore__ inline void image_of_bytes_into_l0b(Data& d) {
    LoadData3DParamsV2<int8_t> p;
    p.l1H = p.l1W = 1;
    p.channelSize = p.kExtension = p.mExtension = 32;
    LoadData(d.b2.ReinterpretCast<int8_t>(), d.b1.ReinterpretCast<int8_t>(), p);  // <- here
}

__aicore__ inline void image_from_the_middle_of_a_block(Data& d) {
    LoadData3DParamsV2<half> p = Image();
    p.kStartPt = 8;
    LoadData(d.a2, d.a1, p);  // <- here
}

__aicore__ inline void kernel_wider_than_the_image(Data& d) {
    LoadData3DParamsV2<half> p = Image();
    p.filterW = 17;
    LoadData(d.a2, d.a1, p);  // <- here
}

constexpr IsResetLoad3dConfig kFromRegisters = {false, false};

__aicore__ inline void image_of_no_shape(Data& d) {
    LoadData<half, kFromRegisters>(d.a2, d.a1, Image());  // <- here
}

__aicore__ inline void repeated_image(Data& d) {
    SetLoadDataRepeat({1, 2, 0});
    LoadData(d.a2, d.a1, Image());  // <- here
}

__aicore__ inline void narrow_boundary(Data&) {
    SetLoadDataBoundary(512);  // <- here
}

__aicore__ inline void long_product(Data& d) {
    Mmad(d.c, d.a2, d.b2, MmadParams(16, 16, 4096, 0, false, true));  // <- here
}

__aicore__ inline void unit_flag_of_mmad(Data& d) {
    Mmad(d.c, d.a2, d.b2, MmadParams(16, 16, 16, 1, false, true));  // <- here
}

__aicore__ inline void nobody_takes_it(Data& d) {
    Bring(d);
    Mmad(d.c, d.a2, d.b2, MmadParams(16, 16, 16, 3, false, true));
    PipeBarrier<PIPE_M>();
    Mmad(d.c, d.a2, d.b2, MmadParams(16, 16, 16, 3, false, true));  // <- here
}

__aicore__ inline void nobody_leaves_it(Data& d) {
    Bring(d);
    Mmad(d.c, d.a2, d.b2, MmadParams(16, 16, 16, 2, false, true));
    FixpipeParamsV220 f = Rows();
    f.unitFlag = 3;
    Fixpipe(d.z, d.c, f);  // <- here
}

__aicore__ inline void unit_flag_of_fixpipe(Data& d) {
    Multiply(d);
    FixpipeParamsV220 f = Rows();
    f.unitFlag = 1;
    Fixpipe(d.z, d.c, f);  // <- here
}

__aicore__ inline void fractals_of_odd_width(Data& d) {
    Multiply(d);
    Fixpipe<float, float, CFG_NZ>(d.z, d.c, FixpipeParamsV220(13, 16, 16, 32, false));  // <- here
}

__aicore__ inline void split_rows(Data& d) {
    Multiply(d);
    FixpipeParamsV220 f = Rows();
    f.isChannelSplit = true;
    Fixpipe(d.z, d.c, f);  // <- here
}

__aicore__ inline void half_without_a_mode(Data& d) {
    Multiply(d);
    Fixpipe(d.b, d.c, Rows());  // <- here
}

__aicore__ inline void matrices_not_set(Data& d) {
    Multiply(d);
    DataCopy(d.z, d.c, DataCopyCO12DstParams(16, 16, 16, 16, NoQuant, 0, false, true));  // <- here
}

__aicore__ inline void scale_not_set(Data& d) {
    Multiply(d);
    DataCopy(Bytes(d.z), d.c,  // <- here
             DataCopyCO12DstParams(16, 16, 16, 16, QF322B8_PRE, 0, false, false));
}

__aicore__ inline void scales_not_set(Data& d) {
    Multiply(d);
    DataCopy(Bytes(d.z), d.c,  // <- here
             DataCopyCO12DstParams(16, 16, 16, 16, VQF322B8_PRE, 0, false, false));
}

// ---- right
// -----------------------------------------------------------------------------------------------------------

// The cube core multiplies, its vector cores add 1 to a half of the rows each.
__aicore__ inline void ok_mix_by_hand(Data& d) {
    if ASCEND_IS_AIC {
        Multiply(d);
        Fixpipe(d.work, d.c, Rows());
        CrossCoreSetFlag<2, PIPE_FIX>(3);
    } else {
        const uint32_t at = static_cast<uint32_t>(GetSubBlockIdx()) * 128;
        LocalTensor<float> ub(TPosition::VECCALC, 0, 128);
        CrossCoreWaitFlag(3);
        DataCopy(ub, d.work[at], 128);
        Pass<HardEvent::MTE2_V>();
        Adds(ub, ub, 1.0f, 128);
        Pass<HardEvent::V_MTE3>();
        DataCopy(d.z[at], ub, 128);
    }
}

// Nothing is said between large sums: the hardware orders them.
__aicore__ inline void ok_large_sums(Data& d) {
    if ASCEND_IS_AIC {
        Fill(d.a1, InitConstValueParams<half>(1, 32, 0, half(1.0f)));
        Pass<HardEvent::MTE2_MTE1>();
        LoadData(d.a2, d.a1, LoadData2DParams(0, 4, 0, 0, 0, false, 0));
        LoadData(d.b2, d.a1, LoadData2DParams(0, 4, 0, 0, 0, false, 0));
        Pass<HardEvent::MTE1_M>();
        Mmad(d.c, d.a2, d.b2, MmadParams(64, 64, 16, 0, false, true));
        Mmad(d.c, d.a2, d.b2, MmadParams(64, 64, 16, 0, false, false));
        Pass<HardEvent::M_FIX>();
        Fixpipe(d.z, d.c, FixpipeParamsV220(16, 16, 64, 16, false));
    }
}

// Two products in one L0C, then added to each other by Mmad with a bias of L0C.
__aicore__ inline void ok_bias_of_l0c(Data& d) {
    if ASCEND_IS_AIC {
        Bring(d);
        Mmad(d.c, d.a2, d.b2, Square());
        PipeBarrier<PIPE_M>();
        Mmad(d.c[256], d.a2, d.b2, d.c, Square());
        Pass<HardEvent::M_FIX>();
        Fixpipe(d.z, d.c[256], Rows());
    }
}

// clang-format off
#define CASES(CASE) \
    CASE(no_event_into_l0) \
    CASE(no_event_into_mmad) \
    CASE(no_event_into_fixpipe) \
    CASE(overwritten_in_l0) \
    CASE(overwritten_in_l1) \
    CASE(overwritten_in_l0c) \
    CASE(no_barrier_between_small_sums) \
    CASE(no_barrier_between_copies) \
    CASE(read_before_written_out) \
    CASE(unordered_with_the_vector_core) \
    CASE(mmad_of_nothing) \
    CASE(fixpipe_of_nothing) \
    CASE(more_columns_than_computed) \
    CASE(fixpipe_of_undefined_scales) \
    CASE(l1_out_of_nothing) \
    CASE(mmad_on_aiv) \
    CASE(into_l1_on_aiv) \
    CASE(mmad_of_l1) \
    CASE(load_into_l0c) \
    CASE(unaligned_fractal) \
    CASE(behind_the_tensor) \
    CASE(behind_l0a) \
    CASE(l1_overflow) \
    CASE(l0c_overflow) \
    CASE(bias_in_l0a) \
    CASE(no_whole_blocks) \
    CASE(too_many_blocks) \
    CASE(rows_of_nothing) \
    CASE(transposed_bytes) \
    CASE(transposed_from_gm) \
    CASE(backwards_out_of_the_tensor) \
    CASE(nibbles_into_l0a) \
    CASE(image_of_few_channels) \
    CASE(image_of_bytes_into_l0b) \
    CASE(image_from_the_middle_of_a_block) \
    CASE(kernel_wider_than_the_image) \
    CASE(image_of_no_shape) \
    CASE(repeated_image) \
    CASE(narrow_boundary) \
    CASE(long_product) \
    CASE(unit_flag_of_mmad) \
    CASE(nobody_takes_it) \
    CASE(nobody_leaves_it) \
    CASE(unit_flag_of_fixpipe) \
    CASE(fractals_of_odd_width) \
    CASE(split_rows) \
    CASE(half_without_a_mode) \
    CASE(matrices_not_set) \
    CASE(scale_not_set) \
    CASE(scales_not_set) \
    CASE(ok_mix_by_hand) \
    CASE(ok_large_sums) \
    CASE(ok_bias_of_l0c)
// clang-format on

#define NUMBER(name) k_##name,
enum Case : uint32_t { CASES(NUMBER) };

// Those in which the vector cores have a part.
__aicore__ inline bool ForBoth(uint64_t key) {
    return key == k_unordered_with_the_vector_core || key == k_mmad_on_aiv || key == k_into_l1_on_aiv ||
           key >= k_ok_mix_by_hand;
}

extern "C" __global__ __aicore__ void cube_wrong(GM_ADDR a, GM_ADDR b, GM_ADDR z, GM_ADDR workspace, GM_ADDR tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
    Data d;
    d.a.SetGlobalBuffer(reinterpret_cast<__gm__ half*>(a));
    d.b.SetGlobalBuffer(reinterpret_cast<__gm__ half*>(b));
    d.z.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(z));
    d.work.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(GetUserWorkspace(workspace)));
    d.a1 = LocalTensor<half>(TPosition::A1, 0, 512);
    d.b1 = LocalTensor<half>(TPosition::B1, 1024, 512);
    d.a2 = LocalTensor<half>(TPosition::A2, 0, 2048);
    d.b2 = LocalTensor<half>(TPosition::B2, 0, 2048);
    d.c = LocalTensor<float>(TPosition::CO1, 0, 4096);
    d.scales = LocalTensor<uint64_t>(TPosition::C1, 2048, 16);
#define RUN(name)                                                              \
    if (TILING_KEY_IS(k_##name) && (g_coreType == AIC || ForBoth(k_##name))) { \
        name(d);                                                               \
    }
    CASES(RUN)
}
