// Philox and the numbers computed from it, on terms; defined in src/surface/random_terms.cpp.
#pragma once

#include <hasten/detail/term.hpp>

#include <array>

namespace hasten::detail {

/// Philox4x32 with 10 rounds; counter and key are u32 terms.
std::array<Term, 4> philox_block(std::array<Term, 4> counter, std::array<Term, 2> key);
/// Likewise from two u64 terms, low half first; the upper two words of the counter are 0.
std::array<Term, 4> philox_words(const Term& key, const Term& counter);
/// A number in [0, 1) of type f32 or f64, from word `which`; for f64, from words 2 which and 2
/// which + 1.
Term uniform_term(std::span<const Term> words, unsigned which, ScalarType type);
/// Box-Muller on the first two uniform numbers.
Term normal_term(std::span<const Term> words, ScalarType type);
/// A number in [0, 1) from each word: 24 bits for f32, 32 bits for f64.
std::array<Term, 4> uniform4_terms(const std::array<Term, 4>& words, ScalarType type);
/// Box-Muller on these numbers: two results from the first two, two from the others.
std::array<Term, 4> normal4_terms(const std::array<Term, 4>& words, ScalarType type);

}  // namespace hasten::detail
