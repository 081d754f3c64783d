// See name_runs.h.
#include "formats/name_runs.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <set>

#include "formats/printable.h"

namespace invar {
namespace {

using Numbers = std::vector<int64_t>;  // of one name, at each place

// Names of tensors have two; what follows the last that counts is text.
constexpr size_t kPlacesMax = 8;

// A name's parts between dots, "0" for each number that counts.
struct Pattern {
  std::vector<std::string> parts;
  std::set<Numbers> names;
};

// Without leading zeros, so that it can be written again.
std::optional<int64_t> number_of(std::string_view part) {
  int64_t number = 0;
  const char* end = part.data() + part.size();
  const auto [stop, error] = std::from_chars(part.data(), end, number);
  if (error != std::errc() || stop != end || number < 0 || part != fmt::format("{}", number)) {
    return std::nullopt;
  }
  return number;
}

std::vector<std::string> split(std::string_view name) {
  std::vector<std::string> parts;
  for (size_t begin = 0; begin <= name.size();) {
    const size_t end = std::min(name.find('.', begin), name.size());
    parts.emplace_back(name.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

// Ascending numbers: "7", or "{0..2,7}".
std::string ranges_of(const Numbers& numbers) {
  std::vector<std::string> ranges;
  for (size_t begin = 0; begin < numbers.size();) {
    size_t end = begin + 1;
    while (end < numbers.size() && numbers[end] == numbers[end - 1] + 1) {
      ++end;
    }
    ranges.push_back(end - begin == 1 ? fmt::format("{}", numbers[begin])
                                      : fmt::format("{}..{}", numbers[begin], numbers[end - 1]));
    begin = end;
  }
  return numbers.size() == 1 ? ranges[0] : fmt::format("{{{}}}", fmt::join(ranges, ","));
}

// For each place from `place` on the text of its numbers; all combinations of an entry are there.
using Product = std::vector<std::string>;

std::vector<Product> products_of(std::span<const Numbers> names, size_t place) {
  if (place == names.front().size()) {
    return {{}};
  }
  std::map<std::vector<Product>, Numbers> numbers_of_rest;
  for (size_t begin = 0; begin < names.size();) {
    const int64_t number = names[begin][place];
    size_t end = begin;
    while (end < names.size() && names[end][place] == number) {
      ++end;
    }
    numbers_of_rest[products_of(names.subspan(begin, end - begin), place + 1)].push_back(number);
    begin = end;
  }
  std::vector<std::pair<Numbers, std::vector<Product>>> by_first;
  for (const auto& [rest, numbers] : numbers_of_rest) {
    by_first.emplace_back(numbers, rest);
  }
  std::sort(by_first.begin(), by_first.end());
  std::vector<Product> products;
  for (const auto& [numbers, rest] : by_first) {
    for (const Product& each : rest) {
      products.push_back({ranges_of(numbers)});
      products.back().insert(products.back().end(), each.begin(), each.end());
    }
  }
  return products;
}

void write_names(const Pattern& pattern, std::vector<std::string>& out) {
  const std::vector<Numbers> names(pattern.names.begin(), pattern.names.end());
  for (const Product& product : products_of(names, 0)) {
    std::vector<std::string> parts = pattern.parts;
    size_t place = 0;
    for (std::string& part : parts) {
      part = place < product.size() && part == "0" ? product[place++] : printable(part);
    }
    out.push_back(fmt::format("{}", fmt::join(parts, ".")));
  }
}

}  // namespace

std::vector<std::string> collapse_names(std::span<const std::string> names) {
  std::vector<Pattern> patterns;
  std::map<std::vector<std::string>, size_t> index_of;
  for (const std::string& name : names) {
    std::vector<std::string> parts = split(name);
    Numbers numbers;
    for (std::string& part : parts) {
      const auto number = numbers.size() < kPlacesMax ? number_of(part) : std::nullopt;
      if (number) {
        numbers.push_back(*number);
        part.assign(1, '0');
      }
    }
    const auto [found, added] = index_of.emplace(parts, patterns.size());
    if (added) {
      patterns.push_back({.parts = std::move(parts), .names = {}});
    }
    patterns[found->second].names.insert(std::move(numbers));
  }
  std::vector<std::string> collapsed;
  for (const Pattern& pattern : patterns) {
    write_names(pattern, collapsed);
  }
  return collapsed;
}

std::string quoted_names(std::span<const std::string> names) {
  return fmt::format("'{}'", fmt::join(collapse_names(names), "', '"));
}

}  // namespace invar
