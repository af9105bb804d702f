// The memory of one simulated device: a window of addresses that the host cannot touch, and the bytes behind it.
//
// The bytes live in a memfd that is mapped three times: inaccessible at the window's address (what a program holds as
// a device pointer), readable at an address only the runtime knows, and read-write at the window's address again in
// the device's worker process. So kernels need no pointer translation and host code that touches a device pointer dies
// as it would with hardware.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>

#include "acl/acl_base.h"

namespace sim {

// x86-64 and aarch64 leave these addresses free, and AddressSanitizer keeps no shadow there.
constexpr uint64_t kWindowBase = 0x200000000000;
constexpr uint64_t kWindowStride = uint64_t{1} << 40;  // from one device's window to the next

class DeviceMemory {
public:
    explicit DeviceMemory(uint32_t device) : device_(device) {}

    // Reserves the window at first use. On failure leaves the message and returns the code.
    aclError Open();
    aclError Allocate(size_t bytes, void** pointer);
    aclError Release(void* pointer);

    // The host's view of `count` bytes from a device address, or nullptr if they are not inside one allocation.
    void* HostView(const void* pointer, size_t count);
    // Where the allocation that an address lies in begins, and how many bytes were asked for; false outside of any.
    bool AllocationOf(const void* pointer, uint64_t* begin, uint64_t* count);
    void Usage(size_t* freeBytes, size_t* totalBytes);
    // What has been allocated and not freed: how often, and how many bytes were asked for.
    void Live(int64_t* allocations, int64_t* bytes);

    uint64_t Base() const { return kWindowBase + device_ * kWindowStride; }
    uint64_t WindowBytes() const { return bytes_; }
    int Fd() const { return fd_; }

private:
    struct Extent {
        uint64_t reserved;   // bytes taken from the window
        uint64_t requested;  // bytes the caller asked for
    };

    std::mutex mutex_;
    const uint32_t device_;
    uint64_t bytes_ = 0;
    uint64_t used_ = 0;
    int fd_ = -1;
    char* view_ = nullptr;
    std::map<uint64_t, uint64_t> free_;     // offset -> bytes, no two adjacent
    std::map<uint64_t, Extent> allocated_;  // offset -> extent
};

// The memory of a device below settings().devices.
DeviceMemory& MemoryOf(uint32_t device);

// The device whose window holds the address, or -1.
int DeviceOfAddress(const void* pointer);

// True in a child that was forked after a window was opened: it shares the parent's bytes but not its bookkeeping.
bool ForkedAfterOpen();

// The message for that case, with its code.
aclError FailForked(const char* function);

}  // namespace sim
