// The words of a text: how many there are, and which occur most often.
#pragma once

#include <hasten/hasten.hpp>
#include <tuple>

namespace programs {

namespace hs = hasten;
using hs::Acc, hs::Exp, hs::Scalar, hs::Vector;

inline Exp<bool> is_letter(Exp<char> c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

// Where the words of a text begin; words are letters only.
inline Acc<Vector<int64_t>> word_starts(Acc<Vector<char>> text) {
  auto starts =
      hs::imap([=](Exp<int64_t> i,
                   Exp<char> c) { return is_letter(c) && (i == 0 || !is_letter(text[i - 1])); },
               text);
  return hs::compact(starts, hs::iota(hs::size(text)));
}

// A number of 64 bits for the word that begins at `start`; capitals count as small letters.
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

// How many words a text has, where the most frequent ones first occur, and how often each does.
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
