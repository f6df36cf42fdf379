// Conditions on whole arrays and on segments: an error at the user's line under every setting, on
// every target.
#include "../programs/support.hpp"
#include "tests/support/places.hpp"

#include <functional>
#include <string>
#include <utility>

using hs::Acc, hs::Exp, hs::Matrix, hs::Vector;

namespace {

class CollectionErrors : public hasten_test::OnEveryTarget {
 protected:
  /// Running it throws a ShapeError that names this line and contains these words.
  template <class P>
  static void expect_error(const P& program, std::initializer_list<const char*> words,
                           hasten::detail::Where here = hasten::detail::Where::current()) {
    try {
      run(program);
      ADD_FAILURE() << "nothing was thrown in line " << here.line();
    } catch (const hs::ShapeError& e) {
      EXPECT_EQ(e.where().line(), here.line()) << e.what();
      EXPECT_TRUE(hasten::test::begins_with_its_place(e)) << e.what();
      EXPECT_NE(std::string(e.where().file_name()).find("collection_errors_test.cpp"),
                std::string::npos);
      for (const char* word : words)
        EXPECT_NE(std::string(e.what()).find(word), std::string::npos)
            << e.what() << "\ndoes not say: " << word;
    }
  }

  const Acc<Vector<int>> a = hs::use(Vector<int>{1, 2, 3, 4, 5});
  const Acc<Vector<int>> four = hs::use(Vector<int>{3, 1});
  const Acc<Vector<int>> six = hs::use(Vector<int>{3, 0, 3});
  const Acc<Vector<int>> negative = hs::use(Vector<int>{3, -1, 3});
  const std::plus<> plus{};
};

TEST_P(CollectionErrors, LengthsMustAddUp) {
  expect_error(hs::fold_seg(plus, 0, a, four), {"fold_seg", "add up", "5", "4"});
  expect_error(hs::fold_seg(plus, 0, a, six), {"fold_seg", "6"});
  expect_error(hs::fold1_seg(plus, a, four), {"fold1_seg"});
  expect_error(hs::scanl_seg(plus, 0, a, four), {"scanl_seg"});
  expect_error(hs::scanl1_seg(plus, a, six), {"scanl1_seg"});
  expect_error(hs::scanl_split_seg(plus, 0, a, six).first, {"scanl_split_seg"});
  expect_error(hs::scanl_split_seg(plus, 0, a, six).second, {"scanl_split_seg"});
  expect_error(hs::prescanl_seg(plus, 0, a, four), {"prescanl_seg"});
  expect_error(hs::postscanl_seg(plus, 0, a, six), {"postscanl_seg"});
  expect_error(hs::scanr_seg(plus, 0, a, four), {"scanr_seg"});
  expect_error(hs::scanr1_seg(plus, a, six), {"scanr1_seg"});
  expect_error(hs::scanr_split_seg(plus, 0, a, six).second, {"scanr_split_seg"});
  expect_error(hs::prescanr_seg(plus, 0, a, four), {"prescanr_seg"});
  expect_error(hs::postscanr_seg(plus, 0, a, six), {"postscanr_seg"});
}

TEST_P(CollectionErrors, LengthsMustNotBeNegative) {
  expect_error(hs::fold_seg(plus, 0, a, negative), {"fold_seg", "negative", "-1"});
  expect_error(hs::scanr1_seg(plus, a, negative), {"negative"});
  expect_error(hs::segment_ids(negative), {"segment_ids", "negative", "-1"});
}

TEST_P(CollectionErrors, LengthsWhoseSumWrapsAround) {
  const auto huge = hs::use(Vector<std::int64_t>{1LL << 62, 1LL << 62, 1LL << 62, 1LL << 62, 5});
  expect_error(hs::fold_seg(plus, 0, a, huge), {"fold_seg"});
}

TEST_P(CollectionErrors, SegmentsOfFold1MustNotBeEmpty) {
  const auto lengths = hs::use(Vector<int>{2, 0, 3});
  expect_error(hs::fold1_seg(plus, a, lengths), {"fold1_seg", "empty"});
}

// On compiled targets: once the program is simplified, nothing needs the fold.
TEST_P(CollectionErrors, OfWhatNoResultNeedsAreNone) {
  using hasten::detail::Where;
  const auto chosen = [&](auto numbers, auto otherwise) {
    return hs::map([=](auto x) { return hs::select(numbers > 0, x, otherwise(x)); }, a);
  };
  const auto same = [](auto x) { return x; };
  const auto none = hs::use(Vector<int>{});
  const auto [least, fold] = std::pair{hs::fold1(plus, none)[hs::ix()], Where::current()};
  expect_error(chosen(least, [](auto x) { return -x; }), {"fold1", "empty"}, fold);
  if (GetParam().target.name() == "interpreter")
    expect_error(chosen(least, same), {"fold1", "empty"}, fold);
  else
    EXPECT_EQ(run(chosen(least, same)), run(a));
  // The condition on lengths is a separate operation.
  const auto [sum, of_segment] = std::pair{hs::fold_seg(plus, 0, a, four)[0], Where::current()};
  expect_error(chosen(sum, same), {"fold_seg"}, of_segment);
}

TEST_P(CollectionErrors, OffsetsMustNotDecreaseNorLeaveTheAxis) {
  const auto offsets = [](const Vector<int>& v) { return hs::use(v); };
  expect_error(hs::fold_seg_offsets(plus, 0, a, offsets({0, 3, 2, 5})), {"fold_seg_offsets"});
  expect_error(hs::fold_seg_offsets(plus, 0, a, offsets({-1, 3})), {"-1"});
  expect_error(hs::fold_seg_offsets(plus, 0, a, offsets({0, 3, 6})), {"6"});
  expect_error(hs::fold_seg_offsets(plus, 0, a, offsets({})), {"at least one"});
}

TEST_P(CollectionErrors, OfRowsAndOfNoRows) {
  const auto m = hs::use(Matrix<int>{{1, 2}, {3, 4}});
  expect_error(hs::fold_seg(plus, 0, m, four), {"fold_seg"});
  const auto none = hs::use(Matrix<int>(hs::ix(0, 2), std::vector<int>{}));
  expect_error(hs::fold_seg(plus, 0, none, four), {"fold_seg"});
}

TEST_P(CollectionErrors, InFusedPrograms) {
  const auto twice = hs::map([](auto x) { return x * 2; }, a);
  const auto lengths = hs::map([](auto x) { return x + 1; }, four);
  const auto program = hs::sum(hs::scanl1_seg(plus, twice, lengths));
  EXPECT_THROW(run(program), hs::ShapeError);
}

TEST_P(CollectionErrors, BranchesNotTakenHaveNone) {
  const auto wrong = hs::fold_seg(plus, 0, a, four);
  EXPECT_EQ(run(hs::acond(hs::size(a) > 5, wrong, a)).size(), 5);
}

HASTEN_ON_EVERY_TARGET(CollectionErrors);

TEST(CollectionErrors, OperatorsMayNotStartArrayOperations) {
  const auto a = hs::use(Vector<int>{1, 2, 3});
  const auto nested = [=](const Exp<int>& x, const Exp<int>& y) {
    return hs::the(hs::sum(hs::map([=](const Exp<int>& e) { return e * x + y; }, a)));
  };
  EXPECT_THROW(hs::scanl1(nested, a), hs::BuildError);
  EXPECT_THROW(
      hs::stencil(
          [=](auto at) { return hs::the(hs::sum(hs::map([=](auto e) { return e * at(0); }, a))); },
          hs::boundary::clamp, a),
      hs::BuildError);
}

}  // namespace
