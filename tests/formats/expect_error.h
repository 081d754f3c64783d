// Test support: an action must throw Error with this code and exactly this message.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "core/error.h"

namespace invar {

template <class Action>
void expect_error(Action action, Code code, const std::string& message) {
  try {
    action();
    ADD_FAILURE() << "expected the error: " << message;
  } catch (const Error& error) {
    EXPECT_EQ(error.what(), message);
    EXPECT_EQ(code_name(error.code()), code_name(code)) << message;
  }
}

}  // namespace invar
