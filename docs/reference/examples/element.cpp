// Examples of element types.
#include "docs/reference/examples/example.hpp"

#include <array>

namespace shop {
struct Item {
  float price;
  int count;
};
HASTEN_STRUCT(Item, price, count);

template <template <class> class In>
struct State {
  In<Vector<float>> position, speed;
};
HASTEN_GROUP(State, position, speed);
}  // namespace shop

EXAMPLE(HASTEN_STRUCT) {
  // struct Item { float price; int count; };  HASTEN_STRUCT(Item, price, count);
  auto items = hs::use(Vector<shop::Item>{{1.5f, 2}, {4.0f, 1}});
  show(hs::map([](Exp<shop::Item> x) { return x.price * hs::cast<float>(x.count); },
               items));  // [3, 4]
}
EXAMPLE(Host) {
  // template <template <class> class In> struct State { In<Vector<float>> position, speed; };
  // HASTEN_GROUP(State, position, speed);
  auto step = hs::compile(
      [](shop::State<Acc> s) { return shop::State<Acc>{s.position + s.speed, s.speed * 0.5f}; });
  shop::State<hs::Host> now{{0.0f}, {8.0f}};
  now = step(now);
  now = step(now);
  show(now.position);  // [12]
}
EXAMPLE(half) {
  auto xs = hs::use(Vector<hs::half>{hs::half(1.0f), hs::half(0.1f)});
  show(hs::cast<float>(xs));  // [1, 0.099975586]
}
EXAMPLE(bfloat16) {
  auto xs = hs::use(Vector<hs::bfloat16>{hs::bfloat16(1.0f), hs::bfloat16(0.1f)});
  show(hs::cast<float>(xs));  // [1, 0.100097656]
}
EXAMPLE(std_array) {
  Exp<std::array<int, 3>> a{1, 2, 3};
  show(a[0] + a[Exp<int64_t>(2)]);  // 4
}
