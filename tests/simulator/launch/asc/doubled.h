#pragma once
inline int Doubled(int value) { return value * 2; }
