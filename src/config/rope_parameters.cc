// See rope_parameters.h.
#include "config/rope_parameters.h"

#include <algorithm>

#include "config/stated_fact.h"
#include "core/error.h"

namespace invar {
namespace {

// Within these no frequency exceeds 1, so that every position of a context has an angle.
constexpr NumberRange kRopeTheta{1, 1e12};
constexpr NumberRange kFactor{1, 1e6};
constexpr NumberRange kFrequencyFactor{1e-6, 1e6};
constexpr NumberRange kOriginalPositions{1, 0x1p24};
constexpr NumberRange kShare{1.0 / 256, 1};

constexpr ConfigKey kSections{"mrope_section", "rope.dimension_sections"};
constexpr int64_t kPairsMax = 320;  // of the widest head

void read_sections(ConfigReader& reader, RopeParameters& rope) {
  std::vector<int64_t> counts = reader.integers(kSections);
  const nlohmann::json found = counts.empty() ? nlohmann::json() : nlohmann::json(counts);
  if (reader.is_gguf() && counts.size() == 4 && counts.back() == 0) {
    counts.pop_back();  // a fourth stream, which turns nothing
  }
  const bool in_range =
      std::ranges::all_of(counts, [](int64_t count) { return count >= 0 && count <= kPairsMax; });
  if (counts.size() != rope.sections.size() || !in_range) {
    reader.wrong(kSections, fmt::format("three counts of pairs from 0 to {}", kPairsMax), found);
  }
  std::ranges::copy(counts, rope.sections.begin());
  if (rope.sections == RopeParameters{}.sections) {
    reader.wrong(kSections, "a count above 0", found);
  }
}

// Stated together or not at all.
void read_interleaved_sections(ConfigReader& scaling, RopeParameters& rope) {
  const bool interleaved = scaling.find_boolean({"mrope_interleaved", ""}).value_or(false);
  if (scaling.has(kSections) && !interleaved) {
    fail(Code::kUnsupported,
         "{}: key 'mrope_interleaved': only true is supported where mrope_section is, found false "
         "or nothing",
         scaling.label());
  }
  if (interleaved) {
    read_sections(scaling, rope);
  }
}

void read_scaling(ConfigReader& scaling, RopeParameters& rope) {
  read_interleaved_sections(scaling, rope);
  StatedFact<std::string> stated;
  for (const std::string_view name : {"rope_type", "type"}) {  // older files call it "type"
    stated.add(scaling, {name, ""}, scaling.find_string({name, ""}));
  }
  const std::string type = stated.value_or("default");
  if (type == "llama3") {
    rope.scaling = RopeScaling::kLlama3;
    rope.factor = scaling.get_number({"factor", ""}, kFactor);
    rope.low_freq_factor = scaling.get_number({"low_freq_factor", ""}, kFrequencyFactor);
    rope.high_freq_factor = scaling.get_number({"high_freq_factor", ""}, kFrequencyFactor);
    rope.original_max_position_embeddings =
        scaling.get_number({"original_max_position_embeddings", ""}, kOriginalPositions);
    if (rope.high_freq_factor <= rope.low_freq_factor) {
      fail(Code::kBadFile,
           "{}: key 'high_freq_factor': expected more than low_freq_factor {}, found {}",
           scaling.label(), rope.low_freq_factor, rope.high_freq_factor);
    }
  } else if (type != "default") {
    fail(Code::kUnsupported, "{}: key 'rope_type': expected 'default' or 'llama3', found '{}'",
         scaling.label(), type);
  }
}

}  // namespace

RopeParameters read_rope_parameters(ConfigReader& reader, const RopeParameters& defaults) {
  RopeParameters rope = reader.is_gguf() ? RopeParameters{} : defaults;
  // Newer files state it inside rope_parameters, older ones outside, some in both places.
  const ConfigKey theta{"rope_theta", "rope.freq_base"};
  const ConfigKey share{"partial_rotary_factor", ""};
  StatedFact<double> base;
  StatedFact<double> part;
  const auto add = [&](ConfigReader& from) {
    base.add(from, theta, from.find_number(theta, kRopeTheta));
    part.add(from, share, from.find_number(share, kShare));
  };
  if (reader.is_gguf()) {
    reader.require({"", "rope.scaling.type"}, "none");
  } else if (auto parameters = reader.object("rope_parameters")) {
    add(*parameters);
    if (!reader.has(theta)) {
      parameters->get_number(theta, kRopeTheta);
    }
    read_scaling(*parameters, rope);
    parameters->refuse_unread();
  } else if (auto scaling = reader.object("rope_scaling")) {
    read_scaling(*scaling, rope);
    scaling->refuse_unread();
  }
  add(reader);
  rope.rope_theta = base.value_or(rope.rope_theta);
  rope.partial_rotary_factor = part.value_or(rope.partial_rotary_factor);
  return rope;
}

void read_gguf_sections(ConfigReader& reader, RopeParameters& rope) {
  if (reader.is_gguf() && reader.has(kSections)) {
    read_sections(reader, rope);
  }
}

void check_sections(const ConfigReader& reader, const RopeParameters& rope,
                    int64_t rotary_columns) {
  const auto& [time, height, width] = rope.sections;
  const int64_t pairs = time + height + width;
  const int64_t half = rotary_columns / 2;
  // Pairs i with i mod 3 = 1, and with 2.
  const int64_t height_max = (half + 1) / 3;
  const int64_t width_max = half / 3;
  if (pairs != 0 && (pairs != half || height > height_max || width > width_max)) {
    reader.wrong(kSections,
                 fmt::format("{} pairs in all (half the rotary columns), at most {} in the second "
                             "section and {} in the third",
                             half, height_max, width_max),
                 rope.sections);
  }
}

}  // namespace invar
