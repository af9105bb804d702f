// Starts, stops and reaps one device's worker process.
#pragma once

#include <sys/types.h>

#include <cstdint>

#include "acl/acl_base.h"

namespace sim {

class DeviceMemory;

class WorkerProcess {
public:
    // Starts the worker and waits until it has mapped the device's memory. On failure leaves the message.
    aclError Start(uint32_t device, const DeviceMemory& memory);
    bool Running() const { return socket_ >= 0; }
    int Socket() const { return socket_; }

    void Stop();  // closes the connection, at which the worker ends, and reaps it
    void Kill();
    // Has the worker say where its launch is (Kind::kStanding).
    void AskWhere() const;  // ends it now, whatever it does
    int Reap();             // after its end was seen: its wait status, 0 if another took it
    void Disown();          // forget it without touching it

private:
    int socket_ = -1;
    pid_t pid_ = -1;
};

}  // namespace sim
