// Totals by key, nearest neighbours and the words of a text, as plain loops: each thread has its
// own table, and the tables are merged.
#include <tbb/parallel_sort.h>

#include <algorithm>
#include <limits>
#include <unordered_map>
#include <utility>

#include "everyday/programs.hpp"
#include "parallel.hpp"

namespace contenders::CONTENDER_SPACE {
namespace {

constexpr int64_t parts = 16;

// Calls f(part, begin, end) for each of `parts` pieces of n elements.
template <class F>
void each_part(int64_t n, const F& f) {
  parallel_blocks(parts, 1, [&](int64_t part, int64_t) {
    f(static_cast<std::size_t>(part), n * part / parts, n * (part + 1) / parts);
  });
}

TopTotals largest(std::vector<std::pair<int64_t, float>>& totals, int64_t how_many) {
  const auto count = std::min<std::ptrdiff_t>(how_many, std::ssize(totals));
  std::partial_sort(totals.begin(), totals.begin() + count, totals.end(), [](auto a, auto b) {
    return a.second > b.second || (a.second == b.second && a.first < b.first);
  });
  TopTotals top;
  for (std::ptrdiff_t i = 0; i < count; ++i) {
    top.keys.push_back(totals[static_cast<std::size_t>(i)].first);
    top.totals.push_back(totals[static_cast<std::size_t>(i)].second);
  }
  return top;
}

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

struct Word {
  int64_t place, count;
};
using Words = std::unordered_map<uint64_t, Word>;

// Counts the words that begin in [begin, end) of the text. Returns how many there are.
int64_t count_words(const char* text, int64_t n, int64_t begin, int64_t end, Words& words) {
  int64_t all = 0;
  for (int64_t i = begin; i < end; ++i) {
    if (!is_letter(text[i]) || (i > 0 && is_letter(text[i - 1]))) continue;
    uint64_t hash = 14695981039346656037u;
    for (int64_t j = i; j < n && is_letter(text[j]); ++j)
      hash = (hash ^ static_cast<uint64_t>(text[j] | 32)) * 1099511628211u;
    ++words.try_emplace(hash, Word{i, 0}).first->second.count;
    ++all;
  }
  return all;
}

}  // namespace

TopTotals top_customers(int64_t how_many, const int64_t* customers, const float* amounts,
                        int64_t n) {
  std::vector<std::unordered_map<int64_t, float>> tables(parts);
  each_part(n, [&](std::size_t part, int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) tables[part][customers[i]] += amounts[i];
  });
  for (std::size_t part = 1; part < tables.size(); ++part)
    for (const auto& [customer, total] : tables[part]) tables[0][customer] += total;
  std::vector<std::pair<int64_t, float>> totals(tables[0].begin(), tables[0].end());
  return largest(totals, how_many);
}

TopTotals top_categories(int64_t how_many, int64_t count, const int32_t* categories,
                         const float* amounts, int64_t n) {
  std::vector<std::vector<float>> tables(parts);
  each_part(n, [&](std::size_t part, int64_t begin, int64_t end) {
    std::vector<float> table(static_cast<std::size_t>(count));
    for (int64_t i = begin; i < end; ++i)
      table[static_cast<std::size_t>(categories[i])] += amounts[i];
    tables[part] = std::move(table);
  });
  std::vector<std::pair<int64_t, float>> totals;
  for (int64_t c = 0; c < count; ++c) {
    float total = 0;
    for (const auto& table : tables) total += table[static_cast<std::size_t>(c)];
    totals.emplace_back(c, total);
  }
  return largest(totals, how_many);
}

void nearest_neighbours(Points points, float* distances, int64_t* places) {
  std::vector<std::pair<float, float>> sorted(static_cast<std::size_t>(points.n));
  for (int64_t i = 0; i < points.n; ++i)
    sorted[static_cast<std::size_t>(i)] = {points.x[i], points.y[i]};
  tbb::parallel_sort(sorted.begin(), sorted.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
  const auto* const p = sorted.data();
  parallel_blocks(points.n, 1024, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      float best = std::numeric_limits<float>::infinity();
      int64_t place = -1;
      const auto is_far = [&](int64_t j) {
        const float x = p[j].first - p[i].first, y = p[j].second - p[i].second;
        if (x * x >= best) return true;
        if (x * x + y * y < best) best = x * x + y * y, place = j;
        return false;
      };
      for (int64_t j = i - 1; j >= 0; --j)
        if (is_far(j)) break;
      for (int64_t j = i + 1; j < points.n; ++j)
        if (is_far(j)) break;
      distances[i] = best;
      places[i] = place;
    }
  });
}

FrequentWords word_count(int64_t how_many, const char* text, int64_t n) {
  std::vector<Words> tables(parts);
  std::vector<int64_t> all(parts);
  each_part(n, [&](std::size_t part, int64_t begin, int64_t end) {
    all[part] = count_words(text, n, begin, end, tables[part]);
  });
  FrequentWords result;
  for (std::size_t part = 0; part < tables.size(); ++part) {
    result.words += all[part];
    if (part == 0) continue;
    for (const auto& [hash, word] : tables[part])
      tables[0].try_emplace(hash, Word{word.place, 0}).first->second.count += word.count;
  }
  std::vector<Word> words;
  for (const auto& [hash, word] : tables[0]) words.push_back(word);
  const auto count = std::min<std::ptrdiff_t>(how_many, std::ssize(words));
  std::partial_sort(words.begin(), words.begin() + count, words.end(),
                    [](const Word& a, const Word& b) { return a.count > b.count; });
  for (std::ptrdiff_t i = 0; i < count; ++i) {
    result.places.push_back(words[static_cast<std::size_t>(i)].place);
    result.counts.push_back(words[static_cast<std::size_t>(i)].count);
  }
  return result;
}

}  // namespace contenders::CONTENDER_SPACE
