// See generation_fields.h.
#include "server/api/generation_fields.h"

#include <algorithm>
#include <charconv>

#include "core/error.h"
#include "formats/printable.h"

namespace invar {
namespace {

float narrow(std::optional<double> value, float missing) {
  return value ? static_cast<float>(*value) : missing;
}

std::string read_stop_string(const nlohmann::json& value, const std::string& path) {
  std::string text = json_string(value, path);
  if (text.empty() || text.size() > kStopBytesMax) {
    fail(Code::kBadArgument, "{}: expected a string of 1 to {} bytes, found {} bytes", path,
         kStopBytesMax, text.size());
  }
  return text;
}

std::vector<std::string> read_stop(JsonFields& fields) {
  const nlohmann::json* stop = fields.find("stop");
  if (stop == nullptr) {
    return {};
  }
  if (stop->is_string()) {
    return {read_stop_string(*stop, fields.path("stop"))};
  }
  if (!stop->is_array() || stop->size() > kStopStringsMax) {
    fail(Code::kBadArgument, "stop: expected a string or a list of at most {} strings, found {}",
         kStopStringsMax,
         stop->is_array() ? fmt::format("{} strings", stop->size()) : json_kind(*stop));
  }
  std::vector<std::string> strings;
  for (size_t i = 0; i < stop->size(); ++i) {
    strings.push_back(read_stop_string((*stop)[i], fmt::format("stop[{}]", i)));
  }
  return strings;
}

std::vector<LogitBias> read_logit_bias(JsonFields& fields, int64_t vocabulary) {
  const nlohmann::json* bias = fields.find("logit_bias");
  std::vector<LogitBias> entries;
  if (bias == nullptr) {
    return entries;
  }
  if (!bias->is_object()) {
    fail(Code::kBadArgument, "logit_bias: expected an object, found {}", json_kind(*bias));
  }
  for (const auto& [key, value] : bias->items()) {
    int32_t id = -1;
    const char* end = key.data() + key.size();
    const auto [stop, error] = std::from_chars(key.data(), end, id);
    const bool is_id = error == std::errc() && stop == end && key == std::to_string(id);
    if (!is_id || id < 0 || id >= vocabulary) {
      fail(Code::kBadArgument, "logit_bias: expected token ids from 0 to {}, found '{}'",
           vocabulary - 1, printable(key));
    }
    const double number = json_number(value, "logit_bias." + key, {.min = -100, .max = 100});
    entries.push_back({.token_id = id, .bias = static_cast<float>(number)});
  }
  // By id, not by spelling: the order in which biases are added must not depend on the client.
  std::sort(entries.begin(), entries.end(),
            [](const LogitBias& a, const LogitBias& b) { return a.token_id < b.token_id; });
  return entries;
}

std::optional<uint64_t> read_seed(JsonFields& fields) {
  const nlohmann::json* seed = fields.find("seed");
  if (seed == nullptr) {
    return std::nullopt;
  }
  if (seed->is_number_unsigned()) {
    return seed->get<uint64_t>();
  }
  return static_cast<uint64_t>(
      json_integer(*seed, fields.path("seed"), {.min = INT64_MIN, .max = INT64_MAX}));
}

std::optional<int64_t> read_max_tokens(JsonFields& fields, int64_t min) {
  const JsonFields::Integers range{.min = min, .max = INT64_MAX};
  const std::optional<int64_t> older = fields.integer("max_tokens", range);
  const std::optional<int64_t> newer = fields.integer("max_completion_tokens", range);
  if (older && newer && *older != *newer) {
    fail(Code::kBadArgument, "max_completion_tokens: expected max_tokens' value {}, found {}",
         *older, *newer);
  }
  return newer ? newer : older;
}

bool read_include_usage(JsonFields& fields, bool stream) {
  const nlohmann::json* value = fields.find("stream_options");
  if (value == nullptr) {
    return false;
  }
  if (!stream) {
    fail(Code::kBadArgument, "stream_options: expected only with \"stream\": true");
  }
  JsonFields options(*value, "stream_options.");
  const bool include_usage = options.boolean("include_usage").value_or(false);
  refuse_unless_neutral(options, nlohmann::json::parse(R"({"include_obfuscation": [false]})"));
  options.refuse_unread();
  return include_usage;
}

}  // namespace

GenerationFields read_generation_fields(JsonFields& fields, const RequestLimits& limits,
                                        int64_t max_tokens_min) {
  GenerationFields read;
  read.model = fields.string("model");
  SamplingParams& sampling = read.sampling;
  sampling.temperature = narrow(fields.number("temperature", {.min = 0, .max = 2}), 1);
  sampling.top_p = narrow(fields.number("top_p", {.min = 0, .max = 1, .min_excluded = true}), 1);
  sampling.top_k =
      static_cast<int32_t>(fields.integer("top_k", {.min = 0, .max = INT32_MAX}).value_or(0));
  sampling.min_p = narrow(fields.number("min_p", {.min = 0, .max = 1}), 0);
  sampling.presence_penalty = narrow(fields.number("presence_penalty", {.min = -2, .max = 2}), 0);
  sampling.frequency_penalty = narrow(fields.number("frequency_penalty", {.min = -2, .max = 2}), 0);
  sampling.repetition_penalty =
      narrow(fields.number("repetition_penalty", {.min = 0.01, .max = 10}), 1);
  sampling.logit_bias = read_logit_bias(fields, limits.vocabulary);
  read.seed = read_seed(fields);
  read.max_tokens = read_max_tokens(fields, max_tokens_min);
  read.stop = read_stop(fields);
  read.choices =
      static_cast<int32_t>(fields.integer("n", {.min = 1, .max = limits.choices_max}).value_or(1));
  read.stream = fields.boolean("stream").value_or(false);
  read.include_usage = read_include_usage(fields, read.stream);
  read.ignore_eos = fields.boolean("ignore_eos").value_or(false);
  // Names of the end user and of a cache that is not there: no answer depends on them.
  for (const char* label :
       {"user", "safety_identifier", "prompt_cache_key", "prompt_cache_retention"}) {
    static_cast<void>(fields.string(label));
  }
  return read;
}

void refuse_unless_neutral(JsonFields& fields, const nlohmann::json& neutral) {
  for (const auto& [name, values] : neutral.items()) {
    const nlohmann::json* found = fields.find(name);
    if (found != nullptr && std::find(values.begin(), values.end(), *found) == values.end()) {
      fail(Code::kUnsupported, "{}: {} is not supported", fields.path(name),
           found->is_structured() ? "this value" : printable(found->dump(), 80));
    }
  }
}

std::vector<int32_t> read_token_ids(const nlohmann::json& list, const std::string& path,
                                    int64_t vocabulary) {
  if (!list.is_array()) {
    fail(Code::kBadArgument, "{}: expected a list of token ids, found {}", path, json_kind(list));
  }
  std::vector<int32_t> ids;
  ids.reserve(list.size());
  for (size_t i = 0; i < list.size(); ++i) {
    ids.push_back(static_cast<int32_t>(
        json_integer(list[i], fmt::format("{}[{}]", path, i), {.min = 0, .max = vocabulary - 1})));
  }
  return ids;
}

}  // namespace invar
