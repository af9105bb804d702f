// Owned by opforge: `opforge update` replaces this file.
// SPDX-License-Identifier: Apache-2.0
// The device for the programs of this folder: checks every return code and releases every resource.
#ifndef ACL_CALL_H
#define ACL_CALL_H

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <stdexcept>
#include <string>
#include "acl/acl.h"

// The runtime's message for a failure. If a kernel fails, a later call may be the first to report it.
inline std::string Failure(const char* call, int64_t status) {
    const char* reason = aclGetRecentErrMsg();
    return std::string(call) + " failed with " + std::to_string(status) + (reason == nullptr ? "" : ": ") +
           (reason == nullptr ? "" : reason);
}

inline void Check(int64_t status, const char* call) {
    if (status != 0) {
        throw std::runtime_error(Failure(call, status));
    }
}

// For destructors, which must not throw.
inline void Report(int64_t status, const char* call) {
    if (status != 0) {
        std::fprintf(stderr, "%s\n", Failure(call, status).c_str());
    }
}

// The runtime, its first device, and a stream on it.
class Device {
public:
    Device() {
        Check(aclInit(nullptr), "aclInit");
        Check(aclrtSetDevice(0), "aclrtSetDevice");
        Check(aclrtCreateStream(&stream_), "aclrtCreateStream");
    }

    ~Device() {
        Report(aclrtDestroyStream(stream_), "aclrtDestroyStream");
        Report(aclrtResetDevice(0), "aclrtResetDevice");
        Report(aclFinalize(), "aclFinalize");
    }

    Device(const Device&) = delete;
    Device& operator=(const Device&) = delete;

    aclrtStream Stream() const { return stream_; }

private:
    aclrtStream stream_ = nullptr;
};

// Memory of the device; a null pointer for 0 bytes.
class DeviceMemory {
public:
    explicit DeviceMemory(size_t bytes) : bytes_(bytes) {
        if (bytes > 0) {
            Check(aclrtMalloc(&address_, bytes, ACL_MEM_MALLOC_HUGE_FIRST), "aclrtMalloc");
        }
    }

    ~DeviceMemory() {
        if (address_ != nullptr) {
            Report(aclrtFree(address_), "aclrtFree");
        }
    }

    DeviceMemory(DeviceMemory&& other) noexcept : bytes_(other.bytes_), address_(other.address_) {
        other.address_ = nullptr;
    }

    DeviceMemory(const DeviceMemory&) = delete;
    DeviceMemory& operator=(const DeviceMemory&) = delete;

    void Write(const void* data) {
        if (bytes_ > 0) {
            Check(aclrtMemcpy(address_, bytes_, data, bytes_, ACL_MEMCPY_HOST_TO_DEVICE), "aclrtMemcpy to the device");
        }
    }

    void Read(void* data) const {
        if (bytes_ > 0) {
            Check(aclrtMemcpy(data, bytes_, address_, bytes_, ACL_MEMCPY_DEVICE_TO_HOST), "aclrtMemcpy to the host");
        }
    }

    void* Address() const { return address_; }

private:
    size_t bytes_;
    void* address_ = nullptr;
};

#endif  // ACL_CALL_H
