// What is said when an op's own function (tiling, InferShape) crashes: the process still dies of it, as with CANN.
#ifndef OPFORGE_NNOPBASE_OP_CRASH_H
#define OPFORGE_NNOPBASE_OP_CRASH_H

#include <csignal>
#include <string>

namespace nnopbase {

// While one lives in a thread, a SIGSEGV, SIGBUS, SIGFPE, SIGILL or SIGABRT of this thread is told on stderr: what was
// called, and the line of source. Then the handlers that were there before have the signal; ours are there only while
// some thread is inside such a function.
class OpCrash {
public:
    // what says which function of which op, and for which call.
    OpCrash(const void* function, const std::string& what);
    ~OpCrash();
    OpCrash(const OpCrash&) = delete;
    OpCrash& operator=(const OpCrash&) = delete;

    const void* Function() const { return function_; }
    const std::string& What() const { return what_; }

private:
    const void* function_;
    std::string what_;
    const OpCrash* outer_;
    stack_t before_{};  // the stack for signals that this thread had
};

}  // namespace nnopbase
#endif
