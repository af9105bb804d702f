// Integer divisions by zero at which an x86 CPU stops with SIGFPE. AI Cores and aarch64 go on.
#ifndef OPFORGE_SIM_DIVISION_H
#define OPFORGE_SIM_DIVISION_H

#include <csignal>
#include <cstdint>
#include <cstring>
#include <ucontext.h>

namespace sim {

#if defined(__x86_64__)

// The address of a memory operand: `code` is behind the ModRM byte `mode`, and moves behind the operand.
inline uint64_t OperandAddress(const greg_t* registers, const int* numbers, uint8_t rex, uint8_t mode,
                               const uint8_t** code) {
    const uint8_t* at = *code;
    uint64_t address = 0;
    int base = mode & 7;
    bool based = true;
    if (base == 4) {
        const uint8_t scaled = *at++;
        const int index = (scaled >> 3 & 7) | (rex & 2) << 2;
        address = index == 4 ? 0 : static_cast<uint64_t>(registers[numbers[index]]) << (scaled >> 6);
        base = scaled & 7;
        based = mode >> 6 != 0 || base != 5;
    } else if (base == 5 && mode >> 6 == 0) {
        address = reinterpret_cast<uint64_t>(at) + 4;  // relative to the next instruction
        based = false;
    }
    address += based ? static_cast<uint64_t>(registers[numbers[base | (rex & 1) << 3]]) : 0;
    if (mode >> 6 == 1) {
        address += static_cast<uint64_t>(static_cast<int8_t>(*at++));
    } else if (mode >> 6 == 2 || !based) {
        int32_t offset = 0;
        std::memcpy(&offset, at, sizeof(offset));
        address += static_cast<uint64_t>(int64_t{offset});
        at += sizeof(offset);
    }
    *code = at;
    return address;
}

// If the signal came from a division by zero, steps behind it: with `*value` as quotient and remainder, or, without
// one, with 0 and the dividend, as aarch64 has them.
inline bool SkipDivisionByZero(void* context, const uint64_t* value) {
    greg_t* const registers = static_cast<ucontext_t*>(context)->uc_mcontext.gregs;
    constexpr int kNumbers[] = {REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP, REG_RSI, REG_RDI,
                                REG_R8,  REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15};
    const auto* at = reinterpret_cast<const uint8_t*>(registers[REG_RIP]);
    const bool narrow = *at == 0x66;
    at += narrow ? 1 : 0;
    const uint8_t rex = (*at & 0xf0) == 0x40 ? *at++ : uint8_t{0};
    const uint8_t operation = *at++;
    const uint8_t mode = *at++;
    if ((operation != 0xf6 && operation != 0xf7) || (mode >> 3 & 7) < 6) {
        return false;
    }
    const uint32_t bytes = operation == 0xf6 ? 1 : (rex & 8) != 0 ? 8 : narrow ? 2 : 4;
    uint64_t divisor = 0;
    if (mode >> 6 == 3) {
        const int number = (mode & 7) | (rex & 1) << 3;
        const bool second = bytes == 1 && rex == 0 && number >= 4;  // AH to BH
        divisor = static_cast<uint64_t>(registers[kNumbers[second ? number - 4 : number]]) >> (second ? 8 : 0);
    } else {
        const uint64_t address = OperandAddress(registers, kNumbers, rex, mode, &at);
        std::memcpy(&divisor, reinterpret_cast<const void*>(address), bytes);
    }
    const uint64_t mask = ~uint64_t{0} >> (64 - 8 * bytes);
    if ((divisor & mask) != 0) {
        return false;  // the quotient does not fit
    }
    const auto dividend = static_cast<uint64_t>(registers[REG_RAX]);
    const uint64_t quotient = value != nullptr ? *value & mask : 0;
    const uint64_t remainder = value != nullptr ? *value & mask : dividend & mask;
    const auto put = [&](int number, uint64_t result) {
        const uint64_t kept = bytes < 4 ? static_cast<uint64_t>(registers[number]) & ~mask : 0;
        registers[number] = static_cast<greg_t>(kept | result);
    };
    put(REG_RAX, quotient);
    if (bytes == 1) {
        const uint64_t kept = static_cast<uint64_t>(registers[REG_RAX]) & ~uint64_t{0xff00};
        registers[REG_RAX] = static_cast<greg_t>(kept | remainder << 8);
    } else {
        put(REG_RDX, remainder);
    }
    registers[REG_RIP] = reinterpret_cast<greg_t>(at);
    return true;
}

#else

inline bool SkipDivisionByZero(void*, const uint64_t*) { return false; }

#endif

// Behind the handler of a signal: what was there before.
inline void PassSignalOn(const struct sigaction& before, int signal, siginfo_t* info, void* context) {
    if ((before.sa_flags & SA_SIGINFO) != 0 && before.sa_sigaction != nullptr) {
        before.sa_sigaction(signal, info, context);
    } else if (before.sa_handler == SIG_DFL || before.sa_handler == SIG_IGN) {
        ::signal(signal, SIG_DFL);  // the instruction runs again and the process dies of it, as it should
    } else {
        before.sa_handler(signal);
    }
}

}  // namespace sim

#endif
