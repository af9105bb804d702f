// Handles given to the program: every use checks that they are alive.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_map>

namespace sim {

// The live objects of one kind. A handle is the object's address.
template <typename T>
class Handles {
public:
    T* Make() {
        auto made = std::make_unique<T>();
        T* handle = made.get();
        std::lock_guard<std::mutex> lock(mutex_);
        live_.emplace(handle, std::move(made));
        return handle;
    }

    // nullptr when the handle is not alive.
    T* Find(const void* handle) {
        std::lock_guard<std::mutex> lock(mutex_);
        const auto found = live_.find(handle);
        return found == live_.end() ? nullptr : found->second.get();
    }

    bool Destroy(const void* handle) {
        std::lock_guard<std::mutex> lock(mutex_);
        return live_.erase(handle) != 0;
    }

    int64_t Count() {
        std::lock_guard<std::mutex> lock(mutex_);
        return static_cast<int64_t>(live_.size());
    }

private:
    std::mutex mutex_;
    std::unordered_map<const void*, std::unique_ptr<T>> live_;
};

}  // namespace sim
