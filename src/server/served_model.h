// What the server serves: one model, as its parts and as what clients are told about it.
#pragma once

#include <cstdint>
#include <ctime>
#include <string>

#include "engine/engine.h"
#include "text/model_text.h"

namespace invar {

struct ServedModel {
  std::string id;           // the name that requests use
  std::string fingerprint;  // see fingerprint.h
  std::time_t created = 0;  // when it was loaded
  int64_t context_positions = 0;
  int64_t choices_max = 1;  // answers to one prompt
  int64_t prompts_max = 1;  // of one request
  int64_t vocabulary = 0;
  Engine* engine = nullptr;         // started; outlives the server
  const ModelText* text = nullptr;  // outlives the server
};

}  // namespace invar
