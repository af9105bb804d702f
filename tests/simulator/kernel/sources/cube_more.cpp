// What the cube unit does beside plain products: columns of an image, constants, results that stay on the chip, and
// DataCopy out of L0C. The tiling key chooses.
#include "kernel_operator.h"

using namespace AscendC;

struct ImageCase {
    uint32_t channels, height, width, kernelH, kernelW, strideH, strideW, dilationH, dilationW;
    uint32_t pad[4];
    uint32_t form;  // 0: all in LoadData; 1: SetFmatrix and SetLoadDataPaddingValue; 2: LoadData3DParamsV2Pro
    uint32_t places, filters;
    float padding;
};

constexpr IsResetLoad3dConfig kFromRegisters = {false, false};

template <HardEvent event>
__aicore__ inline void Pass() {
    SetFlag<event>(EVENT_ID0);
    WaitFlag<event>(EVENT_ID0);
}

__aicore__ inline uint32_t Align(uint32_t value, uint32_t to) { return (value + to - 1) / to * to; }

__aicore__ inline FixpipeParamsV220 Whole(uint32_t m, uint32_t n) {
    return FixpipeParamsV220(static_cast<uint16_t>(n), static_cast<uint16_t>(m), static_cast<uint16_t>(Align(m, 16)), n,
                             false);
}

// A convolution: the image [C1, H, W, C0] in half, filters [n, k].
__aicore__ inline void image(const ImageCase& c, GM_ADDR a, GM_ADDR b, GM_ADDR z) {
    GlobalTensor<half> ga, gb;
    GlobalTensor<float> gz;
    ga.SetGlobalBuffer(reinterpret_cast<__gm__ half*>(a));
    gb.SetGlobalBuffer(reinterpret_cast<__gm__ half*>(b));
    gz.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(z));
    TPipe pipe;
    TQue<TPosition::A1, 1> inA;
    TQue<TPosition::B1, 1> inB;
    TQue<TPosition::A2, 1> a2;
    TQue<TPosition::B2, 1> b2;
    TQue<TPosition::CO1, 1> co1;
    const uint32_t size = c.channels * c.height * c.width, k = c.channels * c.kernelH * c.kernelW;
    pipe.InitBuffer(inA, 1, size * 2);
    pipe.InitBuffer(inB, 1, Align(c.filters, 16) * k * 2);
    pipe.InitBuffer(a2, 1, Align(c.places, 16) * k * 2);
    pipe.InitBuffer(b2, 1, Align(c.filters, 16) * k * 2);
    pipe.InitBuffer(co1, 1, Align(c.places, 16) * Align(c.filters, 16) * 4);
    LocalTensor<half> l1 = inA.AllocTensor<half>();
    DataCopy(l1, ga, size);
    inA.EnQue(l1);
    LocalTensor<half> w1 = inB.AllocTensor<half>();
    DataCopy(w1, gb,
             Nd2NzParams(1, static_cast<uint16_t>(c.filters), static_cast<uint16_t>(k), 0, static_cast<uint16_t>(k),
                         static_cast<uint16_t>(Align(c.filters, 16)), 1, 0));
    inB.EnQue(w1);
    l1 = inA.DeQue<half>();
    LocalTensor<half> l0 = a2.AllocTensor<half>();
    const uint8_t pad[4] = {static_cast<uint8_t>(c.pad[0]), static_cast<uint8_t>(c.pad[1]),
                            static_cast<uint8_t>(c.pad[2]), static_cast<uint8_t>(c.pad[3])};
    SetLoadDataRepeat({0, 1, 0});
    SetLoadDataBoundary(0);
    if (c.form == 1) {
        SetFmatrix(static_cast<uint16_t>(c.height), static_cast<uint16_t>(c.width), pad, FmatrixMode::FMATRIX_LEFT);
    }
    if (c.form == 2) {
        Load3DSetFMatrixCal(static_cast<uint16_t>(c.height), static_cast<uint16_t>(c.width), pad);
    }
    if (c.form != 0) {
        SetLoadDataPaddingValue(half(c.padding));
    }
    if (c.form == 2) {
        LoadData3DParamsV2Pro p;
        p.channelSize = static_cast<uint16_t>(c.channels);
        p.extConfig = uint64_t{c.places} << 16 | k;
        p.filterConfig = uint64_t{c.dilationH} << 40 | uint64_t{c.dilationW} << 32 | uint64_t{c.kernelH} << 24 |
                         uint64_t{c.kernelW} << 16 | uint64_t{c.strideH} << 8 | c.strideW;
        LoadData(l0, l1, p);
    } else {
        const LoadData3DParamsV2<half> p(
            pad, static_cast<uint16_t>(c.height), static_cast<uint16_t>(c.width), static_cast<uint16_t>(c.channels),
            static_cast<uint16_t>(k), static_cast<uint16_t>(c.places), 0, 0, static_cast<uint8_t>(c.strideW),
            static_cast<uint8_t>(c.strideH), static_cast<uint8_t>(c.kernelW), static_cast<uint8_t>(c.kernelH),
            static_cast<uint8_t>(c.dilationW), static_cast<uint8_t>(c.dilationH), false, false, half(c.padding));
        if (c.form == 1) {
            LoadData<half, kFromRegisters>(l0, l1, p);
        } else {
            LoadData(l0, l1, p);
        }
    }
    a2.EnQue(l0);
    inA.FreeTensor(l1);
    w1 = inB.DeQue<half>();
    LocalTensor<half> w0 = b2.AllocTensor<half>();
    LoadData(w0, w1, LoadData2DParams(0, static_cast<uint8_t>(k / 16 * Align(c.filters, 16) / 16), 1, 0, 0, false, 0));
    b2.EnQue(w0);
    inB.FreeTensor(w1);
    l0 = a2.DeQue<half>();
    w0 = b2.DeQue<half>();
    LocalTensor<float> sums = co1.AllocTensor<float>();
    Mmad(sums, l0, w0,
         MmadParams(static_cast<uint16_t>(c.places), static_cast<uint16_t>(c.filters), static_cast<uint16_t>(k), 0,
                    false, true));
    co1.EnQue(sums);
    a2.FreeTensor(l0);
    b2.FreeTensor(w0);
    sums = co1.DeQue<float>();
    Fixpipe(gz, sums, Whole(c.places, c.filters));
    co1.FreeTensor(sums);
}

// Constants in L0A, in L0B and, through LoadData, in L1: z = 2 x 3 x 16 of [16, 16], then 2 x 5 x 16.
__aicore__ inline void filled(const ImageCase&, GM_ADDR, GM_ADDR, GM_ADDR z) {
    GlobalTensor<float> gz;
    gz.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(z));
    LocalTensor<half> l0a(TPosition::A2, 0, 1024), l0b(TPosition::B2, 0, 1024), l1(TPosition::A1, 0, 1024);
    LocalTensor<float> sums(TPosition::CO1, 0, 512);
    Fill(l0a, InitConstValueParams<half>(2, 1, 1, half(2.0f)));
    InitConstValue(l0b, InitConstValueParams<half>(1, 1, 0, half(3.0f)));
    Fill(l1, InitConstValueParams<half>(2, 8, 0, half(5.0f)));
    Pass<HardEvent::MTE2_MTE1>();
    LoadData(l0b[512], l1, LoadData2DParams(0, 1, 0, 0, 0, false, 0));
    Pass<HardEvent::MTE1_M>();
    SetHF32Mode(HF32Mode::DISABLE);
    SetHF32Mode(false);
    SetHF32TransMode(HF32TransMode::NEAREST_EVEN);
    SetHF32TransMode(false);
    SetMMRowMajor();
    SetMMColumnMajor();
    SetMMLayoutTransform(true);
    Mmad(sums, l0a, l0b, MmadParams(16, 16, 16, 0, false, true));
    Mmad(sums[256], l0a[512], l0b[512], MmadParams(16, 16, 16, 0, false, true));
    Pass<HardEvent::M_FIX>();
    Fixpipe(gz, sums, Whole(16, 16));
    Fixpipe(gz[256], sums[256], Whole(16, 16));
}

// a [16, 32], b [32, 16]: the product into L0C at 0.
__aicore__ inline LocalTensor<float> Multiplied(GM_ADDR a, GM_ADDR b, uint8_t unitFlag = 0) {
    GlobalTensor<half> ga, gb;
    ga.SetGlobalBuffer(reinterpret_cast<__gm__ half*>(a));
    gb.SetGlobalBuffer(reinterpret_cast<__gm__ half*>(b));
    // fractals in global memory: straight into L0A, and by way of L1 into L0B
    LocalTensor<half> l0a(TPosition::A2, 0, 512), l0b(TPosition::B2, 0, 512), l1(TPosition::B1, 0, 512);
    LocalTensor<float> sums(TPosition::CO1, 0, 256);
    LoadData(l0a, ga, LoadData2DParams(1, 2, 1, 0, 0, false, 1));
    LoadData(l1, gb, LoadData2DParams(0, 2, 1, 0, 0, false, 0));
    Pass<HardEvent::MTE2_MTE1>();
    LoadData(l0b, l1, LoadData2DParams(0, 2, 1, 0, 0, true, 0));
    Pass<HardEvent::MTE1_M>();
    Pass<HardEvent::MTE2_M>();
    Mmad(sums, l0a, l0b, MmadParams(16, 16, 32, unitFlag, false, true));
    return sums;
}

// DataCopy out of L0C: rows in float, fractals in half, scaled to int8_t by one scale and by one a column, into L1 and
// from there to global memory, each 1 KiB behind the other.
__aicore__ inline void copies_out(const ImageCase&, GM_ADDR a, GM_ADDR b, GM_ADDR z) {
    GlobalTensor<float> rows;
    GlobalTensor<half> halves;
    GlobalTensor<int8_t> bytes;
    GlobalTensor<uint64_t> words;
    rows.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(z));
    halves.SetGlobalBuffer(reinterpret_cast<__gm__ half*>(z + 1024));
    bytes.SetGlobalBuffer(reinterpret_cast<__gm__ int8_t*>(z + 2048));
    words.SetGlobalBuffer(reinterpret_cast<__gm__ uint64_t*>(b + 1024));
    const LocalTensor<float> sums = Multiplied(a, b);
    LocalTensor<uint64_t> scales(TPosition::C1, 4096, 16), table(TPosition::C2PIPE2GM, 0, 16);
    LocalTensor<half> inL1(TPosition::A1, 8192, 256);
    DataCopy(scales, words, 16);
    Pass<HardEvent::M_FIX>();
    SetFixpipeNz2ndFlag(1, 0, 0);
    DataCopy(rows, sums, DataCopyCO12DstParams(16, 16, 16, 16, NoQuant, 0, false, true));
    DataCopy(halves, sums, DataCopyCO12DstParams(16, 16, 16, 16, F322F16, 0, false, false));
    float one = 4.0f;
    SetFixpipePreQuantFlag(static_cast<uint64_t>(*reinterpret_cast<uint32_t*>(&one)) | 1ull << 46);
    PipeBarrier<PIPE_FIX>();
    DataCopy(bytes, sums, DataCopyCO12DstParams(16, 16, 16, 16, QF322B8_PRE, 0, false, true));
    Pass<HardEvent::MTE2_FIX>();
    DataCopy(table, scales, DataCopyParams(1, 1, 0, 0));
    SetFixPipeConfig(table, table, false);
    SetFixPipeConfig(table);
    PipeBarrier<PIPE_FIX>();
    DataCopy(bytes[1024], sums, DataCopyCO12DstParams(16, 16, 16, 16, VQF322B8_PRE, 1, false, true));
    // stays on the chip: as bfloat16_t and half into L1
    LocalTensor<bfloat16_t> short1(TPosition::A1, 16384, 256);
    GlobalTensor<bfloat16_t> shorts;
    shorts.SetGlobalBuffer(reinterpret_cast<__gm__ bfloat16_t*>(z + 5120));
    FixpipeParamsV220 f(16, 16, 16, 16, true);
    f.quantPre = F322BF16;
    Fixpipe(short1, sums, f);
    DataCopy(inL1, sums, DataCopyCO12DstParams(16, 16, 16, 16, F322F16, 0, false, false));
    Pass<HardEvent::FIX_MTE3>();
    DataCopy(halves[1536], inL1, 256);
    DataCopy(shorts, short1, DataCopyParams(2, 8, 0, 0));
    // as bfloat16_t and uint8_t into global memory; and sums of integers as they are, of ones times twos
    GlobalTensor<uint8_t> naturals;
    GlobalTensor<int32_t> integers;
    naturals.SetGlobalBuffer(reinterpret_cast<__gm__ uint8_t*>(z + 6656));
    integers.SetGlobalBuffer(reinterpret_cast<__gm__ int32_t*>(z + 7168));
    DataCopy(shorts[512], sums, DataCopyCO12DstParams(16, 16, 16, 16, F322BF16, 0, false, true));
    SetFixpipePreQuantFlag(static_cast<uint64_t>(*reinterpret_cast<uint32_t*>(&one)));
    PipeBarrier<PIPE_FIX>();
    DataCopy(naturals, sums, DataCopyCO12DstParams(16, 16, 16, 16, QF322B8_PRE, 0, false, true));
    LocalTensor<uint16_t> ones(TPosition::A2, 4096, 256), twos(TPosition::B2, 4096, 256);
    Fill(ones, InitConstValueParams<uint16_t>(1, 1, 0, 0x0101));
    Fill(twos, InitConstValueParams<uint16_t>(1, 1, 0, 0x0202));
    LocalTensor<int32_t> whole(TPosition::CO1, 4096, 256);
    Pass<HardEvent::MTE1_M>();
    Mmad(whole, ones.ReinterpretCast<int8_t>(), twos.ReinterpretCast<int8_t>(), MmadParams(16, 16, 32, 0, false, true));
    Pass<HardEvent::M_FIX>();
    DataCopy(integers, whole, DataCopyCO12DstParams(16, 16, 16, 16, NoQuant, 0, false, true));
}

// Two Fixpipes take what one Mmad has left, each its rows, and the second one hands it back; nothing but the unit flags
// orders them.
__aicore__ inline void by_unit_flags(const ImageCase&, GM_ADDR a, GM_ADDR b, GM_ADDR z) {
    GlobalTensor<float> rows;
    rows.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(z));
    FixpipeParamsV220 f = Whole(8, 16);
    f.srcStride = 16;
    for (int again = 0; again < 2; ++again) {
        const LocalTensor<float> sums = Multiplied(a, b, 3);
        f.unitFlag = 2;
        Fixpipe(rows[again * 256], sums, f);
        f.unitFlag = 3;
        Fixpipe(rows[again * 256 + 128], sums[128], f);
        Pass<HardEvent::M_MTE1>();
        Pass<HardEvent::M_MTE2>();
        Pass<HardEvent::MTE1_MTE2>();
    }
    Multiplied(a, b, 3);
    SetFixPipeConfig(LocalTensor<float>(TPosition::CO1, 0, 256), true);
    PipeBarrier<PIPE_ALL>();
    Multiplied(a, b, 2);
}

// a [16, 8] and b [16, 8] as fractals of float: a x b' in float, and as HF32 with ties to even and towards zero.
__aicore__ inline void in_hf32(const ImageCase&, GM_ADDR a, GM_ADDR b, GM_ADDR z) {
    GlobalTensor<float> ga, gb, gz;
    ga.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(a));
    gb.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(b));
    gz.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(z));
    LocalTensor<float> l0a(TPosition::A2, 0, 128), l0b(TPosition::B2, 0, 128), sums(TPosition::CO1, 0, 256);
    LoadData(l0a, ga, LoadData2DParams(0, 1, 1, 0, 0, false, 0));
    LoadData(l0b, gb, LoadData2DParams(0, 1, 1, 0, 0, false, 0));
    Pass<HardEvent::MTE2_M>();
    for (uint32_t mode = 0; mode < 3; ++mode) {
        SetHF32Mode(mode > 0 ? HF32Mode::ENABLE : HF32Mode::DISABLE);
        SetHF32TransMode(mode == 2 ? HF32TransMode::NEAREST_ZERO : HF32TransMode::NEAREST_EVEN);
        SetMMColumnMajor();
        Mmad(sums, l0a, l0b, MmadParams(16, 16, 8, 0, false, true));
        Pass<HardEvent::M_FIX>();
        Fixpipe(gz[mode * 256], sums, Whole(16, 16));
        Pass<HardEvent::FIX_M>();
    }
}

// Three rows of a [16, 8], times b [16, 8] twice side by side, handed over by unit flags: [3, 32], twice.
__aicore__ inline void few_rows(const ImageCase&, GM_ADDR a, GM_ADDR b, GM_ADDR z) {
    GlobalTensor<float> ga, gb, gz;
    ga.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(a));
    gb.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(b));
    gz.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(z));
    LocalTensor<float> l0a(TPosition::A2, 0, 128), l0b(TPosition::B2, 0, 256), sums(TPosition::CO1, 0, 512);
    LoadData(l0a, ga, LoadData2DParams(0, 1, 1, 0, 0, false, 0));
    LoadData(l0b, gb, LoadData2DParams(0, 1, 1, 0, 0, false, 0));
    LoadData(l0b[128], gb, LoadData2DParams(0, 1, 1, 0, 0, false, 0));
    Pass<HardEvent::MTE2_M>();
    FixpipeParamsV220 f = Whole(3, 32);
    f.unitFlag = 3;
    for (uint32_t again = 0; again < 2; ++again) {
        Mmad(sums, l0a, l0b, MmadParams(again == 0 ? 16 : 3, 32, 8, 3, false, true));
        Fixpipe(gz[again * 96], sums, f);
    }
}

#define CASES(CASE) CASE(image) CASE(filled) CASE(copies_out) CASE(by_unit_flags) CASE(in_hf32) CASE(few_rows)

extern "C" __global__ __aicore__ void cube_more(GM_ADDR a, GM_ADDR b, GM_ADDR z, GM_ADDR workspace, GM_ADDR tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIC_ONLY);
    REGISTER_TILING_DEFAULT(ImageCase);
    GET_TILING_DATA(c, tiling);
    if (TILING_KEY_IS(0)) {
        image(c, a, b, z);
    } else if (TILING_KEY_IS(1)) {
        filled(c, a, b, z);
    } else if (TILING_KEY_IS(2)) {
        copies_out(c, a, b, z);
    } else if (TILING_KEY_IS(3)) {
        by_unit_flags(c, a, b, z);
    } else if (TILING_KEY_IS(4)) {
        in_hf32(c, a, b, z);
    } else if (TILING_KEY_IS(5)) {
        few_rows(c, a, b, z);
    }
}
