// Philox and what is made of it, on terms; in src/surface/random_terms.cpp.
#pragma once

#include <hasten/detail/term.hpp>

#include <array>

namespace hasten::detail {

/// Philox4x32 of 10 rounds: counter and key are u32 terms.
std::array<Term, 4> philox_block(std::array<Term, 4> counter, std::array<Term, 2> key);
/// The same of two u64 terms, low half first; the upper two words of the counter are 0.
std::array<Term, 4> philox_words(const Term& key, const Term& counter);
/// A number in [0, 1) of type f32 or f64: of word `which`, for f64 of words 2 which and 2 which
/// + 1.
Term uniform_term(std::span<const Term> words, unsigned which, ScalarType type);
/// Box and Muller's: of the first two uniform numbers.
Term normal_term(std::span<const Term> words, ScalarType type);
/// A number in [0, 1) of each word: of 24 bits for f32, of 32 bits for f64.
std::array<Term, 4> uniform4_terms(const std::array<Term, 4>& words, ScalarType type);
/// Box and Muller's: two of the first two of these numbers, two of the others.
std::array<Term, 4> normal4_terms(const std::array<Term, 4>& words, ScalarType type);

}  // namespace hasten::detail
