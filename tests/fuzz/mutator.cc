// Seeded mutations of bytes (mutator.h).
#include "fuzz/mutator.h"

#include <algorithm>
#include <array>
#include <cstddef>

namespace invar {
namespace {

using Bytes = std::vector<uint8_t>;

// The generator splitmix64: one multiply-and-shift chain a number.
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}
  uint64_t next() {
    state_ += 0x9e3779b97f4a7c15u;
    uint64_t mixed = state_;
    mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9u;
    mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111ebu;
    return mixed ^ (mixed >> 31);
  }
  // From 0 to bound - 1; 0 if the bound is 0.
  size_t below(size_t bound) { return bound == 0 ? 0 : next() % bound; }

 private:
  uint64_t state_;
};

struct Part {
  ptrdiff_t begin = 0;
  ptrdiff_t end = 0;
};

Part random_part(const Bytes& bytes, Random& random) {
  const size_t begin = random.below(bytes.size() + 1);
  const size_t length = random.below(std::min<size_t>(bytes.size() - begin, 64) + 1);
  return {static_cast<ptrdiff_t>(begin), static_cast<ptrdiff_t>(begin + length)};
}

// Sizes and counts fail at the edges of their types.
uint64_t edge_number(const Bytes& bytes, Random& random) {
  const std::array<uint64_t, 12> edges = {0,          1,          0x7f,         0xff,
                                          0x7fffffff, 0x80000000, 0xffffffff,   0x100000000,
                                          1ull << 62, 1ull << 63, ~uint64_t{0}, bytes.size()};
  return edges[random.below(edges.size())] - random.below(2);
}

void overwrite_number(Bytes& bytes, Random& random) {
  const size_t width = size_t{1} << random.below(4);
  if (bytes.size() < width) {
    return;
  }
  const size_t at = random.below(bytes.size() - width + 1);
  const uint64_t number = edge_number(bytes, random);
  for (size_t i = 0; i < width; ++i) {
    bytes[at + i] = static_cast<uint8_t>(number >> (8 * i));
  }
}

void overwrite_byte(Bytes& bytes, Random& random) {
  if (bytes.empty()) {
    return;
  }
  // Bytes that mean something to text formats, beside random ones.
  constexpr std::array<char, 16> kTelling = {'"', '\\', '{', '}', '[', ']', ',',  ':',
                                             '0', '9',  '-', '.', 'e', ' ', '\n', '\0'};
  uint8_t& byte = bytes[random.below(bytes.size())];
  byte = random.below(2) == 0 ? static_cast<uint8_t>(random.next())
                              : static_cast<uint8_t>(kTelling[random.below(kTelling.size())]);
}

void flip_bit(Bytes& bytes, Random& random) {
  if (!bytes.empty()) {
    bytes[random.below(bytes.size())] ^= static_cast<uint8_t>(1u << random.below(8));
  }
}

void remove_part(Bytes& bytes, Random& random) {
  const Part part = random_part(bytes, random);
  bytes.erase(bytes.begin() + part.begin, bytes.begin() + part.end);
}

void copy_part(Bytes& bytes, Random& random) {
  const Part part = random_part(bytes, random);
  const Bytes copy(bytes.begin() + part.begin, bytes.begin() + part.end);
  const auto at = static_cast<ptrdiff_t>(random.below(bytes.size() + 1));
  bytes.insert(bytes.begin() + at, copy.begin(), copy.end());
}

void cut_off(Bytes& bytes, Random& random) {
  bytes.resize(random.below(bytes.size() + 1));
}

}  // namespace

std::vector<uint8_t> mutated(const std::vector<uint8_t>& input, uint64_t seed) {
  constexpr std::array kChanges = {overwrite_number, overwrite_number, overwrite_byte, flip_bit,
                                   remove_part,      copy_part,        cut_off};
  Random random(seed);
  Bytes bytes = input;
  const size_t changes = 1 + random.below(4);
  for (size_t i = 0; i < changes; ++i) {
    kChanges[random.below(kChanges.size())](bytes, random);
  }
  return bytes;
}

}  // namespace invar
