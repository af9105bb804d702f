// sim_engine_run: runs every block of a launch on a pool of threads and reports the first failure.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "core.h"

namespace sim {
namespace {

constexpr int kParameterError = 107000;  // ACL_ERROR_RT_PARAM_INVALID: the launch itself is wrong

// Cores of earlier launches, kept because their buffers cost more than a small launch.
class CorePool {
public:
    std::unique_ptr<Core> Take(uint64_t ubBytes) {
        const std::lock_guard<std::mutex> lock(mutex_);
        for (auto it = idle_.begin(); it != idle_.end(); ++it) {
            if ((*it)->UbBytes() == ubBytes) {
                std::unique_ptr<Core> core = std::move(*it);
                idle_.erase(it);
                return core;
            }
        }
        return std::make_unique<Core>(ubBytes);
    }
    void Give(std::unique_ptr<Core> core) {
        const std::lock_guard<std::mutex> lock(mutex_);
        idle_.push_back(std::move(core));
    }

private:
    std::mutex mutex_;
    std::vector<std::unique_ptr<Core>> idle_;
};

CorePool& Pool() {
    static CorePool pool;
    return pool;
}

// The first failure by block number, as far as the threads got.
class Outcome {
public:
    void Record(uint32_t block, Failure failure) {
        const std::lock_guard<std::mutex> lock(mutex_);
        if (!failed_ || block < block_) {
            failed_ = true;
            block_ = block;
            failure_ = std::move(failure);
        }
    }
    bool Failed() const { return failed_; }
    const Failure& First() const { return failure_; }

private:
    std::mutex mutex_;
    bool failed_ = false;
    uint32_t block_ = 0;
    Failure failure_{};
};

void RunBlocks(Launch& launch, sim_kernel_entry_fn entry, std::atomic<uint32_t>& next, Outcome& outcome) {
    std::unique_ptr<Core> core = Pool().Take(launch.request->soc->ub_bytes);
    SetCurrentCore(core.get());
    for (;;) {
        const uint32_t block = next.fetch_add(1);
        if (block >= launch.request->block_dim || launch.stop.load()) {
            break;
        }
        core->Begin(launch, block);
        try {
            entry(launch.args.data());
            core->End();
        } catch (Failure& failure) {
            outcome.Record(block, std::move(failure));
            launch.stop.store(true);
        } catch (const Stopped&) {
        } catch (const std::exception& error) {
            outcome.Record(block, {Status::kVectorException, std::string(launch.request->op_type) + ": block " +
                                                                 std::to_string(block) +
                                                                 ": the simulator itself failed: " + error.what()});
            launch.stop.store(true);
        }
    }
    SetCurrentCore(nullptr);
    Pool().Give(std::move(core));
}

int Report(char* report, uint64_t capacity, const std::string& message, int status) {
    if (report != nullptr && capacity > 0) {
        const size_t length = std::min<uint64_t>(message.size(), capacity - 1);
        std::memcpy(report, message.data(), length);
        report[length] = '\0';
    }
    return status;
}

std::string Refusal(const sim_launch& request) {
    const std::string op = request.op_type != nullptr ? request.op_type : "?";
    if (request.soc == nullptr || (request.arg_count > 0 && request.args == nullptr) ||
        (request.region_count > 0 && request.regions == nullptr) ||
        (request.tiling_bytes > 0 && request.tiling == nullptr)) {
        return op + ": the launch lacks its SoC, arguments, regions or tiling data";
    }
    if (request.block_dim == 0) {
        return op +
               ": block dim is 0: a launch has at least one block\n  rule: block dim is 1 to the number of cores "
               "[guide/编程指南/编程模型, SetBlockDim]";
    }
    if (request.block_dim > request.soc->vector_cores) {
        return op + ": block dim " + std::to_string(request.block_dim) + " is above the " +
               std::to_string(request.soc->vector_cores) + " vector cores of " + request.soc->name +
               "\n  rule: block dim is 1 to the number of cores [guide/编程指南/编程模型, SetBlockDim]";
    }
    return {};
}

}  // namespace
}  // namespace sim

extern "C" __attribute__((visibility("default"))) int sim_engine_run(const sim_launch* request,
                                                                     sim_kernel_entry_fn entry, char* report,
                                                                     uint64_t reportCapacity) {
    using namespace sim;
    const std::string refusal = Refusal(*request);
    if (!refusal.empty()) {
        return Report(report, reportCapacity, refusal, kParameterError);
    }
    // 64-byte aligned, as the device's argument area is; rounded up so that the tail can be read as whole words
    const size_t tilingBytes = static_cast<size_t>((request->tiling_bytes + 63) / 64 * 64 + 64);
    std::unique_ptr<void, decltype(&std::free)> tiling(std::aligned_alloc(64, tilingBytes), std::free);
    std::memset(tiling.get(), 0, tilingBytes);
    if (request->tiling_bytes > 0) {
        std::memcpy(tiling.get(), request->tiling, request->tiling_bytes);
    }
    Launch launch;
    launch.request = request;
    launch.checks = request->checks != SIM_CHECKS_FAST;
    launch.args.assign(request->args, request->args + request->arg_count);
    if (!launch.args.empty()) {
        launch.args.back() = reinterpret_cast<uint64_t>(tiling.get());
    }

    std::atomic<uint32_t> next{0};
    Outcome outcome;
    const uint32_t wanted =
        request->threads != 0 ? request->threads : std::max(1u, std::thread::hardware_concurrency());
    const uint32_t more = std::min(wanted, request->block_dim) - 1;
    std::vector<std::thread> threads;
    threads.reserve(more);
    for (uint32_t i = 0; i < more; ++i) {
        threads.emplace_back([&] { RunBlocks(launch, entry, next, outcome); });
    }
    RunBlocks(launch, entry, next, outcome);
    for (std::thread& thread : threads) {
        thread.join();
    }
    if (outcome.Failed()) {
        return Report(report, reportCapacity, outcome.First().message, static_cast<int>(outcome.First().status));
    }
    return Report(report, reportCapacity, "", 0);
}
