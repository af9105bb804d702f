// Brcb: each element becomes a block. Documentation: 基础API/Memory矢量计算/数据填充/Brcb
#include <cinttypes>
#include <cstring>
#include <vector>

#include "lanewise.h"
#include "memory/ub_operand.h"

namespace sim {
namespace {

constexpr DeviceRule kBrcb = {
    {"brcb-in-place", "source and destination of Brcb do not overlap", "基础API/Memory矢量计算/数据填充/Brcb"},
    "a source of at most 256 bytes is read before the first result is written, and each repeat reads before it writes",
    "ops-nn e5c3fa93, matmul/weight_quant_batch_matmul_v2/op_kernel/weight_quant_batch_matmul_v2_msd_multicore.h:197 "
    "(up to 64 floats in place); vllm-ascend 182b75ea, csrc/attention/kv_quant_sparse_flash_attention/op_kernel/"
    "kv_quant_sparse_flash_attention_service_vector_mla.h:786 (results over what earlier repeats have read)"};
constexpr uint64_t kReadAhead = 256;

// Whether no repeat writes over what a later one reads, `step` bytes for each.
bool ReadsFirst(const Ub& dst, const Ub& src, uint32_t times, uint64_t repeat, uint64_t written, uint64_t step) {
    for (uint64_t i = 0; i + 1 < times; ++i) {
        const uint64_t begin = dst.addr + i * repeat;
        if (begin < src.addr + times * step && src.addr + (i + 1) * step < begin + written) {
            return false;
        }
    }
    return true;
}

}  // namespace

void BroadcastBlocks(const VectorCall& vectorCall, uint32_t bytes, const Ub& dst, const Ub& src, uint32_t times,
                     uint32_t dstBlock, uint32_t dstRepeat) {
    const Call call = Of(vectorCall);
    Core& core = CurrentCore();
    core.Poll();
    if (times == 0) {
        return;
    }
    const uint32_t block = dstBlock == 0 ? 1 : dstBlock;  // as the page's model has it
    const uint64_t extent =
        (static_cast<uint64_t>(times - 1) * dstRepeat + static_cast<uint64_t>(7 * block) + 1) * kBlockBytes;
    const uint64_t read = static_cast<uint64_t>(times) * 8 * bytes;
    CheckOperand(core, {"dst", dst, extent, true}, call, vectorCall.page);
    CheckOperand(core, {"src", src, read, false}, call, vectorCall.page);
    if (dst.addr < src.addr + read && src.addr < dst.addr + extent) {
        constexpr const char* kSays = "dst covers UB addresses %u to %" PRIu64 ", src %u to %" PRIu64;
        const uint64_t written = (static_cast<uint64_t>(7 * block) + 1) * kBlockBytes;
        if (read > kReadAhead && !ReadsFirst(dst, src, times, uint64_t{dstRepeat} * kBlockBytes, written, 8 * bytes)) {
            Fail(call, kBrcb.rule, kSays, dst.addr, dst.addr + extent, src.addr, src.addr + read);
        }
        LetPass(call, kBrcb, kSays, dst.addr, dst.addr + extent, src.addr, src.addr + read);
    }
    const uint32_t issued =
        core.Issue(Pipe::kVector, call, Work::Vector(static_cast<uint64_t>(times) * kRepeatBytes / bytes));
    if (issued != 0) {
        core.memory.shadow.Read(core.order.clocks, Pipe::kVector, issued, src.addr,
                                static_cast<uint32_t>(src.addr + read), call);
    }
    // copies: dst may lie over src
    const std::vector<uint8_t> values(core.UbData(src.addr), core.UbData(src.addr) + read);
    std::vector<Origin> origins(times * 8, UbShadow::kValue);
    for (uint32_t i = 0; issued != 0 && i < times * 8; ++i) {
        origins[i] = core.memory.shadow.Weakest(src.addr + i * bytes, bytes);
    }
    for (uint32_t i = 0; i < times * 8; ++i) {
        const uint32_t to = dst.addr + (i / 8 * dstRepeat + i % 8 * block) * kBlockBytes;
        for (uint32_t offset = 0; offset < kBlockBytes; offset += bytes) {
            std::memcpy(core.UbData(to + offset), values.data() + size_t{i} * bytes, bytes);
        }
        if (issued != 0) {
            core.memory.shadow.Write(core.order.clocks, Pipe::kVector, issued, to, to + kBlockBytes, call);
            core.memory.shadow.Mark(to, kBlockBytes, origins[i]);
        }
    }
}

}  // namespace sim
