// The everyday programs on tables, points and texts, compared with plain C++, on every target.
#include "../../../examples/csv.hpp"
#include "../../../examples/programs/everyday/group_by.hpp"
#include "../../../examples/programs/everyday/neighbours.hpp"
#include "../../../examples/programs/everyday/word_count.hpp"
#include "tests/programs/examples/support.hpp"

#include <algorithm>
#include <cctype>
#include <limits>
#include <map>
#include <random>
#include <string>
#include <vector>

using hs::Vector;

namespace {

class EverydayTables : public hasten_test::ExampleTest {};

struct Sales {
  std::vector<std::int64_t> customers;
  std::vector<float> amounts;
};

// Amounts are whole numbers, so that sums are exact in every order.
Sales random_sales(std::int64_t n, std::int64_t step) {
  std::mt19937 random(5);
  Sales sales;
  for (std::int64_t i = 0; i < n; ++i) {
    sales.customers.push_back(static_cast<std::int64_t>(random() % 40) * step);
    sales.amounts.push_back(static_cast<float>(random() % 1000));
  }
  return sales;
}

// The totals, the largest first; of equal totals, the smaller customer first.
std::vector<std::pair<std::int64_t, float>> totals_of(const Sales& sales) {
  std::map<std::int64_t, float> totals;
  for (std::size_t i = 0; i < sales.customers.size(); ++i)
    totals[sales.customers[i]] += sales.amounts[i];
  std::vector<std::pair<std::int64_t, float>> all(totals.begin(), totals.end());
  std::sort(all.begin(), all.end(), [](auto a, auto b) {
    return std::pair{-a.second, a.first} < std::pair{-b.second, b.first};
  });
  return all;
}

TEST_P(EverydayTables, TopCustomers) {
  const auto top = compile(programs::top_customers);
  const Sales sales = random_sales(500, -123456789012);
  const auto expected = totals_of(sales);
  const auto [customers, totals] =
      top(10, Vector<std::int64_t>(sales.customers), Vector<float>(sales.amounts));
  ASSERT_EQ(customers.size(), 10);
  for (std::int64_t i = 0; i < 10; ++i) {
    EXPECT_EQ(customers(i), expected[static_cast<std::size_t>(i)].first) << i;
    EXPECT_EQ(totals(i), expected[static_cast<std::size_t>(i)].second) << i;
  }
  // There are fewer customers than asked for, and then none.
  const auto [two, their_totals] = top(10, {7, -7, 7}, {1, 5, 2});
  EXPECT_EQ(two, (Vector<std::int64_t>{-7, 7}));
  EXPECT_EQ(their_totals, (Vector<float>{5, 3}));
  EXPECT_EQ(std::get<0>(top(10, {}, {})).size(), 0);
}

TEST_P(EverydayTables, TopCategories) {
  const Sales sales = random_sales(500, 1);
  const auto expected = totals_of(sales);
  const auto [categories, totals] =
      compile(programs::top_categories)(10, 40,
                                        Vector<std::int32_t>(std::vector<std::int32_t>(
                                            sales.customers.begin(), sales.customers.end())),
                                        Vector<float>(sales.amounts));
  for (std::int64_t i = 0; i < 10; ++i) {
    EXPECT_EQ(categories(i), expected[static_cast<std::size_t>(i)].first) << i;
    EXPECT_EQ(totals(i), expected[static_cast<std::size_t>(i)].second) << i;
  }
}

TEST_P(EverydayTables, TopOfCsv) {
  const demo::Table table = demo::parse_csv(
      "city,amount\r\n\"Paris, \"\"FR\"\"\",3\r\nOslo,5\n\"Paris, \"\"FR\"\"\",4.5\nRome,-1");
  const demo::Categories cities = demo::categories(table["city"]);
  EXPECT_EQ(cities.names, (std::vector<std::string>{"Paris, \"FR\"", "Oslo", "Rome"}));
  const auto [places, totals] = compile(programs::top_categories)(
      2, std::ssize(cities.names), cities.of_rows, demo::numbers(table["amount"]));
  EXPECT_EQ(places, (Vector<std::int64_t>{0, 1}));
  EXPECT_EQ(totals, (Vector<float>{7.5F, 5}));
}

TEST(Csv, SaysWhatIsWrong) {
  const demo::Table table = demo::parse_csv("a,b\n1,x\n");
  EXPECT_THROW((void)table["c"], std::runtime_error);
  EXPECT_THROW((void)demo::numbers(table["b"]), std::runtime_error);
  EXPECT_THROW((void)demo::parse_csv("a,b\n1\n"), std::runtime_error);
  EXPECT_THROW((void)demo::read_csv("/there/is/no/such/file.csv"), std::runtime_error);
}

TEST_P(EverydayTables, NearestNeighbours) {
  std::mt19937 random(3);
  // Points on a coarse grid, so that distances are exact and some points coincide.
  const auto coordinate = [&] { return static_cast<float>(random() % 64) / 8; };
  const auto points = Vector<programs::Point>::from_function(
      200, [&](hs::Ix<1>) { return programs::Point{coordinate(), coordinate()}; });
  const auto find = compile(programs::nearest_neighbours);
  const auto [sorted, distances, places] = find(points);
  ASSERT_EQ(sorted.size(), 200);
  const auto squared = [&, &order = sorted](std::int64_t i, std::int64_t j) {
    const float x = order(i).x - order(j).x, y = order(i).y - order(j).y;
    return x * x + y * y;
  };
  for (std::int64_t i = 0; i < 200; ++i) {
    if (i > 0) {
      EXPECT_LE(sorted(i - 1).x, sorted(i).x);
    }
    float least = std::numeric_limits<float>::infinity();
    for (std::int64_t j = 0; j < 200; ++j)
      if (j != i) least = std::min(least, squared(i, j));
    EXPECT_EQ(distances(i), least) << i;
    ASSERT_NE(places(i), i);
    EXPECT_EQ(squared(i, places(i)), least) << i;
  }
  EXPECT_EQ(std::get<2>(find({{1, 2}})), (Vector<std::int64_t>{-1}));  // the only point
  EXPECT_EQ(std::get<2>(find({})).size(), 0);
}

std::map<std::string, std::int64_t> words_of(const std::string& text) {
  std::map<std::string, std::int64_t> counts;
  std::string word;
  for (const char c : text + " ") {
    if (std::isalpha(static_cast<unsigned char>(c)) != 0) {
      word += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    } else if (!word.empty()) {
      ++counts[word];
      word.clear();
    }
  }
  return counts;
}

std::string word_at(const std::string& text, std::int64_t start) {
  return words_of(text.substr(static_cast<std::size_t>(start),
                              text.find_first_of(" ,.\n'-", static_cast<std::size_t>(start)) -
                                  static_cast<std::size_t>(start)))
      .begin()
      ->first;
}

TEST_P(EverydayTables, WordCount) {
  const auto count = compile(programs::word_count);
  const std::string text =
      "The cat, the dog and THE bird: a cat's life - and a dog's.\nThe end, a\n9 ends@x";
  const auto [words, places, counts] = count(100, Vector<char>(std::span<const char>(text)));
  const auto expected = words_of(text);
  std::int64_t all = 0;
  for (const auto& [word, how_often] : expected) all += how_often;
  EXPECT_EQ(words, all);
  ASSERT_EQ(places.size(), static_cast<std::int64_t>(expected.size()));
  for (std::int64_t i = 0; i < places.size(); ++i) {
    EXPECT_EQ(counts(i), expected.at(word_at(text, places(i)))) << word_at(text, places(i));
    if (i > 0) {
      EXPECT_LE(counts(i), counts(i - 1));
    }
  }
  EXPECT_EQ(places(0), 0);  // "the", at its first occurrence
  EXPECT_EQ(counts(0), 4);
  const auto [none, nowhere, never] = count(10, Vector<char>{'1', ' '});
  EXPECT_EQ(none, 0);
  EXPECT_EQ(nowhere.size(), 0);
  EXPECT_EQ(never.size(), 0);
}

HASTEN_ON_EVERY_DEVICE(EverydayTables);

}  // namespace
