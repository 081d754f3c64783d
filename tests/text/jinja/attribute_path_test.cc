// The attribute argument of filters.
#include "text/jinja/attribute_path.h"

#include <gtest/gtest.h>

#include "text/jinja/render.h"

namespace invar::jinja {
namespace {

TEST(AttributePath, FollowsPaths) {
  expect_texts({
      {"{{ msgs|sort(attribute='role')|map(attribute='content')|list }}", "['yo', 'hi', 'bye']"},
      {"{{ msgs|unique(attribute='role')|map(attribute='content')|list }}", "['hi', 'yo']"},
      {"{{ msgs|map(attribute='role')|list }}", "['user', 'assistant', 'user']"},
      {"{{ msgs|map(attribute='n', default=0)|list }}", "[1, 2, 0]"},
      {"{{ msgs|map(attribute='n')|list }}", "[1, 2, Undefined]"},
      {"{{ [['a']]|map(attribute=0)|list }}", "['a']"},
      {"{{ [{'a':{'b':1}}]|map(attribute='a.b')|list }}", "[1]"},
      {"{{ msgs|selectattr('role','equalto','user')|map(attribute='content')|list }}",
       "['hi', 'bye']"},
      {"{{ l|map(attribute='x')|list }}", "[Undefined, Undefined, Undefined]"},
  });
}

}  // namespace
}  // namespace invar::jinja
