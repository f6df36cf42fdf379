// stream: runs a program over a range of frames.
#include "support.hpp"

#include <list>
#include <vector>

using hs::Acc, hs::Exp, hs::Scalar, hs::Vector;

namespace {

class Stream : public hasten_test::OnEveryTarget {};

Acc<Vector<int>> doubled(Acc<Vector<int>> frame) { return frame * 2; }
Acc<Vector<int>> scaled(Acc<Vector<int>> frame, Exp<int> factor) { return frame * factor; }

TEST_P(Stream, ResultsComeInOrder) {
  const auto f = hs::compile(doubled, GetParam());
  std::vector<Vector<int>> frames;
  for (int i = 0; i < 20; ++i) frames.push_back(Vector<int>{i, i + 1});
  int i = 0;
  for (auto&& result : hs::stream(f, frames)) {
    EXPECT_EQ(result, (Vector<int>{2 * i, 2 * i + 2}));
    ++i;
  }
  EXPECT_EQ(i, 20);
}

TEST_P(Stream, SeveralParametersAreTuples) {
  const auto f = hs::compile(scaled, GetParam());
  const std::list<std::tuple<Vector<int>, int>> frames{{Vector<int>{1}, 10}, {Vector<int>{2}, 20}};
  std::vector<int> results;
  for (const auto& result : hs::stream(f, frames)) results.push_back(result(0));
  EXPECT_EQ(results, (std::vector<int>{10, 40}));
}

TEST_P(Stream, OfNothingAndOfATemporary) {
  const auto f = hs::compile(doubled, GetParam());
  for (auto&& result : hs::stream(f, std::vector<Vector<int>>{})) FAIL() << result;
  int sum = 0;
  for (auto&& result : hs::stream(f, std::vector<Vector<int>>{{1}, {2}, {3}})) sum += result(0);
  EXPECT_EQ(sum, 12);
}

/// Makes frames one by one and counts them.
struct Camera {
  struct iterator {
    Camera* camera;
    Vector<int> operator*() const { return Vector<int>{camera->taken}; }
    iterator& operator++() {
      ++camera->taken;
      return *this;
    }
    bool operator!=(std::nullptr_t) const { return true; }
  };
  iterator begin() { return {this}; }
  [[nodiscard]] std::nullptr_t end() const { return nullptr; }
  int taken = 0;
};

TEST_P(Stream, FramesAreTakenAsNeeded) {
  const auto f = hs::compile(doubled, GetParam());
  Camera camera;  // never ends
  int seen = 0;
  auto results = hs::stream(f, camera);
  EXPECT_EQ(camera.taken, 0) << "lazy";
  for (auto&& result : results) {
    EXPECT_EQ(result(0), 2 * seen);
    EXPECT_LE(camera.taken, seen + 4);
    if (++seen == 10) break;
  }
}

TEST_P(Stream, AnErrorIsThrownAtItsFrame) {
  const auto f = hs::compile([](Acc<Vector<int>> frame) { return hs::minimum(frame); }, GetParam());
  const std::vector<Vector<int>> frames{{3, 1}, {}, {5}};
  std::vector<int> results;
  EXPECT_THROW(for (auto&& result : hs::stream(f, frames)) results.push_back(result.item()),
               hs::ShapeError);
  EXPECT_EQ(results, (std::vector<int>{1}));
}

HASTEN_ON_EVERY_TARGET(Stream);

}  // namespace
