#include "device_memory.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cinttypes>
#include <cstring>
#include <fcntl.h>
#include <iterator>
#include <new>
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#include "error_message.h"
#include "exports.h"
#include "host_fault.h"
#include "settings.h"

namespace sim {
namespace {

constexpr uint64_t kPage = 4096;
constexpr uint64_t kAlignment = 512;      // aclrtMalloc: addresses are at least 64-byte, in practice 512-byte aligned
constexpr uint64_t kPoisoned = 64 << 20;  // bytes of an allocation that are poisoned at most: it costs real memory
constexpr int kPoison = 0xFF;             // NaN in every float format, -1 in every integer one
constexpr uint64_t kTail = 32;  // aclrtMalloc adds 32 bytes to every request, so that 32-byte moves stay inside

std::atomic<bool> windowOpen{false};
std::atomic<bool> forked{false};

void AfterForkInChild() { forked = windowOpen.load(); }

uint64_t RoundUp(uint64_t value, uint64_t to) { return (value + to - 1) / to * to; }

}  // namespace

bool ForkedAfterOpen() { return forked.load(std::memory_order_relaxed); }

aclError FailForked(const char* function) {
    return Fail(ACL_ERROR_RT_CONTEXT_NULL,
                "%s: this process was forked after its parent had opened the simulated device, and cannot use it; "
                "start processes with the 'spawn' method, or fork before the first use of the device",
                function);
}

DeviceMemory& MemoryOf(uint32_t device) {
    static DeviceMemory* const* instances = [] {
        auto** made = new DeviceMemory*[kMaxDevices];
        for (uint32_t i = 0; i < kMaxDevices; ++i) {
            made[i] = new DeviceMemory(i);
        }
        return made;
    }();
    return *instances[device];
}

int DeviceOfAddress(const void* pointer) {
    const uint64_t address = reinterpret_cast<uint64_t>(pointer);
    if (address < kWindowBase || address >= kWindowBase + kMaxDevices * kWindowStride) {
        return -1;
    }
    return static_cast<int>((address - kWindowBase) / kWindowStride);
}

aclError DeviceMemory::Open() {
    std::lock_guard<std::mutex> lock(mutex_);
    if (view_ != nullptr) {
        return ACL_SUCCESS;
    }
    const uint64_t bytes = RoundUp(CurrentSettings().memoryBytes, kPage);
    const int fd = memfd_create("opforge_device_memory", MFD_CLOEXEC);
    if (fd < 0 || ftruncate(fd, static_cast<off_t>(bytes)) != 0) {
        const int error = errno;
        if (fd >= 0) {
            close(fd);
        }
        return Fail(ACL_ERROR_RT_DEV_SETUP_ERROR, "no memory for simulated device %u: %s", device_, strerror(error));
    }
    const int shared = MAP_SHARED | MAP_NORESERVE;
    void* window = mmap(reinterpret_cast<void*>(Base()), bytes, PROT_NONE, shared | MAP_FIXED_NOREPLACE, fd, 0);
    void* view = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, shared, fd, 0);
    if (window != reinterpret_cast<void*>(Base()) || view == MAP_FAILED) {
        const int error = errno;
        if (window != MAP_FAILED) {
            munmap(window, bytes);
        }
        if (view != MAP_FAILED) {
            munmap(view, bytes);
        }
        close(fd);
        return Fail(ACL_ERROR_RT_DEV_SETUP_ERROR,
                    "the address window of simulated device %u (%" PRIu64 " bytes at 0x%" PRIx64
                    ") is not free: %s; a "
                    "smaller OPFORGE_SIM_MEMORY may fit",
                    device_, bytes, Base(), strerror(error));
    }
    madvise(view, bytes, MADV_DONTDUMP);  // a core file of the host is big enough without the device's memory
    bytes_ = bytes;
    fd_ = fd;
    view_ = static_cast<char*>(view);
    free_[0] = bytes;
    if (!windowOpen.exchange(true)) {
        pthread_atfork(nullptr, nullptr, AfterForkInChild);
        WatchHostFaults();
    }
    return ACL_SUCCESS;
}

aclError DeviceMemory::Allocate(size_t bytes, void** pointer) {
    if (ForkedAfterOpen()) {
        return FailForked("aclrtMalloc");
    }
    if (const aclError opened = Open(); opened != ACL_SUCCESS) {
        return opened;
    }
    std::lock_guard<std::mutex> lock(mutex_);
    if (bytes <= bytes_) {
        const uint64_t reserved = RoundUp(RoundUp(bytes, 32) + kTail, kAlignment);
        for (auto it = free_.begin(); it != free_.end(); ++it) {
            if (it->second < reserved) {
                continue;
            }
            const uint64_t offset = it->first;
            const uint64_t rest = it->second - reserved;
            free_.erase(it);
            if (rest != 0) {
                free_[offset + reserved] = rest;
            }
            allocated_[offset] = Extent{reserved, bytes};
            used_ += reserved;
            // Memory nobody wrote holds anything on hardware, and hardly ever zeros.
            std::memset(view_ + offset, kPoison, std::min(reserved, kPoisoned));
            *pointer = reinterpret_cast<void*>(Base() + offset);
            return ACL_SUCCESS;
        }
    }
    return Fail(ACL_ERROR_RT_MEMORY_ALLOCATION,
                "simulated device %u is out of memory: %zu bytes asked, %" PRIu64 " of %" PRIu64
                " in use; OPFORGE_SIM_MEMORY sets how much there is",
                device_, bytes, used_, bytes_);
}

aclError DeviceMemory::Release(void* pointer) {
    if (ForkedAfterOpen()) {
        return ACL_SUCCESS;  // destructors of inherited tensors run in a forked child; the bytes are the parent's
    }
    std::lock_guard<std::mutex> lock(mutex_);
    const uint64_t offset = reinterpret_cast<uint64_t>(pointer) - Base();
    const auto found = allocated_.find(offset);
    if (found == allocated_.end()) {
        return Fail(ACL_ERROR_RT_PARAM_INVALID,
                    "aclrtFree: %p is not the start of a live allocation of device %u (freed twice?)", pointer,
                    device_);
    }
    uint64_t bytes = found->second.reserved;
    allocated_.erase(found);
    used_ -= bytes;
    // Give the machine its pages back.
    const uint64_t first = RoundUp(offset, kPage);
    const uint64_t last = (offset + bytes) / kPage * kPage;
    if (last > first) {
        fallocate(fd_, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, static_cast<off_t>(first),
                  static_cast<off_t>(last - first));
    }
    auto next = free_.lower_bound(offset);
    if (next != free_.end() && next->first == offset + bytes) {
        bytes += next->second;
        next = free_.erase(next);
    }
    if (next != free_.begin()) {
        const auto previous = std::prev(next);
        if (previous->first + previous->second == offset) {
            previous->second += bytes;
            return ACL_SUCCESS;
        }
    }
    free_[offset] = bytes;
    return ACL_SUCCESS;
}

void* DeviceMemory::HostView(const void* pointer, size_t count) {
    std::lock_guard<std::mutex> lock(mutex_);
    const uint64_t offset = reinterpret_cast<uint64_t>(pointer) - Base();
    auto found = allocated_.upper_bound(offset);
    if (found == allocated_.begin()) {
        return nullptr;
    }
    --found;
    const uint64_t end = found->first + found->second.reserved;
    return offset <= end && count <= end - offset ? view_ + offset : nullptr;
}

bool DeviceMemory::AllocationOf(const void* pointer, uint64_t* begin, uint64_t* count) {
    std::lock_guard<std::mutex> lock(mutex_);
    const uint64_t offset = reinterpret_cast<uint64_t>(pointer) - Base();
    auto found = allocated_.upper_bound(offset);
    if (found == allocated_.begin()) {
        return false;
    }
    --found;
    *begin = Base() + found->first;
    *count = found->second.requested;
    return offset < found->first + found->second.reserved;
}

void DeviceMemory::Usage(size_t* freeBytes, size_t* totalBytes) {
    std::lock_guard<std::mutex> lock(mutex_);
    *totalBytes = bytes_ != 0 ? bytes_ : RoundUp(CurrentSettings().memoryBytes, kPage);
    *freeBytes = *totalBytes - used_;
}

void DeviceMemory::Live(int64_t* allocations, int64_t* bytes) {
    std::lock_guard<std::mutex> lock(mutex_);
    *allocations = static_cast<int64_t>(allocated_.size());
    *bytes = 0;
    for (const auto& [offset, extent] : allocated_) {
        *bytes += static_cast<int64_t>(extent.requested);
    }
}

}  // namespace sim
