// Array types that tests of the core and of the interpreter use often.
#pragma once

#include "core/program.hpp"

namespace hasten::test {

inline const core::ArrayType floats{1, {core::ScalarType::f32}};
inline const core::ArrayType numbers{1, {core::ScalarType::i64}};
inline const core::ArrayType matrix{2, {core::ScalarType::i64}};

}  // namespace hasten::test
