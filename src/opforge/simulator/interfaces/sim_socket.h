// Whole messages over a socket, between the processes of the simulator. False on a closed peer or an error (errno).
#ifndef OPFORGE_SIM_SOCKET_H
#define OPFORGE_SIM_SOCKET_H

#include <sys/socket.h>

#include <cerrno>
#include <cstddef>

namespace sim::wire {

inline bool send_all(int socket, const void* data, size_t bytes) {
    const auto* at = static_cast<const char*>(data);
    while (bytes > 0) {
        const ssize_t sent = send(socket, at, bytes, MSG_NOSIGNAL);
        if (sent < 0 && errno != EINTR) {
            return false;
        }
        at += sent > 0 ? sent : 0;
        bytes -= sent > 0 ? static_cast<size_t>(sent) : 0;
    }
    return true;
}

inline bool receive_all(int socket, void* data, size_t bytes) {
    auto* at = static_cast<char*>(data);
    while (bytes > 0) {
        const ssize_t got = recv(socket, at, bytes, 0);
        if (got == 0 || (got < 0 && errno != EINTR)) {
            return false;
        }
        at += got > 0 ? got : 0;
        bytes -= got > 0 ? static_cast<size_t>(got) : 0;
    }
    return true;
}

}  // namespace sim::wire

#endif
