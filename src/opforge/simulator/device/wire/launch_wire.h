// How a launch travels from the host process to the device's worker and how its outcome comes back.
//
// Both ends are built from the same sources on the same machine, so values travel as they lie in memory. One message is
// a Prefix and `bytes` bytes of body.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "sim_launch.h"
#include "sim_socket.h"

namespace sim::wire {

enum class Kind : uint32_t {
    kLaunch,    // host -> worker; body: see EncodeLaunch
    kReady,     // worker -> host, once; the device's memory is mapped. No body
    kRefused,   // worker -> host; the launch could not start; body: the message
    kDone,      // worker -> host; Prefix::status is the engine's; body: its report
    kStale,     // worker -> host; the kernel object changed on disk: send the launch again to a new worker. No body
    kCrashed,   // worker -> host, last words; body: a CrashRecord
    kStanding,  // worker -> host, once the host has sent SIGUSR1; body: where each core of the launch is
    kWarning    // worker -> host, while a launch runs; body: the text
};

struct Prefix {
    uint64_t bytes;
    Kind kind;
    int32_t status;
};

// What the worker's signal handler can still say. Plain, because it is filled there.
struct CrashRecord {
    int32_t signal;
    uint64_t address;  // what was accessed (SIGSEGV, SIGBUS), else 0
    char symbol[256];  // the function it happened in, mangled; "" when unknown
    char call[32];     // the system call that the sandbox refused (SIGSYS), else ""
    char tried[32];    // what it was for: "use the network"
    char path[256];    // the file or program that it named; "" where it named none
};

// The launch as one message, prefix included.
std::vector<char> EncodeLaunch(const sim_launch& launch);

// A received launch: the sim_launch points into this object.
class DecodedLaunch {
public:
    // False when the body is cut or inconsistent.
    bool Decode(const std::vector<char>& body);
    const sim_launch& Launch() const { return launch_; }

    DecodedLaunch() = default;
    DecodedLaunch(const DecodedLaunch&) = delete;
    DecodedLaunch& operator=(const DecodedLaunch&) = delete;

private:
    sim_launch launch_{};
    sim_soc soc_{};
    std::string opType_;
    std::string objectPath_;
    std::vector<uint64_t> args_;
    std::vector<std::string> regionNames_;
    std::vector<sim_allow> allow_;
    std::vector<std::string> allowWords_;  // two for each
    std::vector<sim_region> regions_;
    std::vector<char> tiling_;
    std::vector<char> tilingSet_;
};

}  // namespace sim::wire
