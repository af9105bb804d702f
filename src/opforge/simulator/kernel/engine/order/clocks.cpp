#include "clocks.h"

namespace sim {

const char* Name(Pipe pipe) {
    switch (pipe) {
        case Pipe::kScalar:
            return "S";
        case Pipe::kVector:
            return "V";
        case Pipe::kMte1:
            return "MTE1";
        case Pipe::kMte2:
            return "MTE2";
        case Pipe::kMte3:
            return "MTE3";
        case Pipe::kMatrix:
            return "M";
        case Pipe::kFix:
            return "FIX";
        case Pipe::kCount:
            break;
    }
    return "?";
}

}  // namespace sim
