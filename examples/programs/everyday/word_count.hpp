// The words of a text: how many there are, and which are the most frequent.
#pragma once

#include <hasten/hasten.hpp>
#include <tuple>

namespace programs {

namespace hs = hasten;
using hs::Acc, hs::Exp, hs::Scalar, hs::Vector;

inline Exp<bool> is_letter(Exp<char> c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

// Where the words of a text begin; words consist of letters only.
inline Acc<Vector<int64_t>> word_starts(Acc<Vector<char>> text) {
  auto starts =
      hs::imap([=](Exp<int64_t> i,
                   Exp<char> c) { return is_letter(c) && (i == 0 || !is_letter(text[i - 1])); },
               text);
  return hs::compact(starts, hs::iota(hs::size(text)));
}

// A 64-bit hash of the word that begins at `start`; upper and lower case are equal.
inline Exp<uint64_t> word_hash(Acc<Vector<char>> text, Exp<int64_t> start) {
  auto inside = [=](Exp<int64_t> i, Exp<uint64_t>) {
    return i < hs::size(text) && is_letter(text[i]);
  };
  auto next = [=](Exp<int64_t> i, Exp<uint64_t> hash) {
    return std::tuple{i + 1, (hash ^ hs::cast<uint64_t>(text[i] | char{32})) * 1099511628211u};
  };
  auto [end, hash] =
      hs::while_loop(inside, next, std::tuple{start, uint64_t{14695981039346656037u}});
  return hash;
}

// The number of words, where the most frequent ones first occur, and how often each occurs.
inline std::tuple<Exp<int64_t>, Acc<Vector<int64_t>>, Acc<Vector<int64_t>>> word_count(
    Exp<int64_t> how_many, Acc<Vector<char>> text) {
  auto starts = word_starts(text);
  auto hashes = hs::map([=](auto start) { return word_hash(text, start); }, starts);
  auto [distinct, offsets, places] = hs::group_by(hashes, starts);
  auto counts =
      hs::zip_with([](auto next, auto first) { return next - first; }, hs::tail(offsets), offsets);
  auto [most, which] = hs::top_k(how_many, counts);
  auto first_of = [=](auto word) { return places[offsets[word]]; };
  return {hs::size(starts), hs::map(first_of, which), most};
}

}  // namespace programs
