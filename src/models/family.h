// What a model family is to the rest of the engine: a value in the list of models/registry.cc.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "config/model_config.h"
#include "layers/rope_table.h"
#include "program/builder.h"
#include "weights/weight_store.h"

namespace invar {

// Tables that a family computed at load and its program refers to.
struct ModelTables {
  std::vector<std::unique_ptr<RopeTable>> rope;
};

// How names of tensors begin in a Hugging Face checkpoint whose text part is one of several.
struct TensorPrefixes {
  std::string model = "model.";
  std::string head = "";  // of lm_head
};

// What a family's build function gets and gives.
struct FamilyInput {
  ConfigReader& config;
  WeightStore& weights;
  NumericPolicy policy;
  int64_t context = 0;  // positions to build tables for; 0: the default for this model
  TensorPrefixes prefixes = {};
};

struct FamilyOutput {
  ModelConfig config;
  ModelTables tables;
  Program program;
  int64_t context = 0;
};

struct Family {
  std::string_view name;  // Hugging Face's model_type
  std::span<const std::string_view> gguf_architectures;
  // Reads the configuration, requests the weights and emits the program. Does not call
  // weights.finish() nor config.refuse_unread(): the loader does.
  FamilyOutput (*build)(FamilyInput& input);
};

std::span<const Family* const> families();

// Null if unknown. `gguf`: whether `architecture` is a GGUF architecture or a model_type.
const Family* find_family(std::string_view architecture, bool gguf);

}  // namespace invar
