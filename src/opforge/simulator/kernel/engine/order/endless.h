// Whether a core that has run for too long can come to an end. It cannot where all that it computes with is as it was
// one turn of a loop before: its registers, its stack and the unified buffer.
#ifndef OPFORGE_SIM_KERNEL_ORDER_ENDLESS_H
#define OPFORGE_SIM_KERNEL_ORDER_ENDLESS_H

#include <pthread.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace sim {

class Context;
class Core;

// The launch has run out of its time, and its cores look at themselves at each call of the kernel API.
extern std::atomic<bool> watching;
// Such a call. On the core's thread.
void LookAgain(const Core& core);
// The scalar unit reads a value: "UB address 64, which stays 0".
void NoteRead(const Core& core, const std::string& what);

// The loop that a core does not leave.
struct EndlessLoop {
    std::vector<void*> places;       // as return addresses
    std::vector<std::string> reads;  // of the unified buffer
};

// Made when a process is about to end, and never destroyed: cores go on looking at themselves.
class Watch {
public:
    // `inKernel` is any address inside of the kernel object.
    explicit Watch(const void* inKernel);
    Watch(const Watch&) = delete;
    Watch& operator=(const Watch&) = delete;

    // A core that runs on `thread`, or one that polls and goes on now and then.
    void Add(const Context& context, std::optional<pthread_t> thread);
    // Returns once each of them is known to loop for ever, or when the process has computed for that long. On a busy
    // machine that takes longer.
    void Look(std::chrono::milliseconds patience);
    // Null for a core that has not been seen to loop for ever.
    const EndlessLoop* LoopOf(const Context& context) const;

private:
    friend void LookAgain(const Core&);
    friend void NoteRead(const Core&, const std::string&);
    class Seen;
    Seen* SeenOf(const Core& core) const;

    mutable std::mutex mutex_;
    std::vector<std::unique_ptr<Seen>> cores_;
    // After Look. A core may be halted while it holds a lock.
    std::vector<std::pair<const Context*, EndlessLoop>> found_;
    uintptr_t begin_ = 0;  // of the kernel's code
    uintptr_t end_ = 0;
};

}  // namespace sim

#endif
