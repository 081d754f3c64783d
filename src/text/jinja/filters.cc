// The table of filters (filters.h).
#include "text/jinja/filters.h"

#include <array>

namespace invar::jinja {

const Filter* find_filter(std::string_view name) {
  const std::array lists = {text_filters(), sequence_filters(), selection_filters(),
                            order_filters(), number_filters()};
  for (const std::span<const Filter> filters : lists) {
    for (const Filter& filter : filters) {
      if (filter.name == name) {
        return &filter;
      }
    }
  }
  return nullptr;
}

}  // namespace invar::jinja
