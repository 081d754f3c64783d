// The table of filters.
#include "text/jinja/filters.h"

#include <gtest/gtest.h>

#include <set>

namespace invar::jinja {
namespace {

TEST(Filters, AreFoundByName) {
  EXPECT_EQ(find_filter("tojson")->name, "tojson");
  EXPECT_EQ(find_filter("sort")->name, "sort");
  EXPECT_EQ(find_filter("nope"), nullptr);
  EXPECT_EQ(find_filter(""), nullptr);
}

TEST(Filters, HaveNamesOfTheirOwn) {
  std::set<std::string_view> names;
  for (const auto filters : {text_filters(), sequence_filters(), selection_filters(),
                             order_filters(), number_filters()}) {
    for (const Filter& filter : filters) {
      EXPECT_TRUE(names.insert(filter.name).second) << filter.name;
    }
  }
}

}  // namespace
}  // namespace invar::jinja
