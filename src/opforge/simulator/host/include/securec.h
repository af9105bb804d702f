// The bounds-checked memory functions that operators call (C11, Annex K, as libc_sec has them): 0 is success; what does
// not fit, or would read through null, leaves the target as it is, or cleared, and says why by its number.
#ifndef OPFORGE_SECUREC_H
#define OPFORGE_SECUREC_H

#include <cerrno>
#include <cstdarg>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>

typedef int errno_t;
#ifndef EOK
#define EOK 0
#endif
#define SECUREC_MEM_MAX_LEN 0x7fffffffUL

inline errno_t memset_s(void* target, size_t room, int value, size_t count) {
    if (target == nullptr) {
        return EINVAL;
    }
    if (room == 0 || room > SECUREC_MEM_MAX_LEN) {
        return ERANGE;
    }
    std::memset(target, value, count < room ? count : room);
    return count <= room ? EOK : ERANGE;
}

inline errno_t memcpy_s(void* target, size_t room, const void* source, size_t count) {
    if (target == nullptr || room == 0 || room > SECUREC_MEM_MAX_LEN) {
        return target == nullptr ? EINVAL : ERANGE;
    }
    if (source == nullptr || count > room) {
        std::memset(target, 0, room);
        return source == nullptr ? EINVAL : ERANGE;
    }
    std::memmove(target, source, count);
    return EOK;
}

inline errno_t memmove_s(void* target, size_t room, const void* source, size_t count) {
    return memcpy_s(target, room, source, count);
}

inline errno_t strcpy_s(char* target, size_t room, const char* source) {
    return memcpy_s(target, room, source, source == nullptr ? 0 : std::strlen(source) + 1);
}

template <typename... Arguments>
int snprintf_s(char* target, size_t room, size_t count, const char* format, Arguments... arguments) {
    const int made = std::snprintf(target, count + 1 < room ? count + 1 : room, format, arguments...);
    return made < 0 || static_cast<size_t>(made) > count || static_cast<size_t>(made) >= room ? -1 : made;
}

inline errno_t strcat_s(char* target, size_t room, const char* source) {
    const size_t used = target == nullptr ? 0 : strnlen(target, room);
    if (target == nullptr || source == nullptr || used == room) {
        return target == nullptr || source == nullptr ? EINVAL : ERANGE;
    }
    return memcpy_s(target + used, room - used, source, std::strlen(source) + 1);
}

inline int vsnprintf_s(char* target, size_t room, size_t count, const char* format, va_list arguments) {
    const int made = std::vsnprintf(target, count + 1 < room ? count + 1 : room, format, arguments);
    return made < 0 || static_cast<size_t>(made) > count || static_cast<size_t>(made) >= room ? -1 : made;
}

template <typename... Arguments>
int sprintf_s(char* target, size_t room, const char* format, Arguments... arguments) {
    const int made = std::snprintf(target, room, format, arguments...);
    return made < 0 || static_cast<size_t>(made) >= room ? -1 : made;
}

#endif
