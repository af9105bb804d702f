// Intrinsics of the device compiler that kernels call by name, in terms of the functions they are below of. A pointer
// to __ubuf__ is a tensor's address in the unified buffer, as LocalTensor::GetPhyAddr gives it.
// Documentation: SIMD-API/C-API, SIMD-API/基础API
#ifndef ASCENDC_KERNEL_OPERATOR_CCE_INTRINSICS_H
#define ASCENDC_KERNEL_OPERATOR_CCE_INTRINSICS_H

#ifndef ASCENDC_SIM_PUBLIC_HEADER
#define ASCENDC_SIM_PUBLIC_HEADER
#endif
#include "kernel_tensor.h"
#include "kernel_operator_block_sync_intf.h"
#include "kernel_operator_cache_intf.h"
#include "kernel_operator_data_copy_intf.h"
#include "kernel_operator_scalar_intf.h"
#include "kernel_operator_sys_var_intf.h"
#include "kernel_operator_vec_duplicate_intf.h"
#include "kernel_operator_vec_mask_intf.h"
#include "kernel_operator_vec_reduce_intf.h"
#include "kernel_operator_vec_transpose_intf.h"

enum cache_line_t { SINGLE_CACHE_LINE = 0, ENTIRE_DATA_CACHE };
enum dcci_dst_t { CACHELINE_ALL = 0, CACHELINE_UB, CACHELINE_OUT, CACHELINE_ATOMIC };
enum mem_dsb_t { DSB_ALL = 0, DSB_DDR, DSB_UB, DSB_SEQ };

namespace sim {

// A place in the unified buffer without an end of its own: bounds are those of the memory.
inline Ub PlaceOf(const void* pointer, Site site) {
    const uint64_t addr = reinterpret_cast<uint64_t>(pointer);
    Ub place = UbAt(Memory::kUb, addr, 0, site);
    place.end = UbBytes();
    return place;
}

// Lengths and gaps of copy_gm_to_ubuf and copy_ubuf_to_gm in 32-byte blocks.
inline Bursts PlainBursts(const char* api, uint32_t count, uint32_t blocks, uint32_t srcGap, uint32_t dstGap) {
    return {api,
            "数据搬运/DataCopy（GM与UB高维切分数据搬运）",
            count,
            uint64_t{blocks} * kBlockBytes,
            uint64_t{srcGap} * kBlockBytes,
            uint64_t{dstGap} * kBlockBytes,
            1,
            false,
            false,
            0,
            0,
            0};
}

}  // namespace sim

// Documentation: 基础API/标量计算
inline int64_t clz(uint64_t in) { return AscendC::CountLeadingZero(in); }
inline int64_t bcnt0(uint64_t in) { return AscendC::GetBitCount<0>(in); }
inline int64_t bcnt1(uint64_t in) { return AscendC::GetBitCount<1>(in); }
inline int64_t sff0(uint64_t in) { return AscendC::GetSFFValue<0>(in); }
inline int64_t sff1(uint64_t in) { return AscendC::GetSFFValue<1>(in); }
inline int64_t sflbits(int64_t in) { return AscendC::CountBitsCntSameAsSignBit(in); }

// Of tiling data, to or on the stack of the scalar unit. Source: asc-devkit 82b89a1, tools/build/
// asc_op_compile_base/asc_op_compiler/generate_tiling_code.py
inline void copy_data_align64(void* dst, const void* src, uint64_t bytes) { __builtin_memcpy(dst, src, bytes); }

// Documentation: 基础API/同步控制/核内同步
inline void pipe_barrier(pipe_t pipe, sim::Site site = sim::Site::Here()) {
    sim::Barrier(sim::PipeOf(pipe), pipe == PIPE_ALL, site);
}
inline void set_flag(pipe_t src, pipe_t dst, uint64_t id, sim::Site site = sim::Site::Here()) {
    sim::SetFlag(sim::PipeOf(src), sim::PipeOf(dst), static_cast<int32_t>(id), site);
}
inline void set_flag(pipe_t src, pipe_t dst, event_t id, sim::Site site = sim::Site::Here()) {
    sim::SetFlag(sim::PipeOf(src), sim::PipeOf(dst), id, site);
}
inline void wait_flag(pipe_t src, pipe_t dst, uint64_t id, sim::Site site = sim::Site::Here()) {
    sim::WaitFlag(sim::PipeOf(src), sim::PipeOf(dst), static_cast<int32_t>(id), site);
}
inline void wait_flag(pipe_t src, pipe_t dst, event_t id, sim::Site site = sim::Site::Here()) {
    sim::WaitFlag(sim::PipeOf(src), sim::PipeOf(dst), id, site);
}
inline void dsb(mem_dsb_t, sim::Site site = sim::Site::Here()) { sim::Barrier(sim::Pipe::kCount, true, site); }

// `config`: the mode in bits 4 and 5, the flag in bits 8 to 11. Documentation: 核间同步/CrossCoreSetFlag(ISASI)
inline void ffts_cross_core_sync(pipe_t pipe, uint64_t config, sim::Site site = sim::Site::Here()) {
    sim::CrossCoreSet(config >> 4 & 3, sim::PipeOf(pipe == PIPE_S ? PIPE_MTE3 : pipe), config >> 8 & 15, site);
}
inline void wait_flag_dev(int64_t flag, sim::Site site = sim::Site::Here()) {
    sim::CrossCoreWait(static_cast<uint16_t>(flag), site);
}
inline void wait_flag_dev(pipe_t, uint16_t flag, sim::Site site = sim::Site::Here()) { sim::CrossCoreWait(flag, site); }
inline void set_ffts_base_addr(uint64_t config) { (void)config; }

// Documentation: 基础API/缓存控制/DataCacheCleanAndInvalid
inline void dcci(__gm__ void* addr, uint64_t line, uint64_t dst) {
    if (dst != CACHELINE_UB) {
        sim::CleanCache(reinterpret_cast<uint64_t>(addr), line == ENTIRE_DATA_CACHE);
    }
}
inline void dcci(__gm__ void* addr, uint64_t line) { dcci(addr, line, CACHELINE_OUT); }

// Documentation: 基础API/Memory矢量计算/掩码操作
inline void set_mask_norm() { AscendC::SetMaskNorm(); }
inline void set_mask_count() { AscendC::SetMaskCount(); }
inline void set_vector_mask(uint64_t high, uint64_t low) { AscendC::SetVectorMask<half>(high, low); }

[[noreturn]] inline void trap(sim::Site site = sim::Site::Here()) { sim::TrapHere(site); }
inline int64_t get_sys_cnt() { return sim::SystemCycle(); }
// The first address of the unified buffer, plus an offset.
inline uint64_t get_imm(uint64_t offset) { return offset; }

// What WholeReduceSum is made of: the mask is the one that was set before.
// Documentation: 基础API/Memory矢量计算/归约计算/ReduceRepeat
#define ASCENDC_SIM_VCADD(type)                                                                                  \
    inline void vcadd(__ubuf__ type* dst, __ubuf__ type* src, uint8_t repeat, uint16_t dstRepeatStride,          \
                      uint16_t srcBlockStride, uint16_t srcRepeatStride, sim::Site site = sim::Site::Here()) {   \
        using AscendC::LocalTensor;                                                                              \
        using AscendC::TPosition;                                                                                \
        AscendC::WholeReduceSum<type, false>(LocalTensor<type>(sim::PlaceOf(dst, site), TPosition::VECCALC),     \
                                             LocalTensor<type>(sim::PlaceOf(src, site), TPosition::VECCALC),     \
                                             AscendC::MASK_PLACEHOLDER, repeat, dstRepeatStride, srcBlockStride, \
                                             srcRepeatStride, site);                                             \
    }                                                                                                            \
    inline void vcadd(__ubuf__ type* dst, __ubuf__ type* src, uint8_t repeat, uint16_t dstRepeatStride,          \
                      uint16_t srcBlockStride, uint16_t srcRepeatStride, bool mode,                              \
                      sim::Site site = sim::Site::Here()) {                                                      \
        if (mode) { /* one sum of all repeats is not simulated */                                                \
            sim::TrapHere(site);                                                                                 \
        }                                                                                                        \
        vcadd(dst, src, repeat, dstRepeatStride, srcBlockStride, srcRepeatStride, site);                         \
    }
ASCENDC_SIM_VCADD(half)
ASCENDC_SIM_VCADD(float)
#undef ASCENDC_SIM_VCADD

// Documentation: 基础API/Memory矢量计算/数据搬运
inline void copy_gm_to_ubuf(void* dst, void* src, uint8_t sid, uint16_t nBurst, uint16_t lenBurst, uint16_t srcStride,
                            uint16_t dstStride, sim::Site site = sim::Site::Here()) {
    (void)sid;
    sim::CopyGmToUb(sim::PlainBursts("copy_gm_to_ubuf", nBurst, lenBurst, srcStride, dstStride),
                    sim::PlaceOf(dst, site), reinterpret_cast<uint64_t>(src), site);
}
inline void copy_ubuf_to_gm(void* dst, void* src, uint8_t sid, uint16_t nBurst, uint16_t lenBurst, uint16_t srcStride,
                            uint16_t dstStride, sim::Site site = sim::Site::Here()) {
    (void)sid;
    sim::CopyUbToGm(sim::PlainBursts("copy_ubuf_to_gm", nBurst, lenBurst, srcStride, dstStride),
                    reinterpret_cast<uint64_t>(dst), sim::PlaceOf(src, site), site);
}
inline void copy_ubuf_to_ubuf(void* dst, void* src, uint8_t sid, uint16_t nBurst, uint16_t lenBurst, uint16_t srcStride,
                              uint16_t dstStride, sim::Site site = sim::Site::Here()) {
    (void)sid;
    sim::CopyUbToUb(sim::PlainBursts("copy_ubuf_to_ubuf", nBurst, lenBurst, srcStride, dstStride),
                    sim::PlaceOf(dst, site), sim::PlaceOf(src, site), site);
}

// Lengths, and gaps in global memory, in bytes; gaps in the unified buffer in 32-byte blocks.
#define ASCENDC_SIM_ALIGNED_COPY(suffix, bytes)                                                                       \
    inline void copy_gm_to_ubuf_align_##suffix(void* dst, void* src, uint8_t sid, uint16_t nBurst, uint32_t lenBurst, \
                                               uint8_t leftPaddingNum, uint8_t rightPaddingNum, uint32_t srcGap,      \
                                               uint32_t dstGap, sim::Site site = sim::Site::Here()) {                 \
        (void)sid;                                                                                                    \
        sim::CopyGmToUb(sim::PaddedIn("copy_gm_to_ubuf_align_" #suffix, {nBurst, lenBurst, srcGap, dstGap, 0}, bytes, \
                                      {false, leftPaddingNum, rightPaddingNum, 0}),                                   \
                        sim::PlaceOf(dst, site), reinterpret_cast<uint64_t>(src), site);                              \
    }                                                                                                                 \
    inline void copy_ubuf_to_gm_align_##suffix(void* dst, void* src, uint8_t sid, uint16_t nBurst, uint32_t lenBurst, \
                                               uint8_t leftPaddingNum, uint8_t rightPaddingNum, uint32_t srcGap,      \
                                               uint32_t dstGap, sim::Site site = sim::Site::Here()) {                 \
        (void)sid;                                                                                                    \
        (void)leftPaddingNum;                                                                                         \
        (void)rightPaddingNum;                                                                                        \
        sim::CopyUbToGm(                                                                                              \
            sim::PaddedOut("copy_ubuf_to_gm_align_" #suffix, {nBurst, lenBurst, srcGap, dstGap, 0}, bytes),           \
            reinterpret_cast<uint64_t>(dst), sim::PlaceOf(src, site), site);                                          \
    }
ASCENDC_SIM_ALIGNED_COPY(b8, 1)
ASCENDC_SIM_ALIGNED_COPY(b16, 2)
ASCENDC_SIM_ALIGNED_COPY(b32, 4)
#undef ASCENDC_SIM_ALIGNED_COPY

// What CANN's DataCopyPad is made of; kernels that move 64 bits as two of 32 call it with the tensors' addresses.
// Documentation: 数据搬运/DataCopyPad（GMToUB非对齐数据搬运）, 数据搬运/DataCopyPad（UBToGM非对齐数据搬运）
namespace AscendC {

template <typename T>
void DuplicateImpl(T* dst, const T& scalar, const int32_t& count, sim::Site site = sim::Site::Here()) {
    Duplicate(LocalTensor<T>(sim::PlaceOf(dst, site), TPosition::VECCALC), scalar, count, site);
}
template <typename T>
void DataCopyGM2UBImpl(T* dst, T* src, const DataCopyParams& params, sim::Site site = sim::Site::Here()) {
    sim::CopyGmToUb(
        sim::PlainBursts("DataCopyGM2UBImpl", params.blockCount, params.blockLen, params.srcStride, params.dstStride),
        sim::PlaceOf(dst, site), reinterpret_cast<uint64_t>(src), site);
}
template <typename T>
void DataCopyUB2GMImpl(T* dst, T* src, const DataCopyParams& params, sim::Site site = sim::Site::Here()) {
    sim::CopyUbToGm(
        sim::PlainBursts("DataCopyUB2GMImpl", params.blockCount, params.blockLen, params.srcStride, params.dstStride),
        reinterpret_cast<uint64_t>(dst), sim::PlaceOf(src, site), site);
}
template <typename T>
void DataCopyPadGm2UBImpl(T* dst, T* src, const DataCopyExtParams& params, const DataCopyPadExtParams<T>& padParams,
                          sim::Site site = sim::Site::Here()) {
    sim::CopyGmToUb(sim::PaddedIn("DataCopyPadGm2UBImpl", params, sizeof(T), sim::PaddingOf(padParams)),
                    sim::PlaceOf(dst, site), reinterpret_cast<uint64_t>(src), site);
}

template <typename T>
void DataCopyPadUB2GMImpl(T* dst, T* src, const DataCopyExtParams& params, sim::Site site = sim::Site::Here()) {
    sim::CopyUbToGm(sim::PaddedOut("DataCopyPadUB2GMImpl", params, sizeof(T)), reinterpret_cast<uint64_t>(dst),
                    sim::PlaceOf(src, site), site);
}

// TransDataTo5HD, by pointers and by addresses. Documentation: 数据排布转换/TransDataTo5HD
template <typename T>
void TransDataTo5HDImpl(T* dstList[NCHW_CONV_ADDR_LIST_SIZE], T* srcList[NCHW_CONV_ADDR_LIST_SIZE],
                        const TransDataTo5HDParams& params, sim::Site site = sim::Site::Here()) {
    sim::To5HdArgs args{};
    for (int i = 0; i < NCHW_CONV_ADDR_LIST_SIZE; ++i) {
        args.dst[i] = sim::PlaceOf(dstList[i], site);
        args.src[i] = sim::PlaceOf(srcList[i], site);
    }
    sim::To5Hd<T>(args, params, site);
}

template <typename T>
void TransDataTo5HDImpl(uint64_t dstList[NCHW_CONV_ADDR_LIST_SIZE], uint64_t srcList[NCHW_CONV_ADDR_LIST_SIZE],
                        const TransDataTo5HDParams& params, sim::Site site = sim::Site::Here()) {
    TransDataTo5HD<T>(dstList, srcList, params, site);
}

}  // namespace AscendC

#endif
